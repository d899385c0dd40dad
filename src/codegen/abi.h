// abi.h - what generated code and the runtime agree on.
#pragma once
#include <atomic>
#include <cstdint>

namespace burin {

// One call of a kernel. Generated code reads the first five fields by offset and hands the rest on.
struct CallContext {
    void* const*
        buffers;  // BufferParam order: address of the corner where every coordinate is its minimum
    const int64_t*
        scalars;  // Meta, sizes and parameters the body uses, in BodyCode::scalars order; floats by their bits
    char* const* scratch;  // State::scratch order
    const int64_t*
        scratch_stride;  // bytes from one worker's block to the next; 0 where there is one block
    int64_t* counters;   // one per Func of the plan; null unless counted
    std::atomic<int64_t> failures{
        0};  // checked bodies: accesses outside a buffer, all of them skipped
    int64_t failed_buffer = -1, failed_index = 0;  // the first one
    int threads = 0;                               // limit for par_for; 0: the machine's
};

using BodyFn = void (*)(CallContext*, int64_t worker);
// One iteration of a parallel loop. `worker` is in [0, max_workers()) and no two running iterations share one.
using IterationFn = void (*)(CallContext*, const void* captures, int64_t i, int64_t worker);

// Provided by the runtime to generated code under these names.
extern "C" {
void burin_par_for(CallContext* context, IterationFn body, const void* captures, int64_t min,
                   int64_t extent, int64_t worker);
void burin_access_failed(CallContext* context, int64_t buffer, int64_t index);
}

}  // namespace burin
