// Puts the definition of every inlined Func where it is read.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
// after:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = a(x) * 2 + a(x + 1) * 2
//
// Correct because a pure definition without updates is its value at every point, and rounding at the Func's boundary is
// kept: the value has the Func's type already.
#include "legal/nest.h"
#include "lower/passes.h"

namespace burin {

State inline_funcs(State s) {
    auto plan = std::make_shared<Plan>(*s.plan);
    plan->pipeline = inlined(*plan);
    s.plan = std::move(plan);
    return s;
}

}  // namespace burin
