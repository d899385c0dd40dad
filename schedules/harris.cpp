// Corners after Harris and Stephens (1988): where the products of the gradients, summed over 3 x 3 points, have two
// large eigenvalues; det - 0.04 trace^2.
#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make() {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func dx("dx"), dy("dy"), corners("corners");
    auto sobel = [](auto at) {
        return (at(-1, 1) - at(-1, -1) + 2 * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1)) *
               (1 / 12.0f);
    };
    dx(y, x) = sobel([&](int a, int d) -> Expr { return in(y + a + 1, x + d + 1); });
    dy(y, x) = sobel([&](int a, int d) -> Expr { return in(y + d + 1, x + a + 1); });
    auto sum = [&](const char* name, const Func& f, const Func& g) {
        Func row(name);
        auto add = [&](const Expr& to, int d) { return fma(f(y, x + d), g(y, x + d), to); };
        row(y, x) = add(add(f(y, x) * g(y, x), 1), 2);
        return row(y, x) + row(y + 1, x) + row(y + 2, x);
    };
    Expr xx = sum("xx", dx, dx), xy = sum("xy", dx, dy), yy = sum("yy", dy, dy);
    corners(y, x) = xx * yy - xy * xy - 0.04f * (xx + yy) * (xx + yy);
    return Pipeline("harris", {in}, {corners({h - 4, w - 4})});
}

}  // namespace

LibraryEntry harris() {
    return {"harris",
            "how much each point of an image is a corner, f32",
            make,
            {{"h", 2052}, {"w", 2052}},
            {{"in", 0, 1}},
            {
                {"root", "both gradients whole, then the rest", R"(
stage dx
  compute_root()
  parallel(y)
  vectorize(x, 16)
stage dy
  compute_root()
  parallel(y)
  vectorize(x, 16)
stage corners
  parallel(y)
  vectorize(x, 16)
)"},
                {"strips", "strips of 32 rows in parallel, the gradients one strip at a time", R"(
stage corners
  yo, yi = split(y, 32)
  parallel(yo)
  vectorize(x, 16)
stage dx
  compute_at(corners, yo)
  vectorize(x, 16)
stage dy
  compute_at(corners, yo)
  vectorize(x, 16)
)"},
                {"sliding",
                 "strips of 64 rows in parallel, in tiles of 512 columns, four rows at a time that "
                 "share what they read of the gradients, six rows of which are kept; the result "
                 "goes past the caches",
                 R"(
stage corners
  yo, yi = split(y, 64)
  yt, yr = split(yi, 4)
  xo, xs = split(x, 512)
  xt, xi = split(xs, 16)
  reorder(yo, xo, yt, xt, yr, xi)
  parallel(yo)
  unroll(yr)
  vectorize(xi)
  stream_stores()
stage dx
  store_at(corners, xo)
  compute_at(corners, yt)
  vectorize(x, 16, predicate)
stage dy
  store_at(corners, xo)
  compute_at(corners, yt)
  vectorize(x, 16, predicate)
)"},
            },
            "sliding"};
}

}  // namespace burin
