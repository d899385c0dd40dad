// Folds that are not about index arithmetic: constants, vectors made of ramps and broadcasts, casts, bools, selects.
#include "arith/fold.h"

#include <array>

#include "ir/build.h"
#include "ir/calls.h"
#include "ir/equal.h"
#include "ir/value.h"
#include "ir/walk.h"

namespace burin {
namespace {

Expr constant_of(Value v) {
    return v.type.is_float() ? make(FloatImm{v.f}, v.type) : make(IntImm{v.i}, v.type);
}
std::optional<Value> value_of(const Expr& e) {
    if (auto* b = e.as<Broadcast>()) return value_of(b->value);
    if (e.as<IntImm>() || e.as<FloatImm>()) return eval_node(e.node(), {});
    return {};
}

// On coordinates: would it leave 64 bits?
bool overflows(const Node* n, std::span<const Value> v) {
    int64_t r;
    switch (n->kind) {
        case kind_of<Add>: return __builtin_add_overflow(v[0].i, v[1].i, &r);
        case kind_of<Sub>: return __builtin_sub_overflow(v[0].i, v[1].i, &r);
        case kind_of<Mul>: return __builtin_mul_overflow(v[0].i, v[1].i, &r);
        case kind_of<Neg>: return v[0].i == INT64_MIN;
        case kind_of<Div>: return v[0].i == INT64_MIN && v[1].i == -1;
        case kind_of<Cast>: return v[0].type == u64 && v[0].i < 0;
        default: return false;
    }
}

}  // namespace

Expr fold_constants(const Expr& e) {
    const Node* n = e.node();
    if (!is_pure_scalar(n) || n->kind == kind_of<IntImm> || n->kind == kind_of<FloatImm>) return {};
    if (auto* c = e.as<Call>(); c && !is_primitive(c->fn)) return {};
    struct Operands {
        std::array<Value, 4> values;
        size_t count = 0;
        bool all = true;
    } in;
    visit_children(n, {&in,
                       [](void* p, const Expr& child) {
                           auto& in = *static_cast<Operands*>(p);
                           auto v = in.all && in.count < in.values.size() ? value_of(child) : std::nullopt;
                           if (v) in.values[in.count++] = *v;
                           else in.all = false;
                       },
                       [](void*, const Stmt&) {}});
    if (!in.all) return {};
    std::span<const Value> values(in.values.data(), in.count);
    if (n->type.is_index() && overflows(n, values)) return {};
    return broadcast(constant_of(eval_node(n, values)), n->type.lanes);
}

}  // namespace burin
