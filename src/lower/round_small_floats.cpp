// Computes f16 and bf16 in f32 and rounds every result once.
//
// before:
//   buffer g: f16
//   f[0] = g[1] * g[2]
// after:
//   f[0] = f16(f32(g[1]) * f32(g[2]))
//
// Correct because that is what the operation is defined as; comparisons, min and max of widened values are exact anyway.
#include "ir/build.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {
namespace {

bool is_small(const Expr& e) { return e.type().is_small_float(); }
Expr widened(const Expr& e) {
    return is_small(e) ? make(Cast{e}, f32.with_lanes(e.type().lanes)) : e;
}
Expr rounded(const Expr& e, Type t) { return e.type() == t ? e : make(Cast{e}, t); }

}  // namespace

State round_small_floats(State s) {
    s.stmt = rewrite(
        s.stmt,
        []<class T>(const T& op, auto& self) -> Expr
            requires(requires {
                        op.a;
                        op.b;
                    })
        {
            Expr e = self.descend(op);
            const T& n = *e.template as<T>();
            if (!is_small(n.a)) return e;
            Type wide = e.type().is_bool() ? e.type() : f32.with_lanes(e.type().lanes);
            return rounded(make(T{widened(n.a), widened(n.b)}, wide), e.type());
        },
        [](const Neg& op, auto& self) -> Expr {
            Expr e = self.descend(op);
            return is_small(e)
                       ? rounded(make(Neg{widened(e.as<Neg>()->a)}, widened(e).type()), e.type())
                       : e;
        },
        [](const Call& op, auto& self) -> Expr {
            Expr e = self.descend(op);
            Call c = *e.as<Call>();
            if (c.fn == Fn::Reinterpret || is_hint(c.fn) || !is_small(c.args[0])) return e;
            for (auto& a : c.args) a = widened(a);
            Type t = e.type();
            return rounded(make(std::move(c), t.is_small_float() ? f32.with_lanes(t.lanes) : t), t);
        });
    return s;
}

}  // namespace burin
