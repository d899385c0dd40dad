// Attention of several heads: softmax(q k' / sqrt(d)) v, and the layer that makes q, k and v.
#include "schedules/library.h"
#include "schedules/row_parts.h"
#include "schedules/sum_block.h"

namespace burin {
namespace {

Pipeline make_attention() {
    Size heads("heads"), s("s"), d("d");
    Input<float> q("q", {heads, s, d}), k("k", {heads, s, d}), v("v", {heads, s, d});
    Var h("h"), i("i"), j("j"), c("c");
    RDom t(d, "t"), r(s, "r");
    Func products("products"), scores("scores"), top("top"), e("e"), total("total"),
        inverse("inverse"), mixed("mixed"), out("out");
    products(h, i, j) += q(h, i, t) * k(h, j, t);
    scores(h, i, j) = products(h, i, j) * (1 / sqrt(cast<float>(d)));
    top(h, i) = max(top(h, i), scores(h, i, r));
    e(h, i, j) = exp(scores(h, i, j) - top(h, i));
    total(h, i) += e(h, i, r);
    mixed(h, i, c) += e(h, i, r) * v(h, r, c);
    inverse(h, i) = 1 / total(h, i);
    out(h, i, c) = mixed(h, i, c) * inverse(h, i);
    return Pipeline("attention", {q, k, v}, {out({heads, s, d})});
}

// x w + bias in three parts. The columns of w are those of q, k and v, head by head.
Pipeline make_qkv() {
    Size s("s"), m("m"), heads("heads"), d("d");
    Input<float> x("x", {s, m}), w("w", {m, 3, heads, d}), bias("bias", {3, heads, d});
    Var p("p"), h("h"), i("i"), c("c");
    RDom r(m, "r");
    Func all("all"), q("q"), k("k"), v("v");
    all(i, p, h, c) += x(i, r) * w(r, p, h, c);
    auto part = [&](int n) { return all(i, n, h, c) + bias(n, h, c); };
    q(h, i, c) = part(0);
    k(h, i, c) = part(1);
    v(h, i, c) = part(2);
    return Pipeline("qkv", {x, w, bias}, {q({heads, s, d}), k({heads, s, d}), v({heads, s, d})});
}

}  // namespace

LibraryEntry attention() {
    return {
        "attention",
        "softmax(q k' / sqrt(d)) v of each head, f32",
        make_attention,
        {{"heads", 8}, {"s", 1024}, {"d", 64}},
        {{"q", -1, 1}, {"k", -1, 1}, {"v", -1, 1}},
        {
            {"rows", "32 rows of the scores at a time", R"(
stage out
  io, ii = split(i, 32)
  reorder(h, io, ii, c)
  parallel(io)
  vectorize(c, 16)
stage mixed
  compute_at(out, io)
  vectorize(c, 16)
stage mixed.update(0)
  reorder(h, i, r, c)
  vectorize(c, 16)
stage total
  compute_at(out, io)
stage e
  compute_at(out, io)
  vectorize(j, 16)
stage top
  compute_at(out, io)
stage products
  compute_at(out, io)
  vectorize(j, 16)
stage products.update(0)
  reorder(h, i, t, j)
  vectorize(j, 16)
)"},
            // The keys lie in panels of 64, so that scores are made as gemm makes its sums, 4 x 64 in registers.
            {"tiles", "heads in parallel, 32 rows of the scores at a time, sums in registers",
             std::string(R"(
panels = cache_read(k, [products])
tops = rfactor(top.update(0), r, 64, inner, u, tree)
sums = rfactor(total.update(0), r, 64, inner, u, tree)
stage out
  io, ii = split(i, 32)
  reorder(h, io, ii, c)
  parallel(h)
  vectorize(c, 16)
stage panels
  compute_at(out, h)
  transform_layout([d0, d1, d2] -> [d0, d1 / 64, d2, d1 % 64], pad)
  vectorize(d2, 16)
stage products
  compute_at(out, io)
  vectorize(j, 16)
stage products.update(0)
)" + sum_block(4, "j", "j", 64, "h, jo, io, t", "io") +
                         R"(
stage top
  compute_at(out, io)
stage e
  compute_at(out, io)
  vectorize(j, 16)
stage total
  compute_at(out, io)
stage inverse
  compute_at(out, ii)
stage mixed
  compute_at(out, io)
  vectorize(c, 16)
stage mixed.update(0)
)" + sum_block(4, "c", "c", 64, "h, io, co, r", "co")) +
                 row_parts("tops", "compute_at(out, io)") +
                 row_parts("sums", "compute_at(out, io)")},
        },
        "tiles"};
}

LibraryEntry qkv() {
    return {"qkv",
            "queries, keys and values of each head from x, f32",
            make_qkv,
            {{"s", 1024}, {"m", 512}, {"heads", 8}, {"d", 64}},
            {{"x", -1, 1}, {"w", -0.1, 0.1}, {"bias", -1, 1}},
            {
                {"rows", "a row of all three at a time", R"(
stage all
  compute_root()
  parallel(i)
  vectorize(c, 16)
stage all.update(0)
  reorder(i, r, p, h, c)
  parallel(i)
  vectorize(c, 16)
stage q
  parallel(h)
  vectorize(c, 16)
stage k
  parallel(h)
  vectorize(c, 16)
stage v
  parallel(h)
  vectorize(c, 16)
)"},
                {"blocked", "made as gemm makes its sums, four heads of w in panels at a time", R"(
panels = cache_read(w, [all])
stage panels
  compute_at(all.update(0), ho)
  transform_layout([d0, d1, d2, d3] -> [d1, d2, d3 / 64, d0, d3 % 64], pad)
  co, ci = split(d3, 64, round_up)
  reorder(d1, d2, co, d0, ci)
  vectorize(ci, 16)
stage all
  compute_root()
stage all.update(0)
  ko, ki = split(r, 1024)
  ho, hi = split(h, 4)
)" + sum_block(4, "c", "c", 64, "ko, p, ho, io, hi, co, ki", "co") + R"(
  parallel(ho)
stage q
  parallel(h)
  vectorize(c, 16)
stage k
  parallel(h)
  vectorize(c, 16)
stage v
  parallel(h)
  vectorize(c, 16)
)"},
            },
            "blocked"};
}

}  // namespace burin
