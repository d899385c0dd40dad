// monotonic.h - how an index moves with one variable while all others stand still.
#pragma once
#include "arith/facts.h"

namespace burin {

enum class Monotonic : uint8_t {
    Constant,
    Increasing,  // or equal: a step up never lowers the value
    Decreasing,
    Unknown,
};
Monotonic monotonic(const Expr& e, Symbol v, const Facts& facts = {});

}  // namespace burin
