// The bilateral grid (Chen, Paris and Durand, 2007): smooths an image but not across its edges. Points are added up in
// a coarse grid over place and brightness, the grid is blurred, and each point reads it where it lies.
#include <fmt/format.h>

#include "schedules/library.h"

namespace burin {
namespace {

constexpr int cell = 8;     // points a side
constexpr int levels = 10;  // of brightness between 0 and 1

Pipeline make() {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x"), z("z");
    RDom r({cell, cell}, "r");
    Func pixel = clamped(in);
    auto level = [](Expr v) { return clamp(v, 0.0f, 1.0f) * float(levels); };

    Func points("points");  // {value, nearest level}
    points(y, x) = {pixel(y, x), cast<int>(level(pixel(y, x)) + 0.5f)};
    Func grid("grid");  // {sum, number} of the points nearest to each node
    Expr py = y * cell + r[0] - cell / 2, px = x * cell + r[1] - cell / 2;
    Expr nearest = index(clamp(Expr(points(py, px)[1]), 0, levels));
    grid(y, x, z) = {0.0f, 0.0f};
    grid(y, x, nearest) += {points(py, px)[0], 1.0f};

    auto blurred = [&](const char* name, auto at) {
        auto taps = [&](int e) {
            return at(-2, e) + 4 * at(-1, e) + 6 * at(0, e) + 4 * at(1, e) + at(2, e);
        };
        Func f(name);
        f(y, x, z) = {taps(0), taps(1)};
        return f;
    };
    Func blur_z = blurred("blur_z", [&](int d, int e) -> Expr {
        return select(z + d >= 0 && z + d <= levels, grid(y, x, z + d)[e], 0.0f);
    });
    Func blur_x = blurred("blur_x", [&](int d, int e) { return blur_z(y, x + d, z)[e]; });
    Func blur_y = blurred("blur_y", [&](int d, int e) { return blur_x(y + d, x, z)[e]; });

    Func out("out");
    Expr at = level(in(y, x));
    Expr below = clamp(cast<int>(at), 0, levels - 1);
    Expr fz = at - cast<float>(below), zi = index(below);
    auto part = [&](Expr t) { return (cast<float>(t % cell)) / float(cell); };
    Expr fy = part(y), fx = part(x), yi = y / cell, xi = x / cell;
    // Between the rows of the grid first: that serves a whole row of points.
    Func row("row");
    auto between_rows = [&](int e) {
        return lerp(blur_y(yi, x, z)[e], blur_y(yi + 1, x, z)[e], fy);
    };
    row(y, x, z) = {between_rows(0), between_rows(1)};
    auto between = [&](int e) {
        auto plane = [&](int dz) {
            return lerp(row(y, xi, zi + dz)[e], row(y, xi + 1, zi + dz)[e], fx);
        };
        return lerp(plane(0), plane(1), fz);
    };
    out(y, x) = between(0) / between(1);
    return Pipeline("bilateral_grid", {in}, {out({h, w})});
}

// A stage over the grid's nodes at some place, in vectors along x.
std::string x_last(const char* stage, const char* place) {
    return fmt::format(R"(
stage {}
  {}
  transform_layout([y, x, z] -> [y, z, x])
  reorder(y, z, x)
  vectorize(x, 16)
)",
                       stage, place);
}

}  // namespace

LibraryEntry bilateral_grid() {
    const char* root = "compute_root()\n  parallel(y)";
    return {
        "bilateral_grid",
        "smooths an image but not across its edges, f32",
        make,
        {{"h", 1536}, {"w", 2560}},
        {{"in", 0, 1}},
        {
            {"root", "the grid and each blur whole, rows of the result in parallel", R"(
stage grid
  compute_root()
  parallel(y)
stage grid.update(0)
  parallel(y)
stage blur_z
  compute_root()
  parallel(y)
stage blur_x
  compute_root()
  parallel(y)
stage blur_y
  compute_root()
  parallel(y)
stage out
  parallel(y)
  vectorize(x, 16)
)"},
            {"rows",
             "the grid a row at a time, the blurs whole, the result in rows, coordinates x last",
             x_last("grid", "compute_at(blur_z, y)") + x_last("blur_z", root) +
                 x_last("blur_x", root) + x_last("blur_y", root) +
                 x_last("row", "compute_at(out, y)") + R"(
stage points
  compute_at(blur_z, y)
  vectorize(x, 16)
stage out
  parallel(y)
  vectorize(x, 16)
)"},
        },
        "rows"};
}

}  // namespace burin
