// passes.h - every pass, in the order of the table (pipeline.cpp). Each has a file of its name, which opens with what it
// does, a before and an after that the tests run, and the one condition that makes it correct.
#pragma once
#include "lower/lower.h"

namespace burin {

State inline_funcs(State s);
State build_loops(State s);
State place_stages(State s);
State insert_prefetches(State s);
State infer_bounds(State s);
State slide_window(State s);
State pair_loops(State s);
State fold_storage(State s);
State cache_writes(State s);
State flatten_storage(State s);
State simplify_loops(State s);
State vectorize_loops(State s);
State unroll_loops(State s);
State round_small_floats(State s);
State expand_functions(State s);
State partition_loops(State s);
State size_storage(State s);
State check_lanes(State s);

}  // namespace burin
