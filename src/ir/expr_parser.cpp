#include "ir/expr_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/deep.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/operators.h"
#include "ir/print.h"

namespace burin {
namespace {

template <class... A>
struct Builder {
    std::string_view name;
    Expr (*build)(A...);
};
constexpr Builder<At> unary_functions[] = {
    {"abs", abs},
    {"sqrt", sqrt},
    {"floor", floor},
    {"ceil", ceil},
    {"trunc", trunc},
    {"round", round},
    {"is_nan", is_nan},
    {"is_inf", is_inf},
    {"is_finite", is_finite},
    {"exp", exp},
    {"log", log},
    {"sin", sin},
    {"cos", cos},
    {"tanh", tanh},
    {"erf", erf},
    {"rsqrt", rsqrt},
    {"gelu", gelu},
    {"sigmoid", sigmoid},
    {"popcount", popcount},
    {"clz", clz},
    {"ctz", ctz},
    {"likely", likely},
    {"under_mask", under_mask},
};
constexpr Builder<At, At> binary_functions[] = {
    {"min", min},
    {"max", max},
    {"pow", pow},
    {"saturating_add", saturating_add},
    {"saturating_sub", saturating_sub},
    {"halving_add", halving_add},
    {"rounding_halving_add", rounding_halving_add},
    {"widening_mul", widening_mul},
    {"absd", absd},
    {"mul_high", mul_high},
};
constexpr Builder<At, At, At> ternary_functions[] = {
    {"clamp", clamp}, {"select", select}, {"fma", fma}, {"lerp", lerp}};
constexpr Builder<Type, At> cast_functions[] = {{"saturating_cast_", saturating_cast},
                                                {"reinterpret_", reinterpret}};

constexpr Builder<At, At> operators[] = {{"||", operator|| },
                                          {"&&", operator&& },
                                           {"|", operator| },
                                            {"^", operator^ },
                                             {"&", operator& },
                                              {"==", operator== },
                                               {"!=", operator!= },
                                                {"<", operator<},
                                                 {"<=", operator<= },
                                                  {">", operator> },
                                                   {">=", operator>= },
                                                    {"<<", operator<< },
                                                     {">>", operator>> },
                                                      {"+", operator+ },
                                                       {"-", operator- },
                                                        {"*", operator* },
                                                         {"/", operator/ },
                                                          {
                                                              "%",
                                                              operator% },
                                                         };
constexpr Builder<At> prefixes[] = {{"-", operator- }, {"!", operator!}, {"~", operator~} };
constexpr std::string_view metas[] = {"origin", "extent", "stride"};  // in the order of MetaKind
constexpr std::string_view constants[] = {"true", "false", "nan", "inf"};

template <class T>
const T* find(std::span<const T> table, std::string_view name) {
    auto at = std::find_if(table.begin(), table.end(), [&](auto& row) { return row.name == name; });
    return at == table.end() ? nullptr : &*at;
}

// The type T of saturating_cast_T and the like.
const Builder<Type, At>* cast_named(std::string_view name, std::optional<Type>& type) {
    for (auto& f : cast_functions)
        if (name.starts_with(f.name) && (type = type_named(name.substr(f.name.size())))) return &f;
    return nullptr;
}

std::optional<ReduceOp> reducer_named(std::string_view name) {
    auto op = reduce_op_named(name);
    return op && *op <= ReduceOp::ArgMax ? op : std::nullopt;
}

At unplaced(const Expr& e) { return At(e, Where()); }

}  // namespace

bool is_reserved_name(std::string_view name) {
    std::optional<Type> type;
    return find<Builder<At>>(unary_functions, name) ||
           find<Builder<At, At>>(binary_functions, name) ||
           find<Builder<At, At, At>>(ternary_functions, name) || cast_named(name, type) ||
           type_named(name) || reducer_named(name) || name == "mux" ||
           std::ranges::count(metas, name) || std::ranges::count(constants, name);
}

Expr ExprParser::expr() {
    return run_deep(tokens.nesting(), [&] { return binary(1); });
}

Expr ExprParser::condition() {
    Token t = tokens.peek();
    Expr e = expr();
    if (is_literal(e) || !e.type().is_bool())
        throw Error(ErrorKind::Type, "condition-type",
                    fmt::format("a condition is a bool, not {}: {}", to_string(e.type()), brief(e)))
            .at(tokens.where(t));
    return e;
}

Expr ExprParser::coordinate() {
    Token t = tokens.peek();
    return placed(t, [&] { return literal_as(expr(), IndexType); });
}

std::vector<Expr> ExprParser::exprs(std::string_view closing) {
    std::vector<Expr> list;
    if (tokens.accept(closing)) return list;
    do list.push_back(expr());
    while (tokens.accept(","));
    if (!tokens.accept(closing)) tokens.fail(fmt::format("',' or '{}'", closing));
    return list;
}

Expr ExprParser::binary(int level) {
    Expr left = unary();
    for (;;) {
        const Token& t = tokens.peek();
        int own = t.kind == Token::Operator ? level_of(t.text) : 0;
        if (own < level || own == 0) return left;
        Token op = tokens.next();
        Expr right = binary(own + 1);
        left = placed(op, [&] {
            return find<Builder<At, At>>(operators, op.text)
                ->build(unplaced(left), unplaced(right));
        });
    }
}

Expr ExprParser::unary() {
    const Builder<At>* f = tokens.peek().kind == Token::Operator
                               ? find<Builder<At>>(prefixes, tokens.peek().text)
                               : nullptr;
    if (!f) return primary();
    Token op = tokens.next();
    Expr e = unary();
    return placed(op, [&] { return f->build(unplaced(e)); });
}

Expr ExprParser::primary() {
    const Token& t = tokens.peek();
    if (t.kind == Token::Number) return number();
    if (t.kind == Token::Name) return named();
    if (!tokens.sees("(")) tokens.fail("an expression");
    Token open = tokens.next();
    Expr e = binary(1);
    tokens.close(")", open);
    return e;
}

Expr ExprParser::number() {
    Token t = tokens.next();
    const char *first = t.text.data(), *last = first + t.text.size();
    if (t.text.find_first_of(".eE") != t.text.npos) {
        double v = 0;
        if (std::from_chars(first, last, v).ec != std::errc())
            tokens.fail(t, "a number within the range of f64");
        return make(Literal{0, v, f32}, f32);
    }
    uint64_t v = 0;
    if (std::from_chars(first, last, v).ec != std::errc())
        tokens.fail(t, "a number of at most 64 bits");
    Type natural = v <= INT32_MAX ? i32 : v <= INT64_MAX ? i64 : u64;
    return make(Literal{int64_t(v), double(v), natural}, natural);
}

Expr ExprParser::named() {
    Token name = tokens.next();
    if (names_.special) {
        if (Expr e = placed(name, [&] { return names_.special(name, *this); }); e.defined())
            return e;
    }
    if (!tokens.sees("(")) {
        if (name.text == "true" || name.text == "false") return bool_imm(name.text == "true");
        if (name.text == "nan" || name.text == "inf")
            return make(Literal{0, name.text == "nan" ? std::nan("") : INFINITY, f32}, f32);
        if (std::ranges::count(bound_, name.text)) return var(Symbol::named(name.text));
        return ask(names_.variable, name);
    }
    if (auto op = reducer_named(name.text)) return reduction(name, *op);
    if (Expr e = function(name); e.defined()) return e;
    tokens.next();
    std::vector<Expr> args = exprs(")");
    std::optional<int> which = element();
    placed(name, [&] {
        for (auto& a : args) a = literal_as(a, IndexType);
    });
    return ask(names_.read, name, std::move(args), which);
}

std::optional<int> ExprParser::element() {
    if (!tokens.accept("[")) return {};
    int n = tokens.integer("the number of a tuple's element");
    tokens.expect("]");
    return n;
}

Expr ExprParser::function(const Token& name) {
    if (auto meta = std::ranges::find(metas, name.text); meta != std::end(metas)) {
        Token open = tokens.next(), buffer = tokens.expect(Token::Name, "the name of a buffer");
        tokens.expect(",");
        int dim = tokens.integer("the number of a dimension");
        tokens.close(")", open);
        return ask(names_.meta, buffer, MetaKind(meta - metas), dim);
    }
    std::optional<Type> type = type_named(name.text);
    auto* one = find<Builder<At>>(unary_functions, name.text);
    auto* two = find<Builder<At, At>>(binary_functions, name.text);
    auto* three = find<Builder<At, At, At>>(ternary_functions, name.text);
    bool is_mux = name.text == "mux";
    auto* to_type = type ? nullptr : cast_named(name.text, type);
    if (!type && !one && !two && !three && !is_mux) return {};
    tokens.next();
    std::vector<Expr> v = exprs(")");
    size_t arity = three ? 3 : two ? 2 : 1;
    return placed(name, [&] {
        if (is_mux ? v.size() < 2 : v.size() != arity)
            throw Error(ErrorKind::Type, "argument-count",
                        fmt::format("{} takes {} argument{}, not {}", name.text,
                                    is_mux ? "two or more" : std::to_string(arity),
                                    arity == 1 && !is_mux ? "" : "s", v.size()));
        auto arg = [&](int i) { return unplaced(v[i]); };
        if (is_mux) return mux(arg(0), std::vector<Expr>(v.begin() + 1, v.end()));
        if (three) return three->build(arg(0), arg(1), arg(2));
        if (two) return two->build(arg(0), arg(1));
        if (one) return one->build(arg(0));
        return to_type ? to_type->build(*type, arg(0)) : cast(*type, arg(0));
    });
}

std::vector<std::string_view> ExprParser::domain_names() const {
    std::vector<std::string_view> found;
    int open = 0, i = 0;
    for (;; ++i) {
        const Token& t = tokens.peek(i);
        if (t.kind == Token::End || t.kind == Token::Newline) return found;
        if (t.kind == Token::Name && t.text == "for" && open == 0) break;
        if (t.kind != Token::Operator) continue;
        if (t.text == "(" || t.text == "[" || t.text == "{") ++open;
        if ((t.text == ")" || t.text == "]" || t.text == "}") && open-- == 0) return found;
    }
    do {  // name: lo..hi
        if (tokens.peek(++i).kind != Token::Name) return found;
        found.push_back(tokens.peek(i).text);
        for (open = 0;; ++i) {
            const Token& t = tokens.peek(i);
            if (t.kind == Token::End || t.kind == Token::Newline || t.text == "where" ||
                t.text == "as" || t.text == "let")
                return found;
            if (t.text == "(" || t.text == "[") ++open;
            if ((t.text == ")" || t.text == "]") && open-- == 0) return found;
            if (t.text == "," && open == 0) break;
        }
    } while (true);
}

DomainText ExprParser::domain() {
    DomainText d;
    tokens.expect("for");
    std::vector<std::string_view> names;
    auto bound = [&] {
        Token t = tokens.peek();
        Expr e = coordinate();
        if (!e.type().is_index())
            throw Error(
                ErrorKind::Type, "coordinate-type",
                fmt::format("a bound is a coordinate, not {}: {}", to_string(e.type()), brief(e)))
                .at(tokens.where(t))
                .help(fmt::format("index({})", brief(e)));
        return e;
    };
    do {
        names.push_back(tokens.expect(Token::Name, "the name of a reduction variable").text);
        d.vars.push_back(Symbol::named(names.back()));
        tokens.expect(":");
        d.lo.push_back(bound());
        tokens.expect("..");
        d.hi.push_back(bound());
    } while (tokens.accept(","));
    if (tokens.accept("where")) {
        bound_.insert(bound_.end(), names.begin(), names.end());
        d.where = condition();
        bound_.resize(bound_.size() - names.size());
    }
    return d;
}

Expr ExprParser::reduction(const Token& name, ReduceOp op) {
    Token open = tokens.next();
    constexpr size_t most = 1000;  // looking ahead for the domain makes deep nesting slow
    if (bound_.size() > most)
        throw Error(ErrorKind::Resource, "too-deep",
                    fmt::format("reductions are nested deeper than {} variables", most))
            .at(tokens.where(name));
    std::vector<std::string_view> names = domain_names();
    bound_.insert(bound_.end(), names.begin(), names.end());
    Expr value = expr();
    bound_.resize(bound_.size() - names.size());
    DomainText d = domain();
    Symbol as;
    if (tokens.accept("as"))
        as = Symbol::named(tokens.expect(Token::Name, "a name for the reduction").text);
    tokens.close(")", open);
    int which = element().value_or(-1);
    return ask(names_.reduce, name,
               Reduction{op, std::move(d.vars), std::move(d.lo), std::move(d.hi), d.where, value,
                         which, as});
}

}  // namespace burin
