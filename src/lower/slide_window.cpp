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
// what a window needs is in store when its Func is produced.
#include "arith/simplify.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {

State slide_window(State s) {
    Substitution edges;
    for (size_t f = 0; f < s.windows.size(); ++f)
        for (size_t d = 0; d < s.windows[f].size(); ++d) {
            auto& w = s.windows[f][d];
            auto& region = s.nests->regions[f];
            if (w.way == Window::Up) edges[region.lo[d]] = w.edge;
            if (w.way == Window::Down) edges[region.hi[d]] = w.edge;
        }
    if (edges.empty()) return s;
    s.stmt = rewrite(s.stmt, [&](const Let& op, auto& self) -> Stmt {
        Let let = *self.descend(op).template as<Let>();
        if (auto it = edges.find(op.name); it != edges.end()) let.value = it->second;
        return make(std::move(let), {}, box(op).origin);
    });
    return s;
}

}  // namespace burin
