#include "legal/uses.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"
#include "legal/names.h"

namespace burin {
namespace {

bool reads(const Definition& d, Symbol f) {
    bool found = false;
    auto look = [&](const Expr& e) {
        if (!found && e.defined())
            visit(e, [&](const Read& r, auto& self) {
                found |= r.func == f;
                self.descend(r);
            });
    };
    for (auto& e : d.args) look(e);
    for (auto& e : d.values) look(e);
    look(d.where);
    return found;
}

}  // namespace

std::vector<StageOf> readers_of(const Algorithm& a, Symbol f) {
    std::vector<StageOf> found;
    for (int i = 0; i < int(a.funcs.size()); ++i)
        for (int d = 0; d < int(a.funcs[i].defs.size()); ++d)
            if (a.funcs[i].name != f && reads(a.funcs[i].defs[d], f)) found.push_back({i, d});
    return found;
}

std::vector<StageOf> uses_of(const Plan& plan, int func) {
    const Algorithm& a = plan.pipeline.algorithm();
    std::vector<StageOf> found;
    std::vector<int> waiting{func}, seen{func};
    while (!waiting.empty()) {
        int f = waiting.back();
        waiting.pop_back();
        for (auto& r : readers_of(a, a.funcs[f].name)) {
            bool vanishes =
                plan.funcs[r.func].compute.kind == Place::Inline && !a.funcs[r.func].has_updates();
            if (!vanishes) {
                if (std::find(found.begin(), found.end(), r) == found.end()) found.push_back(r);
            } else if (std::find(seen.begin(), seen.end(), r.func) == seen.end()) {
                seen.push_back(r.func);
                waiting.push_back(r.func);
            }
        }
    }
    std::sort(found.begin(), found.end(),
              [](auto& x, auto& y) { return std::pair(x.func, x.def) < std::pair(y.func, y.def); });
    return found;
}

std::vector<LoopOf> loops_around(const Plan& plan, const Place& place) {
    const Algorithm& a = plan.pipeline.algorithm();
    std::vector<LoopOf> found;
    std::string holder;  // of the place before
    int steps = 0;
    for (const Place* p = &place; p->kind != Place::Root; p = &plan.funcs[p->func].compute) {
        if (p->kind == Place::Inline)
            throw refusal("place-in-inline", holder + " is computed inline and has no loops");
        if (++steps > int(plan.funcs.size()))
            throw refusal("placement-cycle",
                          fmt::format("{} is placed inside a Func that is placed inside it",
                                      a.funcs[p->func].name.hint()));
        const StagePlan& s = plan.funcs[p->func].stages[p->def];
        holder = a.funcs[p->func].name.hint();
        std::vector<LoopOf> outside;
        for (int i = 0; i <= s.depth(p->loop); ++i)
            outside.push_back({p->func, p->def, &s.loops[i]});
        found.insert(found.begin(), outside.begin(), outside.end());
    }
    return found;
}

std::string to_string(const Plan& plan, const Place& p) {
    if (p.kind == Place::Inline) return "inline";
    if (p.kind == Place::Root) return "root";
    return name_of(plan.pipeline.algorithm().funcs[p.func], p.def) + "." + p.loop;
}

}  // namespace burin
