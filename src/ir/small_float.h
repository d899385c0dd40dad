// small_float.h - binary floating-point formats up to 32 bits by integer code alone: no hardware type, no
// rounding mode.
#pragma once
#include <burin/type.h>

#include <bit>
#include <cstdint>

namespace burin {

struct FloatFormat {
    int exponent_bits, fraction_bits;
    // of the smallest normal number
    constexpr int min_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
    constexpr int max_exponent() const { return 1 - min_exponent(); }
    constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
    constexpr uint32_t quiet_nan() const { return infinity() | 1u << (fraction_bits - 1); }
    constexpr uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
};
constexpr FloatFormat format_of(Type t) {
    return t.bits == 32             ? FloatFormat{8, 23}
           : t.code == Type::BFloat ? FloatFormat{8, 7}
                                    : FloatFormat{5, 10};
}

// The bits of m * 2^e, rounded once to nearest even.
constexpr uint32_t encode(FloatFormat to, bool negative, uint64_t m, int e) {
    uint32_t sign = negative ? to.sign() : 0;
    if (m == 0) return sign;
    int top = 63 - std::countl_zero(m) + e;  // the exponent of the leading bit
    if (top > to.max_exponent()) return sign | to.infinity();
    int base = top < to.min_exponent() ? to.min_exponent() : top;
    int drop = base - to.fraction_bits - e;  // the bits of m below the last kept one
    if (drop > 64) return sign;
    if (drop <= 0) m <<= -drop;
    else {
        uint64_t kept = drop == 64 ? 0 : m >> drop;
        uint64_t rest = drop == 64 ? m : m - (kept << drop), half = uint64_t(1) << (drop - 1);
        m = kept + (rest > half || (rest == half && (kept & 1)));
    }
    // A carry out of the fraction, even to infinity, lands in the exponent as it should.
    return sign | ((uint32_t(base - to.min_exponent()) << to.fraction_bits) + uint32_t(m));
}

constexpr uint32_t encode(FloatFormat to, double v) {
    uint64_t bits = std::bit_cast<uint64_t>(v), fraction = bits << 12 >> 12;
    bool negative = bits >> 63;
    int field = int(bits >> 52 & 0x7ff);
    if (field == 0x7ff)
        return fraction ? to.quiet_nan() : (negative ? to.sign() : 0) | to.infinity();
    return field ? encode(to, negative, fraction | uint64_t(1) << 52, field - 1075)
                 : encode(to, negative, fraction, -1074);
}

constexpr double decode(FloatFormat from, uint32_t bits) {
    uint64_t sign = bits & from.sign() ? uint64_t(1) << 63 : 0;
    uint32_t rest = bits & (from.sign() - 1);
    if (rest > from.infinity()) return std::bit_cast<double>(uint64_t(0x7ff8) << 48);
    if (rest == from.infinity()) return std::bit_cast<double>(sign | uint64_t(0x7ff) << 52);
    int field = int(rest >> from.fraction_bits);
    uint32_t fraction = rest & ((1u << from.fraction_bits) - 1);
    if (field) fraction |= 1u << from.fraction_bits;
    int exponent = (field ? field - 1 : 0) + from.min_exponent() - from.fraction_bits;
    double unit = std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
    return std::bit_cast<double>(sign | std::bit_cast<uint64_t>(fraction * unit));
}

// v in the precision and range of t (f64: v itself).
constexpr double round_to(Type t, double v) {
    return t.bits == 64 ? v : decode(format_of(t), encode(format_of(t), v));
}

}  // namespace burin
