// private_copies.cpp - compute_inline of a Func with updates.
#include <fmt/format.h>

#include <algorithm>

#include "legal/line.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace burin {
namespace {

constexpr int most_copies = 1000;

bool places(const StageDirectives& s, const Directive& l, const std::string& func) {
    if (l.verb != "reverse_compute_at")
        return s.stage.func == func && l.verb.starts_with("compute_") && l.verb != "compute_with";
    return !l.args.empty() && stage_of(l.args[0]).func == func;
}

// Is the Func where it is read, so that each reader needs its own: with updates because a line says so, or pure, inline
// and a reader of such a Func?
std::vector<bool> need_copies(const Algorithm& a, const Directives& d) {
    std::vector<bool> need(a.funcs.size());
    for (int i = 0; i < int(a.funcs.size()); ++i) {
        const FuncDef& f = a.funcs[i];
        std::string place;
        for (auto& s : d.stages)
            for (auto& l : s.lines)
                if (places(s, l, f.name.hint())) place = l.verb;
        if (f.has_updates()) {
            need[i] = need[i] || (place == "compute_inline" && !a.is_output(f.name));
        } else if (a.is_output(f.name) || !(place.empty() || place == "compute_inline")) {
            need[i] = false;
        }
        if (need[i])
            for (auto& r : readers_of(a, f.name))
                need[r.func] = need[r.func] || !a.funcs[r.func].has_updates();
    }
    return need;
}

std::string free_name(const Algorithm& a, const std::string& wish) {
    for (int n = 0;; ++n) {
        std::string name = n ? wish + std::to_string(n) : wish;
        if (Symbol s = Symbol::named(name); !a.func(s) && !a.param(s)) return name;
    }
}

}  // namespace

Pipeline with_private_copies(Pipeline derived, Directives& lines) {
    for (int copies = 0;; ++copies) {
        const Algorithm& a = derived.algorithm();
        std::vector<bool> need = need_copies(a, lines);
        int i = int(a.funcs.size());
        std::vector<StageOf> readers;
        while (i-- > 0 && readers.size() < 2)  // readers before what they read
            if (need[i]) readers = readers_of(a, a.funcs[i].name);
        if (readers.size() < 2) return derived;
        std::string name = a.funcs[i + 1].name.hint();
        if (copies == most_copies)
            throw refusal("too-many-copies",
                          fmt::format("inline, {} and others would be copied more than {} times",
                                      name, most_copies))
                .help("compute_root() or compute_at(...) of some");
        const StageOf& last = readers.back();
        std::string copy = free_name(a, name + "_in_" + a.funcs[last.func].name.hint());
        StageName reader{a.funcs[last.func].name.hint(), last.def - 1};
        Directive clone{
            "clone_in", {as_arg({name, -1}), {std::vector{as_arg(reader)}, {}}}, {copy}, {}};
        auto stages = lines.stages;
        for (auto& s : stages)
            if (s.stage.func == name) lines.stages.push_back({{copy, s.stage.update}, s.lines});
        derived = derive(derived, {lines.pipeline, {}, {clone}, {}});
    }
}

void place_private_copy(Plan& plan, int func) {
    const Algorithm& a = plan.pipeline.algorithm();
    FuncPlan& f = plan.funcs[func];
    if (f.compute.kind != Place::Inline || !a.funcs[func].has_updates()) return;
    StageOf use = uses_of(plan, func)[0];  // the only one
    Place p = plan.funcs[use.func].compute;
    for (auto& l : plan.funcs[use.func].stages[use.def].loops) {
        if (l.kind == LoopKind::Vectorized) break;
        p = {Place::At, use.func, use.def, l.name, {}};
    }
    p.where = f.compute.where;
    f.compute = p;
}

}  // namespace burin
