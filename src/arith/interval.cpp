#include "arith/interval.h"

#include <algorithm>
#include <unordered_set>

#include "arith/integers.h"
#include "base/deep.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {
namespace {

// Undefined stands for "unbounded": it wins where both sides must hold, loses where either side is a bound.
template <class F>
Expr both(const Expr& a, const Expr& b, F f) {
    return a.defined() && b.defined() ? f(a, b) : Expr();
}
template <class F>
Expr any(const Expr& a, const Expr& b, F f) {
    return !a.defined() ? b : !b.defined() ? a : f(a, b);
}

class Finder {
public:
    Finder(const Bounds& scope, const Facts& facts) : scope_(scope), facts_(facts) {
        for (size_t k = 0; k < scope.size(); ++k) rank_[scope[k].name] = int(k) + 1;
    }

    Interval of(const Expr& e) {
        if (rank(e) == 0) return Interval::point(e);
        Linear l = linear(e);
        return {bound(l, false), bound(l, true)};
    }

private:
    // 0: free of the scope's variables and of data; 2k + 1 for the k-th itself, one more for what contains it.
    int rank(const Expr& e) {
        if (auto* v = e.as<Var>()) {
            auto it = rank_.find(v->name);
            return it == rank_.end() ? 0 : 2 * it->second - 1;
        }
        if (auto it = ranks_.find(e.node()); it != ranks_.end()) return it->second;
        int best = 0;
        auto data = [&](const auto& op,
                        auto& self) {  // what is stored is no value that an end may mention
            best = std::max(best, 1);
            self.descend(op);
        };
        visit(e, overloaded{[&](const Var& v, auto&) {
                                if (auto it = rank_.find(v.name); it != rank_.end())
                                    best = std::max(best, 2 * it->second);
                            },
                            [&](const Read& op, auto& self) { data(op, self); },
                            [&](const Load& op, auto& self) { data(op, self); }});
        kept_.push_back(e);
        return ranks_[e.node()] = best;
    }

    // The least or greatest value of l: its innermost varying atom gives way to that one's bound.
    Expr bound(Linear l, bool upper) {
        for (;;) {
            size_t at = 0;
            std::pair<int, bool> best{0,
                                      true};  // of equals first one whose parts may meet the others
            for (size_t k = 0; k < l.terms.size(); ++k) {
                const Expr& atom = l.terms[k].atom;
                if (std::pair r{rank(atom), has_parts(atom)}; r > best) best = r, at = k;
            }
            if (best.first == 0) return to_expr(l);
            Term t = l.terms[at];
            l.terms.erase(l.terms.begin() + ptrdiff_t(at));
            bool up = upper == (t.coefficient > 0);
            if (Expr e = together(l, t, upper); e.defined()) return e;
            Interval i = alone(t.atom);
            const Expr& by = up ? i.hi : i.lo;
            if (!by.defined()) return {};
            auto next = add(l, linear(by), t.coefficient);
            if (!next) return {};
            l = std::move(*next);
        }
    }

    static bool has_parts(const Expr& atom) {
        return atom.as<Min>() || atom.as<Max>() || atom.as<Select>() || atom.as<Div>();
    }

