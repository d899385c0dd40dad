// show: what becomes of a program on its way to the machine.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "ir/print.h"
#include "legal/replay.h"
#include "lower/lower.h"
#include "tools/command.h"
#include "tools/look.h"

namespace burin {
namespace {

std::vector<std::string> pass_names() {
    std::vector<std::string> names;
    for (auto& p : pass_table())
        if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
    return names;
}

void check_request(const Request& request, const std::string& what) {
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
    if (what != "llvm" && what != "asm" && request.target != "host")
        throw Error(
            ErrorKind::Value, "target-unused",
            fmt::format("--target {}: {} is the same for every target", request.target, what))
            .help("--what llvm or asm depends on it");
    if (what != "nest" && !(request.sizes.empty() && request.params.empty()))
        throw Error(ErrorKind::Value, "size-unused",
                    fmt::format("--size, --set: {} is the same for all of them", what))
            .help("--what nest counts the points of a call");
}

// Of every variant, or of the one that a call of these sizes takes.
std::vector<VariantFigures> figures(const ToolProgram& program, const Request& request) {
    if (request.sizes.empty()) return figures_of(program);
    Plan plan = replay(program.pipeline, program.schedule.directives());
    CallData call = prepare_call(program, request);
    for (auto& n : call.notes) fmt::print(stderr, "note: {}\n", n);
    return {{"", stages_of(plan, call.all())}};
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json();
}

nlohmann::ordered_json as_json(const std::vector<NestLine>& nest,
                               const std::vector<VariantFigures>& variants) {
    auto lines = nlohmann::ordered_json::array(), rows = lines;
    for (auto& l : nest) lines.push_back({{"text", l.text}, {"why", l.why}});
    for (auto& v : variants)
        for (auto& s : v.stages) {
            rows.push_back({{"stage", s.func},
                            {"place", s.place},
                            {"memory", s.memory},
                            {"bytes", or_null(s.bytes)},
                            {"computed", or_null(s.computed)},
                            {"required", or_null(s.required)}});
            if (!v.where.empty()) rows.back()["variant"] = v.where;
        }
    return {{"lines", lines}, {"stages", rows}};
}

}  // namespace

int show(const Request& request, const std::string& what) {
    check_request(request, what);
    ToolProgram program = load_program(request);
    nlohmann::ordered_json j{
        {"pipeline", program.pipeline.name()}, {"schedule", program.schedule_name}, {"what", what}};
    std::string text;
    if (what == "nest") {
        auto nest = nest_of(program);
        auto variants = figures(program, request);
        text = explained(nest) + "\n";
        for (auto& v : variants)
            text += (v.where.empty() ? "" : "# " + v.where + "\n") + table(v.stages);
        j.update(as_json(nest, variants));
        if (request.sizes.empty()) text += "--size counts the points of each stage and the bytes\n";
    } else if (what == "llvm" || what == "asm") {
        Kernel k = compile(program.pipeline, program.schedule, Target::parse(request.target));
        j["text"] = text = what == "llvm" ? k.llvm() : k.assembly();
    } else if (what == "schedule") {
        j["text"] = text = program.schedule.text();
    } else {
        std::string pass = what == "ir" ? "" : what.substr(5);
        j["text"] = text = after_pass(program, pass);
    }
    if (request.json) print_as_json(j);
    else fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
    return 0;
}

}  // namespace burin
