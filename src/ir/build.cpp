// The typed builders of burin/expr.h: literals take the other side's type, lanes are matched, mixed types refused.
#include "ir/build.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/print.h"
#include "ir/value.h"

namespace burin {

std::string cast_text(Type to, std::string_view value, const Where& where) {
    // A text tells its lines, or adds the place later; C++ knows files and numbers alone.
    bool in_text = !where.known() || !where.text.empty();
    if (in_text) return fmt::format("{}({})", to_string(to), value);
    return fmt::format("cast({}, {})", to.is_bool() ? "Bool" : to_string(to), value);
}

namespace {

[[noreturn]] void fail(const Where& where, const char* id, std::string message,
                       std::string help = {}) {
    Error e(ErrorKind::Type, id, std::move(message));
    e.at(where);
    if (!help.empty()) e.help(std::move(help));
    throw e;
}

void need_defined(const At& a) {
    if (!a.e.defined()) fail(a.where, "undefined-expression", "an undefined Expr cannot be used");
}

// For operators that cannot give it a type.
void need_typed(const At& a) {
    need_defined(a);
    if (a.e.type() == untyped)
        fail(a.where, "read-before-definition",
             fmt::format("{} is read before it has a definition", a.e.as<Read>()->func.hint()));
}

// Makes both sides one type, or says which cast would.
Type unify(const char* op, At& a, At& b) {
    need_defined(a);
    need_defined(b);
    for (auto [open, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        if (open->e.type() == untyped) {
            need_typed(*other);
            open->e = make(Read(*open->e.as<Read>()), typed(other->e).type().element());
        }
    if (is_literal(a.e) && is_literal(b.e)) {
        a.e = typed(a.e);
        b.e = typed(b.e);
    } else if (is_literal(a.e)) {
        a.e = literal_as(a.e, b.e.type().element(), a.where);
    } else if (is_literal(b.e)) {
        b.e = literal_as(b.e, a.e.type().element(), a.where);
    }
    int lanes = std::max(a.e.type().lanes, b.e.type().lanes);
    Type ta = a.e.type(), tb = b.e.type();
    if (ta.element() != tb.element()) {
        std::string sa = brief(a.e), sb = brief(b.e), message;
        message = fmt::format("{} {} {} mixes {} and {}", sa, op, sb, to_string(ta), to_string(tb));
        if (ta.is_index() || tb.is_index()) {
            Type data = ta.is_index() ? tb : ta;
            fail(a.where, "mixed-types", message,
                 "a coordinate becomes data by a cast: " +
                     cast_text(data, ta.is_index() ? sa : sb, a.where));
        }
        fail(a.where, "mixed-types", message,
             fmt::format("{} {} {}", cast_text(tb, sa, a.where), op, sb));
    }
    a.e = broadcast(a.e, lanes);
    b.e = broadcast(b.e, lanes);
    return a.e.type();
}

[[noreturn]] void bad_operand(const char* op, Type t, const At& a, std::string help = {}) {
    fail(a.where, "operand-type",
         fmt::format("{} does not take {}: {}", op, to_string(t), brief(a.e)), std::move(help));
}

template <class T>
Expr arithmetic(const char* op, At a, At b) {
    Type t = unify(op, a, b);
    if (t.is_bool())
        bad_operand(op, t, a, "bool takes part in && || ! ^ == != select and cast only");
    if constexpr (std::is_same_v<T, Mod>) {
        if (t.is_float()) bad_operand(op, t, a, "a - floor(a / b) * b");
    }
    return make(T{a.e, b.e}, t);
}
template <class T>
Expr shift(const char* op, At a, At b) {
    Type t = unify(op, a, b);
    if (!t.is_integer()) bad_operand(op, t, a);
    return make(T{a.e, b.e}, t);
}
template <class T>
Expr bitwise(const char* op, At a, At b) {
    Type t = unify(op, a, b);
    if (!t.is_integer() && !t.is_bool()) bad_operand(op, t, a);
    return make(T{a.e, b.e}, t);
}
template <class T>
Expr logical(const char* op, At a, At b) {
    Type t = unify(op, a, b);
    if (!t.is_bool()) bad_operand(op, t, a, "compare it: a != 0");
    return make(T{a.e, b.e}, t);
}
template <class T>
Expr comparison(const char* op, At a, At b) {
    Type t = unify(op, a, b);
    if constexpr (std::is_same_v<T, Lt> || std::is_same_v<T, Le>) {
        if (t.is_bool()) bad_operand(op, t, a);
    }
    return make(T{a.e, b.e}, Bool.with_lanes(t.lanes));
}

Expr one_float(Fn fn, const char* name, At a) {
    need_typed(a);
    a.e = typed(a.e);
    if (is_literal(a.e) || !a.e.type().is_float())
        bad_operand(name, a.e.type(), a, cast_text(f32, brief(a.e), a.where));
    return call(fn, a.e.type(), {a.e});
}
Expr float_test(Fn fn, const char* name, At a) {
    need_typed(a);
    a.e = typed(a.e);
    if (!a.e.type().is_float()) bad_operand(name, a.e.type(), a);
    return call(fn, Bool.with_lanes(a.e.type().lanes), {a.e});
}
Expr one_integer(Fn fn, const char* name, At a) {
    need_typed(a);
    a.e = typed(a.e);
    if (!a.e.type().is_integer()) bad_operand(name, a.e.type(), a);
    return call(fn, a.e.type(), {a.e});
}
Expr two_integers(Fn fn, const char* name, At a, At b) {
    Type t = unify(name, a, b);
    if (!t.is_integer()) bad_operand(name, t, a);
    return call(fn, t, {a.e, b.e});
}

}  // namespace

Var::operator Expr() const { return make(*this, IndexType); }
Expr Expr::literal(bool v) { return bool_imm(v); }
Expr Expr::literal(int64_t v, Type natural) {
    return make(Literal{v, double(v), natural}, natural);
}
Expr Expr::literal(uint64_t v, Type natural) {
    return make(Literal{int64_t(v), double(v), natural}, natural);
}
Expr Expr::literal(double v, Type natural) { return make(Literal{0, v, natural}, natural); }

bool is_literal(const Expr& e) { return e.as<Literal>() != nullptr; }

Expr typed(const Expr& e) {
    auto* l = e.as<Literal>();
    if (!l) need_typed({e, {}});
    return l ? literal_as(e, l->natural) : e;
}

Expr literal_as(const Expr& e, Type t, const Where& where) {
    auto* l = e.as<Literal>();
    if (!l) return e;
    bool whole = !l->natural.is_float();
    if (t.is_bool())
        fail(where, "literal-type", fmt::format("the number {} cannot stand for a bool", brief(e)),
             "true or false");
    if (t.is_float()) {
        Value v = whole ? eval_cast(t, Value::integer(l->natural, l->integer))
                        : eval_cast(t, Value::real(f64, l->real));
        if (std::isinf(v.f) && !(!whole && std::isinf(l->real)))
            fail(where, "literal-range",
                 fmt::format("{} is too large for {}", brief(e), to_string(t)),
                 fmt::format("{}(inf)", to_string(t)));
        return make(FloatImm{v.f}, t);
    }
    bool is_unsigned = whole && l->natural == u64 && l->integer < 0;  // above the largest i64
    int64_t n = l->integer;
    bool fits = true;
    if (!whole) {
        fits = std::floor(l->real) == l->real && l->real >= -0x1p63 && l->real < 0x1p63;
        if (fits) n = int64_t(l->real);
    }
    if (is_unsigned) fits = t == u64;
    else if (t.is_uint()) fits = fits && n >= 0 && (t.bits == 64 || n < int64_t(1) << t.bits);
    else if (t.bits < 64)
        fits = fits && n >= -(int64_t(1) << (t.bits - 1)) && n < int64_t(1) << (t.bits - 1);
    if (!fits)
        fail(where, "literal-range",
             fmt::format("{} does not fit {} exactly", brief(e), to_string(t)),
             "cast the other side to a type that holds it");
    return make(IntImm{n}, t);
}

Expr imm(Type t, int64_t v) {
    if (t.lanes > 1) return broadcast(imm(t.element(), v), t.lanes);
    if (t.is_bool()) v = v != 0;
    else if (t.is_uint() && t.bits < 64) v &= (int64_t(1) << t.bits) - 1;
    else if (t.is_int() && t.bits < 64) v = int64_t(uint64_t(v) << (64 - t.bits)) >> (64 - t.bits);
    return make(IntImm{v}, t);
}
Expr index_imm(int64_t v) { return make(IntImm{v}, IndexType); }
Expr bool_imm(bool v) { return make(IntImm{v}, Bool); }
Expr float_imm(Type t, double v) {
    if (t.lanes > 1) return broadcast(float_imm(t.element(), v), t.lanes);
    return make(FloatImm{eval_cast(t, Value::real(f64, v)).f}, t);
}
Expr constant(Type t, int64_t v) { return t.is_float() ? float_imm(t, double(v)) : imm(t, v); }
Expr var(Symbol name, Type t) { return make(Var{name, {}}, t); }
Expr broadcast(const Expr& e, int lanes) {
    return e.type().lanes == lanes
               ? e
               : make(Broadcast{e, lanes / e.type().lanes}, e.type().with_lanes(lanes));
}
Expr call(Fn fn, Type t, std::vector<Expr> args) { return make(Call{fn, std::move(args)}, t); }

Stmt block(std::vector<Stmt> stmts) {
    std::vector<Stmt> flat;
    for (auto& s : stmts) {
        if (!s.defined()) continue;
        if (auto* b = s.as<Block>()) flat.insert(flat.end(), b->stmts.begin(), b->stmts.end());
        else flat.push_back(std::move(s));
    }
    return flat.size() == 1 ? flat[0] : make(Block{std::move(flat)});
}

std::optional<int64_t> const_int(const Expr& e) {
    if (auto* b = e.as<Broadcast>()) return const_int(b->value);
    if (auto* i = e.as<IntImm>()) return i->value;
    return {};
}
std::optional<double> const_float(const Expr& e) {
    if (auto* b = e.as<Broadcast>()) return const_float(b->value);
    if (auto* f = e.as<FloatImm>()) return f->value;
    return {};
}
bool is_const(const Expr& e) { return const_int(e) || const_float(e); }
bool is_int(const Expr& e, int64_t v) { return const_int(e) == v; }
bool is_true(const Expr& e) { return e.defined() && e.type().is_bool() && is_int(e, 1); }
bool is_false(const Expr& e) { return e.defined() && e.type().is_bool() && is_int(e, 0); }

Expr operator+(At a, At b) { return arithmetic<Add>("+", a, b); }
Expr operator-(At a, At b) { return arithmetic<Sub>("-", a, b); }
Expr operator*(At a, At b) { return arithmetic<Mul>("*", a, b); }
Expr operator/(At a, At b) { return arithmetic<Div>("/", a, b); }
Expr operator%(At a, At b) { return arithmetic<Mod>("%", a, b); }
Expr operator<<(At a, At b) { return shift<Shl>("<<", a, b); }
Expr operator>>(At a, At b) { return shift<Shr>(">>", a, b); }
Expr operator&(At a, At b) { return bitwise<And>("&", a, b); }
Expr operator|(At a, At b) { return bitwise<Or>("|", a, b); }
Expr operator^(At a, At b) { return bitwise<Xor>("^", a, b); }
Expr operator&&(At a, At b) { return logical<And>("&&", a, b); }
Expr operator||(At a, At b) { return logical<Or>("||", a, b); }
Expr operator==(At a, At b) { return comparison<Eq>("==", a, b); }
Expr operator!=(At a, At b) { return comparison<Ne>("!=", a, b); }
Expr operator<(At a, At b) { return comparison<Lt>("<", a, b); }
Expr operator<=(At a, At b) { return comparison<Le>("<=", a, b); }
Expr operator>(At a, At b) { return comparison<Lt>("<", b, a); }
Expr operator>=(At a, At b) { return comparison<Le>("<=", b, a); }
Expr min(At a, At b) { return arithmetic<Min>("min", a, b); }
Expr max(At a, At b) { return arithmetic<Max>("max", a, b); }

Expr operator-(At a) {
    need_typed(a);
    if (auto* l = a.e.as<Literal>()) {  // a minus before a number belongs to it
        Literal n = *l;
        n.integer = int64_t(-uint64_t(n.integer));
        n.real = -n.real;
        if (n.natural == u64 && l->integer == INT64_MIN) n.natural = i64;
        else if (n.natural == i64 && n.integer == INT32_MIN) n.natural = i32;
        else if (n.natural.is_uint() && l->integer != 0)
            fail(a.where, "literal-range", fmt::format("-{} has no type", brief(a.e)));
        return make(std::move(n), n.natural);
    }
    if (a.e.type().is_bool()) bad_operand("-", a.e.type(), a, "!a");
    return make(Neg{a.e}, a.e.type());
}
Expr operator~(At a) {
    need_typed(a);
    a.e = typed(a.e);
    if (!a.e.type().is_integer()) bad_operand("~", a.e.type(), a, a.e.type().is_bool() ? "!a" : "");
    return make(Not{a.e}, a.e.type());
}
Expr operator!(At a) {
    need_typed(a);
    if (!a.e.type().is_bool()) bad_operand("!", a.e.type(), a, "a == 0");
    return make(Not{a.e}, a.e.type());
}

Expr clamp(At v, At lo, At hi) {
    Where w = v.where;
    if (is_literal(v.e) && !is_literal(lo.e)) v.e = literal_as(v.e, lo.e.type().element(), w);
    return min(At(max(std::move(v), std::move(lo)), w), std::move(hi));
}

Expr select(At c, At a, At b) {
    need_typed(c);
    if (!c.e.type().is_bool())
        bad_operand("select", c.e.type(), c, "its condition is a bool: a != 0");
    unify("or", a, b);
    int lanes = std::max(c.e.type().lanes, a.e.type().lanes);
    a.e = broadcast(a.e, lanes);
    return make(Select{broadcast(c.e, lanes), a.e, broadcast(b.e, lanes)}, a.e.type());
}

Expr mux(At i, std::initializer_list<Expr> values) {
    return mux(std::move(i), std::vector<Expr>(values));
}
Expr mux(At i, const std::vector<Expr>& values) {
    need_typed(i);
    if (values.empty()) fail(i.where, "empty-mux", "mux needs at least one value");
    Expr e = values.back();
    for (int v = int(values.size()) - 2; v >= 0; --v)
        e = select(At(At(i.e, i.where) == At(v, i.where), i.where), At(values[v], i.where),
                   At(e, i.where));
    return e;
}

Expr cast(Type t, At a) {
    need_typed(a);
    if (is_literal(a.e)) {
        if (t.is_bool()) return typed(a.e) != 0;
        return literal_as(a.e, t, a.where);
    }
    Type from = a.e.type();
    if (t == from.element()) return a.e;
    if (from.is_index() && t.is_bool())
        bad_operand("a cast to bool", from, a, brief(a.e) + " != 0");
    if (t.is_index() && !from.is_integer())
        bad_operand("index", from, a, cast_text(i32, brief(a.e), a.where));
    return make(Cast{a.e}, t.with_lanes(from.lanes));
}

Expr index(At a) {
    need_typed(a);
    if (is_literal(a.e)) return literal_as(a.e, IndexType, a.where);
    return cast(IndexType, std::move(a));
}

Expr saturating_cast(Type t, At a) {
    need_typed(a);
    a.e = typed(a.e);
    Type from = a.e.type();
    if (!t.is_integer() || from.is_bool() || from.is_index())
        bad_operand("saturating_cast", from, a);
    if (from.is_float()) return cast(t, a);  // saturates by definition
    return call(Fn::SaturatingCast, t.with_lanes(from.lanes), {a.e});
}

Expr reinterpret(Type t, At a) {
    need_typed(a);
    a.e = typed(a.e);
    Type from = a.e.type();
    if (t.is_bool() || t.is_index() || from.is_bool() || from.is_index() || t.bits != from.bits)
        bad_operand("reinterpret", from, a,
                    "both types have the same number of bits, and neither is bool or a coordinate");
    if (t == from.element()) return a.e;
    return call(Fn::Reinterpret, t.with_lanes(from.lanes), {a.e});
}

Expr saturating_add(At a, At b) { return two_integers(Fn::SaturatingAdd, "saturating_add", a, b); }
Expr saturating_sub(At a, At b) { return two_integers(Fn::SaturatingSub, "saturating_sub", a, b); }
Expr halving_add(At a, At b) { return two_integers(Fn::HalvingAdd, "halving_add", a, b); }
Expr rounding_halving_add(At a, At b) {
    return two_integers(Fn::RoundingHalvingAdd, "rounding_halving_add", a, b);
}
Expr mul_high(At a, At b) { return two_integers(Fn::MulHigh, "mul_high", a, b); }
Expr widening_mul(At a, At b) {
    Type t = unify("widening_mul", a, b);
    if (!t.is_integer() || t.bits == 64)
        bad_operand("widening_mul", t, a, "8, 16 and 32-bit integers");
    return call(Fn::WideningMul, {t.code, uint8_t(t.bits * 2), t.lanes}, {a.e, b.e});
}
Expr absd(At a, At b) {
    Type t = unify("absd", a, b);
    if (t.is_float()) return abs(a.e - b.e);
    if (!t.is_integer()) bad_operand("absd", t, a);
    return call(Fn::Absd, {Type::UInt, t.bits, t.lanes}, {a.e, b.e});
}
Expr popcount(At a) { return one_integer(Fn::Popcount, "popcount", a); }
Expr clz(At a) { return one_integer(Fn::Clz, "clz", a); }
Expr ctz(At a) { return one_integer(Fn::Ctz, "ctz", a); }

Expr abs(At a) {
    need_typed(a);
    a.e = typed(a.e);
    Type t = a.e.type();
    if (t.is_bool()) bad_operand("abs", t, a);
    if (t.is_uint()) return a.e;
    if (t.is_index()) return max(a.e, -a.e);
    return call(Fn::Abs, t, {a.e});
}
Expr fma(At a, At b, At c) {
    unify("*", a, b);
    unify("+", a, c);
    b.e = broadcast(b.e, a.e.type().lanes);
    if (!a.e.type().is_float()) bad_operand("fma", a.e.type(), a, "a * b + c");
    return call(Fn::Fma, a.e.type(), {a.e, b.e, c.e});
}
Expr lerp(At a, At b, At t) {
    Where w = a.where;
    unify("or", a, b);
    if (!a.e.type().is_float()) bad_operand("lerp", a.e.type(), a);
    return At(a.e, w) + At(At(b.e - a.e, w) * t, w);
}
Expr pow(At a, At b) {
    Type t = unify("pow", a, b);
    if (!t.is_float()) bad_operand("pow", t, a);
    return call(Fn::Pow, t, {a.e, b.e});
}
Expr sqrt(At a) { return one_float(Fn::Sqrt, "sqrt", a); }
Expr floor(At a) { return one_float(Fn::Floor, "floor", a); }
Expr ceil(At a) { return one_float(Fn::Ceil, "ceil", a); }
Expr trunc(At a) { return one_float(Fn::Trunc, "trunc", a); }
Expr round(At a) { return one_float(Fn::Round, "round", a); }
Expr exp(At a) { return one_float(Fn::Exp, "exp", a); }
Expr log(At a) { return one_float(Fn::Log, "log", a); }
Expr sin(At a) { return one_float(Fn::Sin, "sin", a); }
Expr cos(At a) { return one_float(Fn::Cos, "cos", a); }
Expr tanh(At a) { return one_float(Fn::Tanh, "tanh", a); }
Expr erf(At a) { return one_float(Fn::Erf, "erf", a); }
Expr rsqrt(At a) { return one_float(Fn::Rsqrt, "rsqrt", a); }
Expr sigmoid(At a) { return one_float(Fn::Sigmoid, "sigmoid", a); }
Expr gelu(At a) { return one_float(Fn::Gelu, "gelu", a); }
Expr is_nan(At a) { return float_test(Fn::IsNan, "is_nan", a); }
Expr is_inf(At a) { return float_test(Fn::IsInf, "is_inf", a); }
Expr is_finite(At a) { return float_test(Fn::IsFinite, "is_finite", a); }
namespace {
Expr hint(Fn fn, At a) {
    need_typed(a);
    a.e = typed(a.e);
    return call(fn, a.e.type(), {a.e});
}
}  // namespace
Expr likely(At a) { return hint(Fn::Likely, a); }
Expr under_mask(At a) { return hint(Fn::Masked, a); }

}  // namespace burin
