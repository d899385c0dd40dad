// dependences.h - which iterations of a definition's loops must keep their order.
#pragma once
#include <set>

#include "func/algorithm.h"

namespace burin {

// Iterations that differ in an *independent* variable touch different points of the Func: any order
// will do, also none. All pure Vars are independent; so is an RVar that the left side uses as a
// coordinate of its own. Iterations that differ only in the others, the *ordered* ones, must run as
// written, unless the update is an exact reduction.
struct Dependences {
    std::set<Symbol> independent;
    std::vector<Symbol> ordered;  // RVars, in the order of the domain
    bool exact = false;           // the ordered ones may run in any order, one after the other
    // the coordinates of reads of the Func itself, beside the operator's own
    std::vector<std::vector<Expr>> self_reads;
};
Dependences dependences(const FuncDef& f, int def);

// Two iterations that differ in `v`, an ordered variable, and what they both touch:
// "iterations r = 0 and r = 1 both update c(i, j)". Where that is not proved: "... may both ..."
// and `proved` is false.
struct Collision {
    std::string text;
    bool proved = true;
};
Collision collision(const FuncDef& f, int def, Symbol v);

}  // namespace burin
