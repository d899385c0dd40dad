// rolled.h - how large a statement is, and one that is smaller.
#pragma once
#include "ir/nodes.h"

namespace burin {

int64_t size_of(const Stmt& s);  // nodes
// With only as many unrolled loops as make no more than `most` nodes when they are their rounds; the others are serial.
// Innermost loops are the last to become so, since these tell one register from another.
Stmt rolled(const Stmt& s, int64_t most);

}  // namespace burin
