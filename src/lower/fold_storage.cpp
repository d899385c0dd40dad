// Keeps as much of a coordinate as is in use at once, and uses it again and again.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
//   schedule 1 for p
//   stage f
//     store_root()
//     compute_at(g, x)
//     fold_storage(x, 2)
// after:
//   realize f: i32[0: 2] {
//     produce g {
//       for g.x in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
//         let f.x.lo = select(origin(g, 0) < g.x, g.x + 1, g.x)
//         produce f {
//           for f.x in f.x.lo .. g.x + 2 { f(f.x % 2) = a(f.x) * 2 }
//         }
//         g(g.x) = f(g.x % 2) + f((g.x + 1) % 2)
//       }
//     }
//   }
//
// Correct because two points in one cell are further apart than what any iteration needs, and what iterations need only
// moves on while values of earlier ones are in use (legal/windows.cpp).
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Folder {
public:
    explicit Folder(const State& s) : s_(s) {}

    Stmt run(const Stmt& s) {
        return rewrite(
            s,
            [this](const Realize& op, auto& self) -> Stmt {
                Realize r = *self.descend(op).template as<Realize>();
                for (size_t d = 0; d < r.mins.size(); ++d)
                    if (int64_t n = fold(op.func, d)) {
                        r.mins[d] = index_imm(0);
                        r.extents[d] = index_imm(n);
                    }
                return make(std::move(r), {}, box(op).origin);
            },
            [this](const Provide& op, auto& self) -> Stmt {
                Provide p = *self.descend(op).template as<Provide>();
                fold(op.func, p.args);
                return make(std::move(p), {}, box(op).origin);
            },
            [this](const Read& op, auto& self) -> Expr {
                Read r = *self.descend(op).template as<Read>();
                fold(op.func, r.args);
                return make(std::move(r), handle(op).type());
            });
    }

private:
    int64_t fold(Symbol func, size_t d) const {
        int f = s_.algorithm().func_index(func);
        return f < 0 ? 0 : s_.windows[size_t(f)][d].fold;
    }
    void fold(Symbol func, std::vector<Expr>& args) const {
        for (size_t d = 0; d < args.size(); ++d)
            if (int64_t n = fold(func, d)) args[d] = simplify(args[d] % n);
    }

    const State& s_;
};

}  // namespace

State fold_storage(State s) {
    bool any = false;
    for (auto& f : s.windows)
        for (auto& w : f) any = any || w.fold > 0;
    if (any) s.stmt = Folder(s).run(s.stmt);
    return s;
}

}  // namespace burin
