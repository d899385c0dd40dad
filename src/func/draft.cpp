#include "func/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "func/border.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/equal.h"
#include "ir/expr_parser.h"
#include "ir/print.h"

namespace burin {
namespace {

constexpr std::string_view words[] = {"true", "false", "nan", "inf", "for", "where", "as", "let"};

[[noreturn]] void fail(const Where& where, const char* id, std::string message,
                       std::string help = {}) {
    Error e(ErrorKind::Type, id, std::move(message));
    e.at(where);
    if (!help.empty()) e.help(std::move(help));
    throw e;
}

void check_name(std::string_view name, const Where& where) {
    auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
    bool ok = !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
        return is_letter(c) || std::isdigit(static_cast<unsigned char>(c));
    });
    if (!ok)
        fail(where, "bad-name",
             fmt::format("\"{}\" is no name: a letter or _, then letters, digits and _", name));
}

}  // namespace

const Declaration* declaration(const Owner& owner) {
    return static_cast<const Declaration*>(owner.p.get());
}

const Declaration* declaration_of(const Expr& e) {
    if (auto* v = e.as<Var>()) return declaration(v->owner);
    if (auto* r = e.as<Read>()) return declaration(r->owner);
    return nullptr;
}

const FuncDraft* draft_of(const Read& read) {
    auto* d = declaration(read.owner);
    return d && d->kind == Declaration::Func ? static_cast<const FuncDraft*>(d) : nullptr;
}

Symbol bare_name(std::string_view name, const Where& where) {
    check_name(name, where);
    if (std::ranges::count(words, name))
        fail(where, "reserved-name",
             fmt::format("{} has a meaning of its own and cannot be a name", name));
    return Symbol::named(name);
}

Symbol stage_name(std::string_view name, const Where& where) {
    check_name(name, where);
    bool has_meaning = is_reserved_name(name) || std::ranges::count(border_names, name) ||
                       std::ranges::count(words, name);
    if (has_meaning)
        fail(where, "reserved-name",
             fmt::format("{} has a meaning of its own: a stage or input needs another name", name));
    return Symbol::named(name);
}

DeclarationPtr declare(Declaration::Kind kind, std::string_view name, Type type,
                       const Where& where) {
    return std::make_shared<Declaration>(
        Declaration{kind, bare_name(name, where), where, type, {}, {}});
}

DeclarationPtr declare_input(std::string_view name, Type type, std::vector<Expr> shape,
                             const Where& where) {
    for (auto& e : shape)
        if (e.defined()) e = known_at_entry(e, where, fmt::format("an extent of {}", name));
    return std::make_shared<Declaration>(Declaration{
        Declaration::Input, stage_name(name, where), where, type, std::move(shape), {}});
}

DraftPtr declare_func(std::string_view name, bool numbered, const Where& where) {
    auto f = std::make_shared<FuncDraft>();
    f->kind = Declaration::Func;
    f->name = stage_name(name, where);
    f->where = where;
    f->numbered = numbered;
    return f;
}

Expr variable(const DeclarationPtr& d) {
    return make(Var{d->name, {d}}, d->kind == Declaration::Scalar ? d->type : IndexType);
}

Expr coordinate(const Expr& e, const Where& where, const std::string& of) {
    if (!e.defined())
        fail(where, "undefined-expression",
             fmt::format("a coordinate of {} is an undefined Expr", of));
    if (is_literal(e)) return literal_as(e, IndexType, where);
    Type t = typed(e).type();
    if (t.is_index()) return e;
    std::string text = brief(e), help;
    if (t.is_integer()) help = fmt::format("index({})", text);
    else if (t.is_float()) help = fmt::format("index({})", cast_text(i32, text, where));
    else help = fmt::format("select({}, 1, 0)", text);
    fail(where, "coordinate-type",
         fmt::format("{} is a coordinate of {}, but it is {} and not an index", text, of,
                     to_string(t)),
         help);
}

Expr read(const DeclarationPtr& callee, const std::vector<Expr>& args, int element,
          const Where& where) {
    const std::string& name = callee->name.hint();
    std::vector<Expr> coordinates;
    for (auto& a : args) coordinates.push_back(coordinate(a, where, name));
    Type type = callee->type;
    size_t rank = callee->shape.size();
    if (callee->kind == Declaration::Func) {
        auto& f = static_cast<const FuncDraft&>(*callee);
        if (f.types.empty())
            return make(Read{f.name, std::max(element, 0), std::move(coordinates), {}, {callee}},
                        untyped);
        rank = f.vars.size();
        if (element < 0 && f.types.size() > 1)
            fail(where, "tuple-element",
                 fmt::format("{} has {} elements: which one is read?", name, f.types.size()),
                 name + "(...)[0]");
        if (element >= int(f.types.size()))
            fail(where, "tuple-element",
                 fmt::format("{} has {} element{}: there is no [{}]", name, f.types.size(),
                             f.types.size() == 1 ? "" : "s", element));
        type = f.types[std::max(element, 0)];
    } else if (element > 0) {
        fail(where, "tuple-element", fmt::format("{} is an input and has one element", name));
    }
    if (args.size() != rank) {
        Error e(ErrorKind::Type, "coordinate-count",
                fmt::format("{} has {} coordinate{}, not {}", name, rank, rank == 1 ? "" : "s",
                            args.size()));
        throw e.at(where).note(fmt::format("{} is declared here", name), callee->where);
    }
    return make(Read{callee->name, std::max(element, 0), std::move(coordinates), {}, {callee}},
                type);
}

