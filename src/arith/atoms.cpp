#include "arith/atoms.h"

#include "arith/facts.h"
#include "base/deep.h"
#include "base/hash.h"
#include "ir/build.h"
#include "ir/walk.h"

namespace burin {

int64_t Form::of(int atom) const {
    for (auto& t : terms)
        if (t.atom == atom) return t.coefficient;
    return 0;
}

size_t TermsHash::operator()(const std::vector<Form::Term>& terms) const {
    uint64_t h = terms.size();
    for (auto& t : terms)
        h = hash_combine(hash_combine(h, uint64_t(t.atom)), uint64_t(t.coefficient));
    return h;
}

std::optional<Form> add(const Form& a, const Form& b, int64_t factor, int64_t by) {
    Form r;
    r.terms.reserve(a.terms.size() + b.terms.size());
    bool fits = true;
    auto sum = [&](int64_t x, int64_t y) {  // x * by + y * factor; what can be negated, too
        int64_t p, q, s;
        bool over = __builtin_mul_overflow(x, by, &p) | __builtin_mul_overflow(y, factor, &q);
        over |= __builtin_add_overflow(p, q, &s);
        fits &= !over;
        return s;
    };
    auto put = [&](int atom, int64_t c) {
        fits &= c != INT64_MIN;
        if (c != 0) r.terms.push_back({atom, c});
    };
    r.constant = sum(a.constant, b.constant);
    auto x = a.terms.begin(), y = b.terms.begin();
    while (x != a.terms.end() || y != b.terms.end()) {
        if (y == b.terms.end() || (x != a.terms.end() && x->atom < y->atom)) {
            put(x->atom, sum(x->coefficient, 0));
            ++x;
        } else if (x == a.terms.end() || y->atom < x->atom) {
            put(y->atom, sum(0, y->coefficient));
            ++y;
        } else {
            put(x->atom, sum(x->coefficient, y->coefficient));
            ++x, ++y;
        }
    }
    return fits ? std::optional(std::move(r)) : std::nullopt;
}
std::optional<Form> scale(const Form& a, int64_t factor) { return add({}, a, factor); }

int Atoms::number(const Expr& atom) {
    auto [it, fresh] = numbers_.try_emplace(atom, int(known_.size()));
    if (fresh) known_.push_back({atom, {}, {}});
    return it->second;
}

const Form& Atoms::expanded(const Expr& e) {
    if (auto it = expanded_.find(e.node()); it != expanded_.end()) return it->second.form;
    Form f = form(run_deep(e.node()->depth, [&] { return linear_.of(e); }));
    return expanded_.try_emplace(e.node(), Expanded{e, std::move(f)}).first->second.form;
}

Form Atoms::form(const Linear& l) {
    Form f{{}, l.constant};
    for (auto& t : l.terms) f.terms.push_back({number(t.atom), t.coefficient});
    std::ranges::sort(f.terms, {}, &Form::Term::atom);
    return f;
}

Linear Atoms::linear(const Form& f) const {
    Linear l{{}, f.constant};
    for (auto& t : f.terms) l.terms.push_back({at(t.atom), t.coefficient});
    return l;
}

const std::vector<Form>& Atoms::nature(int atom) {
    if (!known_[size_t(atom)].nature) {
        std::vector<Form> forms = nature_of(atom);
        known_[size_t(atom)].nature = std::move(forms);
    }
    return *known_[size_t(atom)].nature;
}

std::vector<Form> Atoms::nature_of(int number) {
    std::vector<Form> out;
    Expr atom = at(number);
    Form x{{{number, 1}}, 0};
    auto keep = [&](const std::optional<Form>& f) {
        if (f) out.push_back(*f);
    };
    auto at_least = [&](int64_t c) { keep(add(x, {{}, c}, -1)); };
    auto at_most = [&](int64_t c) { keep(add({{}, c}, x, -1)); };
    if (auto* m = atom.as<Meta>()) {
        if (m->what == MetaKind::Extent) at_least(0);
    } else if (auto* c = atom.as<Cast>()) {
        ConstantRange r = range_of(c->value);
        if (r.lo) at_least(*r.lo);
        if (r.hi) at_most(*r.hi);
    } else if (auto* d = atom.as<Div>()) {
        if (auto k = const_int(d->b); k && *k > 0) {  // e - k + 1 <= k * atom <= e
            const Form& e = expanded(d->a);
            keep(add(e, x, -*k));
            if (auto f = add({{}, *k - 1}, e, -1)) keep(add(*f, x, *k));
        }
    } else if (auto* m = atom.as<Mod>()) {
        if (auto k = const_int(m->b); k && *k > 0) at_least(0), at_most(*k - 1);
    }
    return out;
}

const std::vector<Symbol>& Atoms::variables(int atom) {
    auto& found = known_[size_t(atom)].variables;
    if (!found) {
        found.emplace();
        const Expr& e = at(atom);
        if (e.node()->depth <= 64) visit(e, [&](const Var& v, auto&) { found->push_back(v.name); });
    }
    return *found;
}

}  // namespace burin
