// random.h - numbers that are a function of a seed and a position: equal in every program that includes this.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace burin {

constexpr double random_unit(uint64_t seed, uint64_t i) {  // in [0, 1)
    uint64_t x = seed * 0xD6E8FEB86659FD93u + (i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return double((x ^ x >> 31) >> 11) * 0x1p-53;
}

// Floats from [lo, hi), integers from lo .. hi.
template <class T>
T draw(uint64_t seed, uint64_t i, double lo, double hi) {
    double u = random_unit(seed, i);
    return T(std::is_integral_v<T> ? std::floor(lo + (hi - lo + 1) * u) : lo + (hi - lo) * u);
}

}  // namespace burin
