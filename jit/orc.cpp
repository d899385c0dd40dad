#include "jit/orc.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "base/deep.h"
#include "base/nearest.h"
#include "codegen/abi.h"
#include "jit/host/idle.h"

namespace burin {
namespace {

[[noreturn]] void fail(const char* what, llvm::Error e) {
    throw Error(ErrorKind::Internal, "jit",
                fmt::format("{}: {}", what, llvm::toString(std::move(e))));
}
template <class T>
T take(const char* what, llvm::Expected<T> e) {
    if (!e) fail(what, e.takeError());
    return std::forward<T>(*e);
}
void need(const char* what, llvm::Error e) {
    if (e) fail(what, std::move(e));
}

void initialize() {
    static const bool done = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        // Addresses come in the form that x86 and ARM want (Emitter::address); strength reduction would chain them.
        auto& options = llvm::cl::getRegisteredOptions();
        if (auto it = options.find("disable-lsr"); it != options.end())
            static_cast<llvm::cl::opt<bool>*>(it->second)->setValue(true);
        return true;
    }();
    (void)done;
}

// Never destroyed: kernels in static objects may outlive any order of destruction.
llvm::orc::LLJIT& session() {
    initialize();
    static llvm::orc::LLJIT* jit = [] {
        auto made = take("the JIT cannot start", llvm::orc::LLJITBuilder().create());
        if (llvm::Error e = llvm::orc::enableDebuggerSupport(*made))
            llvm::consumeError(std::move(e));
        auto& main = made->getMainJITDylib();
        llvm::orc::SymbolMap runtime;
        auto add = [&](const char* name, auto* f) {
            runtime[made->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(f),
                                                    llvm::JITSymbolFlags::Exported};
        };
        add("burin_par_for", &burin_par_for);
        add("burin_access_failed", &burin_access_failed);
        need("the runtime's symbols", main.define(llvm::orc::absoluteSymbols(std::move(runtime))));
        // fmaf, memset, conversions of f16 on old processors ...
        main.addGenerator(take("the process's symbols",
                               llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                                   made->getDataLayout().getGlobalPrefix())));
        return made.release();
    }();
    return *jit;
}

llvm::SmallVector<char, 0> emit(llvm::Module& module, llvm::TargetMachine& machine,
                                llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, type))
        throw Error(ErrorKind::Internal, "jit", "this target cannot emit code");
    passes.run(module);
    return bytes;
}

// What LLVM does not know it prints, or ends the process over; so names are looked up in its tables first.
void check_names(const llvm::MCSubtargetInfo& tables, const std::string& cpu,
                 const llvm::SubtargetFeatures& features) {
    auto check = [](const char* what, const std::string& name, auto known) {
        std::vector<std::string> names;
        for (auto& k : known) names.push_back(k.Key);
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(ErrorKind::Value, "unknown-target",
                        fmt::format("there is no {} {}{}", what, name, did_you_mean(name, names)))
                .help("host, host-checked, x86-64-v3, x86-64-v4,-avx512fp16, ...");
    };
    if (!cpu.empty()) check("processor", cpu, tables.getAllProcessorDescriptions());
    for (auto& f : features.getFeatures())
        check("processor feature", f.substr(f.starts_with('+') || f.starts_with('-')),
              tables.getAllProcessorFeatures());
}

// Code runs in this process. Other features than these are never used unasked.
void check_host(const llvm::MCSubtargetInfo& target, const std::string& cpu) {
    auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::Device, "target-not-here",
                    fmt::format("the target {} cannot run here: {}", cpu, why))
            .help("host is this processor");
    };
    if (!target.getTargetTriple().isX86()) return;
    if (!target.checkFeatures("+64bit,+64bit-mode,-x32,+sse2,-soft-float"))
        refuse("it has no 64-bit code with SSE2");
    for (auto& feature : llvm::sys::getHostCPUFeatures())
        for (const char* used : {"sse", "ssse", "avx", "fma", "f16c", "bmi", "lzcnt", "popcnt",
                                 "movbe", "gfni", "xop", "tbm"})
            if (!feature.second && feature.first().starts_with(used) &&
                target.checkFeatures("+" + feature.first().str()))
                refuse("this processor has no " + feature.first().str());
}

// ---- perf: /tmp/perf-PID.map, by the environment's BURIN_PERF ----

bool wants_perf_map() {
    const char* set = std::getenv("BURIN_PERF");
    return set && *set && std::string_view(set) != "0";
}

