// The bilateral grid (Chen, Paris and Durand, 2007): smooths an image but not across its edges. Points are added up in
// a coarse grid over place and brightness, the grid is blurred, and each point reads it where it lies.
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

    Func grid("grid");  // {sum, number} of the points nearest to each node
    Expr v = pixel(y * cell + r[0] - cell / 2, x * cell + r[1] - cell / 2);
    Expr nearest = index(clamp(cast<int>(level(v) + 0.5f), 0, levels));
    grid(y, x, z) = {0.0f, 0.0f};
    grid(y, x, nearest) += {v, 1.0f};

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
    auto between = [&](int e) {
        auto row = [&](int dy, int dz) {
            return lerp(blur_y(yi + dy, xi, zi + dz)[e], blur_y(yi + dy, xi + 1, zi + dz)[e], fx);
        };
        auto plane = [&](int dz) { return lerp(row(0, dz), row(1, dz), fy); };
        return lerp(plane(0), plane(1), fz);
    };
    out(y, x) = between(0) / between(1);
    return Pipeline("bilateral_grid", {in}, {out({h, w})});
}

}  // namespace

LibraryEntry bilateral_grid() {
    return {"bilateral_grid",
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
            },
            "root"};
}

}  // namespace burin