// What keeps an expression from being known at entry; empty: nothing.
static std::string unknown_in(const Expr& e) {
    std::string culprit;
    auto blame = [&](std::string_view name) {
        if (culprit.empty()) culprit = name;
    };
    visit(
        e,
        [&](const Var& v, auto&) {
            auto* d = declaration(v.owner);
            if (!d || d->kind == Declaration::RVar) blame(v.name.hint());
        },
        [&](const Read& r, auto&) { blame(r.func.hint()); },
        [&](const Reduction& r, auto&) { blame(name(r.op)); });
    return culprit;
}

bool is_known_at_entry(const Expr& e) { return unknown_in(e).empty(); }

Expr known_at_entry(const Expr& given, const Where& where, const std::string& what) {
    if (!given.defined())
        fail(where, "undefined-expression", fmt::format("{} is an undefined Expr", what));
    Expr e = coordinate(given, where, what);
    if (std::string culprit = unknown_in(e); !culprit.empty())
        fail(where, "not-known-at-entry",
             fmt::format("{} is {}: it may use sizes and parameters only, not {}", what, brief(e),
                         culprit));
    return e;
}

void refuse_namesakes(const Expr& e, const std::vector<RangeOf>& ranges, const Where& where) {
    auto bounds = [](const RangeOf& r) { return std::vector{r.lo, r.hi}; };
    visit(e, [&](const Var& v, auto&) {
        auto named = [&](const RangeOf& r) { return r.name == v.name; };
        auto mine = std::ranges::find_if(ranges, named);
        if (mine == ranges.end()) return;
        auto* d = declaration(v.owner);
        if (d && d->kind == Declaration::RVar &&
            equal(bounds(*std::ranges::find_if(d->domain->ranges, named)), bounds(*mine)))
            return;
        const char* what = !d                             ? "coordinate"
                           : d->kind == Declaration::RVar ? "variable of another RDom"
                           : d->kind == Declaration::Size ? "size"
                                                          : "parameter";
        fail(where, "same-name",
             fmt::format("{} is a variable of an RDom and a {}", v.name.hint(), what),
             "give the RDom another name");
    });
}

std::vector<Expr> reduce(ReduceOp op, const Domain& domain, const Expr& given, Symbol as,
                         const Where& where) {
    std::string op_name(name(op));
    if (!given.defined())
        fail(where, "undefined-expression", fmt::format("{} of an undefined Expr", op_name));
    if (domain.ranges.empty())
        fail(where, "empty-domain", fmt::format("{} needs something to run over", op_name));
    Expr value = typed(given);
    if (value.type().is_index()) value = cast(i64, At(value, where));
    if (value.type().is_bool())
        fail(where, "operand-type", fmt::format("{} does not take bool: {}", op_name, brief(value)),
             fmt::format("select({}, 1, 0)", brief(value)));
    Reduction r{op, {}, {}, {}, domain.where, value, 0, as};
    Substitution own;
    const bool is_arg = op == ReduceOp::ArgMin || op == ReduceOp::ArgMax;
    for (auto& range : domain.ranges) {
        if (is_arg && const_int(range.lo).value_or(0) < 0)
            fail(where, "negative-domain",
                 fmt::format("{} runs over coordinates below 0, and -1 means that there is none",
                             op_name),
                 "shift the domain to start at 0");
        Symbol s = Symbol::fresh(range.name.hint());
        if (!own.emplace(range.name, var(s)).second)
            fail(where, "same-name",
                 fmt::format("{} runs over two variables named {}", op_name, range.name.hint()));
        r.vars.push_back(s);
        r.lo.push_back(range.lo);
        r.hi.push_back(range.hi);
    }
    r.value = substitute(r.value, own);
    r.where = substitute(r.where, own);
    std::vector<Expr> out;
    if (!is_arg) return {make(std::move(r), value.type())};
    for (; r.element <= int(r.vars.size()); ++r.element)
        out.push_back(make(r, r.element ? i64 : value.type()));
    return out;
}

Unbound unbind(const Reduction& r, const Where& where) {
    Substitution own;
    Unbound out;
    for (size_t i = 0; i < r.vars.size(); ++i) {
        Symbol s = Symbol::named(r.vars[i].hint());
        own.emplace(r.vars[i], var(s));
        out.domain.ranges.push_back({s, r.lo[i], r.hi[i]});
    }
    auto check = [&](const Var& v, auto&) {
        bool bound = std::ranges::count(r.vars, v.name);
        if (!bound && std::ranges::any_of(out.domain.ranges,
                                          [&](auto& range) { return range.name == v.name; }))
            fail(where, "same-name",
                 fmt::format("{} inside {}(...) is both its variable and one from outside",
                             v.name.hint(), name(r.op)),
                 "give one of them another name");
    };
    visit(r.value, check);
    if (r.where.defined()) visit(r.where, check);
    out.values.push_back(substitute(r.value, own));
    out.domain.where = substitute(r.where, own);
    if (r.op == ReduceOp::ArgMin || r.op == ReduceOp::ArgMax)
        for (auto& range : out.domain.ranges)
            out.values.push_back(cast(i64, At(var(range.name), where)));
    return out;
}

}  // namespace burin
