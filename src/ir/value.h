// value.h - one scalar of any element type, and what every operation makes of it. This is the only
// definition of the arithmetic: the folder, evaluate() and the interpreter call it, generated code must
// equal it.
#pragma once
#include <cmath>
#include <span>

#include "ir/nodes.h"

namespace burin {

// A float is kept as the double equal to it, an integer as the int64_t equal to it (u64: by its bits), a
// bool as 0 or 1.
struct Value {
    Type type = i32;
    union {
        int64_t i = 0;
        double f;
    };

    static Value integer(Type type, int64_t v);  // bool: v != 0; integers: wrapped; Index
    static Value real(Type type, double v);      // rounded once
    static Value exact(Type type, double v);     // v is a value of the type
    static Value boolean(bool v) { return integer(Bool, v); }

    bool is_nan() const { return type.is_float() && std::isnan(f); }
    bool is_true() const { return i != 0; }
};

bool same(Value a, Value b);  // type and bits; all NaNs are one
std::string to_string(Value v);

Value load(Type type, const void* from);  // a stored bool is read as != 0
void store(Value v, void* to);            // type.bytes() bytes; a NaN is the canonical quiet one
uint64_t bits_of(Value v);                // as stored, in the low bits
Value of_bits(Type type, uint64_t bits);

// One operator: Add Sub Mul Div Mod Min Max Shl Shr And Or Xor Eq Ne Lt Le; Neg and Not.
template <class Op>
Value eval_op(Value a, Value b);
template <class Op>
Value eval_op(Value a);
Value eval_cast(Type type, Value a);
Value eval_call(Fn fn, std::span<const Value> args, Type type);
Value eval_combine(ReduceOp op, Value a,
                   Value b);  // a step of a reduction to one value (not ArgMin, ArgMax)

// Any scalar expression node whose value depends on its children alone, lane by lane if it has vector type:
// constants, casts, operators, Select, Call. Anything else is E-internal.
Value eval_node(const Node* node, std::span<const Value> children);
bool is_pure_scalar(const Node* node);  // is it one of those?

}  // namespace burin
