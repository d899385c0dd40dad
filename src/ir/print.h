// print.h - the text of the IR. It can be read back (parse.h): every dump is an input.
#pragma once
#include <string>

#include "ir/nodes.h"

namespace burin {

// An expression as a user would write it, with the fewest parentheses. A literal is bare where its sibling, or
// `expected`, or its default type (i32, f32) gives its type, else typed: u8(3).
std::string to_string(const Expr& e, Type expected = i32);
std::string to_string(const Stmt& s);

}  // namespace burin
