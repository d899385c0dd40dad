// parse.h - the text of the IR (its form: print.h) read back.
#pragma once
#include <string>

#include "ir/nodes.h"

namespace burin {

// parse_stmt(to_string(s)) equals s up to names (equal.h): what a `let`, a loop, `realize` or
// `allocate` binds is a fresh Symbol, everything else Symbol::named(name). A name that is not bound
// and not declared by a first line (scalar p: f32) is an Index; a function or buffer that is read must
// be realized, allocated or declared. A block may stand on one line. E-value "syntax" and the errors of
// the builders, with the line.
Stmt parse_stmt(std::string text, std::string file = "text");
Expr parse_expr(std::string text,
                std::string file = "text");  // the same first lines may stand before it

}  // namespace burin
