// Vectors made of ramps and broadcasts: what is done to all lanes alike is done once.
#include "arith/fold.h"
#include "arith/integers.h"
#include "arith/modulus.h"
#include "ir/build.h"
#include "ir/value.h"
#include "ir/walk.h"

namespace burin {
namespace {

Expr ramp(const Expr& base, const Expr& stride, int lanes) {
    return make(Ramp{base, stride, lanes}, base.type().with_lanes(base.type().lanes * lanes));
}
template <class Op>
Expr op_of(const Expr& a, const Expr& b) {
    return make(Op{a, b}, a.type());
}

// e as `lanes` repetitions of something of e's lanes / lanes; undefined if it is none.
Expr repeated(const Expr& e, int lanes) {
    auto* b = e.as<Broadcast>();
    if (!b) return {};
    if (b->lanes == lanes) return b->value;
    return b->value.type().is_scalar() && b->lanes % lanes == 0
               ? broadcast(b->value, b->lanes / lanes)
               : Expr();
}

// op(broadcast, broadcast, ...) is broadcast(op(...)).
Expr of_broadcasts(const Expr& e) {
    struct Search {
        int lanes = 0;
        bool all = true;
    } search;
    visit_children(e.node(), {&search,
                              [](void* p, const Expr& c) {
                                  auto& s = *static_cast<Search*>(p);
                                  auto* b = c.as<Broadcast>();
                                  s.all = s.all && b && (s.lanes == 0 || s.lanes == b->lanes);
                                  if (b) s.lanes = b->lanes;
                              },
                              [](void*, const Stmt&) {}});
    if (!search.all || search.lanes == 0) return {};
    auto inner = [](void*, const Expr& c) { return c.as<Broadcast>()->value; };
    Expr once(map_children(e.node(), {nullptr, inner, [](void*, const Stmt& s) { return s; }}));
    int lanes = e.type().lanes / search.lanes;
    Expr typed = dispatch(once, [&]<class T>(const T& op) -> Expr {
        if constexpr (is_expr_node<T>) return make(T(op), e.type().with_lanes(lanes));
        else return {};
    });
    return make(Broadcast{typed, search.lanes}, e.type());
}

// Sums and multiples of ramps are ramps. Index and integers alone: they are exact modulo their width.
Expr of_ramps(const Expr& e) {
    auto term =
        [](const Expr& x,
           int lanes) -> Ramp {  // as base + lane * stride; the base is undefined if it is neither
        if (auto* r = x.as<Ramp>(); r && r->lanes == lanes) return *r;
        Expr value = repeated(x, lanes);
        return {value, value.defined() ? imm(value.type(), 0) : Expr(), lanes};
    };
    auto lanes_of = [](const Expr& a, const Expr& b) {
        auto *x = a.as<Ramp>(), *y = b.as<Ramp>();
        return x ? x->lanes : y ? y->lanes : 0;
    };
    auto sum = [&]<class Op>(const Op& op) -> Expr {
        int lanes = lanes_of(op.a, op.b);
        if (!lanes) return {};
        Ramp a = term(op.a, lanes), b = term(op.b, lanes);
        if (!a.base.defined() || !b.base.defined()) return {};
        return ramp(op_of<Op>(a.base, b.base), op_of<Op>(a.stride, b.stride), lanes);
    };
    if (auto* op = e.as<Add>()) return sum(*op);
    if (auto* op = e.as<Sub>()) return sum(*op);
    if (auto* op = e.as<Neg>()) {
        auto* r = op->a.as<Ramp>();
        return r ? ramp(make(Neg{r->base}, r->base.type()), make(Neg{r->stride}, r->stride.type()),
                        r->lanes)
                 : Expr();
    }
    if (auto* op = e.as<Mul>()) {
        for (auto& [x, y] : {std::pair(op->a, op->b), std::pair(op->b, op->a)}) {
            auto* r = x.as<Ramp>();
            Expr k = r ? repeated(y, r->lanes) : Expr();
            if (k.defined())
                return ramp(op_of<Mul>(r->base, k), op_of<Mul>(r->stride, k), r->lanes);
        }
    }
    return {};
}

// (b + lane * s) / k and % k, where k divides s or no lane leaves the block of the first.
template <class Op>
Expr divided(const Op& op, const Facts& facts) {
    constexpr bool is_div = std::is_same_v<Op, Div>;
    auto* r = op.a.template as<Ramp>();
    if (!r || !r->base.type().is_scalar()) return {};
    auto k = const_int(op.b), s = const_int(r->stride);
    if (!k || *k <= 0 || !s) return {};
    Expr by = index_imm(*k);
    Expr first = op_of<Op>(r->base, by);
    if (floor_mod(*s, *k) == 0)
        return is_div ? ramp(first, index_imm(*s / *k), r->lanes) : broadcast(first, r->lanes);
    auto known = remainder_of(r->base, *k, facts);
    Expr within = known ? index_imm(*known) : r->base % by, last = within + *s * (r->lanes - 1);
    if (!prove(0 <= last && last < by, facts)) return {};
    return is_div ? broadcast(first, r->lanes) : ramp(first, r->stride, r->lanes);
}

Expr of_cast(const Expr& e, const Cast& c) {
    auto* r = c.value.as<Ramp>();
    if (!r || !e.type().is_integer() || e.type().bits > c.value.type().bits) return {};
    auto narrowed = [&](const Expr& x) {
        return make(Cast{x}, e.type().with_lanes(x.type().lanes));
    };
    return ramp(narrowed(r->base), narrowed(r->stride), r->lanes);
}

template <class Op>
Expr lesser_or_greater(const Op& op, bool is_min, const Facts& facts) {
    if (prove(op.a <= op.b, facts)) return is_min ? op.a : op.b;
    if (prove(op.b <= op.a, facts)) return is_min ? op.b : op.a;
    return {};
}

}  // namespace

Expr fold_lanes(const Expr& e, const Facts& facts) {
    if (e.type().is_scalar()) return {};
    if (auto* r = e.as<Ramp>()) {
        if (r->lanes == 1) return r->base;
        return is_int(r->stride, 0) ? make(Broadcast{r->base, r->lanes}, e.type()) : Expr();
    }
    if (auto* b = e.as<Broadcast>()) {
        if (b->lanes == 1) return b->value;
        auto* inner = b->value.as<Broadcast>();
        return inner ? make(Broadcast{inner->value, inner->lanes * b->lanes}, e.type()) : Expr();
    }
    if (!is_pure_scalar(e.node())) return {};
    if (Expr r = of_broadcasts(e); r.defined()) return r;
    Type t = e.type().element();
    if (t.is_integer() || t.is_index())
        if (Expr r = of_ramps(e); r.defined()) return r;
    if (auto* c = e.as<Cast>()) return of_cast(e, *c);
    if (t.is_index()) {
        if (auto* d = e.as<Div>()) return divided(*d, facts);
        if (auto* m = e.as<Mod>()) return divided(*m, facts);
        if (auto* m = e.as<Min>()) return lesser_or_greater(*m, true, facts);
        if (auto* m = e.as<Max>()) return lesser_or_greater(*m, false, facts);
    }
    if (t.is_bool()) {
        auto* lt = e.as<Lt>();
        auto* le = e.as<Le>();
        if ((lt && lt->a.type().is_index()) || (le && le->a.type().is_index())) {
            if (prove(e, facts)) return broadcast(bool_imm(true), e.type().lanes);
            if (prove(make(Not{e}, e.type()), facts))
                return broadcast(bool_imm(false), e.type().lanes);
        }
    }
    return {};
}

}  // namespace burin
