#include "arith/monotonic.h"

#include "base/deep.h"
#include "ir/build.h"
#include "ir/walk.h"

namespace burin {
namespace {

Monotonic together(Monotonic a, Monotonic b) {
    if (a == Monotonic::Constant || a == b) return b;
    return b == Monotonic::Constant ? a : Monotonic::Unknown;
}
Monotonic flipped(Monotonic m) {
    if (m == Monotonic::Increasing) return Monotonic::Decreasing;
    return m == Monotonic::Decreasing ? Monotonic::Increasing : m;
}

class Mover {
public:
    Mover(Symbol v, const Facts& facts) : v_(v), facts_(facts) {}

    Monotonic of(const Expr& e) {
        if (auto it = known_.find(e.node()); it != known_.end()) return it->second;
        Monotonic sum = Monotonic::Constant;
        for (auto& t : forms_.of(e).terms) {
            Monotonic m = of_atom(t.atom);
            sum = together(sum, t.coefficient > 0 ? m : flipped(m));
        }
        return known_[e.node()] = sum;  // forms_ keeps e alive
    }

private:
    Monotonic of_atom(const Expr& e) {
        if (auto* v = e.as<Var>())
            return v->name == v_ ? Monotonic::Increasing : Monotonic::Constant;
        if (auto* m = e.as<Min>()) return together(of(m->a), of(m->b));
        if (auto* m = e.as<Max>()) return together(of(m->a), of(m->b));
        if (auto* d = e.as<Div>(); d && !uses(d->b, v_)) return times(of(d->a), d->b);
        if (auto* m = e.as<Mul>()) {
            if (!uses(m->a, v_)) return times(of(m->b), m->a);
            if (!uses(m->b, v_)) return times(of(m->a), m->b);
        }
        if (auto* s = e.as<Select>(); s && !uses(s->cond, v_))
            return together(of(s->yes), of(s->no));
        return uses(e, v_) ? Monotonic::Unknown : Monotonic::Constant;
    }
    Monotonic times(Monotonic m, const Expr& factor) {
        if (m == Monotonic::Constant || prove(factor >= 0, facts_)) return m;
        return prove(factor <= 0, facts_) ? flipped(m) : Monotonic::Unknown;
    }

    Symbol v_;
    const Facts& facts_;
    LinearForms forms_;
    std::unordered_map<const Node*, Monotonic> known_;
};

}  // namespace

Monotonic monotonic(const Expr& e, Symbol v, const Facts& facts) {
    Monotonic m = run_deep(e.node()->depth, [&] { return Mover(v, facts).of(e); });
    if (m != Monotonic::Unknown) return m;
    Expr next = substitute(e, v, var(v) + 1);  // v itself may take any value the facts allow it
    if (prove(e <= next, facts)) return Monotonic::Increasing;
    return prove(e >= next, facts) ? Monotonic::Decreasing : Monotonic::Unknown;
}

}  // namespace burin
