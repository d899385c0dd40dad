// Folds that are not about index arithmetic: constants, vectors made of ramps and broadcasts, casts, bools,
// selects.
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
        case kind_of<Add>:  return __builtin_add_overflow(v[0].i, v[1].i, &r);
        case kind_of<Sub>:  return __builtin_sub_overflow(v[0].i, v[1].i, &r);
        case kind_of<Mul>:  return __builtin_mul_overflow(v[0].i, v[1].i, &r);
        case kind_of<Neg>:  return v[0].i == INT64_MIN;
        case kind_of<Div>:  return v[0].i == INT64_MIN && v[1].i == -1;
        case kind_of<Cast>: return v[0].type.element() == u64 && v[0].i < 0;
        default:            return false;
    }
}

}  // namespace

Expr fold_constants(const Expr& e) {
    const Node* n = e.node();
    if (!is_pure_scalar(n) || n->kind == kind_of<IntImm> || n->kind == kind_of<FloatImm>) return {};
    struct Operands {
        std::array<Value, 4> values;
        size_t count = 0;
        bool all = true;
    } in;
    visit_children(n, {&in,
                       [](void* p, const Expr& child) {
                           auto& in = *static_cast<Operands*>(p);
                           auto v = in.all && in.count < in.values.size() ? value_of(child)
                                                                          : std::nullopt;
                           if (v) in.values[in.count++] = *v;
                           else in.all = false;
                       },
                       [](void*, const Stmt&) {}});
    if (!in.all) return {};
    std::span<const Value> values(in.values.data(), in.count);
    if (n->type.is_index() && overflows(n, values)) return {};
    return broadcast(constant_of(eval_node(n, values)), n->type.lanes);
}

namespace {

// Can `to` hold every value of `from`?
bool holds_all(Type from, Type to) {
    int significand = to.bits == 64 ? 53 : to.bits == 32 ? 24 : to.code == Type::BFloat ? 8 : 11;
    if (from.is_bool()) return true;
    if (to.is_bool()) return false;
    if (from.is_float()) return to.is_float() && (from == to || to.bits > from.bits);
    int value_bits = from.bits - from.is_signed();
    if (to.is_float()) return value_bits <= significand;
    if (to.is_signed()) return to.bits - 1 >= value_bits;
    return !from.is_signed() && to.bits >= value_bits;
}
bool is_whole(Type t) { return t.is_integer() || t.is_index(); }

}  // namespace

Expr fold_cast(const Expr& e) {
    auto* outer = e.as<Cast>();
    if (!outer) return {};
    Type to = e.type().element();
    if (outer->value.type() == e.type()) return outer->value;
    auto* inner = outer->value.as<Cast>();
    if (!inner) return {};
    Type between = outer->value.type().element(), from = inner->value.type().element();
    if (to.is_index() && !from.is_integer() && !from.is_index()) return {};
    bool wraps = is_whole(from) && is_whole(between) && to.is_integer() && to.bits <= between.bits;
    if (!wraps && !holds_all(from, between)) return {};
    if (between.is_float() && to.is_integer() && !from.is_float() && !holds_all(from, to))
        return {};  // it saturates
    return from == to ? inner->value : make(Cast{inner->value}, e.type());
}

Expr fold_ranges(const Expr& e) {
    auto decide = [&](const Expr& a, const Expr& b, auto yes, auto no) -> Expr {
        if (!a.type().is_integer()) return {};
        ConstantRange x = range_of(a), y = range_of(b);
        if (yes(x, y)) return bool_imm(true);
        return no(x, y) ? bool_imm(false) : Expr();
    };
    auto below = [](const ConstantRange& x, const ConstantRange& y) {
        return x.hi && y.lo && *x.hi < *y.lo;
    };
    auto up_to = [](const ConstantRange& x, const ConstantRange& y) {
        return x.hi && y.lo && *x.hi <= *y.lo;
    };
    auto swapped = [](auto f) { return [f](auto& x, auto& y) { return f(y, x); }; };
    auto apart = [&](auto& x, auto& y) { return below(x, y) || below(y, x); };
    auto never = [](auto&, auto&) { return false; };
    Expr r;
    if (auto* op = e.as<Lt>()) r = decide(op->a, op->b, below, swapped(up_to));
    if (auto* op = e.as<Le>()) r = decide(op->a, op->b, up_to, swapped(below));
    if (auto* op = e.as<Eq>()) r = decide(op->a, op->b, never, apart);
    if (auto* op = e.as<Ne>()) r = decide(op->a, op->b, apart, never);
    if (r.defined()) return broadcast(r, e.type().lanes);
    auto chosen = [&](const auto* op, bool is_min) -> Expr {
        if (!op || !e.type().is_integer()) return {};
        ConstantRange x = range_of(op->a), y = range_of(op->b);
        if (up_to(x, y)) return is_min ? op->a : op->b;
        return up_to(y, x) ? is_min ? op->b : op->a : Expr();
    };
    if (auto* op = e.as<Min>()) return chosen(op, true);
    return chosen(e.as<Max>(), false);
}

Expr fold_logic(const Expr& e, Facts& facts) {
    if (e.type() != Bool || is_const(e)) return {};
    Expr opposite = make(Not{e}, Bool);
    if (prove(e, facts)) return bool_imm(true);
    if (prove(opposite, facts)) return bool_imm(false);
    // Does one side follow from the other, or contradict it? Only where both are small.
    auto* both = e.as<And>();
    auto* either = e.as<Or>();
    if ((!both && !either) || e.node()->depth > 8) return {};
    const Expr &a = both ? both->a : either->a, &b = both ? both->b : either->b;
    auto follows = [&](const Expr& from, const Expr& c) {
        auto mark = facts.mark();
        facts.assume(from);
        bool yes = prove(c, facts);
        facts.rewind(mark);
        return yes;
    };
    auto negated = [](const Expr& c) { return make(Not{c}, Bool); };
    if (follows(a, b)) return both ? a : b;
    if (follows(b, a)) return both ? b : a;
    if (both && follows(a, negated(b))) return bool_imm(false);
    if (either && follows(negated(a), b)) return bool_imm(true);
    return {};
}

}  // namespace burin
