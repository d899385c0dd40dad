// halves.h - vectors of coordinates that a division by two made, as in upsampling: x / 2 + c, x / 2 + x % 2.
#pragma once
#include <burin/expr.h>

#include <optional>
#include <utility>
#include <vector>

namespace burin {

// Lane i is the sum of the terms, `halves` times x / 2, and even[i] or odd[i], as x is.
struct Halves {
    std::vector<std::pair<Expr, int64_t>> terms;  // scalars, times a factor
    Expr x;                                       // a scalar
    int64_t halves = 0;
    std::vector<int64_t> even, odd;
};
// Nothing for other vectors, and where the lanes lie more than twice their number apart.
std::optional<Halves> halves_of(const Expr& index);

}  // namespace burin
