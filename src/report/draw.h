// draw.h - calls made up from a seed: sizes where schedules go wrong, data with special values, buffers of odd strides.
#pragma once
#include <burin/pipeline.h>

#include <optional>
#include <string>

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

// New memory of these extents and strides (any sign, not overlapping for an output) between two margins, every byte 0xA5.
AnyBuffer make_buffer(Type type, std::vector<Dim> dims);
// Whether all bytes of such memory that belong to no element, in gaps and margins, are still 0xA5.
bool is_intact(const AnyBuffer& made);

struct DrawnCall {
    std::vector<Arg> inputs;  // in the order of the parameters
    std::vector<std::pair<Type, std::vector<Dim>>> outputs;
    std::string text;  // "h = 7, w = 33, p = 0.5; out: f32[2:5, 33]"

    std::vector<AnyBuffer> fresh_outputs() const;
    std::vector<Arg> arguments(const std::vector<AnyBuffer>& outputs) const;
};

// Draws calls of one pipeline: what is asked of its sizes at every draw is compiled once.
class CallDrawer {
public:
    // Sizes come from the tail classes of the factors (0, 1, f - 1, f, f + 1, 2 f + 1, primes), so that no buffer has more
    // than `budget` elements. In one call of four the inputs do not start at 0. With a condition on sizes, parameters and
    // shapes: calls for which it holds, with dense whole buffers from 0.
    CallDrawer(const Pipeline& p, const std::vector<int64_t>& factors, int64_t budget,
               const Expr& condition = {});
    // Nothing: this draw has a negative or too large extent, or does not fulfil the condition.
    std::optional<DrawnCall> operator()(Random& random, bool dense = false) const;

private:
    friend struct Drawing;
    std::shared_ptr<const Algorithm> algorithm_;
    int64_t budget_;
    std::vector<int64_t> candidates_;
    bool conditional_;
    IndexProgram program_;  // the condition, then each declared extent
};

}  // namespace burin
