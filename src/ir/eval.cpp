// What every operation computes, once for all types: an integer operation on int64_t or uint64_t and
// wrapped, a floating one on float or double, and rounded for f16 and bf16 (they compute in float).
#include <algorithm>
#include <bit>

#include "ir/apply.h"
#include "ir/functions.h"
#include "ir/number.h"
#include "ir/small_float.h"
#include "ir/value.h"

namespace burin {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

template <class Op>
constexpr bool is_integer_op = index_in<Op>(List<Mod, Shl, Shr, And, Or, Xor>{}) >= 0;

template <class T>
Value value_of(Type t, T v) {
    if constexpr (std::is_same_v<T, bool>) return Value::boolean(v);
    else if constexpr (std::is_integral_v<T>) return Value::integer(t, int64_t(v));
    else return t.is_small_float() ? Value::real(t, double(v)) : Value::exact(t, double(v));
}

[[noreturn]] void no_such(const char* what, Type t) {
    throw Error(ErrorKind::Internal, "no-such-operation",
                std::string(what) + " of " + to_string(t));
}

// f of a number of the type that t computes in.
template <class F>
Value in_float(Type t, F f) {
    return t.bits == 64 ? value_of(t, f(double{})) : value_of(t, f(float{}));
}

Wide wide(Value v) { return v.type.is_uint() ? Wide(uint64_t(v.i)) : Wide(v.i); }

int64_t lowest(Type t) {
    return t.is_uint() || t.is_bool() ? 0 : int64_t(uint64_t(-1) << (t.bits - 1));
}
int64_t highest(Type t) {
    return t.is_bool() ? 1 : t.is_uint() ? Value::integer(t, -1).i : ~lowest(t);
}

Value saturate(Type t, Wide v) {
    Value lo = Value::integer(t, lowest(t)), hi = Value::integer(t, highest(t));
    return v < wide(lo) ? lo : v > wide(hi) ? hi : Value::integer(t, int64_t(v));
}

Value float_to_integer(Type t, double v) {
    double end = std::ldexp(1.0, t.is_uint() ? t.bits : t.bits - 1);
    if (std::isnan(v)) return Value::integer(t, 0);
    if (v >= end) return Value::integer(t, highest(t));
    if (v <= (t.is_uint() ? 0 : -end)) return Value::integer(t, lowest(t));
    return Value::integer(t, v >= 0x1p63 ? int64_t(uint64_t(v)) : int64_t(v));
}

Value integer_to_float(Type t, Value a) {
    bool negative = !a.type.is_uint() && a.i < 0;
    uint64_t size = negative ? -uint64_t(a.i) : uint64_t(a.i);
    if (t.bits == 64) return value_of(t, negative ? -double(size) : double(size));
    return of_bits(t, encode(format_of(t), negative, size, 0));
}

Value float_call(Fn fn, std::span<const Value> a, Type t) {
    return in_float(t, [&](auto like) {
        using T = decltype(like);
        T x = T(a[0].f);
        switch (fn) {
            case Fn::Sqrt:       return std::sqrt(x);
            case Fn::Fma:        return std::fma(x, T(a[1].f), T(a[2].f));
            case Fn::Abs:        return std::fabs(x);
            case Fn::Absd:       return std::fabs(x - T(a[1].f));
            case Fn::Floor:      return std::floor(x);
            case Fn::Ceil:       return std::ceil(x);
            case Fn::Trunc:      return std::trunc(x);
            case Fn::Round:      return T(__builtin_roundeven(x));
            case Fn::TimesPower: return times_power(Plain<T>(x), Plain<T>(T(a[1].f))).v;
            default:             return eval_function(fn, x, T(a.back().f));
        }
    });
}

Value integer_call(Fn fn, std::span<const Value> a, Type t) {
    Type from = a[0].type;
    Wide x = wide(a[0]), y = a.size() > 1 ? wide(a[1]) : 0;
    uint64_t bits = bits_of(a[0]);
    switch (fn) {
        case Fn::Abs:                return value_of(t, int64_t(x < 0 ? -x : x));
        case Fn::SaturatingAdd:      return saturate(t, x + y);
        case Fn::SaturatingSub:      return saturate(t, x - y);
        case Fn::HalvingAdd:         return value_of(t, int64_t((x + y) >> 1));
        case Fn::RoundingHalvingAdd: return value_of(t, int64_t((x + y + 1) >> 1));
        case Fn::WideningMul:        return value_of(t, int64_t(x * y));
        case Fn::Absd:               return value_of(t, int64_t(x < y ? y - x : x - y));
        case Fn::MulHigh:
            if (from == u64) return value_of(t, int64_t(UWide(x) * UWide(y) >> 64));
            return value_of(t, int64_t(x * y >> from.bits));
        case Fn::Popcount: return value_of(t, int64_t(std::popcount(bits)));
        case Fn::Clz:      return value_of(t, int64_t(std::countl_zero(bits) - (64 - from.bits)));
        case Fn::Ctz:      return value_of(t, std::min<int64_t>(std::countr_zero(bits), from.bits));
        default:           no_such("this function", t);
    }
}

}  // namespace

