// Scalar index arithmetic by its linear form: sums, comparisons, min and max, division and remainder.
#include <numeric>

#include "arith/fold.h"
#include "arith/integers.h"
#include "ir/build.h"
#include "ir/equal.h"

namespace burin {
namespace {

using MaybeLinear = std::optional<Linear>;

Linear only(const Term& t) { return {{t}, 0}; }

template <class Keep>
Linear part(const Linear& l, Keep keep) {
    Linear r;
    for (auto& t : l.terms)
        if (keep(t)) r.terms.push_back(t);
    return r;
}

// c * (e / k) * k + c * (e % k) is c * e; min(a, b) - min(a + d, b + d) is -d, for max too. One such pair at
// a time.
MaybeLinear paired(const Linear& l) {
    auto instead = [&](const Term& s, const Term& t, const Linear& more, int64_t factor) {
        Linear rest = part(l, [&](auto& x) { return &x != &s && &x != &t; });
        rest.constant = l.constant;
        return add(rest, more, factor);
    };
    for (auto& s : l.terms)
        for (auto& t : l.terms) {
            int64_t multiple;
            auto* d = s.atom.as<Div>();
            auto* m = t.atom.as<Mod>();
            if (d && m && equal(d->a, m->a) && equal(d->b, m->b)) {
                auto k = const_int(d->b);
                if (k && *k != 0 && !__builtin_mul_overflow(t.coefficient, *k, &multiple) &&
                    multiple == s.coefficient)
                    return instead(s, t, linear(d->a), t.coefficient);
            }
            auto alike = [&](const auto* x, const auto* y) -> MaybeLinear {
                if (!x || !y || &s == &t || s.coefficient <= 0 || t.coefficient != -s.coefficient)
                    return {};
                auto da = difference(x->a, y->a), db = difference(x->b, y->b);
                if (!da || !db || !da->is_constant() || !db->is_constant() ||
                    da->constant != db->constant)
                    return {};
                return instead(s, t, *da, s.coefficient);
            };
            if (auto r = alike(s.atom.as<Min>(), t.atom.as<Min>())) return r;
            if (auto r = alike(s.atom.as<Max>(), t.atom.as<Max>())) return r;
        }
    return {};
}

Expr sum(const Expr& e, LinearForms& forms) {
    const Linear& known = forms.of(e);
    if (known.terms.size() == 1 && known.constant == 0 && known.terms[0].atom.same_as(e)) return {};
    Linear l = known;
    while (auto better = paired(l)) l = std::move(*better);
    return to_expr(l);
}

int64_t divisor_of(const Linear& l) {
    int64_t g = 0;
    for (auto& t : l.terms) g = std::gcd(g, t.coefficient);
    return g;
}

// Positive terms on one side, negative on the other, and a constant where it is smallest.
struct Sides {
    Linear positive, negative;  // of l without its constant: l = positive - negative + constant
    explicit Sides(const Linear& l)
        : positive(part(l, [](auto& t) { return t.coefficient > 0; })),
          negative(
              scale(part(l, [](auto& t) { return t.coefficient < 0; }), -1).value_or(Linear{})) {}
};

// e / k + c >= 0 is e + c * k >= 0, and c - e / k >= 0 is c * k + k - 1 - e >= 0.
MaybeLinear without_division(const Linear& l) {
    auto* d = l.terms.size() == 1 ? l.terms[0].atom.as<Div>() : nullptr;
    auto k = d ? const_int(d->b) : std::nullopt;
    int64_t sign = l.terms[0].coefficient, c;
    if (!k || *k <= 0 || (sign != 1 && sign != -1) || __builtin_mul_overflow(l.constant, *k, &c) ||
        (sign < 0 && __builtin_add_overflow(c, *k - 1, &c)))
        return {};
    return add({{}, c}, linear(d->a), sign);
}

Expr at_least_zero(Linear l, const Facts& facts) {
    if (l.is_constant()) return bool_imm(l.constant >= 0);
    int64_t g = divisor_of(l);
    if (g <= 0) return {};
    for (auto& t : l.terms) t.coefficient /= g;
    l.constant = floor_div(l.constant, g);
    if (auto r = without_division(l)) return at_least_zero(std::move(*r), facts);
    if (nonnegative(l, facts)) return bool_imm(true);
    auto opposite = add({{}, -1}, l, -1);
    if (opposite && nonnegative(*opposite, facts)) return bool_imm(false);
    Sides s(l);
    int64_t c = l.constant;
    if (c == INT64_MIN || c == INT64_MAX) return {};
    if (s.negative.is_constant()) return index_imm(-c) <= to_expr(s.positive);
    if (s.positive.is_constant()) return to_expr(s.negative) < index_imm(c + 1);
    if (c >= 0) {
        s.positive.constant = c;
        return to_expr(s.negative) <= to_expr(s.positive);
    }
    s.negative.constant = -(c + 1);
    return to_expr(s.negative) < to_expr(s.positive);
}

Expr is_zero(Linear l, bool equal, const Facts& facts) {
    int64_t g = divisor_of(l);
    if (l.is_constant()) return bool_imm((l.constant == 0) == equal);
    if (g <= 0) return {};
    if (l.constant % g != 0) return bool_imm(!equal);
    for (auto& t : l.terms) t.coefficient /= g;
    l.constant /= g;
    auto negated = scale(l, -1);
    if (!negated) return {};
    auto above = [&](Linear x) {
        return !__builtin_sub_overflow(x.constant, 1, &x.constant) && nonnegative(x, facts);
    };
    if (above(l) || above(*negated)) return bool_imm(!equal);
    if (nonnegative(l, facts) && nonnegative(*negated, facts)) return bool_imm(equal);
    if (l.terms[0].coefficient < 0) l = *negated;
    Sides s(l);
    (l.constant < 0 ? s.negative : s.positive).constant = std::abs(l.constant);
    if (s.negative.terms.empty() && l.constant > 0)
        s.positive.constant = 0, s.negative.constant = -l.constant;
    Expr a = to_expr(s.positive), b = to_expr(s.negative);
    return equal ? a == b : a != b;
}

// What both sides have in common stands outside: min(y + x, y + 3) is y + min(x, 3).
template <class Op>
Expr extremum(const Expr& e, LinearForms& forms, const Facts& facts) {
    constexpr bool is_min = std::is_same_v<Op, Min>;
    const Op& op = *e.as<Op>();
    Linear a = forms.of(op.a), b = forms.of(op.b);
    auto ab = add(b, a, -1), ba = add(a, b, -1);
    if (!ab || !ba) return {};
    if (nonnegative(*ab, facts)) return is_min ? op.a : op.b;
    if (nonnegative(*ba, facts)) return is_min ? op.b : op.a;
    // an operand that a nested one of the same kind makes superfluous
    auto nested = [&](const Expr& inner, const Expr& other) -> Expr {
        auto* n = inner.as<Op>();
        if (!n) return {};
        for (auto& [kept, left] : {std::pair(n->a, n->b), std::pair(n->b, n->a)}) {
            auto d = is_min ? difference(left, other) : difference(other, left);
            if (d && nonnegative(*d, facts)) return make(Op{kept, other}, IndexType);
        }
        return {};
    };
    if (Expr r = nested(op.a, op.b); r.defined()) return r;
    if (Expr r = nested(op.b, op.a); r.defined()) return r;
    Linear common = part(a, [&](auto& t) { return b.of(t.atom) == t.coefficient; });
    if (a.constant != 0 && b.constant != 0 && (a.constant < 0) == (b.constant < 0) &&
        !a.is_constant() && !b.is_constant())
        common.constant =
            a.constant > 0 ? std::min(a.constant, b.constant) : std::max(a.constant, b.constant);
    if (!common.is_constant() || common.constant != 0) {
        auto x = add(a, common, -1), y = add(b, common, -1);
        if (!x || !y) return {};
        return to_expr(add(only({make(Op{to_expr(*x), to_expr(*y)}, IndexType), 1}), common));
    }
    if (a.is_constant()) return make(Op{op.b, op.a}, IndexType);
    return {};
}

// l = k * whole + rest, the constant of rest in [0, k).
struct Divided {
    Linear whole, rest;
};
Divided divide(const Linear& l, int64_t k) {
    Divided d;
    for (auto& t : l.terms)
        if (t.coefficient % k == 0) d.whole.terms.push_back({t.atom, t.coefficient / k});
        else d.rest.terms.push_back(t);
    d.whole.constant = floor_div(l.constant, k);
    d.rest.constant = floor_mod(l.constant, k);
    return d;
}
bool within(const Linear& l, int64_t k, const Facts& facts) {  // 0 <= l < k
    auto room = add({{}, k - 1}, l, -1);
    return room && nonnegative(l, facts) && nonnegative(*room, facts);
}

Expr quotient(const Div& op, LinearForms& forms, const Facts& facts) {
    auto k = const_int(op.b);
    if (!k || *k <= 0) return {};
    Divided d = divide(forms.of(op.a), *k);
    if (within(d.rest, *k, facts)) return to_expr(d.whole);
    int64_t g = std::gcd(divisor_of(d.rest), *k);
    if (g > 1) {
        for (auto& t : d.rest.terms) t.coefficient /= g;
        d.rest.constant = floor_div(d.rest.constant, g);
    } else if (d.whole.terms.empty() && d.whole.constant == 0) {
        return {};
    }
    int64_t by = *k / g;
    if (by == 1) return to_expr(add(d.whole, d.rest));
    Expr q = make(Div{to_expr(d.rest), index_imm(by)}, IndexType);
    return to_expr(add(d.whole, only({q, 1})));
}

Expr remainder(const Mod& op, LinearForms& forms, const Facts& facts) {
    auto k = const_int(op.b);
    if (!k || *k <= 0) return {};
    Divided d = divide(forms.of(op.a), *k);
    if (within(d.rest, *k, facts)) return to_expr(d.rest);
    int64_t g = std::gcd(std::gcd(divisor_of(d.rest), *k), d.rest.constant);
    if (g > 1) {
        for (auto& t : d.rest.terms) t.coefficient /= g;
        d.rest.constant /= g;
        return make(Mod{to_expr(d.rest), index_imm(*k / g)}, IndexType) * g;
    }
    if (d.whole.terms.empty() && d.whole.constant == 0) return {};
    return make(Mod{to_expr(d.rest), op.b}, IndexType);
}

}  // namespace

Expr fold_index(const Expr& e, LinearForms& forms, const Facts& facts) {
    auto compare = [&](const Expr& a, const Expr& b, int64_t by) -> Expr {  // a + by <= b
        auto d = add(forms.of(b), forms.of(a), -1);
        if (!d || __builtin_sub_overflow(d->constant, by, &d->constant)) return {};
        return at_least_zero(*d, facts);
    };
    auto equality = [&](const Expr& a, const Expr& b, bool equal) -> Expr {
        auto d = add(forms.of(a), forms.of(b), -1);
        return d ? is_zero(*d, equal, facts) : Expr();
    };
    switch (e.node()->kind) {
        case kind_of<Add>:
        case kind_of<Sub>:
        case kind_of<Neg>:
        case kind_of<Mul>: return sum(e, forms);
        case kind_of<Min>: return extremum<Min>(e, forms, facts);
        case kind_of<Max>: return extremum<Max>(e, forms, facts);
        case kind_of<Div>: return quotient(*e.as<Div>(), forms, facts);
        case kind_of<Mod>: return remainder(*e.as<Mod>(), forms, facts);
        case kind_of<Lt>:  return compare(e.as<Lt>()->a, e.as<Lt>()->b, 1);
        case kind_of<Le>:  return compare(e.as<Le>()->a, e.as<Le>()->b, 0);
        case kind_of<Eq>:  return equality(e.as<Eq>()->a, e.as<Eq>()->b, true);
        case kind_of<Ne>:  return equality(e.as<Ne>()->a, e.as<Ne>()->b, false);
        default:           return {};
    }
}

}  // namespace burin
