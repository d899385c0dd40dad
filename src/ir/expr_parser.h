// expr_parser.h - the expressions of all text forms. What a name means is the caller's to say.
#pragma once
#include <functional>
#include <optional>

#include "ir/lexer.h"
#include "ir/nodes.h"

namespace burin {

class ExprParser;

// Each is called with the name's token; an Error without a place gets that token's line. What is
// unset may not stand there. Numbers among arguments of reads are Index already, other bare numbers are
// still Literals.
struct Names {
    using Element = std::optional<int>;
    std::function<Expr(const Token& name)> variable;
    std::function<Expr(const Token& name, std::vector<Expr> args, Element)> read;  // f(y, x)[1]
    std::function<Expr(const Token& name, Reduction r)> reduce;  // element -1: none is given
    std::function<Expr(const Token& name, MetaKind what, int dim)> meta;  // extent(name, dim)
    // Asked first, undefined if it is none of its own.
    std::function<Expr(const Token& name, ExprParser& parser)> special;
};

// A name of a function, a reducer, a type or a constant: no stage can be called so.
bool is_reserved_name(std::string_view name);

// for v: lo..hi, ... where condition
struct DomainText {
    std::vector<Symbol> vars;
    std::vector<Expr> lo, hi;
    Expr where;  // may be undefined
};

// Every method reads on from where the tokens stand. E-value "syntax" for what does not follow the grammar.
class ExprParser {
public:
    ExprParser(Tokens& tokens, const Names& names) : tokens(tokens), names_(names) {}

    Expr expr();        // a bare number stays a Literal
    Expr condition();   // a bool
    Expr coordinate();  // a bare number becomes Index
    // may be empty; reads the closing bracket too
    std::vector<Expr> exprs(std::string_view closing);
    DomainText domain();  // from "for" on; "where" may use its variables
    std::vector<std::string_view> domain_names()
        const;  // what a "for" further on in this bracket or line binds

    // f(), whose Error without a place gets the token's line.
    template <class F>
    auto placed(const Token& t, F f) -> decltype(f()) {
        try {
            return f();
        } catch (Error& e) {
            if (!e.where().known()) e.at(tokens.where(t));
            throw;
        }
    }

    Tokens& tokens;

private:
    Expr binary(int level);
    Expr unary();
    Expr primary();
    Expr number();
    Expr named();
    Expr function(const Token& name);  // undefined: there is no such function
    Expr reduction(const Token& name, ReduceOp op);
    std::optional<int> element();
    template <class F, class... A>
    Expr ask(const F& meaning, const Token& name, A... a) {
        if (!meaning) tokens.fail(name, "something else here");
        return placed(name, [&] { return meaning(name, std::move(a)...); });
    }

    const Names& names_;
    std::vector<std::string_view> bound_;  // by the reductions around
};

}  // namespace burin
