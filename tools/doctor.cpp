// burin doctor: what this machine offers, and whether a program compiles and runs on it.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tools/command.h"
#include "tools/measure.h"

extern "C" void LLVMGetVersion(unsigned* major, unsigned* minor,
                               unsigned* patch);  // libLLVM's C interface

namespace burin {
namespace {

std::string contents(const char* path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The value of the first line "key : value".
std::string value_of(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key))
            if (size_t at = line.find(':'); at != std::string::npos)
                return line.substr(std::min(line.find_first_not_of(" \t", at + 1), line.size()));
    return "unknown";
}

std::string vectors(const std::string& flags) {
    std::string found;
    for (const char* f :
         {"avx2", "fma", "f16c", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve"})
        if ((" " + flags + " ").find(std::string(" ") + f + " ") != std::string::npos)
            found += std::string(found.empty() ? "" : " ") + f;
    return found.empty() ? "none that are known here" : found;
}

std::string chosen_in_brackets(const std::string& text) {
    size_t open = text.find('['), close = text.find(']');
    return open == std::string::npos || close == std::string::npos
               ? "unknown"
               : text.substr(open + 1, close - open - 1);
}

std::string halide() {
    const char* python = std::getenv("BURIN_PYTHON");
    return python ? "by " + std::string(python)
                  : "not there (./burin bench installs it); rivals are left out";
}

}  // namespace

int doctor() {
    std::string cpu = contents("/proc/cpuinfo"), flags = value_of(cpu, "flags");
    if (flags == "unknown") flags = value_of(cpu, "Features");
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    auto line = [](const char* what, const std::string& is) { fmt::print("{:12} {}\n", what, is); };
    line("processor", value_of(cpu, "model name"));
    line("vectors", vectors(flags));
    line("threads", std::to_string(threads_of(0)));
    line("memory", value_of(contents("/proc/meminfo"), "MemTotal"));
    line("huge pages", chosen_in_brackets(contents("/sys/kernel/mm/transparent_hugepage/enabled")));
    line("LLVM", fmt::format("{}.{}.{}", major, minor, patch));
    line("target", to_string(Target::host()));
    line("Halide", halide());

    Request small;
    small.sizes = {"h=66,w=130"};
    Program program = load_program("blur3x3", "");
    CallData call = prepare_call(program, small);
    Kernel kernel = compile(program.pipeline, program.schedule);
    kernel.call(call.all());
    bool right = check_tiles(program.pipeline, call.inputs, call.outputs).equal;
    line("a program", right ? fmt::format("compiles in {:.3g} ms, runs and is right",
                                          kernel.compile_times().total)
                            : "runs and is WRONG: please report it");
    return right ? 0 : 1;
}

}  // namespace burin
