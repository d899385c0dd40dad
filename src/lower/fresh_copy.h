// fresh_copy.h - a copy of a statement in which everything bound has a new Symbol, so that both can stand in one Stmt.
#pragma once
#include "ir/nodes.h"

namespace burin {

Stmt fresh_copy(const Stmt& s);

}  // namespace burin
