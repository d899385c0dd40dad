// Leaves out of a region what an earlier iteration has put into storage that is still there.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
//   schedule 1 for p
//   stage f
//     store_root()
//     compute_at(g, x)
// after:
//   realize f: i32[origin(g, 0): extent(g, 0) + 1] {
//     produce g {
//       for g.x in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
//         let f.x.lo = select(origin(g, 0) < g.x, g.x + 1, g.x)
//         produce f {
//           for f.x in f.x.lo .. g.x + 2 { f(f.x) = a(f.x) * 2 }
//         }
//         g(g.x) = f(g.x) + f(g.x + 1)
//       }
//     }
//   }
//
// Correct because every point that is left out was needed by an iteration that surely ran before (legal/windows.cpp):
// what a window needs is in store when its Func is produced. A scan whose storage folds takes one step after the other:
// each looks back at what is still there.
#include <algorithm>

#include "ir/build.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {

namespace {

// Computes all definitions of a Func at one value of its coordinate after the other.
Stmt stepwise(const State& s, size_t f, size_t d, const Stmt& body, uint32_t origin) {
    auto& region = s.nests->regions[f];
    auto& func = s.algorithm().funcs[f];
    Symbol step = Symbol::fresh(func.name.hint() + "." + func.vars[d].hint() + ".step");
    Expr lo = var(region.lo[d]), hi = var(region.hi[d]),
         at = s.windows[f][d].stepwise > 0 ? var(step) : lo + hi - var(step);
    return make(For{step, lo, hi - lo + 1, LoopKind::Serial,
                    substitute(body, {{region.lo[d], at}, {region.hi[d], at}})},
                {}, origin);
}

}  // namespace

State slide_window(State s) {
    if (std::ranges::all_of(s.windows, &std::vector<Window>::empty)) return s;
    Substitution edges;
    for (size_t f = 0; f < s.windows.size(); ++f)
        for (size_t d = 0; d < s.windows[f].size(); ++d) {
            auto& w = s.windows[f][d];
            auto& region = s.nests->regions[f];
            if (w.lo.defined()) edges[region.lo[d]] = w.lo;
            if (w.hi.defined()) edges[region.hi[d]] = w.hi;
        }
    s.stmt = rewrite(
        s.stmt,
        [&](const Let& op, auto& self) -> Stmt {
            Let let = *self.descend(op).template as<Let>();
            if (auto it = edges.find(op.name); it != edges.end()) let.value = it->second;
            return make(std::move(let), {}, box(op).origin);
        },
        [&](const Produce& op, auto& self) -> Stmt {
            Produce p = *self.descend(op).template as<Produce>();
            size_t f = size_t(s.algorithm().func_index(op.func));
            for (size_t d = 0; d < s.windows[f].size(); ++d)
                if (s.windows[f][d].stepwise) p.body = stepwise(s, f, d, p.body, box(op).origin);
            return make(std::move(p), {}, box(op).origin);
        });
    return s;
}

}  // namespace burin
