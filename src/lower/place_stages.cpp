// Moves every Func to the loop it is computed at, and gives it storage around the loop it is stored at.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
//   schedule 1 for p
//   stage f
//     compute_at(g, x)
// after:
//   realize g: i32[g.x.lo: g.x.hi - g.x.lo + 1] {
//     produce g {
//       for g.x in g.x.lo .. g.x.hi + 1 {
//         realize f: i32[f.x.lo: f.x.hi - f.x.lo + 1] {
//           produce f {
//             for f.x in f.x.lo .. f.x.hi + 1 { f(f.x) = a(f.x) * 2 }
//           }
//           g(g.x) = f(g.x) + f(g.x + 1)
//         }
//       }
//     }
//   }
//
// Correct because check() proved that the place encloses every use; producers keep their order there.
#include "ir/build.h"
#include "ir/walk.h"
#include "legal/storage.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Placer {
public:
    explicit Placer(const State& s) : s_(s), algorithm_(s.algorithm()) {
        auto keep = [&](const Stmt& p) { produced_[p.as<Produce>()->func] = p; };
        if (s.stmt.as<Produce>()) keep(s.stmt);
        else
            for (auto& p : s.stmt.as<Block>()->stmts) keep(p);
    }

    // `inner` with everything around it that has its place at this spot; consumers first, so producers end up before.
    Stmt at(Spot spot, Stmt inner) {
        for (size_t f = algorithm_.funcs.size(); f-- > 0;) {
            auto& plan = s_.plan->funcs[f];
            if (plan.compute.kind == Place::Inline) continue;
            if (spot_of(*s_.plan, plan.compute) == spot)
                inner = block({inside(produced_.at(algorithm_.funcs[f].name)), inner});
            if (spot_of(*s_.plan, plan.store) == spot) inner = realize(int(f), std::move(inner));
        }
        return inner;
    }

private:
    Stmt inside(const Stmt& produce) {
        return rewrite(produce, [this](const For& op, auto& self) -> Stmt {
            For loop = *self.descend(op).template as<For>();
            Spot spot = s_.nests->spots.at(op.name);
            loop.body = inside_bases(loop.body, [&](const Stmt& body) { return at(spot, body); });
            return make(std::move(loop), {}, box(op).origin);
        });
    }

    Stmt realize(int f, Stmt body) {
        auto& func = algorithm_.funcs[f];
        Realize r{func.name, func.types, {}, {}, s_.plan->funcs[f].memory, std::move(body)};
        for (auto& [lo, hi] : stored_box(func, *s_.nests, f)) {
            r.mins.push_back(lo);
            r.extents.push_back(hi - lo + 1);
        }
        return make(std::move(r), {}, pack({f, 0}));
    }
    const State& s_;
    const Algorithm& algorithm_;
    std::unordered_map<Symbol, Stmt> produced_;
};

}  // namespace

State place_stages(State s) {
    s.stmt = Placer(s).at({}, {});
    return s;
}

}  // namespace burin