    // rest + t where the rest varies with t's atom: what is exact goes through the atom instead of around it.
    Expr together(const Linear& rest, const Term& t, bool upper) {
        Expr a, b;
        bool is_min = false;
        if (auto* m = t.atom.as<Min>()) a = m->a, b = m->b, is_min = true;
        else if (auto* m = t.atom.as<Max>()) a = m->a, b = m->b;
        else if (auto* s = t.atom.as<Select>()) a = s->yes, b = s->no;
        auto* d = t.atom.as<Div>();
        if ((!a.defined() && !d) || splits_ >= 6 || !varies_alike(rest, t.atom)) return {};
        ++splits_;
        auto with = [&](const std::optional<Linear>& by, int64_t factor) {
            auto l = by ? add(rest, *by, factor) : by;
            return l ? bound(*l, upper) : Expr();
        };
        Expr r;
        if (d) {  // k * (e / k) lies in [e - k + 1, e]
            auto k = const_int(d->b);
            if (k && *k > 0 && t.coefficient % *k == 0) {
                Linear e = linear(d->a);
                bool up = upper == (t.coefficient > 0);
                r = with(up ? e : add(e, {{}, *k - 1}, -1), t.coefficient / *k);
            }
        } else {
            Expr x = with(linear(a), t.coefficient), y = with(linear(b), t.coefficient);
            bool takes_lesser = t.atom.as<Select>() ? !upper : is_min == (t.coefficient > 0);
            // the lesser is below both
            bool either = !t.atom.as<Select>() && takes_lesser == upper;
            auto f = [&](const Expr& p, const Expr& q) {
                return takes_lesser ? lesser(p, q, facts_) : greater(p, q, facts_);
            };
            r = either ? any(x, y, f) : both(x, y, f);
        }
        --splits_;
        return r;
    }
    bool varies_alike(const Linear& rest, const Expr& atom) {
        auto& in = variables(atom);
        return std::ranges::any_of(rest.terms, [&](const Term& t) {
            return std::ranges::any_of(variables(t.atom), [&](Symbol v) { return in.contains(v); });
        });
    }
    // Those of the scope that stand in e.
    const std::unordered_set<Symbol>& variables(const Expr& e) {
        auto [it, fresh] = variables_.try_emplace(e.node());
        if (!fresh) return it->second;
        kept_.push_back(e);
        visit(e, [&, &found = it->second](const Var& v, auto&) {
            if (rank_.contains(v.name)) found.insert(v.name);
        });
        return it->second;
    }

    Interval alone(const Expr& atom) {
        if (auto* v = atom.as<Var>()) return scope_[size_t(rank_.at(v->name)) - 1].range;
        if (auto it = alone_.find(atom.node()); it != alone_.end()) return it->second;
        kept_.push_back(atom);
        Interval i = found(atom);
        alone_[atom.node()] = i;
        return i;
    }

    Interval found(const Expr& e) {
        auto less = [&](const Expr& a, const Expr& b) { return lesser(a, b, facts_); };
        auto more = [&](const Expr& a, const Expr& b) { return greater(a, b, facts_); };
        if (auto* m = e.as<Min>()) {
            Interval a = of(m->a), b = of(m->b);
            return {both(a.lo, b.lo, less), any(a.hi, b.hi, less)};
        }
        if (auto* m = e.as<Max>()) {
            Interval a = of(m->a), b = of(m->b);
            return {any(a.lo, b.lo, more), both(a.hi, b.hi, more)};
        }
        if (auto* s = e.as<Select>()) return hull(of(s->yes), of(s->no), facts_);
        if (auto* d = e.as<Div>()) return quotient(*d);
        if (auto* m = e.as<Mod>()) return remainder(*m);
        if (auto* m = e.as<Mul>()) return product(of(m->a), of(m->b));
        if (auto* c = e.as<Cast>()) {
            // as an index it is the same: clamps by coordinates bound it
            if (c->value.type() == i64) {
                auto index = [](const Expr& x) { return make(Cast{x}, IndexType); };
                if (auto* m = c->value.as<Min>())
                    return of(make(Min{index(m->a), index(m->b)}, IndexType));
                if (auto* m = c->value.as<Max>())
                    return of(make(Max{index(m->a), index(m->b)}, IndexType));
                if (auto* x = c->value.as<Cast>(); x && x->value.type().is_index())
                    return of(x->value);
            }
            ConstantRange r = range_of(c->value);
            return {r.lo ? index_imm(*r.lo) : Expr(), r.hi ? index_imm(*r.hi) : Expr()};
        }
        return {};
    }

