// A recursive low-pass filter run forwards and backwards: y(t) = y(t - 1) + (x(t) - y(t - 1)) / 4, then the same from the
// other end. Along the columns of an image, where whole rows are updated at once, and along its rows.
#include "schedules/library.h"

namespace burin {
namespace {

constexpr float share = 0.25f;

Pipeline make_columns() {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    RDom r(Range{1, h}, "r");
    Func down("down"), up("up"), out("out");
    down(y, x) = in(y, x);
    down(r, x) = lerp(down(r - 1, x), in(r, x), share);
    up(y, x) = down(y, x);
    up(h - 1 - r, x) = lerp(up(h - r, x), down(h - 1 - r, x), share);
    out(y, x) = up(y, x);
    return Pipeline("iir_columns", {in}, {out({h, w})});
}

Pipeline make_rows() {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    RDom r(Range{1, w}, "r");
    Func right("right"), left("left"), out("out");
    right(y, x) = in(y, x);
    right(y, r) = lerp(right(y, r - 1), in(y, r), share);
    left(y, x) = right(y, x);
    left(y, w - 1 - r) = lerp(left(y, w - r), right(y, w - 1 - r), share);
    out(y, x) = left(y, x);
    return Pipeline("iir_rows", {in}, {out({h, w})});
}

}  // namespace

LibraryEntry iir_columns() {
    return {"iir_columns",
            "a recursive filter down and up the columns, f32",
            make_columns,
            {{"h", 1536}, {"w", 2560}},
            {{"in", 0, 1}},
            {
                {"rows", "whole rows, 16 points at a time", R"(
stage down
  vectorize(x, 16)
stage down.update(0)
  reorder(r, x)
  vectorize(x, 16)
stage up
  vectorize(x, 16)
stage up.update(0)
  reorder(r, x)
  vectorize(x, 16)
stage out
  vectorize(x, 16)
)"},
                {"strips",
                 "strips of 64 columns in parallel, both passes over a strip at a time, the result "
                 "past the caches",
                 R"(
stage down
  compute_at(out, xo)
  vectorize(x, 16)
stage down.update(0)
  reorder(r, x)
  vectorize(x, 16)
stage up
  compute_at(out, xo)
  vectorize(x, 16)
stage up.update(0)
  reorder(r, x)
  vectorize(x, 16)
stage out
  xo, xi = split(x, 64)
  reorder(xo, y, xi)
  parallel(xo)
  vectorize(xi, 16)
  stream_stores()
)"},
            },
            "strips"};
}

LibraryEntry iir_rows() {
    return {"iir_rows",
            "a recursive filter forwards and backwards along the rows, f32",
            make_rows,
            {{"h", 1536}, {"w", 2560}},
            {{"in", 0, 1}},
            {
                {"rows", "rows in parallel, both passes over a row at a time", R"(
stage right
  compute_at(out, y)
  vectorize(x, 16)
stage left
  compute_at(out, y)
  vectorize(x, 16)
stage out
  parallel(y)
  vectorize(x, 16)
)"},
                // The points of a column lie side by side, so a vector takes 16 rows one step on.
                {"strips", "strips of 32 rows in parallel, stored by columns", R"(
stage right
  compute_at(out, yo)
  transform_layout([y, x] -> [x, y])
  reorder(x, y)
  vectorize(y, 16)
stage right.update(0)
  reorder(r, y)
  vectorize(y, 16)
stage left
  compute_at(out, yo)
  transform_layout([y, x] -> [x, y])
  reorder(x, y)
  vectorize(y, 16)
stage left.update(0)
  reorder(r, y)
  vectorize(y, 16)
stage out
  yo, yi = split(y, 32)
  xo, xi = split(x, 16)
  reorder(yo, xo, yi, xi)
  parallel(yo)
  vectorize(xi)
)"},
            },
            "strips"};
}

}  // namespace burin
