// Pictures: counts, tables, grids, pyramids, colours.
#include "bench/halide/programs.h"

namespace rival {
namespace {

// How often each value occurs: by bands of rows in parallel, and in a band four counts in turn, so that equal
// neighbours need not wait for each other.
Func counts_of(ImageParam in, int h, int w) {
    const int bands = fitting(16, h), lanes = fitting(4, w);
    Func part("part"), counts("counts");
    Var v("v"), u("u"), band("band");
    RDom r(0, w / lanes, 0, h / bands), q(0, lanes, 0, bands);
    part(v, u, band) = cast<uint32_t>(0);
    part(cast<int>(in(r.x * lanes + u, band * (h / bands) + r.y)), u, band) += cast<uint32_t>(1);
    counts(v) = cast<uint32_t>(0);
    counts(v) += part(v, q.x, q.y);
    part.compute_root().vectorize(v, 16);
    part.update().reorder(u, r.x, r.y, band).unroll(u).parallel(band);
    counts.compute_root().vectorize(v, 16);
    counts.update().reorder(v, q.x, q.y).vectorize(v, 16);
    return counts;
}

Program histogram(int h, int w) {
    ImageParam in(UInt(8), 2, "in");
    return {{{in, {w, h}}}, {{counts_of(in, h, w), {256}}}};
}

Program equalize(int h, int w) {
    ImageParam in(UInt(8), 2, "in");
    Func counts = counts_of(in, h, w), below("below"), map("map"), out("out");
    Var v("v"), x("x"), y("y"), yo("yo"), yi("yi");
    RDom s(1, 255);
    below(v) = cast<uint64_t>(counts(v));
    below(s) += below(s - 1);
    const Expr pixels = Internal::make_const(UInt(64), int64_t(h) * w);
    map(v) = cast<uint8_t>((below(v) * cast<uint64_t>(255) + pixels / 2) / pixels);
    out(x, y) = map(cast<int>(in(x, y)));
    below.compute_root();
    map.compute_root();
    out.split(y, yo, yi, 16).parallel(yo).vectorize(x, 8);
    return {{{in, {w, h}}}, {{out, {w, h}}}};
}

Program bilateral_grid(int h, int w) {
    constexpr int cell = 8, levels = 10;
    ImageParam in(Float(32), 2, "in");
    Func pixel = BoundaryConditions::repeat_edge(in, {{0, w}, {0, h}});
    Func grid("grid"), blur_z("blur_z"), blur_x("blur_x"), blur_y("blur_y"), out("out");
    Var x("x"), y("y"), z("z"), c("c");
    RDom r(0, cell, 0, cell);
    auto level = [&](Expr v) { return clamp(v, 0.0f, 1.0f) * float(levels); };
    // c = 0: the sum of the points that are nearest to a node, 1: their number.
    Expr v = pixel(x * cell + r.x - cell / 2, y * cell + r.y - cell / 2);
    Expr nearest = clamp(cast<int>(level(v) + 0.5f), 0, levels);
    grid(x, y, z, c) = 0.0f;
    grid(x, y, nearest, c) += mux(c, {v, 1.0f});
    auto taps = [](auto at) -> Expr { return at(-2) + 4 * at(-1) + 6 * at(0) + 4 * at(1) + at(2); };
    blur_z(x, y, z, c) = taps([&](int d) -> Expr { return grid(x, y, z + d, c); });
    blur_x(x, y, z, c) = taps([&](int d) -> Expr { return blur_z(x + d, y, z, c); });
    blur_y(x, y, z, c) = taps([&](int d) -> Expr { return blur_x(x, y + d, z, c); });
    Expr at = level(in(x, y)), below = clamp(cast<int>(at), 0, levels - 1);
    Expr fz = at - cast<float>(below), fy = (y % cell) / float(cell), fx = (x % cell) / float(cell);
    // Between the rows of the grid first: that serves a whole row of points.
    Func row("row");
    row(x, y, z, c) = mix(blur_y(x, y / cell, z, c), blur_y(x, y / cell + 1, z, c), fy);
    auto between = [&](int c) {
        auto node = [&](int dx, int dz) -> Expr { return row(x / cell + dx, y, below + dz, c); };
        auto plane = [&](int dz) { return mix(node(0, dz), node(1, dz), fx); };
        return mix(plane(0), plane(1), fz);
    };
    out(x, y) = between(0) / between(1);

    blur_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, 16).unroll(c);
    grid.compute_at(blur_z, y).vectorize(x, 16);
    grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
    for (Func f : {blur_x, blur_y})
        f.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, 16).unroll(c);
    Var yo("yo"), yi("yi");
    out.split(y, yo, yi, 16).parallel(yo).vectorize(x, 16);
    row.compute_at(out, yi).vectorize(x, 16);
    return {{{in, {w, h}}}, {{out, {w, h}}}};
}

