// Keeps the tile that an update touches inside a loop's body in storage of its own: copied in, updated, copied back. A tile
// that is entered for the first time gets its pure value there, and no pass over the whole Func comes before.
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
// the body's loops can reach. Those of an update with bare coordinates are together all points of the pure definition.
#include <fmt/format.h>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"
#include "legal/nest.h"
#include "legal/reads.h"
#include "legal/storage.h"
#include "lower/fresh_copy.h"
#include "lower/passes.h"

namespace burin {
namespace {

// What a tile holds when it is entered for the first time. Then every loop outside that walks over the reduction is in
// its first iteration; where one of them has none, no tile is entered at all.
struct Start {
    std::vector<Expr> values;
    Expr first, none;  // undefined: always, never
};

// None where the pure definition has to stand before the update: its values are read from elsewhere, other loops depend on
// its own, or the order of the tiles is not known.
std::optional<Start> start_of(const State& s, const StagePlan& stage, const CacheWrite& cache) {
    auto& func = s.algorithm().funcs[stage.func];
    auto& plan = s.plan->funcs[stage.func];
    auto& nest = s.nests->nests[stage.func][stage.def];
    if (stage.def != 1 || func.rank() == 0 || !func.are_bare(func.defs[1].args) ||
        plan.compute != plan.store)
        return {};
    for (auto& f : s.plan->funcs) {
        for (auto& place : {f.compute, f.store})
            if (Spot at = spot_of(*s.plan, place); at.func == stage.func && at.def == 0) return {};
        for (auto& other : f.stages)
            if (other.pair && (other.func == stage.func || other.pair->func == stage.func))
                return {};
    }
    Start start{written_out(s.algorithm(), func, func.defs[0]), {}, {}};
    if (!reads_of(start.values).empty()) return {};

    Substitution firsts;
    std::vector<Expr> first;
    for (int d = 0; d <= stage.depth(cache.loop); ++d) {
        auto roots = roots_of(stage, stage.loops[d].name);
        bool of_points = std::any_of(stage.roots.begin(), stage.roots.begin() + func.rank(),
                                     [&](auto& root) { return roots.contains(root); });
        if (of_points) continue;
        Expr min = substitute(nest.mins[d], firsts), extent = substitute(nest.extents[d], firsts);
        for (Symbol l : nest.loops)
            if (uses(min, l) || uses(extent, l)) return {};
        if (stage.loops[d].kind != LoopKind::Serial) return {};
        firsts[nest.loops[d]] = min;
        first.push_back(var(nest.loops[d]) == min);
        start.none = start.none.defined() ? start.none || extent <= 0 : extent <= 0;
    }
    start.first = all_of(first);
    return start;
}

class Tile {
public:
    Tile(const State& s, const StagePlan& stage, const CacheWrite& cache,
         const std::optional<Start>& start)
        : counted_(s.counted),
          start_(start),
          func_(s.algorithm().funcs[stage.func]),
          nest_(s.nests->nests[stage.func][stage.def]),
          cache_(cache),
          name_(func_.name),
          tile_(Symbol::fresh(func_.name.hint() + ".tile")),
          origin_(pack({stage.func, stage.def, cache.directive})) {}

    Stmt around(const Stmt& body) {
        // The body's own left-hand side, as it stands there: regions are written out by now, and an output of which more
        // is computed than is asked for has another name.
        visit(body, overloaded{[&](const Provide& op, auto&) {
                                   if (!is_own(op)) return;
                                   name_ = op.func;
                                   own_args_ = op.args;
                               },
                               [&](const Let& op, auto& self) {
                                   lets_[op.name] = substitute(op.value, lets_);
                                   self.descend(op);
                               }});
        if (own_args_.size() != size_t(func_.rank()))
            throw Error(ErrorKind::Internal, "no-update",
                        fmt::format("no update of {} is in its loop", func_.name.hint()));
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
        Stmt in = start_ && !start_->first.defined() ? Stmt() : copy(tile_, name_);
        if (start_) {
            auto pure = [&](auto& at) {
                Substitution coordinates;
                for (int d = 0; d < func_.rank(); ++d) coordinates[func_.vars[d]] = at[d];
                std::vector<Expr> values;
                for (auto& v : start_->values) values.push_back(substitute(v, coordinates));
                return values;
            };
            Stmt fresh = fill(tile_, pure, true);
            in = in.defined() ? make(If{start_->first, fresh, in}, {}, origin_) : fresh;
        }
        r.body = block({in, renamed(body, name_, tile_), copy(name_, tile_)});
        return make(std::move(r), {}, origin_);
    }

private:
    bool is_own(const Provide& op) const {
        auto origin = origin_of(box(op).origin), own = origin_of(origin_);
        return origin && origin->func == own->func && origin->def == own->def;
    }
    // Whether it holds the update itself; producers placed inside the body do not.
    bool updates(const Stmt& s) {
        bool found = false;
        visit(s, [&](const Provide& op, auto&) { found = found || is_own(op); });
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
        return fill(to, [&](auto& at) {
            std::vector<Expr> values;
            for (size_t e = 0; e < func_.types.size(); ++e)
                values.push_back(make(Read{from, int(e), at, {}, {}}, func_.types[e]));
            return values;
        });
    }
    // Every point of the tile, by what `values_at` gives for its coordinates; is_start: as the pure definition does.
    template <class ValuesAt>
    Stmt fill(Symbol to, const ValuesAt& values_at, bool is_start = false) {
        Substitution fresh;
        for (auto& l : kept_) fresh[l.name] = var(Symbol::fresh(l.name.hint()));
        std::vector<Expr> at;
        for (auto& a : args_) at.push_back(substitute(a, fresh));
        int f = origin_of(origin_)->func;
        Stmt s = make(Provide{to, at, values_at(at)}, {}, is_start ? pack({f, 0}) : origin_);
        if (is_start && counted_) s = block({s, make(Count{f, index_imm(1)}, {}, origin_)});
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

    bool counted_;
    const std::optional<Start>& start_;
    const FuncDef& func_;
    const StageNest& nest_;
    const CacheWrite& cache_;
    Symbol name_, tile_;
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
                auto& nests = s.nests->nests[stage.func];
                Symbol loop = nests[stage.def].loops[stage.depth(cache.loop)];
                std::optional<Start> start = start_of(s, stage, cache);
                s.stmt = rewrite(s.stmt, [&](const For& op, auto& self) -> Stmt {
                    if (start && op.name == nests[0].loops[0])
                        return start->none.defined()
                                   ? make(If{start->none, handle(op), {}}, {}, box(op).origin)
                                   : block({});
                    if (op.name != loop) return self.descend(op);
                    For f = op;
                    f.body = Tile(s, stage, cache, start).around(op.body);
                    return make(std::move(f), {}, box(op).origin);
                });
            }
        }
    }
    return s;
}

}  // namespace burin
