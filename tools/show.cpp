// burin show: what becomes of a program on its way to the machine.
#include <fmt/format.h>

#include "base/nearest.h"
#include "ir/print.h"
#include "legal/replay.h"
#include "lower/lower.h"
#include "report/loop_nest.h"
#include "tools/command.h"

namespace burin {
namespace {

std::vector<std::string> pass_names() {
    std::vector<std::string> names;
    for (auto& p : pass_table())
        if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
    return names;
}

// The last pass that still speaks of Funcs and their points.
std::string last_nest_pass() {
    std::string name;
    for (auto& p : pass_table())
        if (p.level == Level::Nest) name = p.name;
    return name;
}

State after_pass(const Program& program, const std::string& pass) {
    Plan plan = replay(program.pipeline, program.schedule.directives());
    check(plan);
    LowerOptions options;
    options.stop_after = pass;
    return lower(plan, options).state;
}

}  // namespace

int show(const Request& request, const std::string& what) {
    const std::vector<std::string> kinds{"nest", "schedule", "ir", "llvm", "asm"};
    bool is_pass = what.starts_with("pass:");
    std::string pass = is_pass ? what.substr(5) : "";
    if (!is_pass && std::find(kinds.begin(), kinds.end(), what) == kinds.end())
        throw Error(
            ErrorKind::Value, "unknown-view",
            fmt::format("--what {}: there is no such view{}", what, did_you_mean(what, kinds)))
            .help("nest, schedule, ir, pass:NAME, llvm or asm");
    if (auto known = pass_names();
        is_pass && std::find(known.begin(), known.end(), pass) == known.end())
        throw Error(
            ErrorKind::Value, "unknown-pass",
            fmt::format("--what {}: there is no such pass{}", what, did_you_mean(pass, known)))
            .help("the passes: " + listed(known, known.size()));

    bool is_code = what == "llvm" || what == "asm";
    if (!is_code && request.target != "host")
        throw Error(
            ErrorKind::Value, "target-unused",
            fmt::format("--target {}: {} is the same for every target", request.target, what))
            .help("--what llvm or asm depends on it");

    Program program = load_program(request.what, request.schedule);
    std::string text;
    if (is_code) {
        Kernel k = compile(program.pipeline, program.schedule, Target::parse(request.target));
        text = what == "llvm" ? k.llvm() : k.assembly();
    } else if (what == "schedule") {
        text = program.schedule.text();
    } else if (what == "nest") {
        text = loop_nest(after_pass(program, last_nest_pass()));
    } else {
        text = to_string(after_pass(program, pass).stmt);
    }
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
    return 0;
}

}  // namespace burin
