// doctor: what this machine offers, and whether a program compiles and runs on it.
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
                  : "not there (./burin bench --rivals installs it); rivals are left out";
}

// A stencil under a schedule with all that it is good for, on a small picture.
struct Trial {
    bool right;
    double ms;
};
Trial try_a_program() {
    Pipeline p = parse_pipeline(R"(pipeline blur(in: f32[h, w]) -> out[h - 2, w - 2]
rows(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3
out(y, x) = (rows(y, x) + rows(y + 1, x) + rows(y + 2, x)) / 3
)");
    Schedule s = parse_schedule(p, R"(schedule 1 for blur
stage out
  yo, yi = split(y, 8)
  parallel(yo)
  vectorize(x, 8)
stage rows
  compute_at(out, yo)
  vectorize(x, 8)
)");
    Request small;
    small.sizes = {"h=66,w=130"};
    CallData call = prepare_call({p, s, "", nullptr}, small);
    Kernel kernel = compile(p, s);
    kernel.call(call.all());
    return {check_tiles(p, call.inputs, call.outputs).equal, kernel.compile_times().total};
}

}  // namespace

std::string processor_name() { return value_of(contents("/proc/cpuinfo"), "model name"); }

int doctor(bool json) {
    std::string cpu = contents("/proc/cpuinfo"), flags = value_of(cpu, "flags");
    if (flags == "unknown") flags = value_of(cpu, "Features");
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    Trial trial = try_a_program();
    const std::vector<std::pair<std::string, std::string>> facts{
        {"processor", processor_name()},
        {"vectors", vectors(flags)},
        {"threads", std::to_string(threads_of(0))},
        {"memory", value_of(contents("/proc/meminfo"), "MemTotal")},
        {"huge pages", chosen_in_brackets(contents("/sys/kernel/mm/transparent_hugepage/enabled"))},
        {"LLVM", fmt::format("{}.{}.{}", major, minor, patch)},
        {"target", to_string(Target::host())},
        {"Halide", halide()},
        {"a program", trial.right
                          ? fmt::format("compiles in {:.3g} ms, runs and is right", trial.ms)
                          : "runs and is WRONG: please report it"}};
    nlohmann::ordered_json j;
    for (auto& [what, is] : facts) {
        if (!json) fmt::print("{:12} {}\n", what, is);
        j[what] = is;
    }
    j["ok"] = trial.right;
    if (json) print_as_json(j);
    return trial.right ? 0 : 1;
}

}  // namespace burin
