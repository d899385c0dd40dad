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
    check_kept(
        "pipeline p(a: u8[], n: size, g: f64, b: i16[_, n + 2]) -> out[n] strict\nout(x) = "
        "f64(a()) * g + f64(b(0, x + 1))\n");
    check_kept(
        "pipeline p(in: f32[n]) -> f[n], g[n, 3] relaxed\nf(x) = in(x)\ng(x, c) = f(x) - 1.0\n");
    check_kept(
        "pipeline p(a: f32[m, k], b: f32[k, n]) -> c[m, n]\nc(i, j) += a(i, r) * b(r, j) for r: "
        "0..k\n");
    check_kept("pipeline p(in: u8[n]) -> h[256]\nh(x) = 0\nh(index(in(r))) += 1 for r: 0..n\n");
    check_kept("pipeline p(in: f32[n]) -> s[n]\ns(x) = in(x)\ns(r) += s(r - 1) for r: 1..n\n");
    check_kept(
        "pipeline p(in: f32[n]) -> s[n]\ns(x) = in(x)\ns(n - 1 - r) = s(n - r) * 0.5 + in(n - 1 - "
        "r) for r: 1..n\n");
    check_kept(
        "pipeline p(in: i32[n, n]) -> f[n]\nf(x) = max(f(x), in(x, r)) for r: 0..n where r <= x && "
        "in(r, x) != 0\n");
    check_kept(
        "pipeline p(in: f64[n, n]) -> f[n]\nf(x) = min(f(x), in(r0, r1) + f64(x)) for r0: 0..n, "
        "r1: n / 2..n\n");
    check_kept(
        "pipeline p(in: f32[n, n]) -> f[n]\nf(x) = argmin(f(x), {in(x, r), i64(r)}) for r: 0..n\n");
    check_kept(
        "pipeline p(in: f32[n]) -> f[n]\nf(x) = {1.0, f64(0.0)}\nf(x) += {in(r), 1.0} for r: "
        "0..n\n");
    check_kept("pipeline p(in: u8[n]) -> b[1]\nb(_0) &= in(r) for r: 0..n\n" + std::string());
}

TEST_CASE("sugar is read and printed without it") {
    CHECK(canonical(
              "pipeline p(in: f32[n, n]) -> f[n]\nf(x) = argmin(in(x, r) for r: 0..n)[1] + 2") ==
          "pipeline p(in: f32[n, n]) -> f[n]\n"
          "f_argmin(x) = argmin(f_argmin(x), {in(x, r), i64(r)}) for r: 0..n\n"
          "f(x) = f_argmin(x)[1] + 2\n");
    CHECK(canonical("pipeline p(in: f32[n, n]) -> f[n]  # comment\n"
                    "f(x) = 1.0 + sum(in(x, r) * sum(in(r, q) * in(x, q) for q: 0..n) for r: 0..n) "
                    "+ sum(in(x, r) for r: 0..n as s)") ==
          "pipeline p(in: f32[n, n]) -> f[n]\n"
          "f_sum_sum(x, r) += in(r, q) * in(x, q) for q: 0..n\n"
          "f_sum(x) += in(x, r) * f_sum_sum(x, r) for r: 0..n\n"
          "s(x) += in(x, r) for r: 0..n\n"
          "f(x) = 1.0 + f_sum(x) + s(x)\n");
    CHECK(canonical("pipeline p(in: f32[n]) -> f[n]\nf(x) = clamped(in(x - 1)) + clamped(in(x + "
                    "1), 0) + padded(in(x), 2)") ==
          "pipeline p(in: f32[n]) -> f[n]\n"
          "in_clamped(x0) = in(clamp(x0, origin(in, 0), origin(in, 0) + n - 1))\n"
          "in_padded(x0) = select(origin(in, 0) <= x0 && x0 < origin(in, 0) + n, in(x0), 2.0)\n"
          "f(x) = in_clamped(x - 1) + in_clamped(x + 1) + in_padded(x)\n");
}

