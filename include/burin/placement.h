// placement.h - the words of a schedule that are no names: what happens at the end of a split loop,
// and where values live.
#pragma once
#include <cstdint>

namespace burin {

// What a split does where the extent is no multiple of the factor.
enum class Tail : uint8_t {
    Auto,  // shift_inwards for pure stages, guard for updates, round_up for an intermediate that reads no input
    Guard,         // a test at each point
    RoundUp,       // more points are computed than asked for; intermediates alone
    ShiftInwards,  // the last block moves back and overlaps the one before; below the factor a guard
    Predicate  // every block is whole, and its loads and stores are left out one by one: no second loop
};

// Whether a loop is split where its guards, clamps and selects change, so that its middle runs without them.
enum class Partition : uint8_t {
    Auto,  // where it pays: tests of points and masks, and clamps of vectors and in innermost loops
    Never,  // one loop, tests and all: less code
    Always  // at every such place, and edges unrolled as the middle is, at much more code; E-schedule where none can be solved
};

enum class Memory : uint8_t { Auto, Heap, Stack, Register };

}  // namespace burin
