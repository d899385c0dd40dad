// stages.h - what a schedule makes of each Func: where it is computed, in what memory, and for one call how much of it.
#pragma once
#include <burin/arg.h>
#include <burin/pipeline.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "legal/plan.h"

namespace burin {

class Schedule;

struct StageFigures {
    std::string func;
    std::string place;  // "inline", "root", "blur_y.yo"
    std::string
        memory;  // "heap", "heap of each thread", "stack", "registers"; "": inline or an output
    std::optional<int64_t> bytes;  // of one block, where it is constant or the call is known
    // Of the call, if there is one: points computed, and the least that the outputs need.
    std::optional<int64_t> computed, required;
};

// In the order of the algorithm with the edits applied. The plan has been checked.
std::vector<StageFigures> stages_of(const Plan& plan);
// The same for one call, which is performed by a kernel that counts. Arguments as for a call, all outputs given.
std::vector<StageFigures> stages_of(const Plan& plan, std::span<const Arg> args, int threads = 0);

// Points computed over points required, all Funcs together.
double recomputation(const std::vector<StageFigures>& stages);

}  // namespace burin
