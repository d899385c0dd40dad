// The product of two matrices, and the same as a layer of a network: with a bias and gelu on top.
#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make_gemm() {
    Size m("m"), n("n"), k("k");
    Input<float> a("a", {m, k}), b("b", {k, n});
    Var i("i"), j("j");
    RDom r(k, "r");
    Func c("c");
    c(i, j) += a(i, r) * b(r, j);
    return Pipeline("gemm", {a, b}, {c({m, n})});
}

Pipeline make_dense() {
    Size m("m"), n("n"), k("k");
    Input<float> x("x", {m, k}), w("w", {k, n}), bias("bias", {n});
    Var i("i"), j("j");
    RDom r(k, "r");
    Func c("c"), y("y");
    c(i, j) += x(i, r) * w(r, j);
    y(i, j) = gelu(c(i, j) + bias(j));
    return Pipeline("dense_gelu", {x, w, bias}, {y({m, n})});
}

// Panels of 32 columns lie together, so that the innermost loops read memory in order; tiles of 8 x 32 sums stay in
// registers over 1024 steps of the reduction, whose order is the written one. 64 rows of the other matrix stay in the
// second-level cache while a panel passes.
std::string packed(const std::string& matrix) {
    return "bp = cache_read(" + matrix + R"(, [c])
stage bp
  compute_root()
  transform_layout([d0, d1] -> [d1 / 32, d0, d1 % 32], pad)
  jo, ji = split(d1, 32)
  reorder(jo, d0, ji)
  parallel(jo)
  vectorize(ji, 16)
)";
}

const char* blocks = R"(
stage c.update(0)
  ko, ki = split(r, 1024)
  it, im = split(i, 64)
  io, i2 = split(im, 8)
  jo, jr = split(j, 32)
  jv, jl = split(jr, 16)
  reorder(ko, it, jo, io, ki, i2, jv, jl)
  unroll(i2)
  unroll(jv)
  vectorize(jl)
  cache_write(io, Register)
)";

}  // namespace

LibraryEntry gemm() {
    return {"gemm", "c = a b, f32", make_gemm, {{"m", 1024}, {"n", 1024}, {"k", 1024}}, {{"a", -1, 1}, {"b", -1, 1}}, {
        {"rows", "a row of c at a time", R"(
stage c
  vectorize(j, 16)
stage c.update(0)
  reorder(i, r, j)
  parallel(i)
  vectorize(j, 16)
)"},
        {"blocked", "b packed into panels, sums of 8 x 32 in registers", packed("b") + R"(
stage c
  vectorize(j, 16)
)" + blocks},
    }, "blocked"};
}

LibraryEntry dense_gelu() {
    return {"dense_gelu", "y = gelu(x w + bias), f32", make_dense, {{"m", 1024}, {"n", 4096}, {"k", 1024}},
            {{"x", -1, 1}, {"w", -0.05, 0.05}, {"bias", -1, 1}}, {
        {"unfused", "the product whole, then gelu", R"(
stage c
  compute_root()
  parallel(i)
  vectorize(j, 16)
stage c.update(0)
  reorder(i, r, j)
  parallel(i)
  vectorize(j, 16)
stage y
  parallel(i)
  vectorize(j, 16)
)"},
        {"fused", "gelu of a tile as soon as its sums are there", R"(
stage y
  io, jo, ii, ji = tile(i, j, 8, 512)
  parallel(io)
  vectorize(ji, 16)
stage c
  compute_at(y, jo)
  vectorize(j, 16)
stage c.update(0)
  reorder(r, i, j)
  vectorize(j, 16)
)"},
        {"blocked", "tiles of 128 x 512, w packed into panels, sums of 8 x 32 in registers", packed("w") + R"(
stage y
  io, jo, ii, ji = tile(i, j, 128, 512, guard)
  parallel(io)
  vectorize(ji, 16)
stage c
  compute_at(y, jo)
  vectorize(j, 16)
)" + blocks},
    }, "blocked"};
}

}  // namespace burin
