// replay.h - from directives to a Plan.
#pragma once
#include "legal/plan.h"

namespace burin {

// Applies the edits (cache_read, clone_in, rfactor) and returns a Pipeline like any other.
Pipeline derive(const Pipeline& p, const Directives& d);

// Every variant's lines, by replay_lines(): throws for what no later line can cure.
void check_lines(const Pipeline& derived, const Directives& d, bool stale = false);

// The lines of the stages alone (without specialize), on what derive() returned; where a place's loop is missing is not
// looked at. Stale lines, written for another version of the algorithm, are reported together.
Plan replay_lines(const Pipeline& derived, const Directives& d, bool stale = false);

// Was the schedule written for another version of p? E-schedule if for a pipeline of another name.
bool is_stale(const Pipeline& p, const Directives& d);

// Applies every directive in order. Throws E-schedule for whatever no later directive can cure:
// unknown names and loops, factors, kinds, dependences of the stage itself. Places are resolved but
// not yet proved (check does that).
Plan replay(const Pipeline& p, const Directives& d);

// Proves every place: that it encloses every use, is not a vectorised loop, and that storage
// encloses computing and is of constant size where it must be. Throws.
void check(const Plan& plan);

// Where a Func could be computed with everything else as it is: inline, root, then loops, in the
// order of the algorithm.
std::vector<Place> legal_places(const Plan& plan, int func);

}  // namespace burin
