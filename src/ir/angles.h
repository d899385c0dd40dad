// angles.h - sin and cos of every finite number: the angle is reduced with as many bits of 2 / pi as it asks
// for.
#pragma once
#include <vector>

#include "ir/elementary.h"

namespace burin::functions {

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

// x * 2 / pi without what gives whole fours: of 2 / pi only the bits that matter for an x of this size, 107
// of them. No float is so near to a multiple of pi / 2 that it needs more: all were tested.
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
    N<double> sin = fma(r * z, polynomial(z, Tables<float>::sin), r),
              cos = fma(z, polynomial(z, Tables<float>::cos), 1);
    return convert<float>(by_quarter(turns + quarter, sin, cos));
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

// For |x| >= 2^47, by integers: the 53 bits of x times the 192 bits of 2 / pi that matter.
template <template <class> class N>
FineAngle<N> reduce_far(N<double> x) {
    using U = N<uint64_t>;
    constexpr int n = std::size(Tables<double>::two_over_pi_bits);
    U bits = bits_as<uint64_t>(abs(x)), at = (bits >> 52) - (1023 - 10);
    U m = (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
    std::vector<U> words(std::begin(Tables<double>::two_over_pi_bits),
                         std::end(Tables<double>::two_over_pi_bits));
    for (int step = 16; step > 0; step /= 2) {  // moves word (at / 64) to the front
        N<bool> stay = (at & uint64_t(64 * step)) == 0;
        for (int i = 0; i < 3 + step && i + step < n; ++i)
            words[i] = select(stay, words[i], words[i + step]);
    }
    U shift = at & 63;
    U w[3] = {m, m, m};
    for (int i = 0; i < 3; ++i) w[i] = (words[i] << shift) | (words[i + 1] >> (U(64) - shift));
    U middle = m * w[1], low = middle + mul_high(m, w[2]);
    U high = m * w[0] + mul_high(m, w[1]) + select(low < middle, U(1), U(0));
    U turns = (high + (uint64_t(1) << 61)) >> 62, rest = high - (turns << 62);
    N<double> a = convert<double>(convert<int64_t>(rest & ~uint64_t(0x7ff))) * 0x1p-62;
    N<double> b = convert<double>(((rest & 0x7ff) << 53) | (low >> 11)) * 0x1p-115;
    auto [h, l] = sum(a, b);
    N<bool> negative = x < 0;
    N<int64_t> whole = convert<int64_t>(turns);
    return {select(negative, -h, h), select(negative, -l, l),
            select(negative, N<int64_t>(0) - whole, whole)};
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
    N<double> y =
        by_quarter(select(is_near, near.turns, far.turns) + quarter, sin, fma(-r, rest, cos));
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

}  // namespace burin::functions
