// Makes the loops of every stage, one after the other at the root, over regions that are not known yet.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> f[n]
//   f(x) = a(x) * 2
//   schedule 1 for p
//   stage f
//     split(x, 8, guard)
//     parallel(xo)
//     vectorize(xi)
// after:
//   produce f {
//     parallel for f.xo in 0 .. (f.x.hi - f.x.lo) / 8 + 1 {
//       vectorized for f.xi in 0 .. 8 {
//         if likely(f.xo * 8 + f.xi < f.x.hi - f.x.lo + 1) {
//           f(f.x.lo + f.xo * 8 + f.xi) = a(f.x.lo + f.xo * 8 + f.xi) * 2
//         }
//       }
//     }
//   }
//
// Correct because iteration and point correspond: every point of the region is visited at least once, guards and masks
// (predicate) keep out points beyond it, and a point that is only surplus (round_up) reads through a mask.
#include <fmt/format.h>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "legal/nest.h"
#include "legal/reads.h"
#include "lower/passes.h"

namespace burin {
namespace {

// Every read gets the condition outside which it must not be performed.
std::vector<Expr> mask_reads(const std::vector<Expr>& values, const Expr& where,
                             const Expr& surplus) {
    std::unordered_map<Expr, Expr, ExprHash, ExprEqual> masks;
    std::vector<Expr> conditions;
    if (where.defined()) add_conditions(where, true, conditions);
    size_t given = conditions.size();  // these are tested before the values are computed
    for (auto& u : reads_of(values, conditions)) {
        u.conditions.erase(u.conditions.begin(),
                           u.conditions.begin() + std::min(given, u.conditions.size()));
        if (surplus.defined()) u.conditions.insert(u.conditions.begin(), surplus);
        if (!u.conditions.empty()) masks[u.read] = all_of(u.conditions);
    }
    std::vector<Expr> out;
    for (auto& v : values) {
        out.push_back(rewrite(v, [&](const Read& op, auto& self) -> Expr {
            Read r = *self.descend(op).template as<Read>();
            if (auto it = masks.find(handle(op)); it != masks.end())
                r.predicate = self(it->second);  // it may read, too
            return make(std::move(r), handle(op).type());
        }));
    }
    return out;
}

Stmt build_stage(const State& s, const StagePlan& stage, const StageNest& nest) {
    auto& func = s.algorithm().funcs[stage.func];
    auto& def = func.defs[stage.def];
    Expr where = def.where, surplus = all_of(nest.surplus);
    std::vector<Expr> values = mask_reads(written_out(s.algorithm(), func, def), where, surplus);
    std::vector<Expr> args = mask_reads(def.args, where, surplus);
    for (auto& v : values) v = substitute(v, nest.coordinates);
    for (auto& a : args) a = substitute(a, nest.coordinates);
    uint32_t origin = pack({stage.func, stage.def});
    Stmt body = make(Provide{func.name, args, values}, {}, origin);
    if (s.counted) body = block({body, make(Count{stage.func, index_imm(1)}, {}, origin)});
    if (where.defined())
        body = make(If{substitute(mask_reads({where}, {}, surplus)[0], nest.coordinates), body, {}},
                    {}, origin);
    if (Expr mask = all_of(nest.masks); mask.defined())
        body = make(If{under_mask(mask), body, {}}, {}, origin);
    if (Expr inside = all_of(nest.guards); inside.defined())
        body = make(If{likely(inside), body, {}}, {}, origin);
    for (size_t i = nest.loops.size(); i-- > 0;) {
        auto& loop = stage.loops[i];
        for (size_t k = nest.bases.size(); k-- > 0;)
            if (nest.bases[k].depth == int(i))
                body = make(Let{nest.bases[k].name, nest.bases[k].value, body}, {}, origin);
        body = make(For{nest.loops[i], nest.mins[i], nest.extents[i], loop.kind, body}, {},
                    pack({stage.func, stage.def, loop.directive}));
    }
    return body;
}

}  // namespace

State build_loops(State s) {
    auto all = std::make_shared<LoopNests>(make_nests(*s.plan));
    auto& algorithm = s.algorithm();
    std::vector<Stmt> produced;
    for (size_t f = 0; f < algorithm.funcs.size(); ++f) {
        std::vector<Stmt> stages;
        for (size_t d = 0; d < all->nests[f].size(); ++d)
            stages.push_back(build_stage(s, s.plan->funcs[f].stages[d], all->nests[f][d]));
        if (!stages.empty())
            produced.push_back(make(Produce{algorithm.funcs[f].name, block(std::move(stages))}, {},
                                    pack({int(f), 0})));
    }
    s.nests = all;
    s.stmt = block(std::move(produced));
    return s;
}

}  // namespace burin
