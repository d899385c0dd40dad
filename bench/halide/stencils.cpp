// Neighbourhoods of points in images.
#include "bench/halide/programs.h"

namespace rival {
namespace {

Program blur(Type type, int h, int w) {
    ImageParam in(type, 2, "in");
    Func blur_x("blur_x"), blur_y("blur_y");
    Var x("x"), y("y");
    blur_x(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / cast(type, 3);
    blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / cast(type, 3);
    int lanes = 64 / type.bytes();
    blur_y.parallel(y).vectorize(x, lanes);
    return {{{in, {w, h}}}, {{blur_y, {w - 2, h - 2}}}};
}

// Two gradients and a sum of their products: rows of strips, three of the gradients kept.
Program harris(int h, int w) {
    ImageParam in(Float(32), 2, "in");
    Func dx("dx"), dy("dy"), out("corners");
    Var x("x"), y("y"), yo("yo"), yi("yi");
    auto sobel = [](auto at) {
        return (at(-1, 1) - at(-1, -1) + 2.0f * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1)) *
               (1 / 12.0f);
    };
    dx(x, y) = sobel([&](int a, int d) -> Expr { return in(x + d + 1, y + a + 1); });
    dy(x, y) = sobel([&](int a, int d) -> Expr { return in(x + a + 1, y + d + 1); });
    auto sum = [&](const Func& f, const Func& g) {
        Func row;
        row(x, y) = f(x, y) * g(x, y) + f(x + 1, y) * g(x + 1, y) + f(x + 2, y) * g(x + 2, y);
        return row(x, y) + row(x, y + 1) + row(x, y + 2);
    };
    Expr xx = sum(dx, dx), xy = sum(dx, dy), yy = sum(dy, dy);
    out(x, y) = xx * yy - xy * xy - 0.04f * (xx + yy) * (xx + yy);
    Var xo("xo"), xi("xi"), yt("yt");
    out.split(y, yo, yi, 64).split(yi, yt, yi, 4).split(x, xo, xi, 16);
    out.reorder(xi, yi, xo, yt, yo).parallel(yo).vectorize(xi).unroll(yi);
    for (Func f : {dx, dy}) f.store_at(out, yo).compute_at(out, yt).vectorize(x, 16);
    return {{{in, {w, h}}}, {{out, {w - 4, h - 4}}}};
}

// The planar picture in tiles of 60 x 512.
Program unsharp(int h, int w) {
    ImageParam in(UInt(8), 3, "in");
    Func pixel("pixel"), luma("luma"), blur_y("blur_y"), blur_x("blur_x"), ratio("ratio"),
        out("out");
    Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
    pixel(x, y, c) = cast<float>(in(clamp(x, 0, w - 1), clamp(y, 0, h - 1), c));
    luma(x, y) = 0.299f * pixel(x, y, 0) + 0.587f * pixel(x, y, 1) + 0.114f * pixel(x, y, 2);
    auto gauss = [](auto at) {
        return 0.2707f * at(0) + 0.2167f * (at(-1) + at(1)) + 0.1113f * (at(-2) + at(2)) +
               0.0366f * (at(-3) + at(3));
    };
    blur_y(x, y) = gauss([&](int d) -> Expr { return luma(x, y + d); });
    blur_x(x, y) = gauss([&](int d) -> Expr { return blur_y(x + d, y); });
    ratio(x, y) = (2.0f * luma(x, y) - blur_x(x, y)) / (luma(x, y) + 0.01f);
    out(x, y, c) = cast<uint8_t>(clamp(round(pixel(x, y, c) * ratio(x, y)), 0.0f, 255.0f));
    out.tile(x, y, xo, yo, xi, yi, 512, 60)
        .reorder(xi, c, yi, xo, yo)
        .parallel(yo)
        .vectorize(xi, 16);
    ratio.compute_at(out, yi).vectorize(x, 16);
    blur_y.compute_at(out, xo).vectorize(x, 16);
    luma.compute_at(out, xo).vectorize(x, 16);
    return {{{in, {w, h, 3}}}, {{out, {w, h, 3}}}};
}

}  // namespace

Programs stencils() {
    return {
        {"blur3x3", [](auto& n) { return blur(Float(32), n.at(0), n.at(1)); }},
        {"blur3x3_u16", [](auto& n) { return blur(UInt(16), n.at(0), n.at(1)); }},
        {"harris", [](auto& n) { return harris(n.at(0), n.at(1)); }},
        {"unsharp", [](auto& n) { return unsharp(n.at(0), n.at(1)); }},
    };
}

}  // namespace rival