// A picture x, y or a stack of them x, y, k.
struct Pictures {
    bool stack;
    Var x{"x"}, y{"y"}, k{"k"};

    FuncRef at(Func f, Expr u, Expr v) const { return stack ? f(u, v, k) : f(u, v); }
    // Half the size; `across` is left half as wide.
    Func down(Func f, Func across, const std::string& name) const {
        auto taps = [](auto g) -> Expr { return (g(-1) + 3.0f * (g(0) + g(1)) + g(2)) / 8.0f; };
        Func half(name);
        at(across, x, y) = taps([&](int d) -> Expr { return at(f, 2 * x + d, y); });
        at(half, x, y) = taps([&](int d) -> Expr { return at(across, x, 2 * y + d); });
        return half;
    }
    Func up(Func f, const std::string& name) const {
        auto between = [](Expr t, auto g) -> Expr {
            return 0.75f * g(t / 2) + 0.25f * g(t / 2 - 1 + 2 * (t % 2));
        };
        Func across(name + "_x"), twice(name);
        at(across, x, y) = between(x, [&](Expr u) -> Expr { return at(f, u, y); });
        at(twice, x, y) = between(y, [&](Expr v) -> Expr { return at(across, x, v); });
        return twice;
    }
};

Program local_laplacian(int h, int w, int levels) {
    constexpr int copies = 8, steps = 256;
    ImageParam in(Float(32), 3, "in");
    Func pixel = BoundaryConditions::repeat_edge(in, {{0, w}, {0, h}, {Expr(), Expr()}});
    const Pictures one{false}, many{true};
    Var x = one.x, y = one.y, k = many.k, c("c"), t("t"), yo("yo"), yi("yi");
    Func gray("gray0"), table("table"), remapped("remapped0"), out("out");
    // No fused multiply-adds here: another last bit may select another entry of the table.
    gray(x, y) =
        strict_float(0.299f * pixel(x, y, 0) + 0.587f * pixel(x, y, 1) + 0.114f * pixel(x, y, 2));
    Expr distance = cast<float>(t) / float(steps);
    table(t) = distance * exp(-distance * distance / 2.0f) / float(copies - 1);
    Expr place =
        clamp(cast<int>(gray(x, y) * float((copies - 1) * steps)), 0, (copies - 1) * steps);
    remapped(x, y, k) = gray(x, y) + table(place - steps * k);

    auto strips = [&](Func f, int level) {
        f.compute_root().split(y, yo, yi, 8, TailStrategy::GuardWithIf);
        if (level < 5) f.parallel(yo);
        if (level < 7) f.vectorize(x, level < 5 ? 16 : 4, TailStrategy::GuardWithIf);
    };
    table.compute_root();
    strips(gray, 0);
    std::vector<Func> grays{gray}, stacks{remapped};
    for (int j = 1; j < levels; ++j) {
        const std::string n = std::to_string(j);
        Func across("across" + n), gray_across("gray_across" + n);
        grays.push_back(one.down(grays.back(), gray_across, "gray" + n));
        strips(grays.back(), j);
        Func from = stacks.back();
        Func half = many.down(from, across, "remapped" + n);
        strips(half, j);
        half.reorder_storage(x, k, y).reorder(x, yi, k, yo);
        across.compute_at(half, k).vectorize(x, j < 5 ? 16 : 4);
        if (j == 1) from.clone_in(across).compute_at(half, k).vectorize(x, 16);
        stacks.push_back(half);
    }
    Func result("result");
    for (int j = levels - 1; j >= 0; --j) {
        const std::string n = std::to_string(j);
        const bool coarsest = j == levels - 1;
        Func detail("detail" + n), sum("result" + n);
        Func wide = coarsest ? Func() : many.up(stacks[size_t(j) + 1], "wide" + n);
        detail(x, y, k) = coarsest ? Expr(stacks[size_t(j)](x, y, k))
                                   : stacks[size_t(j)](x, y, k) - wide(x, y, k);
        Expr at = grays[size_t(j)](x, y) * float(copies - 1);
        Expr below = clamp(cast<int>(at), 0, copies - 2);
        Expr chosen = mix(detail(x, y, below), detail(x, y, below + 1), at - cast<float>(below));
        sum(x, y) = coarsest ? chosen : one.up(result, "grown" + n)(x, y) + chosen;
        if (j > 0) strips(sum, j);
        else sum.compute_at(out, yi).vectorize(x, 16);
        if (!coarsest) wide.compute_at(j > 0 ? sum : out, yi).vectorize(x, j < 5 ? 16 : 4);
        result = sum;
    }
    out(x, y, c) = result(x, y) * (pixel(x, y, c) + 0.01f) / (gray(x, y) + 0.01f);
    out.split(y, yo, yi, 16).reorder(x, c, yi, yo).parallel(yo).vectorize(x, 16);
    return {{{in, {w, h, 3}}}, {{out, {w, h, 3}}}};
}

