// algorithm.h - a frozen algorithm: what a Pipeline holds. Made by the builder (builder.h) or the text parser, checked
// once, never changed. Every type is resolved, no Literal, Reduction or owner is left, and reads name Funcs and inputs by
// Symbol::named(name). Coordinates, sizes and parameters are Vars named likewise (their own namespace).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "ir/nodes.h"

namespace burin {

enum class Numerics : uint8_t { Default, Strict, Relaxed };

struct Parameter {  // of the pipeline, in the order of a call
    enum Kind : uint8_t { Input, Scalar, Size };
    Symbol name;
    Kind kind = Input;
    Type type;  // Size: Index
    // Input: one Index expression a dimension; undefined where only the rank is known
    std::vector<Expr> shape;
    Where where;
    int rank() const { return int(shape.size()); }
};

struct RangeOf {  // an RVar: lo <= name < hi
    Symbol name;
    Expr lo, hi;  // sizes and parameters only
};

// f(args) op values for domain where condition. Without op the values are assigned; else f(args) = f(args) op value,
// where Sum of a product contracts to fma (unless Strict); -= is a Sum of the negated value, which is exact.
// ArgMin and ArgMax: values are {key, coordinate...}; NaN first, then the value, then the first in domain order.
struct Definition {
    std::vector<Expr> args;  // left-hand coordinates; pure ones are bare Vars of the Func
    std::optional<ReduceOp> op;
    std::vector<Expr> values;     // one per tuple element
    std::vector<RangeOf> domain;  // outermost first; empty for a pure definition
    Expr where;                   // may be undefined
    bool implicit = false;        // a start value that nobody wrote (+= starts at 0, ...)
    Where source;
};

// Calls f with each expression of a definition in reading order; undefined ones are left out.
template <class D, class F>
void for_each_expr(D& definition, F f) {
    auto go = [&](auto& e) {
        if (e.defined()) f(e);
    };
    for (auto& e : definition.args) go(e);
    for (auto& e : definition.values) go(e);
    for (auto& r : definition.domain) {
        go(r.lo);
        go(r.hi);
    }
    go(definition.where);
}

struct FuncDef {
    Symbol name;
    std::vector<Symbol> vars;      // coordinates of the pure definition
    std::vector<Type> types;       // one per tuple element; an Index value is stored as i64
    std::vector<Definition> defs;  // [0] is the pure one, then the updates
    Where where;
    int rank() const { return int(vars.size()); }
    // Among arguments of the Func: coordinate d (all coordinates) by itself, in its own place.
    bool is_bare(const std::vector<Expr>& args, int d) const;
    bool are_bare(const std::vector<Expr>& args) const;
    bool has_updates() const { return defs.size() > 1; }
};

struct OutputDecl {
    Symbol func;
    std::vector<Expr> shape;  // sizes and parameters only
};

struct Algorithm {
    std::string name;
    Numerics numerics = Numerics::Default;
    std::vector<Parameter> params;
    std::vector<OutputDecl> outputs;
    std::vector<FuncDef> funcs;  // all of them, producers before readers
    std::vector<Symbol> sizes;   // every Size, in order of first appearance
    std::string text;            // canonical text: two Algorithms are equal if these are
    Hash128 hash;                // of that text

    const FuncDef* func(Symbol name) const;  // null if there is none
    const Parameter* param(Symbol name) const;
    int func_index(Symbol name) const;  // -1 if there is none
    bool is_output(Symbol func) const;
};

// The right-hand sides of a definition written out: for an update with an operator, f(args) op value with contraction
// made explicit as fma; for ArgMin/ArgMax the selects; else the values themselves.
std::vector<Expr> written_out(const Algorithm& a, const FuncDef& f, const Definition& d);

// For each Func, which elements of its values an output depends on. The others are nothing that a call needs input for.
std::vector<std::vector<bool>> needed_elements(const Algorithm& a);

// The identity an operator starts from (+0, 1, all ones, the lowest value, ...). ArgMin/ArgMax: of the key.
Expr identity_of(ReduceOp op, Type type);
// Associative and commutative on all values of the type: may be reordered freely.
bool is_exact(ReduceOp op, Type type);

}  // namespace burin
