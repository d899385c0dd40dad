#include "arith/modulus.h"

#include <numeric>

#include "arith/integers.h"
#include "base/deep.h"
#include "ir/build.h"
#include "ir/equal.h"

namespace burin {
namespace {

constexpr int64_t limit = int64_t(1) << 31;  // so that products of two fit

Modulus normal(int64_t m, int64_t r) {
    m = std::abs(m);
    return m == 0 ? Modulus{0, r} : Modulus{m, floor_mod(r, m)};
}
bool is_large(const Modulus& a) {
    return a.modulus >= limit || a.remainder >= limit || a.remainder <= -limit;
}

Modulus sum(const Modulus& a, const Modulus& b) {
    int64_t r;
    if (__builtin_add_overflow(a.remainder, b.remainder, &r)) return {};
    return normal(std::gcd(a.modulus, b.modulus), r);
}
Modulus product(const Modulus& a, const Modulus& b) {
    if (is_large(a) || is_large(b)) return {};
    int64_t g =
        std::gcd(a.modulus * b.modulus, std::gcd(a.modulus * b.remainder, b.modulus * a.remainder));
    return normal(g, a.remainder * b.remainder);
}
Modulus either(const Modulus& a, const Modulus& b) {  // one of the two
    int64_t d;
    if (__builtin_sub_overflow(a.remainder, b.remainder, &d)) return {};
    int64_t g = std::gcd(std::gcd(a.modulus, b.modulus), d);
    return normal(g, a.remainder);
}

}  // namespace

class ModulusFinder {
public:
    explicit ModulusFinder(const Facts& facts) : facts_(facts) {}
    Modulus of(const Linear& l) {
        Modulus m{0, l.constant};
        for (auto& t : l.terms) {
            m = sum(m, product({0, t.coefficient}, of_atom(t.atom)));
            if (m.modulus == 1) break;
        }
        return m;
    }

private:
    Modulus of(const Expr& e) { return of(linear(e)); }
    Modulus of_atom(const Expr& e) {
        for (auto& c : facts_.congruences_)
            if (equal(c.atom, e)) return normal(c.modulus, c.remainder);
        if (depth_ > 16) return {};
        ++depth_;
        Modulus m = compound(e);
        --depth_;
        return m;
    }
    Modulus compound(const Expr& e) {
        if (auto* m = e.as<Mul>()) return product(of(m->a), of(m->b));
        if (auto* m = e.as<Min>()) return either(of(m->a), of(m->b));
        if (auto* m = e.as<Max>()) return either(of(m->a), of(m->b));
        if (auto* s = e.as<Select>()) return either(of(s->yes), of(s->no));
        if (auto* d = e.as<Div>()) {
            auto k = const_int(d->b);
            Modulus a = of(d->a);
            if (k && *k > 0 && a.modulus % *k == 0)
                return normal(a.modulus / *k, floor_div(a.remainder, *k));
        }
        if (auto* m = e.as<Mod>()) {
            auto k = const_int(m->b);
            Modulus a = of(m->a);
            if (k && *k > 0)
                return a.modulus == 0 ? Modulus{0, floor_mod(a.remainder, *k)}
                                      : normal(std::gcd(a.modulus, *k), a.remainder);
        }
        return {};
    }
    const Facts& facts_;
    int depth_ = 0;
};

Modulus modulus_of(const Expr& e, const Facts& facts) { return modulus_of(linear(e), facts); }
Modulus modulus_of(const Linear& l, const Facts& facts) { return ModulusFinder(facts).of(l); }

std::optional<int64_t> remainder_of(const Expr& e, int64_t k, const Facts& facts) {
    Modulus m = modulus_of(e, facts);
    if (m.modulus % k != 0) return {};
    return floor_mod(m.remainder, k);
}

}  // namespace burin