// Of a sensor's numbers, in strips of 32 rows; rows and columns of the result in pairs, one of each colour.
Program camera(int h, int w) {
    constexpr int white = 1023;
    ImageParam raw(UInt(16), 2, "raw");
    Var x("x"), y("y"), c("c"), v("v");
    auto inside = [](Expr t, int n) { return max(min(t, n - 2 + (t - n) % 2), t % 2); };
    Func calm("calm");
    auto sensor = [&](Expr u, Expr v) { return raw(inside(u, w), inside(v, h)); };
    Func held("held");
    held(x, y) = cast<int16_t>(sensor(x, y));
    Expr around = max(max(held(x, y - 2), held(x, y + 2)), max(held(x - 2, y), held(x + 2, y)));
    calm(x, y) = min(held(x, y), around);

    std::vector<Func> strip{held, calm};
    auto plane = [&](const char* name, Expr value) {
        Func f(name);
        f(x, y) = value;
        strip.push_back(f);
        return f;
    };
    auto mean = [](Expr a, Expr b) { return rounding_halving_add(a, b); };
    auto along_edge = [&](Expr a0, Expr a1, Expr b0, Expr b1) {
        return select(absd(a0, a1) < absd(b0, b1), mean(a0, a1), mean(b0, b1));
    };
    Func gr = plane("gr", calm(2 * x, 2 * y)), r = plane("r", calm(2 * x + 1, 2 * y));
    Func b = plane("b", calm(2 * x, 2 * y + 1)), gb = plane("gb", calm(2 * x + 1, 2 * y + 1));
    Func g_at_r = plane("g_at_r", along_edge(gb(x, y - 1), gb(x, y), gr(x, y), gr(x + 1, y)));
    Func g_at_b = plane("g_at_b", along_edge(gr(x, y), gr(x, y + 1), gb(x - 1, y), gb(x, y)));
    struct At {
        Expr x, y;
    };
    // Green at this point, moved as the colour is above green at two others.
    auto moved = [&](Func green, Func colour, Func greens, At p, At q) -> Expr {
        return green(x, y) + mean(colour(p.x, p.y), colour(q.x, q.y)) -
               mean(greens(p.x, p.y), greens(q.x, q.y));
    };
    auto crossed = [&](Func green, Func colour, Func greens, At p) {
        At left_low{p.x, p.y + 1}, right{p.x + 1, p.y}, right_low{p.x + 1, p.y + 1};
        Expr falling = absd(colour(p.x, p.y), colour(p.x + 1, p.y + 1));
        Expr rising = absd(colour(p.x, p.y + 1), colour(p.x + 1, p.y));
        return select(falling < rising, moved(green, colour, greens, p, right_low),
                      moved(green, colour, greens, left_low, right));
    };
    const At here{x, y}, left{x - 1, y}, right{x + 1, y}, above{x, y - 1}, low{x, y + 1};
    Func r_at_gr = plane("r_at_gr", moved(gr, r, g_at_r, left, here));
    Func r_at_gb = plane("r_at_gb", moved(gb, r, g_at_r, here, low));
    Func r_at_b = plane("r_at_b", crossed(g_at_b, r, g_at_r, left));
    Func b_at_gr = plane("b_at_gr", moved(gr, b, g_at_b, above, here));
    Func b_at_gb = plane("b_at_gb", moved(gb, b, g_at_b, here, right));
    Func b_at_r = plane("b_at_r", crossed(g_at_r, b, g_at_b, above));

    auto woven = [&](Func top_left, Func top_right, Func low_left, Func low_right) {
        auto pair = [&](Func left, Func right) {
            return select(x % 2 == 0, left(x / 2, y / 2), right(x / 2, y / 2));
        };
        return cast<int>(select(y % 2 == 0, pair(top_left, top_right), pair(low_left, low_right)));
    };
    Expr red = woven(r_at_gr, r, r_at_b, r_at_gb), green = woven(gr, g_at_r, g_at_b, gb);
    Expr blue = woven(b_at_gr, b_at_r, b, b_at_gb);
    auto mixed = [&](int of_red, int of_green, int of_blue) {
        return (of_red * red + of_green * green + of_blue * blue) / 256;
    };
    Func curve("curve"), out("out");
    Expr linear = mux(c, {mixed(397, -122, -19), mixed(-54, 390, -80), mixed(-6, -145, 407)});
    Expr light = pow(cast<float>(v) / float(white), 1 / 2.2f);
    curve(v) = cast<uint8_t>(round(255.0f * (light * light * (3.0f - 2.0f * light))));
    out(x, y, c) = curve(clamp(linear, 0, white));

    Var yo("yo"), yi("yi"), yp("yp"), xo("xo"), xi("xi"), xp("xp");
    curve.compute_root();
    out.bound(c, 0, 3);
    out.split(y, yo, yi, 32).split(yi, yi, yp, 2).parallel(yo);
    out.split(x, xo, xi, 64).split(xi, xi, xp, 2).vectorize(xi);
    out.reorder(xp, xi, c, yp, xo, yi, yo).unroll(xp).unroll(c).unroll(yp);
    for (Func f : strip) f.compute_at(out, yo).vectorize(x, 32);
    return {{{raw, {w, h}}}, {{out, {w, h, 3}}}};
}

