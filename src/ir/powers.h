// powers.h - pow with the special cases of C.
#pragma once
#include "ir/elementary.h"

namespace burin::functions {

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
    N<int64_t> bits = bits_as<int64_t>(convert<double>(a)),
               k = (bits - D::two_thirds) >> D::fraction_bits;
    N<double> f = bits_as<double>(bits - (k << D::fraction_bits)) - 1;
    N<double> log2 = fma(f, polynomial(f, Tables<float>::log2), convert<double>(k));
    log2 =
        select(a == 0, N<double>(-D::infinity), select(a < F::infinity, log2, convert<double>(a)));
    N<double> t = convert<double>(y) * log2;
    t = select(t < -160, N<double>(-160), select(t > 160, N<double>(160), t));
    Whole<N, double> n(t + D::shifter);
    N<double> p = polynomial(t - n.value, Tables<float>::exp2);
    N<float> size =
        convert<float>(p * bits_as<double>((n.bits() << D::fraction_bits) + D::exponent(0)));
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
    third_low =
        fma(cube, D(0x1.5555555555555p-55), fma(cube_low, D(0x1.5555555555555p-1), third_low));
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
