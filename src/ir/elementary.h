// elementary.h - exp log rsqrt sigmoid tanh erf gelu, defined once over the two kinds of number of number.h;
// sin and cos are in angles.h, pow in powers.h. Both arms of a select are computed; those of `usually` need not be.
// Coefficients by Sollya's fpminimax (gelu's in f64: least squares of the relative error; sin's and cos's in f32:
// Remez; both rounded one by one), measured bounds in src/ir/README.md.
#pragma once
#include <cstddef>

#include "ir/elementary_tables.h"
#include "ir/number.h"

namespace burin::functions {

// Most take N<float> or N<double>; T is the machine type and Int the integer of its width.
template <template <class> class N, class T, size_t n>
N<T> polynomial(N<T> x, const T (&c)[n]) {
    N<T> y = c[n - 1];
    for (size_t i = n - 1; i-- > 0;) y = fma(y, x, c[i]);
    return y;
}

// Two doubles whose sum is meant.
template <template <class> class N>
struct Pair {
    N<double> high, low;
};
// a + b without error, if |a| >= |b| or a = 0.
template <template <class> class N>
Pair<N> sum(N<double> a, N<double> b) {
    N<double> s = a + b;
    return {s, b - (s - a)};
}
template <template <class> class N>
Pair<N> product(N<double> a, N<double> b) {
    N<double> p = a * b;
    return {p, fma(a, b, -p)};
}

// The nearest whole number to x, |x| <= 2^(fraction bits - 1), and its low bits at the bottom of an integer;
// x comes as x + 1.5 * 2^(fraction bits), where the unit in the last place is 1.
template <template <class> class N, class T>
struct Whole {
    N<T> shifted, value;
    explicit Whole(N<T> s) : shifted(s), value(s - Format<T>::shifter) {}
    N<typename Format<T>::Int> bits() const { return bits_as<typename Format<T>::Int>(shifted); }
};

// e^x = 2^n e^r with x = n ln 2 + r, |r| < 0.35, and e^r = 1 + r * growth.
template <template <class> class N, class T>
struct ExpParts {
    using F = Format<T>;
    using Int = typename F::Int;
    Whole<N, T> n;
    N<T> r, growth;
    ExpParts(N<T> x, N<T> rest)  // of x + rest
        : n(fma(x, F::log2_e, F::shifter)),
          r(fma(n.value, -F::ln2_high, x) + fma(n.value, -F::ln2_low, rest)),
          growth(polynomial(r, Tables<T>::exp)) {}
    explicit ExpParts(N<T> x)
        : n(fma(x, F::log2_e, F::shifter)),
          r(fma(n.value, -F::ln2_low, fma(n.value, -F::ln2_high, x))),
          growth(polynomial(r, Tables<T>::exp)) {}
    N<T> tail() const { return r * growth; }
    // 2^n times that of Format::exponent
    N<T> power(N<Int> exponent) const {
        return bits_as<T>((n.bits() << F::fraction_bits) + exponent);
    }
};

// 2^n as two factors of which the last one overflows or makes denormals, so that those round once.
template <template <class> class N, class T>
struct TwoSteps {
    N<T> first, last;
    TwoSteps(N<T> x, const ExpParts<N, T>& e) : first(x), last(x) {
        using F = Format<T>;
        using Int = typename F::Int;
        N<bool> small = x < F::exp_small;
        first = e.power(
            select(small, N<Int>(F::exponent(F::fraction_bits + 2)), N<Int>(F::exponent(-1))));
        last = select(small, N<T>(F::power(-F::fraction_bits - 2)), N<T>(2));
    }
};

template <template <class> class N, class T>
N<T> exp(N<T> x) {
    using F = Format<T>;
    x = select(x < F::exp_least, N<T>(F::exp_least), x);
    x = select(x > F::exp_most, N<T>(F::exp_most), x);
    ExpParts<N, T> e(x);
    return times_power(fma(e.r, e.growth, 1), e.n.value);
}

// x = m * 2^e with m in [2/3, 4/3), for positive finite x.
template <template <class> class N, class T>
struct Split {
    N<T> m, e;
    explicit Split(N<T> x) : m(x), e(x) {
        using F = Format<T>;
        using Int = typename F::Int;
        N<bool> denormal = x < F::least_normal;
        N<Int> bits = bits_as<Int>(select(denormal, x * F::power(F::fraction_bits + 1), x));
        N<Int> k = (bits - F::two_thirds) >> F::fraction_bits;
        m = bits_as<T>(bits - (k << F::fraction_bits));
        e = convert<T>(k) - select(denormal, N<T>(F::fraction_bits + 1), N<T>(0));
    }
};

template <template <class> class N, class T>
N<T> log(N<T> x) {
    using F = Format<T>;
    Split<N, T> s(x);
    N<T> f = s.m - 1;
    N<T> y = fma(s.e, F::ln2, fma(f * f, polynomial(f, Tables<T>::log), f));
    N<T> edge = select(x == 0, N<T>(-F::infinity), N<T>(F::nan));
    edge = select(x == F::infinity, x, edge);
    return select((N<T>(0) < x) & (x < F::infinity), y, edge);
}

template <template <class> class N, class T>
N<T> rsqrt(N<T> x) {
    return N<T>(1) / sqrt(x);
}

// e^-|x| never overflows, and a small result keeps its relative accuracy.
template <template <class> class N, class T>
N<T> sigmoid(N<T> x) {
    N<T> e = exp(-abs(x));
    N<T> q = select(x < 0, e, N<T>(1)) / (e + 1);
    return select(x < 0, fma(-e, q, e), q);
}

// An odd polynomial up to 1; beyond, 1 - 2 / (e^2|x| + 1), where the quotient is small beside 1.
template <template <class> class N, class T>
N<T> tanh(N<T> x) {
    using F = Format<T>;
    N<T> a = abs(x), z = x * x;
    N<T> near = fma(x * z, polynomial(z, Tables<T>::tanh), x);
    ExpParts<N, T> e(select(a > F::tanh_one, N<T>(2 * F::tanh_one), a + a));
    N<T> s = e.power(F::exponent(0));
    N<T> far = N<T>(1) - N<T>(2) / fma(s, e.tail(), s + 1);
    return select(x == 0, x, select(a < 1, near, select(x < 0, -far, far)));  // -0 stays
}

// x + x P(x^2) up to 15/16; beyond, 1 - e^(a P(a) - a), a = |x|.
template <template <class> class N, class T>
N<T> erf(N<T> x) {
    using F = Format<T>;
    N<T> a = abs(x);
    N<T> near = fma(x, polynomial(x * x, Tables<T>::erf), x);
    N<T> b = select(a > F::erf_one, N<T>(F::erf_one), a);
    ExpParts<N, T> e(fma(b, polynomial(b, Tables<T>::log_erfc), -b));
    N<T> s = e.power(F::exponent(0));
    N<T> far = fma(-s, e.tail(), N<T>(1) - s);
    return select(a < T(0.9375), near, select(x < 0, -far, far));
}

// a Phi(-a) / 2^n, e being the parts of e^(-a^2 / 2): (1 + tail) u P(t), u = a / (a + 3), t = u - 1/4.
template <template <class> class N>
N<float> normal_tail(N<float> a, const ExpParts<N, float>& e) {
    N<float> u = a / (a + 3);
    N<float> y = u * polynomial(u - 0.25f, Tables<float>::normal_tail);
    return fma(y, e.tail(), y);
}
// u, P and their product have two parts each: P = c0 + t q, q = c1 + t r (c0 - p is exact only without fma). What u
// lacks counts by the slope of u P.
template <template <class> class N>
N<double> normal_tail(N<double> a, const ExpParts<N, double>& e) {
    using Table = Tables<double>;
    N<double> c0 = Table::normal_tail[0], c1 = Table::normal_tail[1];
    N<double> d = a + 3, d_low = a - (d - 3);
    N<double> u = a / d, u_low = fma(-u, d_low, fma(-u, d, a)) / d;
    N<double> t = u - 0.25, r = polynomial(t, Table::normal_tail_rest);
    N<double> q = fma(t, r, c1), q_low = fma(t, r, c1 - q);
    N<double> p = c0 + t * q, p_low = fma(t, q_low, fma(t, q, c0 - p));
    Pair<N> y = product<N>(u, p);
    N<double> slope = fma(u, fma(t, r, q), p);
    N<double> low = fma(u, p_low, fma(u_low, slope, y.low));
    return y.high + fma(y.high, e.tail(), fma(low, e.tail(), low));
}

// max(x, 0) - a Phi(-a), where a = |x|. The square has two parts. gelu(-infinity) is the limit, -0.
template <template <class> class N, class T>
N<T> gelu(N<T> x) {
    using F = Format<T>;
    N<T> a = abs(x);
    a = select(a > F::gelu_zero, N<T>(F::gelu_zero), a);
    N<T> square = a * a, h = square * T(-0.5);
    ExpParts<N, T> e(h, fma(a, a, -square) * T(-0.5));
    TwoSteps<N, T> scale(h, e);
    N<T> y = normal_tail(a, e) * scale.first;
    return fma(-y, scale.last, select(x < 0, N<T>(-T(0)), x));
}

}  // namespace burin::functions
