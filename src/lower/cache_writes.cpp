// Keeps the tile that an update touches inside a loop's body in storage of its own: copied in, updated, copied back.
//
// before:
//   pipeline p(a: i32[m]) -> c[]
//   c() += a(k) for k: 0..m
//   schedule 1 for p
//   stage c.update(0)
//     split(k, 8, guard)
//     cache_write(ko, Register)
// after:
//   produce c {
//     c() = 0
//     for c.ko in 0 .. (m + 7) / 8 {
//       realize c.tile: i32[] in Register {
//         c.tile() = c()
//         for c.ki in 0 .. min(m - c.ko * 8, 8) { c.tile() = c.tile() + a(c.ko * 8 + c.ki) }
//         c() = c.tile()
//       }
//     }
//   }
//
// Correct because inside the body nothing but this stage touches the Func, and the copies visit exactly the points that
// the body's loops can reach.
#include <fmt/format.h>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/nest.h"
#include "legal/storage.h"
#include "lower/fresh_copy.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Tile {
public:
    Tile(const State& s, const StagePlan& stage, const CacheWrite& cache)
        : func_(s.algorithm().funcs[stage.func]),
          nest_(s.nests->nests[stage.func][stage.def]),
          cache_(cache),
          tile_(Symbol::fresh(func_.name.hint() + ".tile")),
          origin_(pack({stage.func, stage.def, cache.directive})) {}

    Stmt around(const Stmt& body) {
        // The body's own left-hand side, as it stands there: regions are written out by now.
        visit(body, overloaded{[&](const Provide& op, auto&) {
                                   if (op.func == func_.name) own_args_ = op.args;
                               },
                               [&](const Let& op, auto& self) {
                                   lets_[op.name] = substitute(op.value, lets_);
                                   self.descend(op);
                               }});
        if (own_args_.empty() && func_.rank() > 0) return body;
        for (auto& a : own_args_) args_.push_back(substitute(a, lets_));
        Bounds inner;
        find_loops(body, inner);
        Realize r{tile_, func_.types, {}, {}, cache_.memory, {}};
        for (auto& a : args_) {
            Interval i = interval_of(a, inner);
            Expr lo = simplify(i.lo), n = rounded_up(simplify(i.hi - i.lo + 1));
            // the regions are written out: unlike in check()
            if (is_automatic(cache_.memory) && !const_int(n))
                throw Error(ErrorKind::Schedule, "cache-write-size",
                            fmt::format("the tile that {}.{} touches cannot be cached: unproved "
                                        "that its extent {} is bounded",
                                        func_.name.hint(), cache_.loop, to_string(n, IndexType)))
                    .help(fmt::format("cache_write({}, Heap)", cache_.loop));
            r.mins.push_back(lo);
            r.extents.push_back(n);
        }
        r.body = block(
            {copy(tile_, func_.name), renamed(body, func_.name, tile_), copy(func_.name, tile_)});
        return make(std::move(r), {}, origin_);
    }

private:
    // Whether it holds the update itself; producers placed inside the body do not.
    bool updates(const Stmt& s) {
        bool found = false;
        visit(s, [&](const Provide& op, auto&) { found = found || op.func == func_.name; });
        return found;
    }
    // Loops of this stage inside the body on which the tile's points depend, and the guards they stand under.
    void find_loops(const Stmt& body, Bounds& inner) {
        visit(body, overloaded{[&](const For& op, auto& self) {
                                   if (!updates(op.body)) return;
                                   Expr min = substitute(op.min, lets_),
                                        extent = substitute(op.extent, lets_);
                                   inner.push_back({op.name, {min, simplify(min + extent - 1)}});
                                   bool moves = false;
                                   for (auto& a : args_) moves = moves || uses(a, op.name);
                                   bool own = std::find(nest_.loops.begin(), nest_.loops.end(),
                                                        op.name) != nest_.loops.end();
                                   if (own && moves)
                                       kept_.push_back({op.name, min, extent, op.kind, {}});
                                   else if (own) dropped_.push_back(op.name);
                                   self.descend(op);
                               },
                               [&](const If& op, auto& self) {
                                   if (!updates(op.yes)) return;
                                   if (auto* hint = op.cond.template as<Call>();
                                       hint && is_hint(hint->fn))
                                       add_guards(hint->fn, substitute(hint->args[0], lets_));
                                   self.descend(op);
                               }});
    }
    // Each part for itself: a copy keeps those that its loops decide.
    void add_guards(Fn hint, const Expr& condition) {
        if (auto* both = condition.as<And>()) {
            add_guards(hint, both->a);
            add_guards(hint, both->b);
        } else {
            guards_.push_back(make(Call{hint, {condition}}, Bool));
        }
    }

    Stmt copy(Symbol to, Symbol from) {
        Substitution fresh;
        for (auto& l : kept_) fresh[l.name] = var(Symbol::fresh(l.name.hint()));
        std::vector<Expr> at, values;
        for (auto& a : args_) at.push_back(substitute(a, fresh));
        for (size_t e = 0; e < func_.types.size(); ++e)
            values.push_back(make(Read{from, int(e), at, {}, {}}, func_.types[e]));
        Stmt s = make(Provide{to, at, values}, {}, origin_);
        for (auto& g : guards_) {
            bool reachable = true;
            for (Symbol d : dropped_) reachable = reachable && !uses(g, d);
            if (reachable) s = make(If{substitute(g, fresh), s, {}}, {}, origin_);
        }
        for (size_t i = kept_.size(); i-- > 0;) {
            For l = kept_[i];
            l.min = substitute(l.min, fresh);
            l.extent = substitute(l.extent, fresh);
            l.name = fresh.at(l.name).as<Var>()->name;
            l.body = s;
            s = make(std::move(l), {}, origin_);
        }
        return s;
    }

    const FuncDef& func_;
    const StageNest& nest_;
    const CacheWrite& cache_;
    Symbol tile_;
    uint32_t origin_;
    std::vector<Expr> args_,
        own_args_;  // own: as they stand in the body; the other: without its lets
    std::vector<For> kept_;
    std::vector<Symbol> dropped_;
    std::vector<Expr> guards_;
    Substitution lets_;  // what the body names on the way to the update
};

}  // namespace

State cache_writes(State s) {
    for (auto& func : s.plan->funcs) {
        for (auto& stage : func.stages) {
            for (auto& cache : stage.cache_writes) {
                Symbol loop = s.nests->nests[stage.func][stage.def].loops[stage.depth(cache.loop)];
                s.stmt = rewrite(s.stmt, [&](const For& op, auto& self) -> Stmt {
                    if (op.name != loop) return self.descend(op);
                    For f = op;
                    f.body = Tile(s, stage, cache).around(op.body);
                    return make(std::move(f), {}, box(op).origin);
                });
            }
        }
    }
    return s;
}

}  // namespace burin
