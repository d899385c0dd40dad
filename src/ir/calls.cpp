#include "ir/calls.h"

#include <fmt/format.h>

namespace burin {
namespace {

enum class Takes {
    Floats,
    Integers,
    SignedOrFloat,
    Narrow,
    Any
};  // Narrow: integers up to 32 bits
enum class Gives { Same, Truth, Unsigned, Twice, Asked };

struct Row {
    Fn fn;
    std::string_view name;
    int arity;
    Takes takes;
    Gives gives;
};
constexpr Row table[] = {
    {Fn::Sqrt, "sqrt", 1, Takes::Floats, Gives::Same},
    {Fn::Fma, "fma", 3, Takes::Floats, Gives::Same},
    {Fn::Abs, "abs", 1, Takes::SignedOrFloat, Gives::Same},
    {Fn::Floor, "floor", 1, Takes::Floats, Gives::Same},
    {Fn::Ceil, "ceil", 1, Takes::Floats, Gives::Same},
    {Fn::Trunc, "trunc", 1, Takes::Floats, Gives::Same},
    {Fn::Round, "round", 1, Takes::Floats, Gives::Same},
    {Fn::IsNan, "is_nan", 1, Takes::Floats, Gives::Truth},
    {Fn::IsInf, "is_inf", 1, Takes::Floats, Gives::Truth},
    {Fn::IsFinite, "is_finite", 1, Takes::Floats, Gives::Truth},
    {Fn::SaturatingCast, "saturating_cast", 1, Takes::Any, Gives::Asked},
    {Fn::SaturatingAdd, "saturating_add", 2, Takes::Integers, Gives::Same},
    {Fn::SaturatingSub, "saturating_sub", 2, Takes::Integers, Gives::Same},
    {Fn::HalvingAdd, "halving_add", 2, Takes::Integers, Gives::Same},
    {Fn::RoundingHalvingAdd, "rounding_halving_add", 2, Takes::Integers, Gives::Same},
    {Fn::WideningMul, "widening_mul", 2, Takes::Narrow, Gives::Twice},
    {Fn::Absd, "absd", 2, Takes::Integers, Gives::Unsigned},
    {Fn::MulHigh, "mul_high", 2, Takes::Integers, Gives::Same},
    {Fn::Popcount, "popcount", 1, Takes::Integers, Gives::Same},
    {Fn::Clz, "clz", 1, Takes::Integers, Gives::Same},
    {Fn::Ctz, "ctz", 1, Takes::Integers, Gives::Same},
    {Fn::Reinterpret, "reinterpret", 1, Takes::Any, Gives::Asked},
    {Fn::Likely, "likely", 1, Takes::Any, Gives::Same},
    {Fn::Masked, "under_mask", 1, Takes::Any, Gives::Same},
    {Fn::TimesPower, "times_power", 2, Takes::Floats, Gives::Same},
    {Fn::Exp, "exp", 1, Takes::Floats, Gives::Same},
    {Fn::Log, "log", 1, Takes::Floats, Gives::Same},
    {Fn::Sin, "sin", 1, Takes::Floats, Gives::Same},
    {Fn::Cos, "cos", 1, Takes::Floats, Gives::Same},
    {Fn::Tanh, "tanh", 1, Takes::Floats, Gives::Same},
    {Fn::Erf, "erf", 1, Takes::Floats, Gives::Same},
    {Fn::Pow, "pow", 2, Takes::Floats, Gives::Same},
    {Fn::Rsqrt, "rsqrt", 1, Takes::Floats, Gives::Same},
    {Fn::Sigmoid, "sigmoid", 1, Takes::Floats, Gives::Same},
    {Fn::Gelu, "gelu", 1, Takes::Floats, Gives::Same},
};
consteval bool in_order() {
    for (int i = 0; i < int(std::size(table)); ++i)
        if (int(table[i].fn) != i) return false;
    return std::size(table) == int(Fn::Gelu) + 1;
}
static_assert(in_order(), "a row for each Fn, in its order");

constexpr std::string_view reduce_names[] = {"sum",    "product", "minimum", "maximum", "argmin",
                                             "argmax", "and",     "or",      "xor"};

bool accepts(Takes takes, Type t) {
    switch (takes) {
        case Takes::Floats:        return t.is_float();
        case Takes::Integers:      return t.is_integer();
        case Takes::SignedOrFloat: return t.is_float() || t.is_int();
        case Takes::Narrow:        return t.is_integer() && t.bits < 64;
        default:                   return true;
    }
}

}  // namespace

std::string_view name(Fn fn) { return table[int(fn)].name; }
int arity(Fn fn) { return table[int(fn)].arity; }
bool is_primitive(Fn fn) { return fn < Fn::Exp; }

std::optional<Fn> fn_named(std::string_view name) {
    for (auto& row : table)
        if (row.name == name) return row.fn;
    return {};
}

Type result_type(Fn fn, std::span<const Type> args) {
    const Row& row = table[int(fn)];
    if (int(args.size()) != row.arity)
        throw Error(ErrorKind::Type, "argument-count",
                    fmt::format("{} takes {} argument{}, not {}", row.name, row.arity,
                                row.arity == 1 ? "" : "s", args.size()));
    Type t = args[0];
    for (Type a : args) {
        if (a != t)
            throw Error(ErrorKind::Type, "mixed-types",
                        fmt::format("{} mixes {} and {}", row.name, to_string(t), to_string(a)));
        if (!accepts(row.takes, a))
            throw Error(ErrorKind::Type, "operand-type",
                        fmt::format("{} does not take {}", row.name, to_string(a)));
    }
    switch (row.gives) {
        case Gives::Same:     return t;
        case Gives::Truth:    return Bool.with_lanes(t.lanes);
        case Gives::Unsigned: return {Type::UInt, t.bits, t.lanes};
        case Gives::Twice:    return {t.code, uint8_t(t.bits * 2), t.lanes};
        default:
            throw Error(ErrorKind::Internal, "no-result-type",
                        fmt::format("{} has the type it is given", row.name));
    }
}

std::string_view name(ReduceOp op) { return reduce_names[int(op)]; }

std::optional<ReduceOp> reduce_op_named(std::string_view name) {
    for (int i = 0; i < int(std::size(reduce_names)); ++i)
        if (reduce_names[i] == name) return ReduceOp(i);
    return {};
}

}  // namespace burin
