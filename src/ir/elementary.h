// elementary.h - exp log sin cos tanh erf pow rsqrt sigmoid gelu, each defined once over the two kinds of number of
// number.h: immediately (eval_call) and as expressions (expand_functions). No branch: both arms of a select are
// computed. Coefficients by Sollya's fpminimax; measured bounds: src/ir/README.md.
#pragma once
#include <cstddef>

#include "ir/number.h"
#include "ir/elementary_tables.h"

namespace burin::functions {

// Most take N<float> or N<double>; T is the machine type and Int the integer of its width.
template <template <class> class N, class T, size_t n>
N<T> polynomial(N<T> x, const T (&c)[n]) {
    N<T> y = c[n - 1];
    for (size_t i = n - 1; i-- > 0;) y = fma(y, x, c[i]);
    return y;
}

// The nearest whole number, and its low bits at the bottom of an integer, for |x| < 2^(fraction bits - 2): adding 1.5
// times the number whose unit is 1 rounds there.
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
    N<T> power(N<Int> exponent) const { return bits_as<T>((n.bits() << F::fraction_bits) + exponent); }
};

// 2^n as two factors of which the last one overflows or makes denormals, so that those round once.
template <template <class> class N, class T>
struct TwoSteps {
    N<T> first, last;
    TwoSteps(N<T> x, const ExpParts<N, T>& e) : first(x), last(x) {
        using F = Format<T>;
        using Int = typename F::Int;
        N<bool> small = x < F::exp_small;
        first = e.power(select(small, N<Int>(F::exponent(F::fraction_bits + 2)), N<Int>(F::exponent(-1))));
        last = select(small, N<T>(F::power(-F::fraction_bits - 2)), N<T>(2));
    }
};

