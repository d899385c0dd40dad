// From the raw numbers of a camera's sensor to a picture: single hot points are held down, the two colours that each
// point lacks are interpolated along the weaker edge, and colours and brightness are corrected.
#include <fmt/format.h>

#include "schedules/library.h"

namespace burin {
namespace {

constexpr int white = 1023;  // of the sensor

Expr mean(Expr a, Expr b) { return rounding_halving_add(a, b); }
// The mean of two neighbours, of those that differ less.
Expr along_edge(Expr a0, Expr a1, Expr b0, Expr b1) {
    return select(absd(a0, a1) < absd(b0, b1), mean(a0, a1), mean(b0, b1));
}

Pipeline make() {
    Size h("h"), w("w");
    Input<uint16_t> raw("raw", {h, w});
    Var y("y"), x("x"), c("c"), v("v");
    Func sensor("sensor"), calm("calm");
    // Outside, the nearest point of the same colour.
    auto inside = [](Expr t, Expr n) { return max(min(t, n - 2 + (t - n) % 2), t % 2); };
    sensor(y, x) = raw(inside(y, h), inside(x, w));
    Expr around =
        max(max(sensor(y - 2, x), sensor(y + 2, x)), max(sensor(y, x - 2), sensor(y, x + 2)));
    calm(y, x) = cast<int16_t>(min(sensor(y, x), around));

    auto plane = [&](const char* name, Expr value) {
        Func f(name);
        f(y, x) = value;
        return f;
    };
    Func gr = plane("gr", calm(2 * y, 2 * x)), r = plane("r", calm(2 * y, 2 * x + 1));
    Func b = plane("b", calm(2 * y + 1, 2 * x)), gb = plane("gb", calm(2 * y + 1, 2 * x + 1));
    Func g_at_r = plane("g_at_r", along_edge(gb(y - 1, x), gb(y, x), gr(y, x), gr(y, x + 1)));
    Func g_at_b = plane("g_at_b", along_edge(gr(y, x), gr(y + 1, x), gb(y, x - 1), gb(y, x)));

    // A colour at a point of known green: the mean of two neighbours, moved as green is moved from theirs.
    auto moved = [](Expr green, const Func& colour, const Func& greens, Expr y0, Expr x0, Expr y1,
                    Expr x1) {
        return green + mean(colour(y0, x0), colour(y1, x1)) - mean(greens(y0, x0), greens(y1, x1));
    };
    // Likewise across the two diagonals from (y0, x0) to (y0 + 1, x0 + 1).
    auto crossed = [&](const Func& green, const Func& colour, const Func& greens, Expr y0,
                       Expr x0) {
        Expr falling = absd(colour(y0, x0), colour(y0 + 1, x0 + 1));
        Expr rising = absd(colour(y0 + 1, x0), colour(y0, x0 + 1));
        return select(falling < rising, moved(green(y, x), colour, greens, y0, x0, y0 + 1, x0 + 1),
                      moved(green(y, x), colour, greens, y0 + 1, x0, y0, x0 + 1));
    };
    Func r_at_gr = plane("r_at_gr", moved(gr(y, x), r, g_at_r, y, x - 1, y, x));
    Func r_at_gb = plane("r_at_gb", moved(gb(y, x), r, g_at_r, y, x, y + 1, x));
    Func r_at_b = plane("r_at_b", crossed(g_at_b, r, g_at_r, y, x - 1));
    Func b_at_gr = plane("b_at_gr", moved(gr(y, x), b, g_at_b, y - 1, x, y, x));
    Func b_at_gb = plane("b_at_gb", moved(gb(y, x), b, g_at_b, y, x, y, x + 1));
    Func b_at_r = plane("b_at_r", crossed(g_at_r, b, g_at_b, y - 1, x));

    // One of two by arithmetic: reads in a select are masked, lane by lane.
    auto pick = [](Expr t, Expr even, Expr odd) {
        return even + (odd - even) * cast<int16_t>(t % 2);
    };
    auto woven = [&](const char* name, const Func& top_left, const Func& top_right,
                     const Func& bottom_left, const Func& bottom_right) {
        auto pair = [&](const Func& left, const Func& right) {
            return pick(x, left(y / 2, x / 2), right(y / 2, x / 2));
        };
        return plane(name, pick(y, pair(top_left, top_right), pair(bottom_left, bottom_right)));
    };
    Func red = woven("red", r_at_gr, r, r_at_b, r_at_gb);
    Func green = woven("green", gr, g_at_r, g_at_b, gb);
    Func blue = woven("blue", b_at_gr, b_at_r, b, b_at_gb);

    // From the sensor's colours to the screen's, in 256ths: each row sums to 256, so grey stays grey.
    auto mixed = [&](int of_red, int of_green, int of_blue) {
        auto wide = [&](const Func& f) { return cast<int>(f(y, x)); };
        return (of_red * wide(red) + of_green * wide(green) + of_blue * wide(blue)) / 256;
    };
    Func linear("linear"), curve("curve"), out("out");
    linear(c, y, x) = mux(c, {mixed(397, -122, -19), mixed(-54, 390, -80), mixed(-6, -145, 407)});
    // Gamma 1/2.2, then an S for contrast.
    Expr light = pow(cast<float>(v) / float(white), 1 / 2.2f);
    curve(v) = cast<int>(round(255.0f * (light * light * (3 - 2 * light))));
    out(c, y, x) = cast<uint8_t>(curve(clamp(index(linear(c, y, x)), 0, white)));
    return Pipeline("camera", {raw}, {out({3, h, w})});
}

std::string strips() {
    std::string text = R"(
stage curve
  compute_root()
stage out
  bound(c, 0, 3)
  yo, yi = split(y, 32)
  xo, xi = split(x, 32)
  reorder(yo, yi, xo, c, xi)
  parallel(yo)
  unroll(c)
  vectorize(xi)
)";
    auto at = [&](const char* loop, std::initializer_list<const char*> stages) {
        for (auto* stage : stages)
            text +=
                fmt::format("stage {}\n  compute_at(out, {})\n  vectorize(x, 32)\n", stage, loop);
    };
    at("yo", {"calm", "gr", "r", "b", "gb", "g_at_r", "g_at_b", "r_at_gr", "r_at_gb", "r_at_b",
              "b_at_gr", "b_at_gb", "b_at_r"});
    at("yi", {"red", "green", "blue"});
    return text;
}

}  // namespace

LibraryEntry camera() {
    return {"camera",
            "a camera's raw numbers to a picture, u16 to planar u8 [3, h, w]",
            make,
            {{"h", 1536}, {"w", 2560}},
            {{"raw", 0, white}},
            {
                {"rows", "the sensor's numbers calmed first, then row by row, all else inline", R"(
stage curve
  compute_root()
stage calm
  compute_root()
  parallel(y)
  vectorize(x, 16)
stage out
  reorder(y, c, x)
  parallel(y)
)"},
                {"strips", "all steps over strips of 32 rows in parallel, the last ones row by row",
                 strips()},
            },
            "strips"};
}

}  // namespace burin
