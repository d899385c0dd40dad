// Layer normalisation of each row, alone and before a gated layer (GeGLU).
#include "schedules/library.h"
#include "schedules/row_parts.h"
#include "schedules/sum_block.h"

namespace burin {
namespace {

struct Norm {
    Size m{"m"}, n{"n"};
    Input<float> x{"x", {m, n}}, gain{"gain", {n}}, shift{"shift", {n}};
    Func total{"total"}, mean{"mean"}, squares{"squares"}, inverse{"inverse"};

    // Of row i at column j. The mean goes first: a variance from sums of squares alone cancels.
    Expr operator()(Expr i, Expr j) {
        RDom r(n, "r");
        Var row("i");
        total(row) += x(row, r);
        mean(row) = total(row) / cast<float>(n);
        squares(row) += (x(row, r) - mean(row)) * (x(row, r) - mean(row));
        inverse(row) = 1 / sqrt(squares(row) / cast<float>(n) + 1e-5f);
        return (x(i, j) - mean(i)) * inverse(i) * gain(j) + shift(j);
    }
};

Pipeline make_layernorm() {
    Norm norm;
    Var i("i"), j("j");
    Func y("y");
    y(i, j) = norm(i, j);
    return Pipeline("layernorm", {norm.x, norm.gain, norm.shift}, {y({norm.m, norm.n})});
}

// w(r, 0, j) makes the values, w(r, 1, j) their gates.
Pipeline make_geglu() {
    Norm norm;
    Size k("k");
    Input<float> w("w", {norm.n, 2, k});
    Var i("i"), j("j"), g("g");
    RDom r(norm.n, "r");
    Func normal("normal"), c("c"), y("y");
    normal(i, j) = norm(i, j);
    c(i, g, j) += normal(i, r) * w(r, g, j);
    y(i, j) = c(i, 0, j) * gelu(c(i, 1, j));
    return Pipeline("layernorm_geglu", {norm.x, norm.gain, norm.shift, w}, {y({norm.m, k})});
}

std::string norm_rows(const std::string& place) {
    return R"(
stage mean
  )" + place +
           R"(
stage total
  )" + place +
           R"(
stage squares
  )" + place +
           R"(
stage inverse
  )" + place +
           "\n";
}

constexpr const char* edits = R"(
sums = rfactor(total.update(0), r, 64, inner, u, tree)
parts = rfactor(squares.update(0), r, 64, inner, u, tree)
)";

std::string norm_parts(const std::string& place) {
    return norm_rows(place) + row_parts("sums", place) + row_parts("parts", place);
}

constexpr const char* rows = R"(
stage y
  parallel(i, 16)
  vectorize(j, 32)
)";

}  // namespace

LibraryEntry layernorm() {
    return {"layernorm",
            "each row to mean 0 and variance 1, then a gain and a shift for each column, f32",
            make_layernorm,
            {{"m", 4096}, {"n", 1024}},
            {{"x", -4, 4}, {"gain", -1, 1}, {"shift", -1, 1}},
            {
                {"rows", "a row at a time, its sums in the written order",
                 rows + norm_rows("compute_at(y, ii)")},
                {"parts", "a row at a time, its sums in 64 parts",
                 edits + std::string(rows) + norm_parts("compute_at(y, ii)")},
            },
            "parts"};
}

LibraryEntry layernorm_geglu() {
    return {"layernorm_geglu",
            "y = a gelu(b), where a and b are the halves of layernorm(x) w, f32",
            make_geglu,
            {{"m", 512}, {"n", 1024}, {"k", 2048}},
            {{"x", -4, 4}, {"gain", -1, 1}, {"shift", -1, 1}, {"w", -0.05, 0.05}},
            {
                {"rows", "a row of the product at a time, its sums in the written order", R"(
stage normal
  compute_root()
  parallel(i, 16)
  vectorize(j, 16)
)" + norm_rows("compute_at(normal, ii)") + R"(
stage c
  vectorize(j, 16)
stage c.update(0)
  reorder(i, g, r, j)
  parallel(i)
  vectorize(j, 16)
stage y
  parallel(i)
  vectorize(j, 16)
)"},
                {"blocked", "48 x 128 of the result at a time, their sums made as gemm's",
                 edits + std::string(R"(
panels = cache_read(w, [c])
stage normal
  compute_root()
  parallel(i, 16)
  vectorize(j, 16)
)") + norm_parts("compute_at(normal, ii)") +
                     R"(
stage panels
  compute_at(y, jb)
  transform_layout([d0, d1, d2] -> [d1, d2 / 64, d0, d2 % 64], pad)
  jo, ji = split(d2, 64, round_up)
  reorder(d1, jo, d0, ji)
  vectorize(ji, 16)
stage y
  jb, jq = split(j, 128, guard)
  ib, iq = split(i, 48, guard)
  reorder(jb, ib, iq, jq)
  parallel(jb)
  vectorize(jq, 16)
stage c
  compute_at(y, ib)
  vectorize(j, 16)
stage c.update(0)
  ko, ki = split(r, 1024)
)" + sum_block(6, "j", "j", 64, "ko, io, g, jo, ki", "jo")},
            },
            "blocked"};
}

}  // namespace burin
