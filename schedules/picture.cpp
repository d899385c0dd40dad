// A picture to work on where none is given: hills of colour with rings and a fine grid, so that there is something to
// sharpen at every scale.
#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make() {
    Size h("h"), w("w");
    Var c("c"), y("y"), x("x");
    Func light("light"), picture("picture");
    Expr v = cast<float>(y) * 0.001f, u = cast<float>(x) * 0.001f;
    Expr du = u - 1.7f, dv = v - 1.2f;
    Expr rings = sin((du * du + dv * dv) * 40.0f);
    Expr hills = sin(u * 3.1f + 1.0f) * cos(v * 4.3f);
    Expr grid = select((x / 8 + y / 8) % 2 == 0, 0.06f, -0.06f);
    light(y, x) = 0.5f + 0.22f * hills + 0.14f * rings + grid;
    Expr tint = mux(
        c, {0.75f + 0.25f * sin(u * 2.0f), 0.7f + 0.2f * cos(v * 1.7f), 0.6f + 0.3f * sin(u + v)});
    picture(c, y, x) = cast<uint8_t>(round(255.0f * light(y, x) * tint));
    return Pipeline("picture", {h, w}, {picture({3, h, w})});
}

}  // namespace

LibraryEntry picture() {
    return {
        "picture",
        "draws the picture that the demo sharpens, planar u8 [3, h, w]",
        make,
        {{"h", 3000}, {"w", 4000}},
        {},
        {
            // Higher tiles hold more pages than stores have addresses of at hand.
            {"tiles", "16 x 128: what depends on a column alone is worked out once for a tile", R"(
stage picture
  yo, yi = split(y, 16)
  xo, xt = split(x, 128)
  xm, xi = split(xt, 64)
  reorder(yo, xo, yi, xm, c, xi)
  parallel(yo)
  bound(c, 0, 3)
  unroll(xm)
  unroll(c)
  vectorize(xi)
)"},
        },
        "tiles"};
}

}  // namespace burin