    Interval quotient(const Div& d) {
        Interval a = of(d.a);
        if (rank(d.b) != 0) return {};
        auto by = [&](const Expr& e) { return e.defined() ? divided(e, d.b) : e; };
        if (prove(d.b > 0, facts_)) return {by(a.lo), by(a.hi)};
        if (prove(d.b < 0, facts_)) return {by(a.hi), by(a.lo)};
        if (!a.is_bounded()) return {};
        Expr x = by(a.lo), y = by(a.hi);  // one way or the other; both 0 where d.b is
        return {lesser(x, y, facts_), greater(x, y, facts_)};
    }
    static Expr divided(const Expr& e, const Expr& by) {
        auto a = const_int(e), b = const_int(by);
        if (a && b && *b > 0) return index_imm(floor_div(*a, *b));
        return is_int(by, 1) ? e : e / by;
    }

    Interval remainder(const Mod& m) {
        if (rank(m.b) != 0) return {};
        Expr zero = index_imm(0);
        if (!prove(m.b > 0, facts_))  // e % 0 is 0
            return {lesser(to_expr(linear(m.b + 1)), zero, facts_),
                    greater(to_expr(linear(m.b - 1)), zero, facts_)};
        Interval a = of(m.a);
        if (a.is_bounded()) {  // within one period: no wrap
            Expr first = divided(a.lo, m.b);
            if (prove(first == divided(a.hi, m.b), facts_)) {
                auto shift = [&](const Expr& e) { return to_expr(linear(e - first * m.b)); };
                return {shift(a.lo), shift(a.hi)};
            }
        }
        Expr hi = to_expr(linear(m.b - 1));
        if (a.is_bounded() && prove(a.lo >= 0, facts_)) hi = lesser(hi, a.hi, facts_);
        return {zero, hi};
    }

    Interval product(const Interval& a, const Interval& b) {
        if (!a.is_bounded() || !b.is_bounded()) {
            auto from_zero = [&](const Interval& i) {
                return i.lo.defined() && prove(i.lo >= 0, facts_);
            };
            if (from_zero(a) && from_zero(b)) return {a.lo * b.lo, Expr()};
            return {};
        }
        Interval r;
        for (auto& x : {a.lo, a.hi})
            for (auto& y : {b.lo, b.hi}) {
                Interval corner = Interval::point(to_expr(linear(x * y)));
                r = r.lo.defined() ? hull(r, corner, facts_) : corner;
            }
        return r;
    }

    const Bounds& scope_;
    const Facts& facts_;
    int splits_ = 0;
    std::unordered_map<Symbol, int> rank_;
    std::unordered_map<const Node*, int> ranks_;
    std::unordered_map<const Node*, Interval> alone_;
    std::unordered_map<const Node*, std::unordered_set<Symbol>> variables_;
    std::vector<Expr> kept_;
};

}  // namespace

bool Interval::is_point() const { return lo.defined() && hi.defined() && equal(lo, hi); }
Expr Interval::extent() const { return to_expr(linear(hi - lo + 1)); }

Expr lesser(const Expr& a, const Expr& b, const Facts& facts) {
    if (prove(a <= b, facts)) return a;
    if (prove(b <= a, facts)) return b;
    return min(a, b);
}
Expr greater(const Expr& a, const Expr& b, const Facts& facts) {
    if (prove(a >= b, facts)) return a;
    if (prove(b >= a, facts)) return b;
    return max(a, b);
}

Interval hull(const Interval& a, const Interval& b, const Facts& facts) {
    return {both(a.lo, b.lo, [&](auto& x, auto& y) { return lesser(x, y, facts); }),
            both(a.hi, b.hi, [&](auto& x, auto& y) { return greater(x, y, facts); })};
}
Interval intersection(const Interval& a, const Interval& b, const Facts& facts) {
    return {any(a.lo, b.lo, [&](auto& x, auto& y) { return greater(x, y, facts); }),
            any(a.hi, b.hi, [&](auto& x, auto& y) { return lesser(x, y, facts); })};
}

void assume(Facts& facts, const Bounds& scope) {
    for (auto& b : scope) facts.bound(b.name, b.range.lo, b.range.hi);
}

Interval interval_of(const Expr& e, const Bounds& scope, const Facts& facts) {
    return run_deep(e.node()->depth, [&] { return Finder(scope, facts).of(e); });
}

}  // namespace burin
