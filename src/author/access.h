// access.h - which part of a producer a loop over its reader's coordinate needs.
#pragma once
#include <optional>
#include <set>

#include "arith/interval.h"

namespace burin {

// A coordinate of a read: about `scale` times the reader's coordinate `of`, and from `lo` to `hi` beside it.
struct Access {
    Symbol of;
    double scale = 1, lo = 0, hi = 0;
};
// Nothing: no pure coordinate of the reader, or more than one, or all of the producer at once. `domain`: what the
// reader's RVars run over.
std::optional<Access> access(const Expr& at, const std::set<Symbol>& pure, const Bounds& domain);

}  // namespace burin
