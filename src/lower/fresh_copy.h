// fresh_copy.h - statements under other names.
#pragma once
#include "ir/nodes.h"

namespace burin {

// Everything bound in it has a new Symbol, so that both can stand in one Stmt.
Stmt fresh_copy(const Stmt& s);
// The Func `from` is read, provided and realized as `to`.
Stmt renamed(const Stmt& s, Symbol from, Symbol to);

}  // namespace burin
