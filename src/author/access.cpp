#include "author/access.h"

#include <algorithm>

#include "ir/build.h"
#include "ir/walk.h"

namespace burin {
namespace {

bool uses_any(const Expr& e, const std::set<Symbol>& names) {
    bool any = false;
    visit(e, [&](const Var& v, auto&) { any |= names.contains(v.name); });
    return any;
}

// What stands beside the coordinate, where that is constant; a size or a parameter only moves the whole.
std::optional<Interval> aside(const Expr& e, const Bounds& domain) {
    Interval i = interval_of(e, domain);
    if (!i.is_bounded()) return {};
    if (const_int(i.lo) && const_int(i.hi)) return i;
    if (equal(i.lo, i.hi)) return Interval::point(index_imm(0));
    return {};
}

std::optional<Access> hull(std::optional<Access> a, const std::optional<Access>& b) {
    if (!a || !b || a->of != b->of || a->scale != b->scale) return {};
    a->lo = std::min(a->lo, b->lo);
    a->hi = std::max(a->hi, b->hi);
    return a;
}

std::optional<Access> scaled(std::optional<Access> a, double by) {
    if (!a || by <= 0) return {};
    return Access{a->of, a->scale * by, a->lo * by, a->hi * by};
}

}  // namespace

std::optional<Access> access(const Expr& e, const std::set<Symbol>& pure, const Bounds& domain) {
    constexpr uint32_t deepest = 16;  // deeper ones are nobody's stencil
    if (e.node()->depth > deepest) return {};
    auto of = [&](const Expr& part) { return access(part, pure, domain); };
    // One of two parts holds the coordinate; the other is constant and moves it, by its own value times `sign`.
    auto moved = [&](const Expr& a, const Expr& b, double sign) -> std::optional<Access> {
        auto by = uses_any(b, pure) ? std::nullopt : aside(b, domain);
        auto at = by ? of(a) : std::nullopt;
        if (!at) return {};
        double x = sign * double(*const_int(by->lo)), y = sign * double(*const_int(by->hi));
        at->lo += std::min(x, y);
        at->hi += std::max(x, y);
        return at;
    };
    // A clamp keeps the coordinate where it is or moves it inwards.
    auto clamped = [&](const Expr& a, const Expr& b) {
        if (!uses_any(a, pure)) return of(b);
        return uses_any(b, pure) ? hull(of(a), of(b)) : of(a);
    };
    if (auto* v = e.as<Var>()) {
        if (pure.contains(v->name)) return Access{v->name};
    } else if (auto* op = e.as<Add>()) {
        return uses_any(op->a, pure) ? moved(op->a, op->b, 1) : moved(op->b, op->a, 1);
    } else if (auto* op = e.as<Sub>()) {
        if (uses_any(op->a, pure)) return moved(op->a, op->b, -1);
    } else if (auto* op = e.as<Mul>()) {
        if (auto n = const_int(op->b)) return scaled(of(op->a), double(*n));
        if (auto n = const_int(op->a)) return scaled(of(op->b), double(*n));
    } else if (auto* op = e.as<Div>()) {
        if (auto n = const_int(op->b)) return scaled(of(op->a), 1 / double(*n));
    } else if (auto* op = e.as<Min>()) {
        return clamped(op->a, op->b);
    } else if (auto* op = e.as<Max>()) {
        return clamped(op->a, op->b);
    } else if (auto* op = e.as<Select>()) {
        return hull(of(op->yes), of(op->no));
    }
    return {};
}

}  // namespace burin
