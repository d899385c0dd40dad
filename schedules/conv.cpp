// Convolutions and pooling of images in NHWC: image, row, column, channel; a border of zeros where a window sticks out.
#include <fmt/format.h>

#include <limits>

#include "schedules/library.h"

namespace burin {
namespace {

// y = max(0, norm(sums of 3 x 3 x c products)), with the normalisation of a trained network: its mean, variance, gain
// and shift for each channel.
template <int stride>
Pipeline make_conv(const char* name) {
    Size n("n"), h("h"), w("w"), c("c"), k("k");
    Input<float> x("x", {n, h, w, c}), weights("weights", {3, 3, c, k});
    Input<float> mean("mean", {k}), variance("variance", {k}), gain("gain", {k}),
        shift("shift", {k});
    Var b("b"), i("i"), j("j"), f("f");
    RDom r({3, 3, c}, "r");
    Func scale("scale"), sums("sums"), y("y");
    Func border = padded(x, 0.0f, {1, 2});  // x_padded
    sums(b, i, j, f) += border(b, i * stride + r[0] - 1, j * stride + r[1] - 1, r[2]) *
                        weights(r[0], r[1], r[2], f);
    scale(f) = gain(f) / sqrt(variance(f) + 1e-5f);
    y(b, i, j, f) = max((sums(b, i, j, f) - mean(f)) * scale(f) + shift(f), 0.0f);
    return Pipeline(name, {x, weights, mean, variance, gain, shift},
                    {y({n, (h + stride - 1) / stride, (w + stride - 1) / stride, k})});
}

// Each channel by a kernel of its own, then a bias and a clamp to [0, 6].
Pipeline make_depthwise() {
    Size n("n"), h("h"), w("w"), c("c");
    Input<float> x("x", {n, h, w, c}), weights("weights", {3, 3, c}), bias("bias", {c});
    Var b("b"), i("i"), j("j"), f("f");
    RDom r({3, 3}, "r");
    Func sums("sums"), y("y");
    Func border = padded(x, 0.0f, {1, 2});
    sums(b, i, j, f) += border(b, i + r[0] - 1, j + r[1] - 1, f) * weights(r[0], r[1], f);
    y(b, i, j, f) = clamp(sums(b, i, j, f) + bias(f), 0.0f, 6.0f);
    return Pipeline("depthwise", {x, weights, bias}, {y({n, h, w, c})});
}

// The largest of 3 x 3, every second row and column.
Pipeline make_max_pool() {
    Size n("n"), h("h"), w("w"), c("c");
    Input<float> x("x", {n, h, w, c});
    Var b("b"), i("i"), j("j"), f("f");
    RDom r({3, 3}, "r");
    Func largest("largest"), y("y");
    Func border = padded(x, -std::numeric_limits<float>::infinity(), {1, 2});
    largest(b, i, j, f) =
        max(largest(b, i, j, f), border(b, 2 * i + r[0] - 1, 2 * j + r[1] - 1, f));
    y(b, i, j, f) = largest(b, i, j, f);
    return Pipeline("max_pool", {x}, {y({n, (h + 1) / 2, (w + 1) / 2, c})});
}

// Of y by windows of 3 x 3, channel by channel, which `stage` reduces.
std::string window_rows(const char* stage) {
    return fmt::format(R"(
stage y
  parallel(i)
  vectorize(f, 16)
stage {0}
  compute_at(y, j)
  vectorize(f, 16)
stage {0}.update(0)
  vectorize(f, 16)
)",
                       stage);
}

LibraryEntry conv(const char* name, const char* summary, Pipeline (*make)(), int size) {
    return {
        name,
        summary,
        make,
        {{"n", 1}, {"h", size}, {"w", size}, {"c", 64}, {"k", 64}},
        {{"x", -1, 1},
         {"weights", -0.1, 0.1},
         {"mean", -1, 1},
         {"variance", 0, 2},
         {"gain", -1, 1},
         {"shift", -1, 1}},
        {
            {"rows", "a row of the result at a time", R"(
stage y
  parallel(i)
  vectorize(f, 16)
stage scale
  compute_root()
stage sums
  compute_at(y, i)
  vectorize(f, 16)
stage sums.update(0)
  reorder(b, i, j, r0, r1, r2, f)
  vectorize(f, 16)
)"},
            // 14 x 2 vectors of sums stay in registers over all 9 c products: 2 vectors and 14 numbers are loaded
            // for 28 multiply-adds.
            {"tiles", "sums of 14 x 32 in registers, 4 rows of the bordered input at a time", R"(
stage scale
  compute_root()
stage y
  io, ii = split(i, 4)
  fo, fi = split(f, 32)
  reorder(b, io, fo, ii, j, fi)
  parallel(io)
  vectorize(fi, 16)
stage x_padded
  compute_at(y, io)
  vectorize(x3, 16)
stage sums
  compute_at(y, ii)
  vectorize(f, 16)
stage sums.update(0)
  jo, ji = split(j, 14)
  fo, fr = split(f, 32)
  fv, fl = split(fr, 16)
  reorder(b, i, fo, jo, r0, r1, r2, ji, fv, fl)
  unroll(ji)
  unroll(fv)
  vectorize(fl)
  cache_write(jo, Register)
)"},
        },
        "tiles"};
}

}  // namespace

