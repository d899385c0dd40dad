// test_algorithm_text.cpp - the text of an algorithm: every construct is read, printed and read back.
#include <burin/burin.h>
#include <doctest/doctest.h>

#include <random>

#include "error_of.h"
#include "func/algorithm.h"

using namespace burin;

namespace {

// What `text` becomes when it is read; reading that again gives the same.
std::string canonical(const std::string& text) {
    Pipeline p = parse_pipeline(text, "t.burin");
    CHECK(print(parse_pipeline(print(p))) == print(p));
    CHECK(parse_pipeline(print(p)) == p);
    return print(p);
}
void check_kept(const std::string& text) { CHECK(canonical(text) == text); }

}  // namespace

TEST_CASE("every construct of the grammar is read and printed as it was") {
    check_kept("pipeline p(in: f32[h, w]) -> out[h, w]\nout(y, x) = in(y, x)\n");
    check_kept("pipeline p(a: u8[], n: size, g: f64, b: i16[_, n + 2]) -> out[n] strict\nout(x) = f64(a()) * g + f64(b(0, x + 1))\n");
    check_kept("pipeline p(in: f32[n]) -> f[n], g[n, 3] relaxed\nf(x) = in(x)\ng(x, c) = f(x) - 1.0\n");
    check_kept("pipeline p(a: f32[m, k], b: f32[k, n]) -> c[m, n]\nc(i, j) += a(i, r) * b(r, j) for r: 0..k\n");
    check_kept("pipeline p(in: u8[n]) -> h[256]\nh(x) = 0\nh(index(in(r))) += 1 for r: 0..n\n");
    check_kept("pipeline p(in: f32[n]) -> s[n]\ns(x) = in(x)\ns(r) += s(r - 1) for r: 1..n\n");
    check_kept("pipeline p(in: f32[n]) -> s[n]\ns(x) = in(x)\ns(n - 1 - r) = s(n - r) * 0.5 + in(n - 1 - r) for r: 1..n\n");
    check_kept("pipeline p(in: i32[n, n]) -> f[n]\nf(x) = max(f(x), in(x, r)) for r: 0..n where r <= x && in(r, x) != 0\n");
    check_kept("pipeline p(in: f64[n, n]) -> f[n]\nf(x) = min(f(x), in(r0, r1) + f64(x)) for r0: 0..n, r1: n / 2..n\n");
    check_kept("pipeline p(in: f32[n, n]) -> f[n]\nf(x) = argmin(f(x), {in(x, r), i64(r)}) for r: 0..n\n");
    check_kept("pipeline p(in: f32[n]) -> f[n]\nf(x) = {1.0, f64(0.0)}\nf(x) += {in(r), 1.0} for r: 0..n\n");
    check_kept("pipeline p(in: u8[n]) -> b[1]\nb(_0) &= in(r) for r: 0..n\n" + std::string());
}

TEST_CASE("sugar is read and printed without it") {
    CHECK(canonical("pipeline p(in: f32[n, n]) -> f[n]\nf(x) = argmin(in(x, r) for r: 0..n)[1] + 2") ==
          "pipeline p(in: f32[n, n]) -> f[n]\n"
          "f_argmin(x) = argmin(f_argmin(x), {in(x, r), i64(r)}) for r: 0..n\n"
          "f(x) = f_argmin(x)[1] + 2\n");
    CHECK(canonical("pipeline p(in: f32[n, n]) -> f[n]  # comment\n"
                    "f(x) = 1.0 + sum(in(x, r) * sum(in(r, q) * in(x, q) for q: 0..n) for r: 0..n) + sum(in(x, r) for r: 0..n as s)") ==
          "pipeline p(in: f32[n, n]) -> f[n]\n"
          "f_sum_sum(x, r) += in(r, q) * in(x, q) for q: 0..n\n"
          "f_sum(x) += in(x, r) * f_sum_sum(x, r) for r: 0..n\n"
          "s(x) += in(x, r) for r: 0..n\n"
          "f(x) = 1.0 + f_sum(x) + s(x)\n");
    CHECK(canonical("pipeline p(in: f32[n]) -> f[n]\nf(x) = clamped(in(x - 1)) + clamped(in(x + 1), 0) + padded(in(x), 2)") ==
          "pipeline p(in: f32[n]) -> f[n]\n"
          "in_clamped(x0) = in(clamp(x0, origin(in, 0), origin(in, 0) + n - 1))\n"
          "in_padded(x0) = select(origin(in, 0) <= x0 && x0 < origin(in, 0) + n, in(x0), 2.0)\n"
          "f(x) = in_clamped(x - 1) + in_clamped(x + 1) + in_padded(x)\n");
}
