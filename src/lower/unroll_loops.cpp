// Replaces an unrolled loop by its iterations one after the other.
//
// before:
//   buffer g: i32
//   unrolled for i in 1 .. 4 { f[i] = g[i * 2] }
// after:
//   f[1] = g[2]
//   f[2] = g[4]
//   f[3] = g[6]
//
// Correct because the iterations are the loop's, in its order.
#include <fmt/format.h>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "lower/fresh_copy.h"
#include "lower/passes.h"

namespace burin {

constexpr int64_t most_iterations = 4096;

State unroll_loops(State s) {
    s.stmt = rewrite(s.stmt, [](const For& op, auto& self) -> Stmt {
        if (op.kind != LoopKind::Unrolled) return self.descend(op);
        auto n = const_int(simplify(op.extent));
        if (!n || *n > most_iterations)
            throw Error(
                ErrorKind::Schedule, "unroll-extent",
                fmt::format(
                    "the loop {} cannot be unrolled: its extent {} is not a constant up to {}",
                    op.name.hint(), to_string(op.extent, IndexType), most_iterations))
                .help(fmt::format("unroll({}, 4) splits it first", op.name.hint()));
        Stmt body = self(op.body);
        std::vector<Stmt> iterations;
        for (int64_t i = 0; i < *n; ++i)
            iterations.push_back(
                substitute(i == 0 ? body : fresh_copy(body), op.name, simplify(op.min + i)));
        return block(std::move(iterations));
    });
    return s;
}

}  // namespace burin
