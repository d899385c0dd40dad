// author.h - a schedule by rule, for a pipeline that nobody has scheduled yet.
#pragma once
#include <burin/pipeline.h>

#include "func/directives.h"

namespace burin {

// Always legal, and the same for the same algorithm: it depends on no machine and no size. Placements alone, so every
// bit stays.
Directives author(const Pipeline& p);

}  // namespace burin
