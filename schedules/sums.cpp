// Reductions of a matrix along its rows or its columns: sums and the place of the largest element.
#include "schedules/library.h"
#include "schedules/row_parts.h"

namespace burin {
namespace {

Pipeline make_row_sums() {
    Size m("m"), n("n");
    Input<float> x("x", {m, n});
    Var i("i");
    RDom r(n, "r");
    Func y("y");
    y(i) += x(i, r);
    return Pipeline("row_sums", {x}, {y({m})});
}

Pipeline make_column_sums() {
    Size m("m"), n("n");
    Input<float> x("x", {m, n});
    Var j("j");
    RDom r(m, "r");
    Func y("y");
    y(j) += x(r, j);
    return Pipeline("column_sums", {x}, {y({n})});
}

// The largest value (a NaN counts as that), then the first place that holds it: two passes over numbers of one width are
// faster than one over pairs.
Pipeline make_argmax() {
    Size m("m"), n("n");
    Input<float> x("x", {m, n});
    Var i("i");
    RDom r(n, "r");
    Func top("top"), y("y");
    top(i) = max(top(i), x(i, r));
    Expr found = x(i, r) == top(i) || is_nan(x(i, r));
    y(i) = min(y(i), select(found, cast<int>(r), cast<int>(n)));
    return Pipeline("argmax", {x}, {y({m})});
}

}  // namespace

LibraryEntry row_sums() {
    return {"row_sums",
            "the sum of each row, f32",
            make_row_sums,
            {{"m", 4096}, {"n", 4096}},
            {{"x", -1, 1}},
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

LibraryEntry column_sums() {
    return {
        "column_sums",
        "the sum of each column, f32",
        make_column_sums,
        {{"m", 4096}, {"n", 4096}},
        {{"x", -1, 1}},
        {
            {"rows", "rows added one after another, 16 columns at a time", R"(
stage y
  vectorize(j, 16)
stage y.update(0)
  vectorize(j, 16)
)"},
            {"strips", "strips of 512 columns in parallel, their sums in the first-level cache", R"(
stage y
  vectorize(j, 16)
stage y.update(0)
  jo, ji = split(j, 512)
  reorder(jo, r, ji)
  parallel(jo)
  vectorize(ji, 16)
)"},
        },
        "strips"};
}

LibraryEntry argmax() {
    return {"argmax",
            "the place of the first largest element of each row, f32",
            make_argmax,
            {{"m", 4096}, {"n", 4096}},
            {{"x", -1, 1}},
            {
                {"rows", "rows in parallel", R"(
stage y.update(0)
  parallel(i, 16)
stage top
  compute_at(y.update(0), ii)
)"},
                {"parts", "both passes over a row in 64 parts",
                 std::string(R"(
tops = rfactor(top.update(0), r, 64, inner, u, tree)
firsts = rfactor(y.update(0), r, 64, inner, u, tree)
stage y.update(0)
  parallel(i, 16)
stage top
  compute_at(y.update(0), ii)
)") + row_parts("tops", "compute_at(y.update(0), ii)") +
                     row_parts("firsts", "compute_at(y.update(0), ii)")},
            },
            "parts"};
}

}  // namespace burin
