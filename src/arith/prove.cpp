// A bounded search: to bound a linear form from below, its innermost atom is replaced by what is known about
// it, until a constant is left.
#include <climits>
#include <numeric>
#include <utility>

#include "arith/facts.h"
#include "arith/integers.h"
#include "arith/modulus.h"
#include "base/deep.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {
namespace {

using Bound = std::optional<int64_t>;

Bound times_plus(Bound a, int64_t factor, int64_t more) {
    int64_t r;
    if (!a || __builtin_mul_overflow(*a, factor, &r) || __builtin_add_overflow(r, more, &r))
        return {};
    return r;
}
// Of two that must both be known, and of two where one is enough.
Bound least(Bound a, Bound b) { return a && b ? std::min(a, b) : Bound{}; }
Bound greatest(Bound a, Bound b) { return a && b ? std::max(a, b) : Bound{}; }
Bound one_of(Bound a, Bound b, Bound (*f)(Bound, Bound)) { return !a ? b : !b ? a : f(a, b); }

}  // namespace

class Prover {
public:
    explicit Prover(const Facts& facts)
        : given_(facts), atoms_(*facts.atoms_), assumed_(facts.atoms_) {}

    bool holds(const Expr& c, bool value) {
        if (auto k = const_int(c)) return (*k != 0) == value;
        if (auto* n = c.as<Not>()) return holds(n->a, !value);
        if (auto* l = c.as<Call>(); l && is_hint(l->fn)) return holds(l->args[0], value);
        if (auto* b = c.as<Broadcast>()) return holds(b->value, value);
        for (const Facts* f : {&given_, static_cast<const Facts*>(&assumed_)})
            for (auto& t : f->truths_)
                if (t.value == value && equal(t.condition, c)) return true;
        if (--budget_ < 0) return false;
        if (auto* a = c.as<And>()) return both(*a, value, value);
        if (auto* o = c.as<Or>()) return both(*o, value, !value);
        if (auto* lt = c.as<Lt>()) return value ? below(lt->a, lt->b, 1) : below(lt->b, lt->a, 0);
        if (auto* le = c.as<Le>()) return value ? below(le->a, le->b, 0) : below(le->b, le->a, 1);
        if (auto* eq = c.as<Eq>()) return value ? same(eq->a, eq->b) : different(eq->a, eq->b);
        if (auto* ne = c.as<Ne>()) return value ? different(ne->a, ne->b) : same(ne->a, ne->b);
        return false;
    }

    // The best B found with l >= B; the search ends once B >= enough.
    Bound lower(Form l, int64_t enough) {
        int64_t g = 0, c = l.constant;
        for (auto& t : l.terms) g = std::gcd(g, t.coefficient);
        if (g == 0) return c;
        if (g < 0) return {};
        if (g > 1)
            for (auto& t : l.terms) t.coefficient /= g;
        l.constant = 0;
        int64_t rest;
        if (__builtin_sub_overflow(enough, c, &rest)) rest = c < 0 ? INT64_MAX : INT64_MIN;
        rest = ceil_div(rest, g);
        if (given_.congruences_.empty() && assumed_.congruences_.empty())
            return times_plus(lower_of_terms(l, rest), g, c);
        // Only values of one remainder occur: a bound moves up to the next of them.
        Modulus m = modulus_of(atoms_.linear(l), given_);
        auto next = [&](int64_t b) {
            return times_plus(floor_mod(m.remainder - floor_mod(b, m.modulus), m.modulus), 1, b);
        };
        if (m.modulus <= 1) return times_plus(lower_of_terms(l, rest), g, c);
        Bound target = times_plus(next(rest), 1, 1 - m.modulus);
        Bound b = lower_of_terms(l, target.value_or(rest));
        return times_plus(b ? next(*b) : b, g, c);
    }
    Bound lower(const Expr& e, int64_t enough) { return lower(expanded(e), enough); }

    // l with products that are atoms multiplied out.
    Form expanded(const Linear& l) {
        Form r{{}, l.constant};
        for (auto& t : l.terms) {
            auto next = add(r, expanded(t.atom), t.coefficient);
            if (!next) return atoms_.form(l);
            r = std::move(*next);
        }
        return r;
    }
    const Form& expanded(const Expr& e) { return atoms_.expanded(e); }

private:
    template <class Op>
    bool both(const Op& op, bool value, bool all) {
        if (all) return holds(op.a, value) && holds(op.b, value);
        return holds(op.a, value) || holds(op.b, value);
    }