template <template <class> class N, class T>
N<T> exp(N<T> x) {
    using F = Format<T>;
    x = select(x < F::exp_least, N<T>(F::exp_least), x);
    x = select(x > F::exp_most, N<T>(F::exp_most), x);
    ExpParts<N, T> e(x);
    TwoSteps<N, T> scale(x, e);
    return fma(e.r, e.growth, 1) * scale.first * scale.last;
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

// max(x, 0) - a Phi(-a), where a = |x| and a Phi(-a) = e^(-a^2 / 2) u P(u - 1/4), u = a / (a + 3); the square in two parts.
template <template <class> class N, class T>
N<T> gelu(N<T> x) {
    using F = Format<T>;
    N<T> a = abs(x);
    a = select(a > F::gelu_zero, N<T>(F::gelu_zero), a);
    N<T> square = a * a, h = square * T(-0.5);
    ExpParts<N, T> e(h, fma(a, a, -square) * T(-0.5));
    TwoSteps<N, T> scale(h, e);
    N<T> u = a / (a + 3);
    N<T> y = u * polynomial(u - T(0.25), Tables<T>::normal_tail);
    y = fma(y, e.tail(), y) * scale.first;
    return fma(-y, scale.last, select(x < 0, N<T>(-T(0)), x));
}

// An angle of turns * 90 degrees + r radians, |r| < 0.81; the turns in the low bits of an integer.
template <template <class> class N>
struct Angle {
    N<double> r;
    N<int64_t> turns;
};

template <template <class> class N>
N<double> by_quarter(N<int64_t> turns, N<double> sin, N<double> cos) {
    N<double> y = select((turns & 1) == 0, sin, cos);
    return select((turns & 2) == 0, y, -y);
}

// x * 2 / pi without what gives whole fours: of 2 / pi only the bits that matter for an x of this size. 24 bits of x
// times 107 bits of 2 / pi, and no float is nearer than 2^-30 to a multiple of pi / 2 (all of them are tested).
template <template <class> class N>
Angle<N> reduce(N<float> x) {
    N<float> a = abs(x);
    auto pick = [&](const double (&c)[5]) {
        N<double> y = c[4];
        for (int i = 4; i-- > 0;) y = select(a < Tables<float>::angle_below[i], N<double>(c[i]), y);
        return y;
    };
    N<double> wide = convert<double>(x), two_over_pi = pick(Tables<float>::two_over_pi);
    N<double> high = wide * two_over_pi, low = fma(wide, two_over_pi, -high);
    Whole<N, double> n(high + Format<double>::shifter);
    N<double> rest = (high - n.value) + fma(wide, pick(Tables<float>::two_over_pi_rest), low);
    return {rest * Format<double>::half_pi, n.bits()};
}

// sin(x + quarter * 90 degrees)
template <template <class> class N>
N<float> sine(N<float> x, int quarter) {
    auto [r, turns] = reduce(x);
    N<double> z = r * r;
    N<double> sin = fma(r * z, polynomial(z, Tables<float>::sin), r), cos = fma(z, polynomial(z, Tables<float>::cos), 1);
    return convert<float>(by_quarter(turns + quarter, sin, cos));
}

// high + low, exactly a + b, if |a| >= |b| or a = 0.
template <template <class> class N>
struct Pair {
    N<double> high, low;
};
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

// x * 2 / pi as turns + fraction (high + low).
template <template <class> class N>
struct FineAngle {
    N<double> high, low;
    N<int64_t> turns;
};

// For |x| < 2^47: three parts of 2 / pi.
template <template <class> class N>
FineAngle<N> reduce_near(N<double> x) {
    auto& c = Tables<double>::two_over_pi;
    Pair<N> p = product(x, N<double>(c[0])), q = product(x, N<double>(c[1]));
    Whole<N, double> n(p.high + Format<double>::shifter);
    Pair<N> s = sum(p.high - n.value, p.low);
    N<double> t = s.high + q.high, back = t - s.high;  // neither is known to be the larger
    N<double> lost = (s.high - (t - back)) + (q.high - back);
    return {t, s.low + lost + fma(x, N<double>(c[2]), q.low), n.bits()};
}

// For |x| >= 2^47, by integers: 53 bits of x times the 192 bits of 2 / pi that give the last whole fours and below.
template <template <class> class N>
FineAngle<N> reduce_far(N<double> x) {
    using U = N<uint64_t>;
    constexpr int n = std::size(Tables<double>::two_over_pi_bits);
    U bits = bits_as<uint64_t>(abs(x)), at = (bits >> 52) - (1023 - 10);
    U m = (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
    std::vector<U> words(std::begin(Tables<double>::two_over_pi_bits), std::end(Tables<double>::two_over_pi_bits));
    for (int step = 16; step > 0; step /= 2) {  // moves word (at / 64) to the front
        N<bool> stay = (at & uint64_t(64 * step)) == 0;
        for (int i = 0; i < 3 + step && i + step < n; ++i) words[i] = select(stay, words[i], words[i + step]);
    }
    U shift = at & 63;
    U w[3] = {m, m, m};
    for (int i = 0; i < 3; ++i) w[i] = (words[i] << shift) | (words[i + 1] >> (U(64) - shift));
    U low = m * w[1] + mul_high(m, w[2]);
    U high = m * w[0] + mul_high(m, w[1]) + select(low < m * w[1], U(1), U(0));
    U turns = (high + (uint64_t(1) << 61)) >> 62, rest = high - (turns << 62);
    N<double> a = convert<double>(convert<int64_t>(rest & ~uint64_t(0x7ff))) * 0x1p-62;
    N<double> b = convert<double>(((rest & 0x7ff) << 53) | (low >> 11)) * 0x1p-115;
    auto [h, l] = sum(a, b);
    N<bool> negative = x < 0;
    N<int64_t> whole = convert<int64_t>(turns);
    return {select(negative, -h, h), select(negative, -l, l), select(negative, N<int64_t>(0) - whole, whole)};
}

template <template <class> class N>
N<double> sine(N<double> x, int quarter) {
    using F = Format<double>;
    FineAngle<N> near = reduce_near(x), far = reduce_far(x);
    N<bool> is_near = abs(x) < 0x1p47;
    N<double> high = select(is_near, near.high, far.high), low = select(is_near, near.low, far.low);
    auto [r, lost] = product(high, N<double>(F::half_pi));
    N<double> rest = lost + fma(high, N<double>(F::half_pi_rest), low * F::half_pi), z = r * r;
    N<double> cos = fma(z, polynomial(z, Tables<double>::cos), 1);
    N<double> sin = fma(r * z, polynomial(z, Tables<double>::sin), rest * cos) + r;
    N<double> y = by_quarter(select(is_near, near.turns, far.turns) + quarter, sin, fma(-r, rest, cos));
    return select(abs(x) < F::infinity, y, N<double>(F::nan));
}

template <template <class> class N, class T>
N<T> sin(N<T> x) {
    return select(x == 0, x, sine(x, 0));
}
template <template <class> class N, class T>
N<T> cos(N<T> x) {
    return sine(x, 1);
}

// pow(x, y) from pow(|x|, y), which may be anything where y = 0 or |x| = 1.
template <template <class> class N, class T>
N<T> power_of_sign(N<T> x, N<T> y, N<T> size) {
    using F = Format<T>;
    N<bool> negative = bits_as<typename F::Int>(x) < 0, whole = floor(y) == y;
    N<bool> odd = whole & (floor(y * T(0.5)) * 2 != y);
    N<T> result = select(negative & odd, -size, size);
    result = select((x < 0) & (N<T>(-F::infinity) < x) & (y != floor(y)), N<T>(F::nan), result);
    return select((y == 0) | (x == 1) | ((x == -1) & (abs(y) == F::infinity)), N<T>(1), result);
}

// 2^(y log2 |x|) in double, which has neither denormals nor overflow here; then C's special cases.
template <template <class> class N>
N<float> pow(N<float> x, N<float> y) {
    using F = Format<float>;
    using D = Format<double>;
    N<float> a = abs(x);
    N<int64_t> bits = bits_as<int64_t>(convert<double>(a)), k = (bits - D::two_thirds) >> D::fraction_bits;
    N<double> f = bits_as<double>(bits - (k << D::fraction_bits)) - 1;
    N<double> log2 = fma(f, polynomial(f, Tables<float>::log2), convert<double>(k));
    log2 = select(a == 0, N<double>(-D::infinity), select(a < F::infinity, log2, convert<double>(a)));
    N<double> t = convert<double>(y) * log2;
    t = select(t < -160, N<double>(-160), select(t > 160, N<double>(160), t));
    Whole<N, double> n(t + D::shifter);
    N<double> p = polynomial(t - n.value, Tables<float>::exp2);
    N<float> size = convert<float>(p * bits_as<double>((n.bits() << D::fraction_bits) + D::exponent(0)));
    return power_of_sign(x, y, size);
}

// log |x| in two doubles, by 2 atanh(s) = 2 s + 2/3 s^3 + ..., then e^(y log |x|).
template <template <class> class N>
N<double> pow(N<double> x, N<double> y) {
    using F = Format<double>;
    using D = N<double>;
    D a = abs(x);
    Split<N, double> parts(a);
    D f = parts.m - 1, d = f + 2;
    D s = f / d;
    D s_low = (fma(-s, d, f) - s * (f - (d - 2))) / d;
    auto [z, z_low] = product(s, s);
    z_low = fma(s * 2, s_low, z_low);
    auto [cube, cube_low] = product(s, z);
    cube_low = fma(s, z_low, fma(s_low, z, cube_low));
    auto [third, third_low] = product(cube, D(0x1.5555555555555p-1));
    third_low = fma(cube, D(0x1.5555555555555p-55), fma(cube_low, D(0x1.5555555555555p-1), third_low));
    D tail = fma(cube * z, polynomial(z, Tables<double>::log_by_quotient), third_low);
    auto [twice, twice_low] = sum(s * 2, third);
    auto [log, log_low] = sum(parts.e * F::ln2_high, twice);
    log_low = log_low + (fma(parts.e, F::ln2_low, tail) + fma(s_low, 2, twice_low));
    auto [l, l_low] = sum(log, log_low);
    l = select(a == 0, D(-F::infinity), select(a < F::infinity, l, a));

    auto [t, t_low] = product(y, l);
    t_low = fma(y, l_low, t_low);
    N<bool> in_range = abs(t) < 750;
    t_low = select(in_range, t_low, D(0));
    t = select(t < F::exp_least, D(F::exp_least), select(t > F::exp_most, D(F::exp_most), t));
    ExpParts<N, double> e(t, t_low);
    TwoSteps<N, double> scale(t, e);
    return power_of_sign(x, y, fma(e.r, e.growth, 1) * scale.first * scale.last);
}

}  // namespace burin::functions
