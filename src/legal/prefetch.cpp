#include <fmt/format.h>

#include <algorithm>

#include "ir/build.h"
#include "legal/line.h"
#include "legal/regions.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace burin {

void apply_prefetch(Line& l) {
    const Algorithm& a = l.algorithm();
    Symbol target = Symbol::named(l.name(0));
    if (auto* p = a.param(target); !p || p->kind != Parameter::Input)
        target = a.funcs[find_func(a, l.name(0))].name;
    std::string loop = l.loop(1).name;
    auto distance = const_int(l.factor(2));
    if (!distance)
        throw refusal("factor-not-constant",
                      fmt::format("{}: the distance is a constant", to_string(l.directive)));
    for (auto& other : l.stage().prefetches)
        if (other.target == target && other.loop == loop)
            throw refusal("prefetch-twice", fmt::format("another line prefetches {} in {}.{}",
                                                        target.hint(), l.stage_text(), loop));
    l.stage().prefetches.push_back({target, loop, *distance, l.index});
}

void check_prefetch_loop(const Plan& plan, const StagePlan& s, const PrefetchAhead& p) {
    const Algorithm& a = plan.pipeline.algorithm();
    LoopKind kind = find_loop(a, s, p.loop).kind;
    if (kind == LoopKind::Vectorized || kind == LoopKind::Parallel)
        throw refusal("prefetch-without-order",
                      fmt::format("{} cannot be prefetched in {}.{}: that loop is {}, and no "
                                  "iteration comes after another",
                                  p.target.hint(), name_of(a.funcs[s.func], s.def), p.loop,
                                  kind == LoopKind::Parallel ? "parallel" : "vectorised"))
            .help("a serial loop inside or around it");
}

namespace {

void check_prefetch(const Plan& plan, Regions& regions, const StagePlan& s,
                    const PrefetchAhead& p) {
    const Algorithm& a = plan.pipeline.algorithm();
    std::string loop = name_of(a.funcs[s.func], s.def) + "." + p.loop;
    auto refuse = [&](const char* id, const std::string& why) {
        return refusal(id,
                       fmt::format("{} cannot be prefetched in {}: {}", p.target.hint(), loop, why))
            .at(where_of(plan, s, p.directive));
    };
    if (int f = a.func_index(p.target); f >= 0) {
        const Place& place = plan.funcs[f].compute;
        if (place.kind == Place::Inline)
            throw refuse("prefetch-inline", "it is computed inline and has no storage");
        for (auto& around : loops_around(plan, place))
            if (around.func == s.func && around.def == s.def && around.loop->name == p.loop)
                throw refuse("prefetch-inside", "each iteration computes what it reads of it");
    }
    if (regions.of_reads(p.target, {s.func, s.def, s.depth(p.loop)}).empty())
        throw refuse("prefetch-not-read", "nothing in that loop reads it");
}

}  // namespace

void check_prefetches(const Plan& plan) {
    auto asks = [](const FuncPlan& f) {
        return std::ranges::any_of(f.stages, [](auto& s) { return !s.prefetches.empty(); });
    };
    if (std::ranges::none_of(plan.funcs, asks)) return;
    Plan p = plan;
    p.pipeline = inlined(plan);
    LoopNests nests = make_nests(p);
    Regions regions(p, nests);
    for (auto& f : p.funcs)
        for (auto& s : f.stages)
            for (auto& ahead : s.prefetches) check_prefetch(p, regions, s, ahead);
}

}  // namespace burin
