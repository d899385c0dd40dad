// The product of two matrices, and the same as a layer of a network: with a bias and gelu on top.
#include "schedules/library.h"
#include "schedules/sum_block.h"

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

}  // namespace

LibraryEntry gemm() {
    return {
        "gemm",
        "c = a b, f32",
        make_gemm,
        {{"m", 1024}, {"n", 1024}, {"k", 1024}},
        {{"a", -1, 1}, {"b", -1, 1}},
        {
            {"rows", "a row of c at a time", R"(
stage c
  vectorize(j, 16)
stage c.update(0)
  reorder(i, r, j)
  parallel(i)
  vectorize(j, 16)
)"},
            {"panels", "all of b packed into panels, sums of 8 x 32 in registers", R"(
bp = cache_read(b, [c])
stage bp
  compute_root()
  transform_layout([k, j] -> [j / 32, k, j % 32], pad)
stage c.update(0)
  ko, ki = split(r, 256)
)" + sum_block(8, "j", "j", 32, "ko, io, jo, ki", "jo")},
            // A block of 256 columns is copied into panels of 64, so that the innermost loops read memory in order; it stays
            // in the second-level cache while all rows pass. Tiles of 4 x 64 sums stay in registers over 1024 steps of the
            // reduction, whose order is the written one: 4 vectors and 4 numbers are loaded for 16 multiply-adds, as many as
            // two units need to be busy. Six rows would load less, but leave an edge of four where m is a power of two; four
            // steps together take half as long again to compile and no less to run.
            {"blocked", "b packed into panels, sums of 4 x 64 in registers", R"(
bp = cache_read(b, [c])
stage bp
  compute_at(c.update(0), jb)
  transform_layout([d0, d1] -> [d1 / 64, d0, d1 % 64], pad)
  jo, ji = split(d1, 64, round_up)
  reorder(jo, d0, ji)
  vectorize(ji, 16)
stage c.update(0)
  ko, ki = split(r, 1024)
  jb, jq = split(j, 256)
)" + sum_block(4, "j", "jq", 64, "ko, jb, io, jo, ki", "jo") + R"(
  parallel(jb)
)"},
        },
        "blocked"};
}

LibraryEntry dense_gelu() {
    return {"dense_gelu",
            "y = gelu(x w + bias), f32",
            make_dense,
            {{"m", 1024}, {"n", 4096}, {"k", 1024}},
            {{"x", -1, 1}, {"w", -0.05, 0.05}, {"bias", -1, 1}},
            {
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
                {"blocked",
                 "gelu of 48 x 256 as soon as its sums are there, which are made as gemm's", R"(
bp = cache_read(w, [c])
stage bp
  compute_at(y, jb)
  transform_layout([d0, d1] -> [d1 / 64, d0, d1 % 64], pad)
  jo, ji = split(d1, 64, round_up)
  reorder(jo, d0, ji)
  vectorize(ji, 16)
stage y
  jb, jq = split(j, 256, guard)
  ib, iq = split(i, 48, guard)
  reorder(jb, ib, iq, jq)
  parallel(jb)
  vectorize(jq, 16)
stage c
  compute_at(y, ib)
  vectorize(j, 16)
stage c.update(0)
  ko, ki = split(r, 1024)
)" + sum_block(4, "j", "j", 64, "ko, io, jo, ki", "jo")},
            },
            "blocked"};
}

}  // namespace burin
