// pairs.h - stages whose loops compute_with pairs: what stands at a place, and in which order.
#pragma once
#include "legal/nest.h"
#include "legal/uses.h"

namespace burin {

// The loops 0 .. depth of both stages, counted from outside, run together.
struct Pair {
    StageOf stage, with;
    int depth;
};
std::vector<Pair> pairs_of(const Plan& plan);

// Which of the stages, by position, are in one loop at this depth: lists of positions, each in order, by the first.
std::vector<std::vector<size_t>> together_at(const std::vector<Pair>& pairs,
                                             const std::vector<StageOf>& stages, int depth);

// What is computed at a spot: one Func with all its stages, or stages whose outermost loops are paired, or one stage
// of a Func of which another is paired.
using Unit = std::vector<StageOf>;
// In the order of the algorithm but for what paired stages need, which comes before all of them. E-schedule if there is
// no such order.
std::vector<Unit> units_at(const Plan& plan, const std::vector<Pair>& pairs, Spot spot);

// Throws unless paired stages are at one place, do not depend on each other and have loops of the same kinds. The places
// are legal.
void check_pairs(const Plan& plan);

}  // namespace burin
