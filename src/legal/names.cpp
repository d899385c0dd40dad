#include "legal/names.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/nearest.h"
#include "ir/build.h"

namespace burin {

std::string name_of(const FuncDef& f, int def) {
    return to_string(StageName{f.name.hint(), def - 1});
}

std::vector<std::string> stage_names(const Algorithm& a) {
    std::vector<std::string> names;
    for (auto& f : a.funcs)
        for (int d = 0; d < int(f.defs.size()); ++d) names.push_back(name_of(f, d));
    return names;
}

int find_func(const Algorithm& a, const std::string& name) {
    int i = a.func_index(Symbol::named(name));
    if (i >= 0) return i;
    if (a.param(Symbol::named(name)))
        throw refusal("input-is-no-stage",
                      fmt::format("{} is an argument of {}, not a stage", name, a.name))
            .help(
                fmt::format("copy = cache_read({}, [reader]) makes a stage that copies it", name));
    auto known = stage_names(a), close = known;
    for (auto& p : a.params)
        if (p.kind == Parameter::Input) close.push_back(p.name.hint());
    throw refusal("unknown-stage",
                  fmt::format("{} has no stage {}{}", a.name, name, did_you_mean(name, close)))
        .help("its stages: " + listed(known));
}

int find_def(const FuncDef& f, const StageName& s, bool as_place) {
    if (s.update < 0) return as_place ? int(f.defs.size()) - 1 : 0;
    if (s.update + 1 < int(f.defs.size())) return s.update + 1;
    throw refusal("unknown-stage",
                  fmt::format("there is no {}: {} has {} update{}", to_string(s), s.func,
                              f.defs.size() - 1, f.defs.size() == 2 ? "" : "s"));
}

std::vector<std::string> loop_names(const StagePlan& s) {
    std::vector<std::string> names;
    for (auto& l : s.loops) names.push_back(l.name);
    return names;
}

const LoopPlan& find_loop(const Algorithm& a, const StagePlan& s, const std::string& name) {
    if (auto* l = s.loop(name)) return *l;
    auto known = loop_names(s);
    std::string stage = name_of(a.funcs[s.func], s.def);
    Error e = refusal("unknown-loop",
                      fmt::format("{} has no loop {}{}", stage, name, did_you_mean(name, known)));
    for (auto& made : s.splits) {
        if (made.kind == LoopSplit::Split && made.from == name)
            e.note(fmt::format("{} was split into {} and {}", name, made.outer, made.inner));
        if (made.kind == LoopSplit::Fuse && (made.outer == name || made.inner == name))
            e.note(fmt::format("{} and {} were fused into {}", made.outer, made.inner, made.from));
    }
    throw e.help(known.empty() ? "it has no loops" : "its loops: " + listed(known));
}

std::string free_loop_name(const Algorithm& a, const StagePlan& s, const std::string& base) {
    std::set<std::string> taken(s.roots.begin(), s.roots.end());
    for (auto& x : s.splits) taken.insert({x.from, x.outer, x.inner});
    for (Symbol n : a.sizes) taken.insert(n.hint());
    for (auto& p : a.params)
        if (p.kind != Parameter::Input) taken.insert(p.name.hint());
    std::string name = base;
    for (int k = 1; taken.contains(name); ++k) name = base + std::to_string(k);
    return name;
}

std::string known_name(const Expr& e) {
    auto* v = e.as<Var>();
    return v ? v->name.hint() : "";
}

StageName stage_of(const DirectiveArg& arg) {
    if (auto* s = std::get_if<StageName>(&arg.v)) return *s;
    if (auto* e = std::get_if<Expr>(&arg.v))
        if (std::string name = known_name(*e); !name.empty()) return {name, -1};
    throw refusal("directive-arguments", "a stage is meant here: f or f.update(0)");
}

DirectiveArg as_arg(const StageName& s) {
    if (s.update >= 0) return {s, {}};
    return {var(Symbol::named(s.func)), {}};
}

StageName parse_stage_name(const std::string& text) {
    static constexpr std::string_view mark = ".update(";
    size_t dot = text.find(mark);
    if (dot == std::string::npos) return {text, -1};
    StageName s{text.substr(0, dot), -1};
    const char *first = text.data() + dot + mark.size(), *end = text.data() + text.size();
    auto [last, error] = std::from_chars(first, end, s.update);
    if (error != std::errc() || s.update < 0 || std::string_view(last, end - last) != ")")
        throw refusal("unknown-stage",
                      fmt::format("{} is no stage's name: f or f.update(0) is", text));
    return s;
}

const LoopPlan* StagePlan::loop(const std::string& name) const {
    int i = depth(name);
    return i < 0 ? nullptr : &loops[i];
}

int StagePlan::depth(const std::string& name) const {
    for (int i = 0; i < int(loops.size()); ++i)
        if (loops[i].name == name) return i;
    return -1;
}

}  // namespace burin
