// Simplifies everything, knowing that nothing runs for an empty output.
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
#include "lower/passes.h"

namespace burin {

State simplify_loops(State s) {
    Facts facts;
    for (Symbol size : s.algorithm().sizes) facts.assume(0 <= var(size));
    if (s.algorithm().outputs.size() == 1) {
        for (auto& b : s.buffers)
            for (int d = 0; d < b.rank && b.output >= 0; ++d)
                facts.assume(0 < make(Meta{b.buffer, MetaKind::Extent, d}, IndexType));
    }
    s.stmt = simplify(s.stmt, facts);
    return s;
}

}  // namespace burin
