// interpret.h - runs a lowered state at any level, statement by statement, with every access checked and counted.
#pragma once
#include "lower/entry.h"

namespace burin {

struct InterpretOptions {
    // Select of a scalar condition, && and || compute only what they need. False: both sides, as generated code does,
    // so that a load which is not masked where it must not happen is found.
    bool lazy = true;
    // Not 0: the iterations of parallel loops run in a random order drawn from it. Where a race changes a result, the
    // result then depends on it.
    uint64_t shuffle = 0;
};

struct Counts {
    int64_t operations = 0;  // on data, lane by lane; a function is one
    int64_t loads = 0, stores = 0;
    int64_t bytes_loaded = 0, bytes_stored = 0;
    int64_t peak_bytes = 0;       // of intermediates alive at once
    std::vector<int64_t> points;  // of each Func of the plan, where the state counts them
};

// Checks the call (E-bounds, E-value) and fills its outputs. Vectorised and unrolled loops that are still loops run in
// order. Scratch memory starts as bytes 0xCB. E-internal "out-of-bounds": an access outside its buffer.
Counts interpret(const State& state, const Binder& binder, const Binding& call,
                 const InterpretOptions& options = {});
// A call that the state's Entry has admitted.
Counts interpret(const State& state, const Binder& binder, const Binding& call,
                 const Admission& admission, const InterpretOptions& options);

}  // namespace burin
