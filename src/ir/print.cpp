// The text of expressions.
#include "ir/print.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "ir/build.h"
#include "ir/calls.h"
#include "ir/expr_parser.h"
#include "ir/operators.h"
#include "ir/printer.h"
#include "ir/value.h"

namespace burin {
namespace {

// The shortest text that reads back as v, which is exact in t. A reader rounds to f64, then to t.
std::string real_text(Type t, double v) {
    auto reads_back = [&](const std::string& s) {
        double read = 0;
        std::from_chars(s.data(), s.data() + s.size(), read);
        return Value::real(t, read).f == v;
    };
    if (std::isnan(v)) return "nan";
    std::string s = fmt::format("{}", v);
    if (t.bits == 32) {
        if (auto shorter = fmt::format("{}", float(v)); reads_back(shorter)) s = shorter;
    } else if (t.bits == 16) {
        int digits = 1;
        do s = fmt::format("{:.{}g}", v, digits);
        while (!reads_back(s) && ++digits < 9);
    }
    if (auto plus = s.find('+'); plus != s.npos) s.erase(plus, 1);
    if (std::isfinite(v) && s.find_first_of(".e") == s.npos) s += ".0";
    return s;
}

std::string number_text(Type t, const Expr& e) {
    if (auto* f = e.as<FloatImm>()) return real_text(t, f->value);
    return to_string(Value::integer(t, e.as<IntImm>()->value));
}

// e itself if it is a constant, the constant it repeats if it is a Broadcast of one.
Expr constant_in(const Expr& e) {
    if (e.as<IntImm>() || e.as<FloatImm>()) return e;
    auto* b = e.as<Broadcast>();
    return b && (b->value.as<IntImm>() || b->value.as<FloatImm>()) ? b->value : Expr();
}

// What a constant's sibling tells of its type.
Type type_beside(const Expr& sibling, Type expected) {
    return sibling.defined() && !constant_in(sibling).defined() ? sibling.type() : expected;
}

// expected where a bare constant would be read as something else
constexpr Type always_typed = Bool;

std::string_view infix_text(const Node* n) {
    bool is_bool = n->type.is_bool();
    switch (n->kind) {
        case kind_of<Add>: return "+";
        case kind_of<Sub>: return "-";
        case kind_of<Mul>: return "*";
        case kind_of<Div>: return "/";
        case kind_of<Mod>: return "%";
        case kind_of<Shl>: return "<<";
        case kind_of<Shr>: return ">>";
        case kind_of<And>: return is_bool ? "&&" : "&";
        case kind_of<Or>:  return is_bool ? "||" : "|";
        case kind_of<Xor>: return "^";
        case kind_of<Eq>:  return "==";
        case kind_of<Ne>:  return "!=";
        case kind_of<Lt>:  return "<";
        case kind_of<Le>:  return "<=";
        default:           return {};
    }
}

}  // namespace

const std::string& Printer::Names::text(Symbol s, bool (*is_reserved)(std::string_view)) {
    auto [at, is_new] = names.try_emplace(s);
    if (!is_new) return at->second;
    std::string base = s.hint();
    for (char& c : base)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') c = '_';
    if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])) || base[0] == '.' ||
        base.back() == '.')
        base = "_" + base + "_";
    std::string name = base;
    for (int n = 1; is_reserved(name) || !taken.insert(name).second; ++n)
        name = fmt::format("{}_{}", base, n);
    return at->second = name;
}

std::string_view Printer::variable(Symbol s) {
    return variables_.text(s, [](std::string_view n) {
        return n == "true" || n == "false" || n == "nan" || n == "inf";
    });
}

std::string_view Printer::function(Symbol s) {
    auto in_statements = [](std::string_view n) {
        return is_reserved_name(n) || n == "if" || n == "ramp" || n == "broadcast" ||
               n == "shuffle" || n.starts_with("combine_");
    };
    return functions_.text(
        s, is_statement ? in_statements : [](std::string_view) { return false; });
}

void Printer::constant(const Expr& e, Type expected) {
    Expr c = constant_in(e);
    Type t = c.type();
    std::string number = number_text(t, c);
    bool is_finite = !c.as<FloatImm>() || std::isfinite(c.as<FloatImm>()->value);
    // a vector, and nothing else tells its lanes
    bool is_alone = e.type() != t && e.type() != expected;
    bool is_default = (is_alone || expected == i32) && (t == i32 || t == f32);
    bool is_bare = t.is_bool() || (is_finite && (e.type() == expected || is_default));
    std::string text = is_bare ? number : fmt::format("{}({})", to_string(t), number);
    put(is_alone ? fmt::format("broadcast({}, {})", text, e.type().lanes) : text);
}

void Printer::literal(const Literal& op) {
    Type t = op.natural;
    put(t.is_float() ? real_text(f64, op.real) : to_string(Value::integer(t, op.integer)));
}

void Printer::pair(const Expr& a, std::string_view between, const Expr& b, Type expected,
                   int level_a, int level_b) {
    expr(a, type_beside(b, expected), level_a);
    put(between);
    expr(b, type_beside(a, expected), level_b);
}

void Printer::call(std::string_view name, const Expr& a, const Expr& b) {
    put(name);
    put("(");
    pair(a, ", ", b, i32);
    put(")");
}

void Printer::exprs(const std::vector<Expr>& v, Type expected) {
    for (size_t i = 0; i < v.size(); ++i) {
        if (i) put(", ");
        expr(v[i], expected);
    }
}

