// orc.h - modules to machine code in this process: one LLJIT, one JITDylib for each piece of code, freed with it.
#pragma once
#include <memory>
#include <string>

#include "codegen/abi.h"
#include "codegen/codegen.h"

namespace burin {

// Making one costs as much as compiling a small kernel, so what is given up serves the next one to ask.
struct KeepMachine {
    std::string target;
    void operator()(llvm::TargetMachine* machine) const;
};
using Machine = std::unique_ptr<llvm::TargetMachine, KeepMachine>;

// The machine that a target names, for one thread at a time. Throws E-value for a CPU or feature LLVM does not know,
// E-device for one that this processor cannot run.
Machine target_machine(const std::string& cpu, const std::string& features);

// Machine code, in memory that is executable and not writable. Goes away with the object.
class Code {
public:
    // Compiles the module (already optimised). May be called from several threads at once. `name`: of what it computes,
    // for debuggers and profilers.
    Code(Generated generated, llvm::TargetMachine& machine, const std::string& entry,
         const std::string& name);
    ~Code();
    Code(const Code&) = delete;
    BodyFn entry() const { return entry_; }

private:
    llvm::orc::JITDylib* library_ = nullptr;
    BodyFn entry_ = nullptr;
};

std::string llvm_text(const llvm::Module& module);
std::string assembly_text(const llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace burin