    // a + by <= b in every lane: both are linear in the lane, so the ends decide.
    bool below(const Expr& a, const Expr& b, int64_t by) {
        if (!a.type().is_index()) return false;
        int lanes = a.type().lanes;
        for (int lane : {0, lanes - 1}) {
            Expr x = lane_of(a, lane), y = lane_of(b, lane);
            auto d = x.defined() && y.defined() ? given_.minus(y, x) : std::nullopt;
            if (!d || !(lower(*d, by) >= Bound(by))) return false;
            if (lanes == 1) break;
        }
        return true;
    }
    static Expr lane_of(const Expr& e, int lane) {
        if (e.type().is_scalar()) return e;
        if (auto* b = e.as<Broadcast>(); b && b->value.type().is_scalar()) return b->value;
        if (auto* r = e.as<Ramp>(); r && r->base.type().is_scalar()) {
            auto l = scale(linear(r->stride), lane);
            if (l) l = add(linear(r->base), *l);
            if (l) return to_expr(*l);
        }
        return {};
    }
    bool same(const Expr& a, const Expr& b) { return below(a, b, 0) && below(b, a, 0); }
    bool different(const Expr& a, const Expr& b) {
        return a.type() == IndexType && (below(a, b, 1) || below(b, a, 1));
    }

    // Later variables first; compounds before the variables in them.
    int rank(int atom) {
        auto rank_of = [&](Symbol s) {
            auto it = given_.rank_.find(s);
            return it == given_.rank_.end() ? 0 : 2 * (it->second + 1);
        };
        if (size_t(atom) >= ranks_.size()) ranks_.resize(size_t(atom) + 1, -1);
        if (ranks_[size_t(atom)] >= 0) return ranks_[size_t(atom)];
        int best = 1;
        if (auto* v = atoms_.at(atom).as<Var>()) best = rank_of(v->name);
        else
            for (Symbol v : atoms_.variables(atom)) best = std::max(best, rank_of(v) + 1);
        return ranks_[size_t(atom)] = best;
    }

    // Looks the form up among those searched before under the same facts.
    Bound lower_of_terms(const Form& l, int64_t enough) {
        Searched& known = (assumptions_.empty() ? given_.searched_ : assumptions_.back())[l.terms];
        if (known.all || (known.best && *known.best >= enough)) return known.best;
        if (known.open_at) return cut_ = std::min(cut_, known.open_at), known.best;
        if (depth_ > 24 || --budget_ < 0) return cut_ = 0, known.best;
        int outer_cut = std::exchange(cut_, no_cut);
        known.open_at = ++depth_;
        Bound b = search(l, enough);
        --depth_;
        // What was left out for being open further out is missing here, unless it was the form itself.
        bool whole = cut_ >= known.open_at;
        known.open_at = 0;
        known.best = one_of(known.best, b, greatest);
        known.all = whole && !(known.best && *known.best >= enough);
        cut_ = whole ? outer_cut : std::min(cut_, outer_cut);
        return known.best;
    }

    Bound search(const Form& l, int64_t enough) {
        auto order = [&](const Form::Term& t) {  // remainders first: they may meet their quotients
            const Expr& e = atoms_.at(t.atom);
            return std::tuple(rank(t.atom), e.as<Mod>() != nullptr, e.node()->depth);
        };
        const Form::Term* chosen = nullptr;
        decltype(order(*chosen)) most;
        for (auto& s : l.terms)
            if (auto o = order(s); !chosen || most < o) chosen = &s, most = o;
        const Form::Term t = *chosen;
        const Expr& atom = atoms_.at(t.atom);
        bool rising = t.coefficient > 0;
        Bound best;
        auto enough_now = [&](Bound b) {
            if (b && (!best || *b > *best)) best = b;
            return best && *best >= enough;
        };
        auto with = [&](const Expr& by) {
            Form rest = l;
            std::erase_if(rest.terms, [&](auto& x) { return x.atom == t.atom; });
            auto r = add(rest, expanded(by), t.coefficient);
            return r ? lower(std::move(*r), enough) : Bound{};
        };
        if (auto* m = atom.as<Min>()) {
            if (rising) return least(with(m->a), with(m->b));
            if (enough_now(with(m->a)) || enough_now(with(m->b))) return best;
            enough_now(
                either(m->a <= m->b, [&] { return with(m->a); }, [&] { return with(m->b); }));
            return best;
        }
        if (auto* m = atom.as<Max>()) {
            if (!rising) return least(with(m->a), with(m->b));
            if (enough_now(with(m->a)) || enough_now(with(m->b))) return best;
            enough_now(
                either(m->a >= m->b, [&] { return with(m->a); }, [&] { return with(m->b); }));
            return best;
        }
        if (auto* s = atom.as<Select>())
            return either(s->cond, [&] { return with(s->yes); }, [&] { return with(s->no); });

        // f >= 0 holds the atom with the same sign: |fc| l - |c| f is free of it. The search below may move f.
        auto by_fact = [&](const Form& f) {
            int64_t fc = f.of(t.atom), c = t.coefficient;
            if (fc == 0 || (fc > 0) != rising) return false;
            int64_t g = std::gcd(fc, c), factor = std::abs(fc) / g;
            auto r = add(l, f, -(std::abs(c) / g), factor);
            if (!r) return false;
            int64_t scaled;
            if (__builtin_mul_overflow(enough, factor, &scaled))
                scaled = enough > 0 ? INT64_MAX : INT64_MIN;
            Bound b = lower(std::move(*r), scaled);
            return b && enough_now(ceil_div(*b, factor));
        };
        for (const Facts* f : {static_cast<const Facts*>(&assumed_), &given_}) {
            for (size_t k = f->about(t.atom).size(); k-- > 0;)
                if (by_fact(f->nonnegative_[f->about(t.atom)[k]])) return best;
        }
        for (auto& f : about(t.atom, l))
            if (by_fact(f)) return best;
        for (auto& f : atoms_.nature(t.atom))
            if (by_fact(f)) return best;
        if (auto* m = atom.as<Mod>(); m && !rising && nonnegative(m->a))
            if (auto f = add(expanded(m->a), {{{t.atom, 1}}, 0}, -1)) by_fact(*f);
        return best;
    }

