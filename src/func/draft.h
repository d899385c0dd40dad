// draft.h - an algorithm while it is being written: what stands behind its names, and Funcs that may still get
// definitions. The C++ language and the text parser both write drafts; freeze() makes an Algorithm of them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "func/algorithm.h"
#include "ir/walk.h"

namespace burin {

struct Domain {
    std::vector<RangeOf> ranges;  // outermost first
    Expr where;                   // may be undefined
};

// What a name in an expression being written stands for: the Owner of its Var or Read node points here. A Var without
// an owner is a coordinate of the Func being defined.
struct Declaration {
    enum Kind : uint8_t { RVar, Size, Scalar, Input, Func };
    Kind kind;
    Symbol name;
    Where where;
    Type type;                             // Scalar, Input
    std::vector<Expr> shape;               // Input: as in Parameter
    std::shared_ptr<const Domain> domain;  // RVar: where its range is
};
using DeclarationPtr = std::shared_ptr<const Declaration>;

struct FuncDraft : Declaration {
    bool numbered = false;     // the name is a wish: f becomes f1 where f is taken
    std::vector<Symbol> vars;  // coordinates; undefined where no definition has named one yet
    std::vector<Type> types;   // empty: no definition yet
    std::vector<Definition> defs;
    // who reads it, once somebody does: then it gets no more definitions
    mutable std::string reader;
    mutable Where read_at;
};
using DraftPtr = std::shared_ptr<FuncDraft>;

const Declaration* declaration(const Owner& owner);  // null if there is none
const Declaration* declaration_of(const Expr& e);    // of a Var or Read
// null if it reads an Input, or the Func being defined
const FuncDraft* draft_of(const Read& read);

// Names are a letter or _, then letters, digits, _. E-type else; also for words the text form reserves: of bare names,
// or of names before parentheses (functions, types and reducers).
Symbol bare_name(std::string_view name, const Where& where);
Symbol stage_name(std::string_view name, const Where& where);

DeclarationPtr declare(Declaration::Kind kind, std::string_view name, Type type,
                       const Where& where);
// An input's dimension may be undefined: its extent is the buffer's.
DeclarationPtr declare_input(std::string_view name, Type type, std::vector<Expr> shape,
                             const Where& where);
DraftPtr declare_func(std::string_view name, bool numbered, const Where& where);

Expr variable(const DeclarationPtr& d);  // RVar, Size, Scalar
// f(args) or in(args). `element` of a tuple; -1: there is only one. E-type: wrong number of coordinates or elements,
// coordinates that are not Index. A Func without definition has no type yet (see `untyped`).
Expr read(const DeclarationPtr& callee, const std::vector<Expr>& args, int element,
          const Where& where);
Expr coordinate(const Expr& e, const Where& where,
                const std::string& of);  // e as Index; a number becomes one
bool is_known_at_entry(const Expr& e);   // made of sizes, parameters and shapes of inputs alone
// Such an expression as Index; E-type else. `what` names it: "a bound of r".
Expr known_at_entry(const Expr& e, const Where& where, const std::string& what);

// sum(value for domain): one Expr, or {value, coordinates...} for ArgMin and ArgMax. `as`: the stage's name, or undefined.
std::vector<Expr> reduce(ReduceOp op, const Domain& domain, const Expr& value, Symbol as,
                         const Where& where);
// E-type: e uses a variable that has the name of one of the ranges but is none of them. Names are all that text keeps.
void refuse_namesakes(const Expr& e, const std::vector<RangeOf>& ranges, const Where& where);

// A Reduction's parts with its variables under their own names.
struct Unbound {
    Domain domain;
    std::vector<Expr> values;
};
Unbound unbind(const Reduction& r, const Where& where);

// f(args) op values for domain, as the user wrote it.
struct Written {
    std::vector<Expr> args;
    std::string op = "=";            // = += -= *= &= |= ^=
    std::optional<ReduceOp> reduce;  // ArgMin, ArgMax: values are {key, coordinates...}
    std::vector<Expr> values;
    Domain domain;
    Where source;
};
// Checks and adds a definition; f is as before if it throws. E-type.
void define(const DraftPtr& f, Written w);

struct Outline {  // of a Pipeline
    std::string name;
    std::vector<DeclarationPtr> params;  // Input, Scalar, Size
    struct Output {
        DraftPtr func;
        std::vector<Expr> shape;
    };
    std::vector<Output> outputs;
    Numerics numerics = Numerics::Default;
    Where where;
    std::vector<DraftPtr> order;  // producers first; empty: found from the outputs
};
std::shared_ptr<const Algorithm> freeze(const Outline& outline);

// rewrite() of all expressions of a definition, with one memory: what they share stays shared.
template <class F, class... Fs>
void rewrite_all(Definition& d, F f, Fs... fs) {
    using All = overloaded<F, Fs...>;
    All handlers{std::move(f), std::move(fs)...};
    uint32_t depth = 0;
    for_each_expr(d, [&](const Expr& e) { depth = std::max(depth, depth_of(e)); });
    run_deep(depth, [&] {
        Rewriter<All> rewriter(handlers);
        for_each_expr(d, [&](Expr& e) { e = rewriter(e); });
    });
}

// The same for visit().
template <class F, class... Fs>
void visit_all(const Definition& d, F f, Fs... fs) {
    using All = overloaded<F, Fs...>;
    All handlers{std::move(f), std::move(fs)...};
    uint32_t depth = 0;
    for_each_expr(d, [&](const Expr& e) { depth = std::max(depth, depth_of(e)); });
    run_deep(depth, [&] {
        Visitor<All> visitor(handlers);
        for_each_expr(d, [&](const Expr& e) { visitor(e); });
    });
}

}  // namespace burin
