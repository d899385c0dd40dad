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
        auto it = std::find_if(l.terms.begin(), l.terms.end(), [&](const Term& x) { return equal(x.atom, t.atom); });
        if (it == l.terms.end()) {
            if (c != 0) l.terms.push_back({t.atom, c});
        } else if (__builtin_add_overflow(it->coefficient, c, &it->coefficient) || it->coefficient == INT64_MIN) {
            return false;  // so that every coefficient can be negated
        } else if (it->coefficient == 0) {
            l.terms.erase(it);
        }
    }
    return true;
}

std::optional<Linear> product(const Linear& a, const Linear& b) {
    if (b.is_constant()) return scale(a, b.constant);
    if (a.is_constant()) return scale(b, a.constant);
    return {};
}

}  // namespace

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
    else if (auto* m = e.as<Mul>()) l = product(of(m->a), of(m->b));
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
            else sum = t.coefficient == -1 ? make(Neg{t.atom}, IndexType) : product(t.atom, t.coefficient);
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
std::optional<Linear> difference(const Expr& a, const Expr& b) { return add(linear(a), linear(b), -1); }

std::optional<int64_t> coefficient(const Expr& e, Symbol v) {
    int64_t c = 0;
    for (auto& t : linear(e).terms) {
        if (auto* x = t.atom.as<Var>(); x && x->name == v) c = t.coefficient;
        else if (uses(t.atom, v)) return {};
    }
    return c;
}

}  // namespace burin
