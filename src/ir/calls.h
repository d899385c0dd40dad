// calls.h - the functions of Call nodes and the reduction operators as data: names (as in burin/expr.h),
// arity and types.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "ir/nodes.h"

namespace burin {

std::string_view name(Fn fn);  // "sqrt", "is_nan", "saturating_add", ...
std::optional<Fn> fn_named(std::string_view name);
int arity(Fn fn);
bool is_primitive(Fn fn);  // code generation knows it; the others are gone after expand_functions

// The type of fn(args), lanes included; E-type if it does not take them. SaturatingCast and Reinterpret have
// the type they are given: E-internal.
Type result_type(Fn fn, std::span<const Type> args);

// "sum" "product" "minimum" "maximum" "argmin" "argmax" "and" "or" "xor"
std::string_view name(ReduceOp op);
std::optional<ReduceOp> reduce_op_named(std::string_view name);

}  // namespace burin
