// repeated.h - names for what a definition repeats. An expression is a graph; its text is a tree and may be exponentially
// larger, so a large one is printed with `let`: f(x) = e1 + e1 let { e0 = ..., e1 = ... }.
#pragma once
#include "func/algorithm.h"

namespace burin {

struct WithLets {
    std::vector<std::pair<Symbol, Expr>> lets;  // each may use those before it
    Definition body;
};
// `taken` are names that mean something else. The same definition with repeated expressions named, or as it is where its text is short anyway. Depends on structure
// alone, not on which nodes are shared.
WithLets name_repeated(const Definition& d, const std::vector<Symbol>& taken);

}  // namespace burin
