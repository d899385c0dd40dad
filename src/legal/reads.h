// reads.h - which points a definition touches, and under which conditions.
#pragma once
#include "ir/equal.h"
#include "legal/plan.h"

namespace burin {

// One distinct read (or left-hand side) of a definition. It is needed only where all conditions hold: the affine
// conditions that every occurrence stands under (select arms, right sides of && and ||, `where`). Sharing of nodes
// makes no difference.
struct Use {
    Symbol target;  // a Func or an input
    std::vector<Expr> args;
    std::vector<Expr> conditions;  // each a comparison of Index expressions by <, <= or ==
    Expr read;                     // the Read node; undefined for a left-hand side
};
std::vector<Use> reads_of(const std::vector<Expr>& values,
                          const std::vector<Expr>& conditions = {});

// The affine comparisons that `condition` being true (or false) implies.
void add_conditions(const Expr& condition, bool holds, std::vector<Expr>& conditions);
// All of them as one; undefined where there are none.
Expr all_of(const std::vector<Expr>& conditions);

}  // namespace burin
