#include "codegen/reciprocal.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

using namespace burin;

// Scaling x by a power of two scales every step, so the significands of one binade stand for all.
static bool holds(int b) {
    float divisor = float(b), y = 1.0f / divisor;
    bool all = true;
    for (uint32_t bits = 0x3f800000; bits < 0x40000000; ++bits) {
        float x = std::bit_cast<float>(bits), q = x * y, r = std::fma(q, divisor, -x);
        all &= std::fma(-r, y, q) == x / divisor;
    }
    return all;
}

TEST_CASE(
    "dividing by a small integer through its reciprocal gives the quotient's bits for every "
    "significand") {
    bool everything = std::getenv("BURIN_FUZZ") != nullptr;
    for (int b : {3, 5, 7, 9, 49}) CHECK(holds(b));
    if (everything)
        for (int b = 3; b <= largest_reciprocal_divisor; ++b) CHECK(holds(b));
}
