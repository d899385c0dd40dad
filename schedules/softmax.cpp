// Softmax of each row: exp(x - max) over the sum of the same.
#include "schedules/library.h"
#include "schedules/row_parts.h"

namespace burin {
namespace {

Pipeline make() {
    Size m("m"), n("n");
    Input<float> x("x", {m, n});
    Var i("i"), j("j");
    RDom r(n, "r");
    Func top("top"), e("e"), total("total"), inverse("inverse"), y("y");
    top(i) = max(top(i), x(i, r));
    e(i, j) = exp(x(i, j) - top(i));
    total(i) += e(i, r);
    inverse(i) = 1 / total(i);
    y(i, j) = e(i, j) * inverse(i);
    return Pipeline("softmax", {x}, {y({m, n})});
}

constexpr const char* row = "compute_at(y, ii)";

}  // namespace

LibraryEntry softmax() {
    return {"softmax",
            "softmax of each row, f32",
            make,
            {{"m", 4096}, {"n", 1024}},
            {{"x", -4, 4}},
            {
                {"root", "every stage whole, one after another", R"(
stage e
  compute_root()
  parallel(i)
  vectorize(j, 16)
stage y
  parallel(i)
  vectorize(j, 16)
)"},
                {"rows", "a row at a time, its sum in the written order", R"(
stage y
  parallel(i, 16)
  vectorize(j, 16)
stage inverse
  compute_at(y, ii)
stage total
  compute_at(y, ii)
stage e
  compute_at(y, ii)
  vectorize(j, 16)
stage top
  compute_at(y, ii)
)"},
                {"parts", "a row at a time, its maximum and its sum in 64 parts", std::string(R"(
tops = rfactor(top.update(0), r, 64, inner, u, tree)
sums = rfactor(total.update(0), r, 64, inner, u, tree)
stage y
  parallel(i, 16)
  vectorize(j, 64)
stage inverse
  compute_at(y, ii)
stage total
  compute_at(y, ii)
stage e
  compute_at(y, ii)
  vectorize(j, 64)
stage top
  compute_at(y, ii)
)") + row_parts("tops", row) + row_parts("sums", row)},
            },
            "parts"};
}

}  // namespace burin