template <class Op>
Value eval_op(Value a, Value b) {
    Type t = a.type;
    if (!t.is_float()) {
        if (t.is_uint()) return value_of(t, apply<Op>(uint64_t(a.i), uint64_t(b.i), t.bits));
        return value_of(t, apply<Op>(a.i, b.i, t.bits));
    }
    if constexpr (is_integer_op<Op>) no_such("an integer operation", t);
    else if (t.bits == 64) return value_of(t, apply<Op>(a.f, b.f, 64));
    else return value_of(t, apply<Op>(float(a.f), float(b.f), 32));
}

template <>
Value eval_op<Neg>(Value a) {
    if (!a.type.is_float()) return Value::integer(a.type, int64_t(-uint64_t(a.i)));
    return Value::exact(a.type, -a.f);
}
template <>
Value eval_op<Not>(Value a) {
    return Value::integer(a.type, a.type.is_bool() ? !a.i : ~a.i);
}

// The binary operators by node kind.
template <class... Ops>
consteval auto binary_table(List<Ops...>) {
    using F = Value (*)(Value, Value);
    std::array<F, kind_of<Le> + 1> table{};
    ((table[kind_of<Ops>] = &eval_op<Ops>), ...);
    return table;
}
static constexpr auto binary_ops =
    binary_table(List<Add, Sub, Mul, Div, Mod, Min, Max, Shl, Shr, And, Or, Xor, Eq, Ne, Lt, Le>{});

template Value eval_op<Add>(Value, Value);
template Value eval_op<Sub>(Value, Value);
template Value eval_op<Mul>(Value, Value);
template Value eval_op<Div>(Value, Value);
template Value eval_op<Mod>(Value, Value);
template Value eval_op<Min>(Value, Value);
template Value eval_op<Max>(Value, Value);
template Value eval_op<Shl>(Value, Value);
template Value eval_op<Shr>(Value, Value);
template Value eval_op<And>(Value, Value);
template Value eval_op<Or>(Value, Value);
template Value eval_op<Xor>(Value, Value);
template Value eval_op<Eq>(Value, Value);
template Value eval_op<Ne>(Value, Value);
template Value eval_op<Lt>(Value, Value);
template Value eval_op<Le>(Value, Value);

Value eval_cast(Type t, Value a) {
    t = t.element();
    if (a.type.is_float()) {
        if (t.is_float()) return Value::real(t, a.f);
        return t.is_bool() ? Value::boolean(a.f != 0) : float_to_integer(t, a.f);
    }
    return t.is_float() ? integer_to_float(t, a) : Value::integer(t, a.i);
}

Value eval_call(Fn fn, std::span<const Value> args, Type type) {
    Type t = type.element();
    Value a = args[0];
    switch (fn) {
        case Fn::Likely:
        case Fn::Masked:         return a;
        case Fn::IsNan:          return Value::boolean(a.is_nan());
        case Fn::IsInf:          return Value::boolean(std::isinf(a.f));
        case Fn::IsFinite:       return Value::boolean(std::isfinite(a.f));
        case Fn::SaturatingCast: return a.type.is_float() ? eval_cast(t, a) : saturate(t, wide(a));
        case Fn::Reinterpret:    return of_bits(t, bits_of(a));
        default:                 return a.type.is_float() ? float_call(fn, args, t) : integer_call(fn, args, t);
    }
}

Value eval_combine(ReduceOp op, Value a, Value b) {
    switch (op) {
        case ReduceOp::Sum:     return eval_op<Add>(a, b);
        case ReduceOp::Product: return eval_op<Mul>(a, b);
        case ReduceOp::Min:     return eval_op<Min>(a, b);
        case ReduceOp::Max:     return eval_op<Max>(a, b);
        case ReduceOp::And:     return eval_op<And>(a, b);
        case ReduceOp::Or:      return eval_op<Or>(a, b);
        case ReduceOp::Xor:     return eval_op<Xor>(a, b);
        default:                no_such("a combination", a.type);
    }
}

bool is_pure_scalar(const Node* n) {
    int k = n->kind;
    return k == kind_of<IntImm> || k == kind_of<FloatImm> || k == kind_of<Cast> ||
           k == kind_of<Neg> || k == kind_of<Not> || k == kind_of<Select> || k == kind_of<Call> ||
           (k <= kind_of<Le> && binary_ops[k]);
}

Value eval_node(const Node* n, std::span<const Value> c) {
    Type t = n->type.element();
    if (n->kind <= kind_of<Le> && binary_ops[n->kind]) return binary_ops[n->kind](c[0], c[1]);
    switch (n->kind) {
        case kind_of<IntImm>:   return Value::integer(t, static_cast<const Box<IntImm>*>(n)->value);
        case kind_of<FloatImm>: return Value::exact(t, static_cast<const Box<FloatImm>*>(n)->value);
        case kind_of<Cast>:     return eval_cast(t, c[0]);
        case kind_of<Neg>:      return eval_op<Neg>(c[0]);
        case kind_of<Not>:      return eval_op<Not>(c[0]);
        case kind_of<Select>:   return c[0].is_true() ? c[1] : c[2];
        case kind_of<Call>:     return eval_call(static_cast<const Box<Call>*>(n)->fn, c, t);
        default:                no_such("a value", t);
    }
}

}  // namespace burin
