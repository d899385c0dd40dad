// Says what entry has to check so that coordinates in vectors, which have 32 bits in the narrow body, fit: each of them,
// and each step on the way to it.
//
// before:
//   scalar n: index
//   scalar m: index
//   for x in 0 .. n { f[ramp(x * 8, 1, 8)] = broadcast(1, 8) if ramp(x * 8 + m, 2, 8) < broadcast(n, 8) }
// after:
//   scalar n: index
//   scalar m: index
//   for x in 0 .. n { f[ramp(x * 8, 1, 8)] = broadcast(1, 8) if ramp(x * 8 + m, 2, 8) < broadcast(n, 8) }
//   lanes m .. m + n * 8 + 6
//   lanes n .. n
//
// Correct because every lane of a vector is bounded over all iterations of the loops around it. Dense loads and stores
// are left out: they take their address, 64 bits wide, from the first lane.
#include <map>
#include <unordered_set>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Lanes {
public:
    explicit Lanes(State& s) : s_(s) {}
    void run() {
        visit(s_.stmt, overloaded{[this](const For& op, auto& self) {
                                      self(op.min), self(op.extent);
                                      within(op.name, {op.min, simplify(op.min + op.extent - 1)},
                                             [&] { self(op.body); });
                                  },
                                  [this](const Let& op, auto& self) {
                                      self(op.value);
                                      if (!op.value.type().is_index()) return self(op.body);
                                      within(op.name, Interval::point(lane_of(op.value)),
                                             [&] { self(op.body); });
                                  },
                                  [this](const Load& op, auto& self) {
                                      if (!is_dense(op.index)) return self.descend(op);
                                      self(op.index.template as<Ramp>()->base), self(op.predicate);
                                  },
                                  [this](const Store& op, auto& self) {
                                      if (!is_dense(op.index)) return self.descend(op);
                                      self(op.index.template as<Ramp>()->base), self(op.value),
                                          self(op.predicate);
                                  },
                                  [this]<class T>(const T& op, auto& self)
                                      requires is_expr_node<T>
                                  {
                                      if (box(op).type.is_index() && box(op).type.lanes > 1)
                                          check(handle(op));
                                      self.descend(op);
                                  }});
    }

private:
    template <class F>
    void within(Symbol name, Interval range, F f) {
        scope_.push_back({name, range});
        f();
        scope_.pop_back();
    }

    bool is_dense(const Expr& index) const {
        auto* r = index.as<Ramp>();
        return r && r->base.type().lanes == 1 && is_int(r->stride, 1) && !s_.checked;
    }

    // Any lane of a vector of coordinates, as a coordinate.
    Expr lane_of(const Expr& e) {
        return rewrite(
            e,
            [this](const Ramp& op, auto& self) -> Expr {
                return self(op.base) + lane(op) * self(op.stride);
            },
            [](const Broadcast& op, auto& self) -> Expr { return self(op.value); },
            [](const Var& op, auto&) -> Expr { return var(op.name, box(op).type.element()); },
            [](const Load& op, auto&) -> Expr { return handle(op); },
            [](const Cast& op, auto&) -> Expr { return make(op, box(op).type.element()); },
            []<class T>(const T& op, auto& self) -> Expr
                requires is_expr_node<T>
            {
                Expr scalar = self.descend(op);
                return scalar.type().lanes == 1
                           ? scalar
                           : make(*scalar.template as<T>(), scalar.type().element());
            });
    }
    Expr lane(const Ramp& ramp) {  // the same in all vectors of that form
        auto [it, is_new] = lane_.try_emplace({ramp.base.type().lanes, ramp.lanes});
        if (is_new) {
            it->second = Symbol::fresh("lane");
            scope_.insert(scope_.begin(), {it->second, {index_imm(0), index_imm(ramp.lanes - 1)}});
        }
        return var(it->second);
    }

    static bool is_of_coordinates(const Expr& e) {
        bool yes = true;
        visit(
            e, [&](const Cast&, auto&) { yes = false; }, [&](const Load&, auto&) { yes = false; });
        return yes;
    }

    void check(const Expr& e) {
        Expr one = lane_of(e);
        if (!seen_.insert(one).second) return;
        constexpr int64_t beyond = int64_t(1) << 40;
        Interval i = interval_of(one, scope_, nothing_);
        // what entry can compute, else a value that does not fit
        auto end = [](const Expr& x, int64_t otherwise) {
            return x.defined() && is_of_coordinates(x) ? x : index_imm(otherwise);
        };
        Expr lo = end(i.lo, -beyond), hi = end(i.hi, beyond);
        if (!const_int(lo) || !const_int(hi) || !fits_lane(*const_int(lo)) ||
            !fits_lane(*const_int(hi)))
            s_.checks.push_back({EntryCheck::Index32, {}, 0, lo, hi, {}, "lanes", {}});
    }

    State& s_;
    Bounds scope_;
    const Facts nothing_;  // one for all: its linear forms are found once
    std::map<std::pair<int, int>, Symbol> lane_;
    std::unordered_set<Expr, ExprHash, ExprEqual> seen_;
};

}  // namespace

State check_lanes(State s) {
    if (s.narrow) Lanes(s).run();
    return s;
}

}  // namespace burin
