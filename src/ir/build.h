// build.h - small constructors for the compiler's own use; the typed operators are in burin/expr.h.
#pragma once
#include <optional>

#include "ir/nodes.h"

namespace burin {

Expr imm(
    Type type,
    int64_t value);  // bool, integers (wrapped to the type), Index; broadcast if type has lanes
Expr index_imm(int64_t value);            // Index
Expr float_imm(Type type, double value);  // rounded once to the type; broadcast if type has lanes
Expr constant(Type type, int64_t value);  // either of the above
Expr bool_imm(bool value);
Expr var(Symbol name, Type type = IndexType);
Expr broadcast(const Expr& e, int lanes);  // e itself if it already has them
Expr call(Fn fn, Type type, std::vector<Expr> args);
Expr mux(At index, const std::vector<Expr>& values);
// flattens nested blocks and drops undefined ones; one statement is itself
Stmt block(std::vector<Stmt> stmts);

std::optional<int64_t> const_int(const Expr& e);   // of IntImm, also under Broadcast
std::optional<double> const_float(const Expr& e);  // of FloatImm, also under Broadcast
bool is_const(const Expr& e);                      // IntImm or FloatImm, also under Broadcast
bool is_int(const Expr& e, int64_t value);         // an IntImm of that value
bool is_true(const Expr& e);
bool is_false(const Expr& e);

// A bare number takes the type it stands beside: E-type where an integer type cannot hold it exactly or a finite value
// becomes infinite. Anything else is returned as it is.
Expr literal_as(const Expr& e, Type type, const Where& where = {});
// a bare number by its own type (i32, i64, f32, f64); anything else as it is
Expr typed(const Expr& e);
bool is_literal(const Expr& e);
// For a help: the cast as it is written there, i32(x) in a text and cast(i32, x) in C++.
std::string cast_text(Type to, std::string_view value, const Where& where);
// a itself: a hint that each load and store under this condition is to have it as its mask
Expr under_mask(At a);

// The type of a read of a Func that has no definition yet: f(x) in `f(x) = max(f(x), e)`. It becomes that of the other
// side; where there is none, typed() says E-type.
constexpr Type untyped{Type::Int, 0, 0};

}  // namespace burin
