// angles.h - sin and cos of every finite number: the angle is reduced with as many bits of 2 / pi as it asks
// for.
#pragma once
#include <vector>

#include "ir/elementary.h"

namespace burin::functions {

// Of an angle of turns * 90 degrees and a rest: its sine, from those of the rest.
template <template <class> class N, class T>
N<T> by_quarter(N<typename Format<T>::Int> turns, N<T> sin, N<T> cos) {
    N<T> y = select((turns & 1) == 0, sin, cos);
    return select((turns & 2) != 0, -y, y);
}

// sin(x + quarter * 90 degrees) for |x| < Format<float>::near. Three parts of pi / 2 are taken off; what the second
// rounds away is kept beside the rest, negated: so -0 stays.
template <template <class> class N>
N<float> sine_near(N<float> x, int quarter) {
    using F = Format<float>;
    using X = N<float>;
    Whole<N, float> n(fma(x, X(F::two_over_pi), X(F::shifter)));
    X first = fma(-n.value, X(F::half_pi[0]), x), p = n.value * F::half_pi[1], r = first - p;
    X lost = fma(n.value, X(F::half_pi[2]), fma(n.value, X(F::half_pi[1]), -p) - ((first - r) - p));
    X z = fma(r, r, r * (lost * -2));
    X sin = r - fma(r * z, polynomial(z, Tables<float>::sin), lost),
      cos = fma(z, polynomial(z, Tables<float>::cos), 1);
    return by_quarter(n.bits() + quarter, sin, cos);
}

// The same for any finite x, in double. Of 2 / pi only the bits that matter for an x of this size are there, 107 of
// them, without what gives whole fours. No float is so near to a multiple of pi / 2 that it needs more: all were tested.
template <template <class> class N>
N<float> sine_far(N<float> x, int quarter) {
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
    N<double> r = rest * Format<double>::half_pi, z = r * r;
    N<double> sin = fma(r * z, polynomial(z, Tables<float>::wide_sin), r),
              cos = fma(z, polynomial(z, Tables<float>::wide_cos), 1);
    return convert<float>(by_quarter(n.bits() + quarter, sin, cos));
}

// x * 2 / pi as turns + fraction (high + low).
template <template <class> class N>
struct FineAngle {
    N<double> high, low;
    N<int64_t> turns;
};

// For |x| < Format<double>::near: three parts of 2 / pi.
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

// For the others, by integers: the 53 bits of x times the 192 bits of 2 / pi that matter.
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
N<double> sine_of(const FineAngle<N>& angle, int quarter) {
    using F = Format<double>;
    auto [r, lost] = product(angle.high, N<double>(F::half_pi));
    N<double> rest = lost + fma(angle.high, N<double>(F::half_pi_rest), angle.low * F::half_pi),
              z = r * r;
    N<double> cos = fma(z, polynomial(z, Tables<double>::cos), 1);
    N<double> sin = fma(r * z, polynomial(z, Tables<double>::sin), rest * cos) + r;
    return by_quarter(angle.turns + quarter, sin, fma(-r, rest, cos));
}

template <template <class> class N>
N<double> sine_near(N<double> x, int quarter) {
    return sine_of(reduce_near(x), quarter);
}
template <template <class> class N>
N<double> sine_far(N<double> x, int quarter) {
    using F = Format<double>;
    return select(abs(x) < F::infinity, sine_of(reduce_far(x), quarter), N<double>(F::nan));
}

template <template <class> class N, class T>
N<T> sine(N<T> x, int quarter) {
    return usually(
        abs(x) < Format<T>::near, [&] { return sine_near(x, quarter); },
        [&] { return sine_far(x, quarter); });
}

template <template <class> class N>
N<float> sin(N<float> x) {
    return sine(x, 0);
}
template <template <class> class N>
N<double> sin(N<double> x) {
    return select(x == 0, x, sine(x, 0));  // -0 stays
}
template <template <class> class N, class T>
N<T> cos(N<T> x) {
    return sine(x, 1);
}

}  // namespace burin::functions
