// generate.h - algorithms and schedules made up from a seed: what people write, put together without sense.
#pragma once
#include "func/directives.h"
#include "legal/plan.h"
#include "report/draw.h"

namespace fuzz {

// A .burin text of 1 to 5 Funcs. A few of them are no algorithms (E-type).
std::string random_algorithm(burin::Random& random);

// About so many lines; those that are E-schedule are left out, any other error is thrown.
burin::Directives random_schedule(const burin::Pipeline& p, burin::Random& random, int lines);

}  // namespace fuzz