struct Function {
    std::string name;
    uint64_t at, size;  // at: in its section, which holds all code
};

std::vector<Function> functions_in(llvm::StringRef object) {
    auto file =
        take("the object", llvm::object::ObjectFile::createELFObjectFile({object, "kernel"}));
    std::vector<Function> found;
    for (llvm::object::ELFSymbolRef s : file->symbols())
        if (take("a symbol", s.getType()) == llvm::object::SymbolRef::ST_Function)
            found.push_back({take("its name", s.getName()).str(), take("its place", s.getValue()),
                             s.getSize()});
    return found;
}

// A line a function: address, size, name.
void write_perf_map(const std::vector<Function>& functions, const std::string& entry,
                    uintptr_t entry_at, const std::string& name) {
    auto first = std::ranges::find(functions, entry, &Function::name);
    if (first == functions.end()) return;
    std::string lines;
    for (auto& f : functions)
        lines += fmt::format("{:x} {:x} burin:{}:{}\n", entry_at - first->at + f.at, f.size, name,
                             f.name);
    static std::mutex lock;
    std::lock_guard hold(lock);
    std::ofstream(fmt::format("/tmp/perf-{}.map", getpid()), std::ios::app) << lines;
}

std::unique_ptr<llvm::TargetMachine> made_machine(const std::string& cpu,
                                                  const std::string& features) {
    initialize();
    llvm::orc::JITTargetMachineBuilder builder =
        take("the host's processor", llvm::orc::JITTargetMachineBuilder::detectHost());
    bool named = !cpu.empty() || !features.empty();
    if (named) {
        auto host = take("the host's processor",
                         llvm::orc::JITTargetMachineBuilder(builder).createTargetMachine());
        check_names(*host->getMCSubtargetInfo(), cpu, llvm::SubtargetFeatures(features));
    }
    if (!cpu.empty()) {
        builder.setCPU(cpu);
        builder.getFeatures() = llvm::SubtargetFeatures();
    }
    if (!features.empty()) {
        llvm::SubtargetFeatures all = builder.getFeatures();
        llvm::SubtargetFeatures extra(features);
        for (auto& f : extra.getFeatures()) all.AddFeature(f);
        builder.getFeatures() = all;
    }
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    // Constants lie beside the code. By default each use in a JIT loads a 64-bit address first.
    builder.setCodeModel(llvm::CodeModel::Small);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    auto machine = take("the target", builder.createTargetMachine());
    if (named) check_host(*machine->getMCSubtargetInfo(), cpu.empty() ? "host" : cpu);
    machine->Options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return machine;
}

// By target. Never destroyed, as the session.
Idle<std::string, llvm::TargetMachine>& idle_machines() {
    static auto* all = new Idle<std::string, llvm::TargetMachine>;
    return *all;
}

}  // namespace

Machine target_machine(const std::string& cpu, const std::string& features) {
    std::string target = cpu + ',' + features;
    auto machine = idle_machines().take(target);
    if (!machine) machine = made_machine(cpu, features);
    return Machine(machine.release(), {target});
}

void KeepMachine::operator()(llvm::TargetMachine* machine) const {
    idle_machines().give(target, std::unique_ptr<llvm::TargetMachine>(machine));
}

Code::Code(Generated generated, llvm::TargetMachine& machine, const std::string& entry,
           const std::string& name) {
    static std::atomic<uint64_t> count{0};
    auto& jit = session();
    auto object = emit(*generated.module, machine, llvm::CodeGenFileType::ObjectFile);
    library_ = &take("a JIT library", jit.createJITDylib(fmt::format("kernel{}", ++count)));
    library_->addToLinkOrder(jit.getMainJITDylib());
    auto functions =
        wants_perf_map() ? functions_in({object.data(), object.size()}) : std::vector<Function>();
    auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), entry, false);
    need("linking", jit.addObjectFile(*library_, std::move(buffer)));
    entry_ = take("the kernel's entry", jit.lookup(*library_, entry)).toPtr<BodyFn>();
    write_perf_map(functions, entry, reinterpret_cast<uintptr_t>(entry_), name);
}

Code::~Code() {
    if (library_) llvm::consumeError(session().getExecutionSession().removeJITDylib(*library_));
}

std::string llvm_text(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    return text;
}

std::string assembly_text(const llvm::Module& module, llvm::TargetMachine& machine) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    auto bytes = emit(*copy, machine, llvm::CodeGenFileType::AssemblyFile);
    return {bytes.begin(), bytes.end()};
}

}  // namespace burin
