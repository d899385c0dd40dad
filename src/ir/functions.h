// functions.h - exp log sin cos tanh erf pow rsqrt sigmoid gelu as values and as expressions of primitive
// nodes, both from the definitions in elementary.h, angles.h and powers.h: the same bits. f16 and bf16: the
// f32 one, rounded.
#pragma once
#include "ir/nodes.h"

namespace burin {

float eval_function(Fn fn, float x, float y);  // y: of pow alone
double eval_function(Fn fn, double x, double y);

// fn(args) in primitive nodes; any lanes. The expression is a DAG: it shares what it uses twice.
Expr expand_function(Fn fn, const std::vector<Expr>& args);

}  // namespace burin