    // Both cases of a condition; what each assumes is known in it.
    template <class Yes, class No>
    Bound either(const Expr& c, Yes yes, No no) {
        if (splits_ >= 4) return {};
        ++splits_;
        auto under = [&](const Expr& condition, auto f) {
            auto mark = assumed_.mark();
            assumed_.assume(condition);
            assumptions_.emplace_back();
            Bound b = f();
            assumptions_.pop_back();
            assumed_.rewind(mark);
            return b;
        };
        Bound a = under(c, yes);
        Bound r = a ? least(a, under(make(Not{c}, c.type()), no)) : a;
        --splits_;
        return r;
    }

    // What holds of an atom beyond its own nature, as forms >= 0.
    std::vector<Form> about(int number, const Form& in) {
        std::vector<Form> out;
        const Expr& atom = atoms_.at(number);
        Form x{{{number, 1}}, 0};
        auto at_least = [&](const Form& l) {  // atom >= l
            if (auto d = add(x, l, -1)) out.push_back(*d);
        };
        auto at_most = [&](const Form& l) {
            if (auto d = add(l, x, -1)) out.push_back(*d);
        };
        if (auto* d = atom.as<Div>()) {
            if (!positive_constant(d->b) && nonnegative(d->b, 1) && nonnegative(d->a)) {
                at_least({});
                at_most(expanded(d->a));
            }
        } else if (auto* m = atom.as<Mod>()) {
            if (auto k = positive_constant(m->b)) {
                int quotient = atoms_.number(make(Div{m->a, m->b}, IndexType));
                if (in.of(quotient) != 0) {  // atom == e - k * (e / k)
                    if (auto e = add(expanded(m->a), {{{quotient, 1}}, 0}, -*k))
                        at_least(*e), at_most(*e);
                }
            } else if (nonnegative(m->b, 1)) {
                at_least({});
                if (auto k = add(expanded(m->b), {{}, -1})) at_most(*k);
            }
        } else if (auto* m = atom.as<Mul>()) {
            about_product(m->a, m->b, out, at_least, at_most);
            about_product(m->b, m->a, out, at_least, at_most);
        }
        return out;
    }
    static std::optional<int64_t> positive_constant(const Expr& e) {
        auto k = const_int(e);
        return k && *k > 0 ? k : std::nullopt;
    }
    // a * b where b >= 0 is known: what bounds a bounds the product, b times.
    template <class L, class M>
    void about_product(const Expr& a, const Expr& b, std::vector<Form>& out, L& at_least,
                       M& at_most) {
        if (!nonnegative(b)) return;
        if (nonnegative(a)) at_least({});
        const Form& factor = expanded(b);
        // e - b + 1 <= (e / b) * b <= e
        if (auto* d = a.as<Div>(); d && equal(d->b, b) && nonnegative(b, 1)) {
            const Form& e = expanded(d->a);
            at_most(e);
            auto lo = add(e, factor, -1);
            if (lo) lo = add(*lo, {{}, 1});
            if (lo) at_least(*lo);
            return;
        }
        int number = atoms_.number(a);
        for (const Facts* f : {&given_, static_cast<const Facts*>(&assumed_)})
            for (size_t k : f->about(number))
                if (auto p = product(atoms_.linear(f->nonnegative_[k]), atoms_.linear(factor)))
                    out.push_back(atoms_.form(*p));
    }
    bool nonnegative(const Expr& e, int64_t by = 0) { return lower(e, by) >= Bound(by); }

