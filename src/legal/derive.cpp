// derive.cpp - the edits of a schedule: the algorithm it asks for.
#include <fmt/format.h>

#include "legal/names.h"
#include "legal/replay.h"

namespace burin {

Pipeline derive(const Pipeline& p, const Directives& d) {
    if (d.edits.empty()) return p;
    throw refusal("unknown-directive", fmt::format("there is no edit {}", d.edits[0].verb)).at(d.edits[0].where);
}

}  // namespace burin
