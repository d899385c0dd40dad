// reciprocal.h - floating-point division by a constant without dividing.
//
// With y = RN(1/b), q = RN(x * y), r = q * b - x (exact) the quotient RN(x / b) is RN(q - r * y): P. Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor" (1990), provided q is close enough. That
// depends on b: for these it was tried with every significand of x (tests/core/test_reciprocal.cpp).
#pragma once
#include <cmath>

namespace burin {

constexpr int largest_reciprocal_divisor = 1024;
inline bool has_reciprocal(double b) {
    return b >= 3 && b <= largest_reciprocal_divisor && b == std::floor(b);
}
// Nonzero x below this may have a residue that is not exact.
constexpr float smallest_dividend = 0x1p-100f;

}  // namespace burin
