// fold.h - one step of simplification at the root of an expression whose children are simplified already.
#pragma once
#include "arith/facts.h"

namespace burin {

// Each returns an undefined Expr where it has nothing to say.
Expr fold_constants(const Expr& e);                                          // all operands are constants
Expr fold_index(const Expr& e, LinearForms& forms, const Facts& facts);      // scalar Index arithmetic and comparisons

}  // namespace burin