// Drawn from sines by polynomials.
Program picture(int h, int w) {
    Func light("light"), out("picture");
    Var x("x"), y("y"), c("c"), yo("yo"), yi("yi");
    Expr v = cast<float>(y) * 0.001f, u = cast<float>(x) * 0.001f;
    Expr du = u - 1.7f, dv = v - 1.2f;
    Expr rings = fast_sin((du * du + dv * dv) * 40.0f);
    Expr hills = fast_sin(u * 3.1f + 1.0f) * fast_cos(v * 4.3f);
    Expr grid = select((x / 8 + y / 8) % 2 == 0, 0.06f, -0.06f);
    light(x, y) = 0.5f + 0.22f * hills + 0.14f * rings + grid;
    Expr tint = mux(c, {0.75f + 0.25f * fast_sin(u * 2.0f), 0.7f + 0.2f * fast_cos(v * 1.7f),
                        0.6f + 0.3f * fast_sin(u + v)});
    out(x, y, c) = cast<uint8_t>(clamp(round(255.0f * light(x, y) * tint), 0.0f, 255.0f));
    out.bound(c, 0, 3).split(y, yo, yi, 16).reorder(x, c, yi, yo).unroll(c).parallel(yo);
    out.vectorize(x, 16);
    light.compute_at(out, yi).vectorize(x, 16);
    return {{}, {{out, {w, h, 3}}}};
}

}  // namespace

Programs pictures() {
    return {
        {"histogram", [](auto& n) { return histogram(n.at(0), n.at(1)); }},
        {"equalize", [](auto& n) { return equalize(n.at(0), n.at(1)); }},
        {"bilateral_grid", [](auto& n) { return bilateral_grid(n.at(0), n.at(1)); }},
        {"local_laplacian", [](auto& n) { return local_laplacian(n.at(0), n.at(1), 8); }},
        {"local_laplacian_3", [](auto& n) { return local_laplacian(n.at(0), n.at(1), 3); }},
        {"camera", [](auto& n) { return camera(n.at(0), n.at(1)); }},
        {"picture", [](auto& n) { return picture(n.at(0), n.at(1)); }},
    };
}

}  // namespace rival
