#include "arith/facts.h"

#include "arith/integers.h"
#include "ir/build.h"
#include "ir/walk.h"

namespace burin {

void Facts::know(Symbol v) {
    searched_.clear();
    if (rank_.emplace(v, int(order_.size())).second) order_.push_back(v);
}

void Facts::bound(Symbol v, const Expr& lo, const Expr& hi) {
    know(v);
    if (lo.defined()) add_nonnegative(minus(var(v), lo));
    if (hi.defined()) add_nonnegative(minus(hi, var(v)));
}
void Facts::equal_to(Symbol v, const Expr& value) { bound(v, value, value); }

void Facts::rewind(const Mark& m) {
    searched_.clear();
    for (size_t k = m.order; k < order_.size(); ++k) rank_.erase(order_[k]);
    order_.resize(m.order);
    for (; nonnegative_.size() > m.nonnegative; nonnegative_.pop_back())
        for (auto& t : nonnegative_.back().terms) about_[size_t(t.atom)].pop_back();
    truths_.resize(m.truths);
    congruences_.resize(m.congruences);
}

std::optional<Form> Facts::minus(const Expr& a, const Expr& b) const {
    return add(atoms_->expanded(a), atoms_->expanded(b), -1);
}

// x <= min(a, b) is two facts without min; the same for max on the other side.
void Facts::add_nonnegative(const std::optional<Form>& l, int splits) {
    if (!l || l->is_constant()) return;
    for (size_t k = 0; splits > 0 && k < l->terms.size(); ++k) {
        const Form::Term& t = l->terms[k];
        Expr atom = atoms_->at(t.atom), a, b;
        if (auto* m = atom.as<Min>(); m && t.coefficient > 0) a = m->a, b = m->b;
        if (auto* m = atom.as<Max>(); m && t.coefficient < 0) a = m->a, b = m->b;
        if (!a.defined()) continue;
        Form rest = *l;
        rest.terms.erase(rest.terms.begin() + ptrdiff_t(k));
        add_nonnegative(add(rest, atoms_->expanded(a), t.coefficient), splits - 1);
        add_nonnegative(add(rest, atoms_->expanded(b), t.coefficient), splits - 1);
        return;
    }
    for (auto& t : l->terms) {
        if (about_.size() <= size_t(t.atom)) about_.resize(size_t(t.atom) + 1);
        about_[size_t(t.atom)].push_back(nonnegative_.size());
    }
    nonnegative_.push_back(*l);
    searched_.clear();
}

const std::vector<size_t>& Facts::about(int atom) const {
    static const std::vector<size_t> none;
    return size_t(atom) < about_.size() ? about_[size_t(atom)] : none;
}

void Facts::assume(const Expr& c) { assume(c, true); }

void Facts::assume(const Expr& c, bool value) {
    if (auto* n = c.as<Not>()) return assume(n->a, !value);
    if (auto* l = c.as<Call>(); l && is_hint(l->fn)) return assume(l->args[0], value);
    if (auto* b = c.as<Broadcast>(); b && b->value.type().is_scalar())
        return assume(b->value, value);
    if (auto* a = c.as<And>(); a && value) {
        assume(a->a, true);
        return assume(a->b, true);
    }
    if (auto* o = c.as<Or>(); o && !value) {
        assume(o->a, false);
        return assume(o->b, false);
    }
    auto at_least = [&](const Expr& a, const Expr& b, int64_t by) {  // a - b >= by
        auto d = minus(a, b);
        if (d && __builtin_sub_overflow(d->constant, by, &d->constant)) d.reset();
        add_nonnegative(d);
    };
    auto is_index = [](const Expr& a) { return a.type() == IndexType; };
    if (auto* lt = c.as<Lt>(); lt && is_index(lt->a)) {
        return value ? at_least(lt->b, lt->a, 1) : at_least(lt->a, lt->b, 0);
    }
    if (auto* le = c.as<Le>(); le && is_index(le->a)) {
        return value ? at_least(le->b, le->a, 0) : at_least(le->a, le->b, 1);
    }
    if (auto* eq = c.as<Eq>(); eq && is_index(eq->a) && value) assume_equal(eq->a, eq->b);
    if (auto* ne = c.as<Ne>(); ne && is_index(ne->a) && !value) assume_equal(ne->a, ne->b);
    truths_.push_back({c, value});
}

void Facts::assume_equal(const Expr& a, const Expr& b) {
    auto d = minus(a, b);
    if (!d) return;
    add_nonnegative(*d);
    add_nonnegative(scale(*d, -1));
    // (x + c) % k == r
    auto* m = a.as<Mod>();
    auto k = m ? const_int(m->b) : std::nullopt;
    auto r = const_int(b);
    if (!k || *k <= 0 || !r) return;
    Linear l = linear(m->a);
    int64_t remainder;
    if (l.terms.size() == 1 && l.terms[0].coefficient == 1 &&
        !__builtin_sub_overflow(*r, l.constant, &remainder))
        searched_.clear(), congruences_.push_back({l.terms[0].atom, *k, floor_mod(remainder, *k)});
}

}  // namespace burin
