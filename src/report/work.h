// work.h - what an algorithm asks for at the shapes of one call, whatever the schedule.
#pragma once
#include <burin/arg.h>
#include <burin/pipeline.h>

#include <optional>
#include <span>
#include <vector>

namespace burin {

struct Work {
    // of each Func, in the order of the algorithm: the least that the outputs need
    std::vector<int64_t> points;
    // arithmetic on data, each once, a function as one, an fma as two; nothing where
    std::optional<double> operations;
    // an update writes to computed places and its share cannot be told
    double bytes = 0;  // of the inputs and outputs
};

// `args`: the inputs and numbers, then all outputs, as for a call; its errors.
Work work_of(const Pipeline& p, std::span<const Arg> args);

// How often each Func is computed if every read of an inlined one computes it anew. `counted`: by a counted kernel, of
// the Funcs that are not inlined.
std::vector<int64_t> points_with_inlined(const Pipeline& derived, std::vector<int64_t> counted,
                                         const std::vector<bool>& inlined);

}  // namespace burin