TEST_CASE("a mutated text is read and kept, or refused in words") {
    const std::vector<std::string> texts = {
        "pipeline p(in: f32[h, w], k: size, q: f64) -> f[h, w], g[k] strict\n"
        "f(y, x) = (in(y, x) + in(y + 1, x - 1)) / 3 + f32(q)\n"
        "g(x) += f(x, r) * 0.5 for r: 0..k where r < x && in(r, 0) != nan\n",
        "pipeline p(in: u8[n]) -> h[256], m[]\n"
        "h(x) = 0\nh(index(in(r))) += 1 for r: 0..n\n"
        "m() = argmax(h(r0) + i32(in(r1)) for r0: 0..256, r1: 1..n)\n",
        "pipeline p(in: i64[_], b: bool[n]) -> s[n]\n"
        "c(x) = clamped(in(x - 1), 0) + padded(in(x), -5)\n"
        "s(x) = {c(x), f64(0.0), select(b(x), u8(1), 255)}\n"
        "s(r) = {s(r - 1)[0] + min(c(r), 3) << 2, s(r)[1], ~s(r)[2]} for r: 1..n\n",
        "pipeline p(a: f32[m, k]) -> y[m, k]\n"
        "z(i, j) = sum(a(i, r) * sum(a(q, r) for q: 0..m as t) for r: 0..k) + maximum(a(r, j) for "
        "r: 0..m)\n"
        "y(i, j) = e1 / (1.0 + e1) let { e0 = z(i, j) * z(j, i), e1 = exp(e0) + e0 }\n"};
    std::mt19937 random(1);
    auto below = [&](size_t n) { return size_t(random() % n); };
    const std::string letters = "abfinrxy0129.,:=+-*/%<>&|^!~()[]{}# \n\xff";
    int kept = 0, refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string t = texts[below(texts.size())];
        for (size_t k = 1 + below(3); k > 0; --k) {
            size_t at = below(t.size()), other = below(t.size()), n = 1 + below(8);
            switch (below(4)) {
                case 0:  t.erase(at, n); break;
                case 1:  t.insert(at, 1, letters[below(letters.size())]); break;
                case 2:  t[at] = letters[below(letters.size())]; break;
                default: t.insert(at, t.substr(other, n));
            }
            if (t.empty()) t = " ";
        }
        INFO(t);
        try {
            Pipeline p = parse_pipeline(t, "t.burin");
            CHECK(print(parse_pipeline(print(p))) == print(p));
            ++kept;
        } catch (const Error& e) {
            INFO(std::string(e.what()));
            CHECK(e.kind() != ErrorKind::Internal);
            CHECK(e.where().known());
            ++refused;
        }
    }
    CHECK(kept > 60);
    CHECK(refused > 3000);
}

TEST_CASE("a stage that no output reads is dropped, and the order of a text is kept") {
    CHECK(canonical("pipeline p(in: f32[n]) -> f[n]\nb(x) = in(x)\nunused(x) = b(x)\na(x) = "
                    "in(x)\nf(x) = a(x) + b(x)\n") ==
          "pipeline p(in: f32[n]) -> f[n]\nb(x) = in(x)\na(x) = in(x)\nf(x) = a(x) + b(x)\n");
    // A Func stands where its last definition is.
    CHECK(canonical("pipeline p(in: f32[n]) -> f[n]\nf(x) = in(x)\na(x) = in(x)\nf(x) += a(r) for "
                    "r: 0..n\n") ==
          "pipeline p(in: f32[n]) -> f[n]\na(x) = in(x)\nf(x) = in(x)\nf(x) += a(r) for r: 0..n\n");
}

TEST_CASE("a definition remembers its line and its text") {
    Pipeline p =
        parse_pipeline("pipeline p(in: f32[n]) -> f[n]\n\n  f(x) = in(x)  # why\n", "dir/t.burin");
    const Where& w = p.algorithm().funcs[0].defs[0].source;
    CHECK(w.file == "dir/t.burin");
    CHECK(w.line == 3);
    CHECK(w.text == "f(x) = in(x)  # why");
    Var x("x");
    Func f("f");
    f(x) = 2 * x;
    const Where here = std::source_location::current();
    Pipeline q("q", {}, {f({3})});
    const Where& v = q.algorithm().funcs[0].defs[0].source;
    CHECK(v.file == here.file);
    CHECK(v.line == here.line - 1);
    CHECK(v.text == "f(x) = i64(2 * x)");
}
