// Writes exp, tanh and their kind out in primitive operations.
//
// before:
//   buffer g: f32
//   f[0] = rsqrt(g[0])
// after:
//   f[0] = 1.0 / sqrt(g[0])
//
// Correct because evaluation uses the very same definition.
#include "ir/build.h"
#include "ir/functions.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {

State expand_functions(State s) {
    s.stmt = rewrite(s.stmt, [](const Call& op, auto& self) -> Expr {
        Expr e = self.descend(op);
        const Call& c = *e.as<Call>();
        return c.fn < Fn::Exp ? e : expand_function(c.fn, c.args);
    });
    return s;
}

}  // namespace burin
