// cache_write.cpp - may the tile that a loop's body touches live elsewhere while the body runs?
#include <fmt/format.h>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"
#include "legal/storage.h"

namespace burin {

void check_cache_write(const Plan& plan, const StagePlan& s, const CacheWrite& c) {
    const Algorithm& a = plan.pipeline.algorithm();
    const FuncDef& f = a.funcs[s.func];
    std::string stage = name_of(f, s.def);
    find_loop(a, s, c.loop);
    int depth = s.depth(c.loop);
    auto refuse = [&](const char* id, const std::string& why) {
        return refusal(id, fmt::format("the tile that {}.{} touches cannot be cached: {}", stage,
                                       c.loop, why));
    };
    if (!dependences(f, s.def).self_reads.empty())
        throw refuse("cache-write-self-read",
                     fmt::format("the update reads {} elsewhere", f.name.hint()));
    std::set<std::string> used;  // the variables of the coordinates written
    for (auto& e : f.defs[s.def].args)
        visit(e, overloaded{[&](const Var& v, auto&) { used.insert(v.name.hint()); },
                            [&](const Read& r, auto&) {
                                throw refuse(
                                    "cache-write-scatter",
                                    fmt::format("its coordinates depend on {}", r.func.hint()));
                            }});
    for (int i = 0; i < int(s.loops.size()); ++i) {
        const LoopPlan& l = s.loops[i];
        if (i <= depth) {
            if (l.kind == LoopKind::Vectorized)
                throw refuse("cache-write-vector", fmt::format("{} is vectorised", l.name));
            continue;
        }
        if (l.kind == LoopKind::Parallel)
            throw refuse("cache-write-parallel", fmt::format("{} inside it is parallel", l.name));
        bool moves = false;
        for (auto& root : roots_of(s, l.name)) moves |= used.contains(root);
        if (moves && c.memory != Memory::Heap && !constant_extent(plan, s.func, s.def, l.name))
            throw refuse("cache-write-size", fmt::format("{} has no constant extent", l.name))
                .help(fmt::format("split {} by a constant and reorder its outer part outside {}",
                                  l.name, c.loop));
    }
    if (c.memory == Memory::Heap) return;
    StageNest nest = make_nest(plan, s, make_region(plan, s.func));
    for (auto& e : f.defs[s.def].args) {
        Interval i = interval_of(substitute(e, nest.coordinates), inner_ranges(nest, depth));
        if (!const_int(rounded_up(simplify(i.hi - i.lo + 1))))
            throw refuse("cache-write-size",
                         fmt::format("it has no constant extent along {}", to_string(e, IndexType)))
                .help("cache_write(" + c.loop + ", Heap)");
    }
}

}  // namespace burin
