// draw.h - calls made up from a seed: sizes where schedules go wrong, data with special values, buffers of odd strides.
#pragma once
#include <optional>
#include <string>

#include "func/algorithm.h"
#include "func/bind.h"

namespace burin {

// A counter-based generator: equal seeds give equal numbers everywhere.
class Random {
public:
    explicit Random(uint64_t seed) : seed_(seed) {}
    uint64_t next();
    int64_t below(int64_t n) { return n <= 1 ? 0 : int64_t(next() % uint64_t(n)); }
    bool one_in(int n) { return below(n) == 0; }
    template <class C>
    auto& of(C& choices) {
        return choices[size_t(below(int64_t(std::size(choices))))];
    }

private:
    uint64_t seed_, count_ = 0;
};

// Integers of the whole range, floats in [-1, 1). special: also NaN, infinities, both zeros, the ends of the type.
Value draw_value(Type type, Random& random, bool special);
void fill_random(const AnyBuffer& buffer, Random& random, bool special = false);

// New memory of these extents and strides (any sign, not overlapping for an output), every byte 0xA5.
AnyBuffer make_buffer(Type type, std::vector<Dim> dims);

struct DrawnCall {
    std::vector<Arg> inputs;  // in the order of the parameters
    std::vector<std::pair<Type, std::vector<Dim>>> outputs;
    std::string text;  // "h = 7, w = 33, p = 0.5; out: f32[2:5, 33]"

    std::vector<AnyBuffer> fresh_outputs() const;
    std::vector<Arg> arguments(const std::vector<AnyBuffer>& outputs) const;
};

// Sizes come from the tail classes of the factors (0, 1, f - 1, f, f + 1, 2 f + 1, primes), whose product over all
// outputs and inputs stays within `budget` elements a buffer. In one call of four the inputs do not start at 0. Nothing: this draw has a negative extent.
std::optional<DrawnCall> draw_call(const Algorithm& a, const std::vector<int64_t>& factors,
                                   Random& random, int64_t budget, bool dense = false);
// A call for which a condition on sizes, parameters and shapes holds, with dense whole buffers from 0; nothing: none was
// found.
std::optional<DrawnCall> draw_call(const Algorithm& a, const std::vector<int64_t>& factors,
                                   Random& random, int64_t budget, const Expr& condition);

}  // namespace burin
