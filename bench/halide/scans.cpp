// Each point from the one before it.
#include <stdexcept>

#include "bench/halide/programs.h"

namespace rival {
namespace {

Program prefix_sum(int n) {
    ImageParam x(Int(32), 1, "x");
    Func out("out");
    Var i("i");
    RDom r(1, n - 1);
    out(i) = undef<int>();
    out(0) = x(0);
    out(r) = out(r - 1) + x(r);
    return {{{x, {n}}}, {{out, {n}}}};
}

// Totals of blocks, what lies before each block, then the blocks, all of them at the same time.
Program prefix_sum_blocked(int n) {
    constexpr int block = 4096;
    if (n % block) throw std::runtime_error("written for whole blocks of 4096");
    ImageParam x(Int(32), 2, "x");
    Func part("part"), totals("totals"), before("before"), scan("scan"), out("out");
    Var u("u"), i("i"), b("b");
    RDom r(0, block / parts), q(0, parts), s(1, n / block - 1), t(1, block - 1);
    part(u, b) = 0;
    part(u, b) += x(r * parts + u, b);
    totals(b) = 0;
    totals(b) += part(q, b);
    before(b) = 0;
    before(s) = before(s - 1) + totals(s - 1);
    scan(i, b) = undef<int>();
    scan(0, b) = before(b) + x(0, b);
    scan(t, b) = scan(t - 1, b) + x(t, b);
    out(i, b) = scan(i, b);
    totals.compute_root().update().atomic().vectorize(q, 16).parallel(b, 16);
    part.compute_at(totals, b).vectorize(u, 16).unroll(u);
    part.update().reorder(u, r).vectorize(u, 16).unroll(u);
    before.compute_root();
    scan.compute_at(out, b);
    out.parallel(b).vectorize(i, 16);
    return {{{x, {block, n / block}}}, {{out, {block, n / block}}}};
}

constexpr float share = 0.25f;

// There and back in place: f along the dimension whose points `at` takes first.
void filter(Func f, int n, const std::function<FuncRef(Expr t)>& at, RDom& r) {
    at(r) = mix(at(r - 1), at(r), share);
    at(n - 1 - r) = mix(at(n - r), at(n - 1 - r), share);
}

// Strips of 64 columns, which stay in the cache.
Program iir_columns(int h, int w) {
    ImageParam in(Float(32), 2, "in");
    Func f("f"), out("out");
    Var x("x"), y("y"), xo("xo"), xi("xi");
    RDom r(1, h - 1);
    f(x, y) = in(x, y);
    filter(f, h, [&](Expr t) { return f(x, t); }, r);
    out(x, y) = f(x, y);
    out.split(x, xo, xi, 64).reorder(xi, y, xo).parallel(xo).vectorize(xi, 16);
    f.compute_at(out, xo).vectorize(x, 16).unroll(x);
    for (int k : {0, 1}) f.update(k).reorder(x, r).vectorize(x, 16).unroll(x);
    return {{{in, {w, h}}}, {{out, {w, h}}}};
}

// Strips of 32 rows, kept by columns: a vector takes 16 rows one step on.
Program iir_rows(int h, int w) {
    ImageParam in(Float(32), 2, "in");
    Func tile("tile"), f("f"), out("out");
    Var x("x"), y("y"), yo("yo"), yi("yi"), xo("xo"), xi("xi");
    RDom r(1, w - 1);
    f(x, y) = in(x, y);
    filter(f, w, [&](Expr t) { return f(t, y); }, r);
    out(x, y) = f(x, y);
    out.split(y, yo, yi, 32)
        .split(x, xo, xi, 16)
        .reorder(xi, yi, xo, yo)
        .parallel(yo)
        .vectorize(xi);
    f.compute_at(out, yo).reorder_storage(y, x).reorder(y, x).vectorize(y, 16).unroll(y);
    for (int k : {0, 1}) f.update(k).reorder(y, r).vectorize(y, 16).unroll(y);
    return {{{in, {w, h}}}, {{out, {w, h}}}};
}

}  // namespace

Programs scans() {
    return {
        {"prefix_sum", [](auto& n) { return prefix_sum(n.at(0)); }},
        {"prefix_sum_blocked", [](auto& n) { return prefix_sum_blocked(n.at(0)); }},
        {"iir_rows", [](auto& n) { return iir_rows(n.at(0), n.at(1)); }},
        {"iir_columns", [](auto& n) { return iir_columns(n.at(0), n.at(1)); }},
    };
}

}  // namespace rival
