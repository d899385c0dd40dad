// fold.h - one step of simplification at the root of an expression whose children are simplified already.
// Each of these returns an undefined Expr where it has nothing to say.
#pragma once
#include "arith/facts.h"

namespace burin {

Expr fold_constants(const Expr& e);  // all operands are constants
// Scalar index arithmetic and comparisons.
Expr fold_index(const Expr& e, LinearForms& forms, const Facts& facts);
Expr fold_lanes(const Expr& e, const Facts& facts);  // ramps and broadcasts
Expr fold_cast(const Expr& e);                       // chains of casts that are exact
Expr fold_ranges(const Expr& e);                     // comparisons that the types' ranges decide
Expr fold_logic(const Expr& e, Facts& facts);  // bools that others imply; facts end as they began

}  // namespace burin