    using Searched = Facts::Searched;
    const Facts& given_;
    Atoms& atoms_;
    Facts assumed_;
    int budget_ = 48, depth_ = 0, splits_ = 0;
    static constexpr int no_cut = INT_MAX;
    int cut_ = no_cut;  // the outermost depth whose form was needed while it was being searched
    std::deque<Facts::SearchedForms> assumptions_;  // searched under each assumption
    std::vector<int> ranks_;                        // of atoms; -1: not yet asked for
};

bool prove(const Expr& c, const Facts& facts) {
    return run_deep(c.node()->depth, [&] { return Prover(facts).holds(c, true); });
}

bool nonnegative(const Linear& l, const Facts& facts) {
    if (l.is_constant()) return l.constant >= 0;
    Prover prover(facts);
    return prover.lower(prover.expanded(l), 0) >= Bound(0);
}

std::optional<int64_t> lower_bound(const Expr& e, const Facts& facts) {
    return run_deep(e.node()->depth, [&] { return Prover(facts).lower(e, INT64_MAX); });
}
std::optional<int64_t> upper_bound(const Expr& e, const Facts& facts) {
    auto b = run_deep(e.node()->depth, [&] {
        Prover prover(facts);
        auto l = scale(prover.expanded(e), -1);
        return l ? prover.lower(std::move(*l), INT64_MAX) : Bound{};
    });
    return times_plus(b, -1, 0);
}

namespace {

ConstantRange type_range(Type t) {
    if (t.is_bool()) return {0, 1};
    if (t.is_uint()) return {0, t.bits < 64 ? Bound((int64_t(1) << t.bits) - 1) : Bound{}};
    if (!t.is_int()) return {};
    int64_t hi = int64_t(~uint64_t(0) >> 1 >> (64 - t.bits));
    return {-1 - hi, hi};
}

// What the operands' ranges make of an operation, were there no wrap.
ConstantRange range_within(const Expr& e, int depth) {
    auto of = [&](const Expr& c) { return range_within(c, depth - 1); };
    Type t = e.type();
    ConstantRange whole = type_range(t), r = whole;
    if (auto k = const_int(e))
        return t.element() != u64 || *k >= 0 ? ConstantRange{*k, *k} : ConstantRange{0, {}};
    if (depth == 0) return whole;
    auto unless_wrapped = [&](Bound lo, Bound hi) {
        bool fits = lo && hi && whole.lo && whole.hi && *lo >= *whole.lo && *hi <= *whole.hi;
        return fits ? ConstantRange{lo, hi} : whole;
    };
    auto known = [](const ConstantRange& a, const ConstantRange& b) {
        return a.lo && a.hi && b.lo && b.hi;
    };
    if (auto* b = e.as<Broadcast>()) return of(b->value);
    if (auto* c = e.as<Cast>(); c && !c->value.type().is_float()) {
        ConstantRange a = c->value.type().is_index() ? ConstantRange{} : of(c->value);
        return unless_wrapped(a.lo, a.hi);
    }
    if (auto* s = e.as<Select>()) {
        ConstantRange a = of(s->yes), b = of(s->no);
        return {least(a.lo, b.lo), greatest(a.hi, b.hi)};
    }
    if (auto* m = e.as<Min>()) {
        ConstantRange a = of(m->a), b = of(m->b);
        return {least(a.lo, b.lo), one_of(a.hi, b.hi, least)};
    }
    if (auto* m = e.as<Max>()) {
        ConstantRange a = of(m->a), b = of(m->b);
        return {one_of(a.lo, b.lo, greatest), greatest(a.hi, b.hi)};
    }
    if (auto* op = e.as<Add>()) {
        ConstantRange a = of(op->a), b = of(op->b);
        return known(a, b) ? unless_wrapped(times_plus(a.lo, 1, *b.lo), times_plus(a.hi, 1, *b.hi))
                           : whole;
    }
    if (auto* op = e.as<Sub>()) {
        ConstantRange a = of(op->a), b = of(op->b);
        return known(a, b)
                   ? unless_wrapped(times_plus(b.hi, -1, *a.lo), times_plus(b.lo, -1, *a.hi))
                   : whole;
    }
    if (auto* op = e.as<Mod>()) {
        auto k = const_int(op->b);
        return k && *k > 0 ? ConstantRange{0, *k - 1} : whole;
    }
    if (auto* op = e.as<Div>()) {
        auto k = const_int(op->b);
        ConstantRange a = of(op->a);
        if (!k || *k <= 0 || !a.lo || !a.hi) return whole;
        return {floor_div(*a.lo, *k), floor_div(*a.hi, *k)};
    }
    if (auto* op = e.as<And>(); op && !t.is_bool()) {
        for (auto& side : {op->a, op->b})
            if (auto k = const_int(side); k && *k >= 0) return {0, *k};
    }
    return r;
}

}  // namespace

ConstantRange range_of(const Expr& e) { return range_within(e, 6); }

}  // namespace burin
