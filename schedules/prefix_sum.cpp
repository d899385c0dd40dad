// Prefix sums: each point needs the one before it. As written, and by blocks that can be summed at the same time.
#include "schedules/library.h"
#include "schedules/row_parts.h"

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
    y(r) = y(r - 1) + x(r);
    return Pipeline("prefix_sum", {x}, {y({n})});
}

// The blocks' totals, what lies before each block, and then the sums inside.
Pipeline make_blocked() {
    Size n("n");
    Input<int32_t> x("x", {n});
    Var b("b"), i("i");
    Expr blocks = (n + block - 1) / block;
    RDom all(block, "r"), r(Range{1, block}, "r"), s(Range{1, blocks}, "s");
    Func padding("padding"), totals("totals"), before("before"), inside("inside"), y("y");
    padding(b, i) = select(b * block + i < n, x(b * block + i), 0);
    totals(b) += padding(b, all);
    before(b) = 0;
    before(s) = before(s - 1) + totals(s - 1);
    inside(b, i) = padding(b, i);
    inside(b, r) = inside(b, r - 1) + padding(b, r);
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
                {"serial", "one number after the other", ""},
            },
            "serial"};
}

LibraryEntry prefix_sum_blocked() {
    return {"prefix_sum_blocked",
            "the same by blocks of 4096 numbers",
            make_blocked,
            {{"n", 1 << 24}},
            {{"x", -1000, 1000}},
            {
                {"blocks", "totals first, then block by block in parallel", R"(
parts = rfactor(totals.update(0), r, 64, inner, u, tree)
stage totals
  compute_root()
stage totals.update(0)
  parallel(b, 16)
stage inside
  compute_at(y, io)
  vectorize(i, 16)
stage y
  io, ii = split(i, 4096)
  parallel(io)
  vectorize(ii, 16)
)" + row_parts("parts", "compute_at(totals.update(0), bi)", "b")},
            },
            "blocks"};
}

}  // namespace burin