void Printer::reduction(const Reduction& op) {
    put(name(op.op));
    put("(");
    expr(op.value);
    for (size_t i = 0; i < op.vars.size(); ++i) {
        put(i ? ", " : " for ");
        put(variable(op.vars[i]));
        put(": ");
        expr(op.lo[i], IndexType);
        put("..");
        expr(op.hi[i], IndexType);
    }
    if (op.where.defined()) {
        put(" where ");
        expr(op.where);
    }
    if (op.as.defined()) {
        put(" as ");
        put(function(op.as));
    }
    put(op.element > 0 ? fmt::format(")[{}]", op.element) : ")");
}

void Printer::expr(const Expr& e, Type expected, int level) {
    if (!e.defined()) return put("undefined");
    if (constant_in(e).defined()) return constant(e, expected);
    if (auto op = infix_text(e.node()); !op.empty()) {
        dispatch(e, [&]<class T>(const T& x) {
            if constexpr (requires {
                              x.a;
                              x.b;
                          }) {
                int own = level_of(op);
                if (own < level) put("(");
                pair(x.a, fmt::format(" {} ", op), x.b, i32, own, own + 1);
                if (own < level) put(")");
            }
        });
        return;
    }
    auto list = [&](const std::vector<Expr>& v, Type t) {
        put("(");
        exprs(v, t);
        put(")");
    };
    auto where = [&](const Expr& predicate) {
        if (!predicate.defined()) return;
        put(" if ");
        expr(predicate);
    };
    dispatch(e, [&]<class T>(const T& op) {
        if constexpr (std::is_same_v<T, Literal>) {
            literal(op);
        } else if constexpr (std::is_same_v<T, Var>) {
            put(variable(op.name));
        } else if constexpr (std::is_same_v<T, Meta>) {
            put(op.what == MetaKind::Min      ? "origin"
                : op.what == MetaKind::Extent ? "extent"
                                              : "stride");
            put(fmt::format("({}, {})", function(op.buffer), op.dim));
        } else if constexpr (std::is_same_v<T, Cast>) {
            put(to_string(e.type().element()));
            put("(");
            expr(op.value, always_typed);
            put(")");
        } else if constexpr (std::is_same_v<T, Neg> || std::is_same_v<T, Not>) {
            constexpr bool is_neg = std::is_same_v<T, Neg>;
            bool twice = is_neg && op.a.template as<Neg>();  // not "--"
            put(is_neg ? "-" : e.type().is_bool() ? "!" : "~");
            if (twice) put("(");
            expr(op.a, is_neg ? always_typed : i32, prefix_level);
            if (twice) put(")");
        } else if constexpr (std::is_same_v<T, Min>) {
            auto* m = op.a.template as<Max>();
            if (!m || constant_in(m->a).defined()) return call("min", op.a, op.b);
            put("clamp(");
            expr(m->a);
            for (auto& bound : {m->b, op.b}) {
                put(", ");
                expr(bound, e.type());
            }
            put(")");
        } else if constexpr (std::is_same_v<T, Max>) {
            call("max", op.a, op.b);
        } else if constexpr (std::is_same_v<T, Select>) {
            put("select(");
            expr(op.cond);
            put(", ");
            pair(op.yes, ", ", op.no, i32);
            put(")");
        } else if constexpr (std::is_same_v<T, Call>) {
            put(name(op.fn));
            if (op.fn == Fn::SaturatingCast || op.fn == Fn::Reinterpret)
                put("_" + to_string(e.type().element()));
            if (op.args.size() == 2) return call("", op.args[0], op.args[1]);
            list(op.args, op.args.size() > 1 ? type_beside(op.args[0], i32) : i32);
        } else if constexpr (std::is_same_v<T, Read>) {
            put(function(op.func));
            put("(");
            exprs(op.args, IndexType);
            where(op.predicate);
            put(op.element || tuples.contains(op.func) ? fmt::format(")[{}]", op.element) : ")");
        } else if constexpr (std::is_same_v<T, Reduction>) {
            reduction(op);
        } else if constexpr (std::is_same_v<T, Load>) {
            put(function(op.buffer));
            put("[");
            expr(op.index, IndexType);
            where(op.predicate);
            put("]");
        } else if constexpr (std::is_same_v<T, Ramp>) {
            put("ramp(");
            pair(op.base, ", ", op.stride, IndexType);
            put(fmt::format(", {})", op.lanes));
        } else if constexpr (std::is_same_v<T, Broadcast>) {
            put("broadcast(");
            expr(op.value);
            put(fmt::format(", {})", op.lanes));
        } else if constexpr (std::is_same_v<T, Shuffle>) {
            put("shuffle");
            list(op.vectors, i32);
            put(fmt::format("[{}]", fmt::join(op.lanes, ", ")));
        } else if constexpr (std::is_same_v<T, Combine>) {
            put("combine_");
            put(name(op.op));
            put("(");
            expr(op.value);
            put(fmt::format(", {})", e.type().lanes));
        }
    });
}

std::string to_string(const Expr& e, Type expected) {
    return printed(e.defined() ? e.node()->depth : 0, [&](Printer& p) { p.expr(e, expected); });
}
std::string brief(const Expr& e) {
    return cut(e.defined() ? e.node()->depth : 0, [&](Printer& p) { p.expr(e); });
}

}  // namespace burin