LibraryEntry conv2d_bn_relu() {
    return conv(
        "conv2d_bn_relu", "3 x 3 convolution, batch normalisation and relu, NHWC, f32",
        [] { return make_conv<1>("conv2d_bn_relu"); }, 56);
}

LibraryEntry conv2d_bn_relu_s2() {
    return conv(
        "conv2d_bn_relu_s2", "the same at every second row and column",
        [] { return make_conv<2>("conv2d_bn_relu_s2"); }, 112);
}

LibraryEntry depthwise() {
    return {
        "depthwise",
        "each channel by its own 3 x 3 kernel, bias and clamp to [0, 6], NHWC, f32",
        make_depthwise,
        {{"n", 1}, {"h", 112}, {"w", 112}, {"c", 64}},
        {{"x", -1, 1}, {"weights", -1, 1}, {"bias", -1, 1}},
        {
            {"rows", "rows of the result in parallel, 16 channels at a time", window_rows("sums")},
            // Eight windows share what they read: 24 vectors and nine of weights for 72 multiply-adds. Of 28 x 56 tiles of a
            // picture of 112 x 112 a tenth is at an end of the input, and more of a smaller one: code of their own pays.
            {"tiles", "windows of 4 rows and 2 columns in registers", R"(
stage y
  io, ii = split(i, 4, shift_inwards)
  jo, ji = split(j, 2, shift_inwards)
  fo, fi = split(f, 16, shift_inwards)
  reorder(b, io, jo, fo, ii, ji, fi)
  parallel(io)
  unroll(ii)
  unroll(ji)
  vectorize(fi)
  partition(fo, always)
stage sums
  compute_at(y, fo)
  io, ii = split(i, 4)
  jo, ji = split(j, 2)
  unroll(ii)
  unroll(ji)
  vectorize(f, 16)
  store_in(Register)
stage sums.update(0)
  io, ii = split(i, 4)
  jo, ji = split(j, 2)
  fo, fi = split(f, 16)
  reorder(b, fo, io, jo, r0, r1, ii, ji, fi)
  unroll(r0)
  unroll(r1)
  unroll(ii)
  unroll(ji)
  vectorize(fi)
)"},
        },
        "tiles"};
}

LibraryEntry max_pool() {
    return {
        "max_pool",
        "the largest of 3 x 3 at every second row and column, NHWC, f32",
        make_max_pool,
        {{"n", 1}, {"h", 112}, {"w", 112}, {"c", 64}},
        {{"x", -1, 1}},
        {
            {"rows", "rows of the result in parallel, 16 channels at a time",
             window_rows("largest")},
            // Four columns side by side share what their windows read; all channels of these before the next row, as
            // they lie, and four rows before the next columns, since their windows share rows that are still near.
            {"tiles", "windows of 4 columns in registers", R"(
stage y
  io, ii = split(i, 4)
  jo, ji = split(j, 4, shift_inwards)
  fo, fi = split(f, 16, shift_inwards)
  reorder(b, io, jo, ii, fo, ji, fi)
  parallel(io)
  unroll(ji)
  vectorize(fi)
stage largest
  compute_at(y, fo)
  jo, ji = split(j, 4)
  unroll(ji)
  vectorize(f, 16)
  store_in(Register)
stage largest.update(0)
  jo, ji = split(j, 4)
  fo, fi = split(f, 16)
  reorder(b, i, fo, jo, r0, r1, ji, fi)
  unroll(r0)
  unroll(r1)
  unroll(ji)
  vectorize(fi)
)"},
        },
        "tiles"};
}

}  // namespace burin
