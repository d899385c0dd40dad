#include "arith/linear.h"

#include "base/deep.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {
namespace {

// Adds factor * more into l; false (and l is unspecified) on overflow.
bool accumulate(Linear& l, const Linear& more, int64_t factor) {
    int64_t c;
    if (__builtin_mul_overflow(more.constant, factor, &c)) return false;
    if (__builtin_add_overflow(l.constant, c, &l.constant)) return false;
    for (auto& t : more.terms) {
        if (__builtin_mul_overflow(t.coefficient, factor, &c) || c == INT64_MIN) return false;
        auto it = std::find_if(l.terms.begin(), l.terms.end(),
                               [&](const Term& x) { return equal(x.atom, t.atom); });
        if (it == l.terms.end()) {
            if (c != 0) l.terms.push_back({t.atom, c});
        } else if (__builtin_add_overflow(it->coefficient, c, &it->coefficient) ||
                   it->coefficient == INT64_MIN) {
            return false;  // so that every coefficient can be negated
        } else if (it->coefficient == 0) {
            l.terms.erase(it);
        }
    }
    return true;
}

// An order of atoms that does not depend on addresses: names first, by their text.
bool before(const Expr& a, const Expr& b) {
    auto *x = a.as<Var>(), *y = b.as<Var>();
    if (x && y && x->name.hint() != y->name.hint()) return x->name.hint() < y->name.hint();
    auto key = [](const Expr& e) {
        return std::tuple(!e.as<Var>(), e.node()->depth, e.node()->kind, hash_of(e));
    };
    return key(a) < key(b);
}

void collect_factors(const Expr& e, std::vector<Expr>& out) {
    auto* m = e.as<Mul>();
    if (!m) return out.push_back(e);
    collect_factors(m->a, out);
    collect_factors(m->b, out);
}
Expr product_of_atoms(const Expr& a, const Expr& b) {
    std::vector<Expr> factors;
    collect_factors(a, factors);
    collect_factors(b, factors);
    std::sort(factors.begin(), factors.end(), before);
    Expr p = factors[0];
    for (size_t k = 1; k < factors.size(); ++k) p = make(Mul{p, factors[k]}, IndexType);
    return p;
}

}  // namespace

std::optional<Linear> product(const Linear& a, const Linear& b) {
    if (b.is_constant()) return scale(a, b.constant);
    if (a.is_constant()) return scale(b, a.constant);
    if (a.terms.size() * b.terms.size() > max_terms) return {};
    auto p = scale(a, b.constant);
    if (!p || !accumulate(*p, {b.terms, 0}, a.constant)) return {};
    for (auto& s : a.terms)
        for (auto& t : b.terms) {
            int64_t c;
            if (__builtin_mul_overflow(s.coefficient, t.coefficient, &c)) return {};
            if (!accumulate(*p, {{{product_of_atoms(s.atom, t.atom), 1}}, 0}, c)) return {};
        }
    return p;
}

const Linear& LinearForms::of(const Expr& e) {
    if (auto it = known_.find(e.node()); it != known_.end()) return it->second.form;
    Linear l = taken_apart(e);
    return known_.emplace(e.node(), Known{e, std::move(l)}).first->second.form;
}

Linear LinearForms::taken_apart(const Expr& e) {
    Linear atom{{{e, 1}}, 0};
    if (!e.type().is_index() || !e.type().is_scalar()) return atom;
    std::optional<Linear> l;
    if (auto* i = e.as<IntImm>()) return {{}, i->value};
    if (auto* a = e.as<Add>()) l = add(of(a->a), of(a->b));
    else if (auto* s = e.as<Sub>()) l = add(of(s->a), of(s->b), -1);
    else if (auto* n = e.as<Neg>()) l = scale(of(n->a), -1);
    else if (auto* m = e.as<Mul>()) {
        const Linear &a = of(m->a), &b = of(m->b);
        if (expand_ || a.is_constant() || b.is_constant()) l = product(a, b);
    }
    return l && l->terms.size() <= max_terms ? std::move(*l) : atom;
}

int64_t Linear::of(const Expr& atom) const {
    for (auto& t : terms)
        if (equal(t.atom, atom)) return t.coefficient;
    return 0;
}

Linear linear(const Expr& e) {
    return run_deep(e.node()->depth, [&] { return LinearForms().of(e); });
}

Linear expanded(const Expr& e) {
    return run_deep(e.node()->depth, [&] { return LinearForms(true).of(e); });
}

Expr to_expr(const Linear& l) {
    auto product = [](const Expr& atom, int64_t c) {
        return c == 1 ? atom : make(Mul{atom, index_imm(c)}, IndexType);
    };
    Expr sum;
    for (auto& t : l.terms)
        if (t.coefficient > 0) {
            Expr p = product(t.atom, t.coefficient);
            sum = sum.defined() ? make(Add{sum, p}, IndexType) : p;
        }
    int64_t c = l.constant;
    if (!sum.defined() && (c != 0 || l.terms.empty())) {
        sum = index_imm(c);
        c = 0;
    }
    for (auto& t : l.terms)
        if (t.coefficient < 0) {
            if (sum.defined()) sum = make(Sub{sum, product(t.atom, -t.coefficient)}, IndexType);
            else
                sum = t.coefficient == -1 ? make(Neg{t.atom}, IndexType)
                                          : product(t.atom, t.coefficient);
        }
    if (c > 0 || c == INT64_MIN) return make(Add{sum, index_imm(c)}, IndexType);
    return c == 0 ? sum : make(Sub{sum, index_imm(-c)}, IndexType);
}

std::optional<Linear> add(const Linear& a, const Linear& b, int64_t factor) {
    Linear l = a;
    if (!accumulate(l, b, factor)) return {};
    return l;
}
std::optional<Linear> scale(const Linear& a, int64_t factor) { return add({}, a, factor); }
std::optional<Linear> difference(const Expr& a, const Expr& b) {
    return add(linear(a), linear(b), -1);
}

std::optional<int64_t> coefficient(const Expr& e, Symbol v) {
    int64_t c = 0;
    for (auto& t : linear(e).terms) {
        if (auto* x = t.atom.as<Var>(); x && x->name == v) c = t.coefficient;
        else if (uses(t.atom, v)) return {};
    }
    return c;
}

}  // namespace burin
