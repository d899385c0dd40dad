// A matrix times a vector: every element of the matrix is used once, so it is bound by memory.
#include "schedules/library.h"
#include "schedules/row_parts.h"

namespace burin {
namespace {

Pipeline make() {
    Size m("m"), n("n");
    Input<float> a("a", {m, n}), x("x", {n});
    Var i("i");
    RDom r(n, "r");
    Func y("y");
    y(i) += a(i, r) * x(r);
    return Pipeline("gemv", {a, x}, {y({m})});
}

}  // namespace

LibraryEntry gemv() {
    return {"gemv",
            "y = a x, f32",
            make,
            {{"m", 4096}, {"n", 4096}},
            {{"a", -1, 1}, {"x", -1, 1}},
            {
                {"rows", "rows in parallel, each in the written order", R"(
stage y.update(0)
  parallel(i, 16)
)"},
                {"parts", "each row in 64 parts", std::string(R"(
sums = rfactor(y.update(0), r, 64, inner, u, tree)
stage y.update(0)
  parallel(i, 16)
)") + row_parts("sums", "compute_at(y.update(0), ii)")},
            },
            "parts"};
}

}  // namespace burin
