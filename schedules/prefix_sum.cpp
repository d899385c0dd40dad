// Prefix sums: each point needs the one before it. As written, and by blocks that can be summed at the same time.
#include "schedules/library.h"

namespace burin {
namespace {

constexpr int block = 4096;

Pipeline make_plain() {
    Size n("n");
    Input<int32_t> x("x", {n});
    Var i("i");
    RDom r(Range{1, n}, "r");
    Func y("y");
    y(i) = x(i);
    y(r) += y(r - 1);
    return Pipeline("prefix_sum", {x}, {y({n})});
}

// Inside each block, then over the blocks.
Pipeline make_blocked() {
    Size n("n");
    Input<int32_t> x("x", {n});
    Var b("b"), i("i");
    RDom r(Range{1, block}, "r"), s(Range{1, (n + block - 1) / block}, "s");
    Func inside("inside"), before("before"), y("y");
    inside(b, i) = select(b * block + i < n, x(b * block + i), 0);
    inside(b, r) += inside(b, r - 1);
    before(b) = select(b > 0, inside(b - 1, block - 1), 0);
    before(s) += before(s - 1);
    y(i) = before(i / block) + inside(i / block, i % block);
    return Pipeline("prefix_sum_blocked", {x}, {y({n})});
}

}  // namespace

LibraryEntry prefix_sum() {
    return {"prefix_sum",
            "y(i) = x(0) + ... + x(i), i32",
            make_plain,
            {{"n", 1 << 24}},
            {{"x", -1000, 1000}},
            {
                {"copy", "the input copied 16 numbers at a time, then summed", R"(
stage y
  vectorize(i, 16)
)"},
            },
            "copy"};
}

LibraryEntry prefix_sum_blocked() {
    return {"prefix_sum_blocked",
            "the same by blocks of 4096 numbers",
            make_blocked,
            {{"n", 1 << 24}},
            {{"x", -1000, 1000}},
            {
                {"blocks", "the blocks in parallel", R"(
stage inside
  compute_root()
  parallel(b)
  vectorize(i, 16)
stage inside.update(0)
  parallel(b)
stage y
  io, ii = split(i, 4096)
  parallel(io)
  vectorize(ii, 16)
)"},
            },
            "blocks"};
}

}  // namespace burin
