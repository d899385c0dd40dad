// Layers of networks that are not products.
#include "bench/halide/programs.h"

namespace rival {
namespace {

// The rows of the result in parallel, 16 of them together.
void rows(Func out, Var i, Var j, Var ii) {
    Var io("io");
    out.split(i, io, ii, 16).parallel(io).vectorize(j, 16);
}

Program softmax(int m, int n) {
    ImageParam x(Float(32), 2, "x");
    Func e("e"), inverse("inverse"), out("out");
    Var i("i"), j("j"), ii("ii");
    Func top = row_max("top", [&](Expr j, Expr i) -> Expr { return x(j, i); }, i, n, out, ii);
    e(j, i) = exp(x(j, i) - top(i));
    Func total = row_sum("total", [&](Expr j, Expr i) -> Expr { return e(j, i); }, i, n, out, ii);
    inverse(i) = 1.0f / total(i);
    out(j, i) = e(j, i) * inverse(i);
    rows(out, i, j, ii);
    inverse.compute_at(out, ii);
    e.compute_at(out, ii).vectorize(j, 32);
    return {{{x, {n, m}}}, {{out, {n, m}}}};
}

Program layernorm(int m, int n) {
    ImageParam x(Float(32), 2, "x"), gain(Float(32), 1, "gain"), shift(Float(32), 1, "shift");
    Func mean("mean"), inverse("inverse"), out("out");
    Var i("i"), j("j"), ii("ii");
    auto value = [&](Expr j, Expr i) -> Expr { return x(j, i); };
    mean(i) = row_sum("total", value, i, n, out, ii)(i) / float(n);
    auto square = [&](Expr j, Expr i) { return (x(j, i) - mean(i)) * (x(j, i) - mean(i)); };
    inverse(i) = 1.0f / sqrt(row_sum("squares", square, i, n, out, ii)(i) / float(n) + 1e-5f);
    out(j, i) = (x(j, i) - mean(i)) * inverse(i) * gain(j) + shift(j);
    rows(out, i, j, ii);
    mean.compute_at(out, ii);
    inverse.compute_at(out, ii);
    return {{{x, {n, m}}, {gain, {n}}, {shift, {n}}}, {{out, {n, m}}}};
}

// `value` around an image c, j, i, b.
Func bordered(ImageParam x, float value, int h, int w) {
    return BoundaryConditions::constant_exterior(
        x, value, {{Expr(), Expr()}, {0, w}, {0, h}, {Expr(), Expr()}});
}

// Sums of 14 x 32 in registers, 4 rows of the bordered input at a time.
Program conv(const std::vector<int>& n, int stride) {
    const int images = n.at(0), h = n.at(1), w = n.at(2), c = n.at(3), k = n.at(4);
    const int high = (h + stride - 1) / stride, wide = (w + stride - 1) / stride;
    ImageParam x(Float(32), 4, "x"), weights(Float(32), 4, "weights"), mean(Float(32), 1, "mean"),
        variance(Float(32), 1, "variance"), gain(Float(32), 1, "gain"),
        shift(Float(32), 1, "shift");
    Func input("input"), sums("sums"), scale("scale"), y("y");
    Var b("b"), i("i"), j("j"), f("f"), io("io"), ii("ii"), jo("jo"), ji("ji"), fo("fo"), fi("fi");
    RDom r(0, c, 0, 3, 0, 3);
    input(f, j, i, b) = bordered(x, 0.0f, h, w)(f, j, i, b);
    sums(f, j, i, b) = 0.0f;
    sums(f, j, i, b) +=
        input(r.x, j * stride + r.y - 1, i * stride + r.z - 1, b) * weights(f, r.x, r.y, r.z);
    scale(f) = gain(f) / sqrt(variance(f) + 1e-5f);
    y(f, j, i, b) = max((sums(f, j, i, b) - mean(f)) * scale(f) + shift(f), 0.0f);

    y.bound(f, 0, k).bound(j, 0, wide).bound(i, 0, high).bound(b, 0, images);
    y.split(i, io, ii, 4).split(j, jo, ji, fitting(14, wide)).split(f, fo, fi, fitting(32, k));
    y.reorder(fi, ji, jo, ii, fo, io, b).parallel(io).vectorize(fi, 16).unroll(fi).unroll(ji);
    sums.compute_at(y, jo).vectorize(f, 16).unroll(f).unroll(j);
    sums.update().reorder(f, j, r.x, r.y, r.z).vectorize(f, 16).unroll(f).unroll(j);
    input.compute_at(y, io).vectorize(f, 16);
    scale.compute_root().vectorize(f, 16);
    return {{{x, {c, w, h, images}},
             {weights, {k, c, 3, 3}},
             {mean, {k}},
             {variance, {k}},
             {gain, {k}},
             {shift, {k}}},
            {{y, {k, wide, high, images}}}};
}

Program depthwise(int images, int h, int w, int c) {
    ImageParam x(Float(32), 4, "x"), weights(Float(32), 3, "weights"), bias(Float(32), 1, "bias");
    Func border = bordered(x, 0.0f, h, w), y("y");
    Var b("b"), i("i"), j("j"), f("f");
    Expr sum = 0.0f;
    for (int k = 0; k < 9; ++k)
        sum += border(f, j + k % 3 - 1, i + k / 3 - 1, b) * weights(f, k % 3, k / 3);
    y(f, j, i, b) = clamp(sum + bias(f), 0.0f, 6.0f);

    // Where no window sticks out, a loop has no border.
    Var io("io"), ii("ii"), jo("jo"), ji("ji"), fo("fo"), fi("fi");
    y.split(i, io, ii, 4).split(j, jo, ji, 2).split(f, fo, fi, 16);
    y.reorder(fi, ji, ii, fo, jo, io).parallel(io).vectorize(fi).unroll(ji).unroll(ii);
    return {{{x, {c, w, h, images}}, {weights, {c, 3, 3}}, {bias, {c}}}, {{y, {c, w, h, images}}}};
}

Program max_pool(int images, int h, int w, int c) {
    ImageParam x(Float(32), 4, "x");
    Func border = bordered(x, -std::numeric_limits<float>::infinity(), h, w), y("y");
    Var b("b"), i("i"), j("j"), f("f");
    Expr largest = Float(32).min();
    for (int k = 0; k < 9; ++k)
        largest = max(largest, border(f, 2 * j + k % 3 - 1, 2 * i + k / 3 - 1, b));
    y(f, j, i, b) = largest;

    Var io("io"), ii("ii"), jo("jo"), ji("ji"), fo("fo"), fi("fi");
    y.split(i, io, ii, 4).split(j, jo, ji, 4).split(f, fo, fi, 16);
    y.reorder(fi, ji, fo, ii, jo, io).parallel(io).vectorize(fi).unroll(ji);
    return {{{x, {c, w, h, images}}}, {{y, {c, (w + 1) / 2, (h + 1) / 2, images}}}};
}

}  // namespace

Programs networks() {
    return {
        {"softmax", [](auto& n) { return softmax(n.at(0), n.at(1)); }},
        {"layernorm", [](auto& n) { return layernorm(n.at(0), n.at(1)); }},
        {"conv2d_bn_relu", [](auto& n) { return conv(n, 1); }},
        {"conv2d_bn_relu_s2", [](auto& n) { return conv(n, 2); }},
        {"depthwise", [](auto& n) { return depthwise(n.at(0), n.at(1), n.at(2), n.at(3)); }},
        {"max_pool", [](auto& n) { return max_pool(n.at(0), n.at(1), n.at(2), n.at(3)); }},
    };
}

}  // namespace rival
