// integers.h - division of int64_t as coordinates do it. A zero divisor gives 0; INT64_MIN / -1 is the
// caller's care.
#pragma once
#include <cstdint>

namespace burin {

constexpr int64_t floor_div(int64_t a, int64_t b) {
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
constexpr int64_t ceil_div(int64_t a, int64_t b) {
    return b == 0 ? 0 : a / b + (a % b != 0 && (a < 0) == (b < 0));
}
constexpr int64_t floor_mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace burin
