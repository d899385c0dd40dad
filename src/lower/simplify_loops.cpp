// Simplifies everything, knowing that nothing runs for an empty output, and what the conditions of
// specialize say.
//
// before:
//   buffer g: i32
//   for x in 0 .. max(n, 0) { f[x + 1 - 1] = g[x] * 1 }
// after:
//   for x in 0 .. n { f[x] = g[x] }
//
// Correct because arith's rules are (tests/core/test_rules.cpp).
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"
#include "legal/variants.h"
#include "lower/passes.h"

namespace burin {

State simplify_loops(State s) {
    if (s.stmt.same_as(s.settled)) return s;
    Facts facts;
    auto parts = parts_of(s.plan->given);
    Substitution constants = constants_of(s.plan->given);
    std::unordered_map<Expr, Expr, ExprHash, ExprEqual> shapes;
    for (auto& c : parts) {
        facts.assume(c);
        if (auto* e = c.as<Eq>(); e && e->a.as<Meta>()) shapes[e->a] = substitute(e->b, constants);
    }
    auto known = [&](const auto& x) {
        return rewrite(substitute(x, constants), [&](const Meta& op, auto&) -> Expr {
            auto it = shapes.find(handle(op));
            return it == shapes.end() ? handle(op) : it->second;
        });
    };
    for (Symbol size : s.algorithm().sizes) facts.assume(0 <= var(size));
    if (s.algorithm().outputs.size() == 1) {
        for (auto& b : s.buffers)
            for (int d = 0; d < b.rank && b.output >= 0; ++d)
                facts.assume(0 < known(make(Meta{b.buffer, MetaKind::Extent, d}, IndexType)));
    }
    s.settled = s.stmt = simplify(parts.empty() ? s.stmt : known(s.stmt), facts);
    return s;
}

}  // namespace burin
