// test_author.cpp - the schedule by rule.
#include "author/author.h"

#include <burin/burin.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "author/access.h"
#include "ir/build.h"
#include "legal/replay.h"

using namespace burin;

namespace {

std::string authored(const std::string& text) {
    std::string schedule = to_string(author(parse_pipeline(text)));
    return schedule.substr(schedule.find('\n') + 1);
}

std::string access_text(const Expr& at) {
    auto a = access(at, {Symbol::named("y"), Symbol::named("x")},
                    {{Symbol::named("r"), {index_imm(-2), index_imm(3)}}});
    return a ? fmt::format("{} * {} + {}..{}", a->scale, a->of.hint(), a->lo, a->hi) : "all";
}

}  // namespace

TEST_CASE(
    "what is cheap or read once is inline, what a tile's stencils share is computed for the tile") {
    CHECK(authored(R"(pipeline p(in: f32[h, w]) -> out[h, w]
edge(y, x) = in(clamp(y, 0, h - 1), clamp(x, 0, w - 1))
soft(y, x) = edge(y, x) * 0.5 + edge(y, x + 1) * 0.25 + exp(edge(y, x - 1))
twice(y, x) = soft(y, x) * 2.0
out(y, x) = twice(y - 1, x) + twice(y, x) + twice(y + 1, x)
)") == R"(stage twice
  compute_at(out, xo)
  vectorize(x, 16)
stage out
  yo, yi = split(y, 48, guard)
  xo, xi = split(x, 512, guard)
  reorder(yo, xo, yi, xi)
  parallel(yo)
  vectorize(xi, 16)
)");
}

TEST_CASE("what needs all rows stays at the root, what needs one row goes with it") {
    std::string text = authored(R"(pipeline p(in: f32[h, w]) -> out[h, w]
total(x) += in(r, x) for r: 0..h
mean(y) += in(y, r) for r: 0..w
out(y, x) = (in(y, x) - mean(y)) / total(x)
)");
    CHECK(text.find("stage total\n  compute_at") == std::string::npos);
    CHECK(text.find("stage mean\n  compute_at(out, yo)") != std::string::npos);
}

TEST_CASE("matrices that a block of sums shares are packed, other operands are not") {
    auto packed = [](const std::string& text) {
        std::string schedule = authored("pipeline p(" + text + "\n");
        size_t at = schedule.find("transform_layout(");
        return at == std::string::npos ? "" : schedule.substr(at, schedule.find('\n', at) - at);
    };
    CHECK(packed("a: f32[m, k], b: f32[k, n]) -> c[m, n]\n"
                 "c(i, j) += a(i, r) * b(r, j) for r: 0..k") ==
          "transform_layout([d0, d1] -> [d1 / 64, d0, d1 % 64], pad)");
    CHECK(packed("a: f32[m, k], b: f32[n, k]) -> c[m, n]\n"
                 "c(i, j) += a(i, r) * b(j, r) for r: 0..k") ==
          "transform_layout([d0, d1] -> [d0 / 64, d1, d0 % 64], pad)");
    CHECK(packed("a: f64[h, m, k], b: f64[k, n, h]) -> c[h, m, n]\n"
                 "c(g, i, j) += a(g, i, r) * b(r, j, g) for r: 0..k") ==
          "transform_layout([d0, d1, d2] -> [d2, d1 / 32, d0, d1 % 32], pad)");
    CHECK(packed("a: f32[m, k], b: f32[k]) -> c[m]\nc(i) += a(i, r) * b(r) for r: 0..k") == "");
    CHECK(packed("a: f32[h, w], b: f32[3]) -> c[h, w]\n"
                 "c(y, x) += a(clamp(y + r, 0, h - 1), x) * b(r) for r: 0..3") == "");
    CHECK(packed("a: f32[k, n], b: f32[m, k, n]) -> c[m, n]\n"
                 "c(i, j) += a(r, j) * b(i, r, j) for r: 0..k") == "");
}

TEST_CASE("sums along rows take eight rows at a time, whatever else belongs to each row") {
    for (const char* term : {"x(i, r)", "(x(i, r) - mean(i)) * (x(i, r) - mean(i))"})
        CHECK(authored(fmt::format("pipeline p(x: f32[m, n], mean: f32[m]) -> y[m]\n"
                                   "y(i) += {} for r: 0..n\n",
                                   term))
                  .ends_with(R"(stage y.update(0)
  io, ii = split(i, 8)
  reorder(io, r, ii)
  parallel(io)
  unroll(ii)
  cache_write(io, Register)
)"));
}

TEST_CASE("a reduction along rows that may take any order goes in parts, another does not") {
    auto parts = [](const char* op) {
        return authored(fmt::format("pipeline p(x: f32[m, n]) -> top[m]\n"
                                    "top(i) {} for r: 0..n\n",
                                    op))
            .starts_with("top_parts = rfactor(top.update(0), r, 64, inner, lane, tree)\n");
    };
    CHECK(parts("= max(top(i), x(i, r))"));
    CHECK_FALSE(parts("= max(top(i), x(r, i))"));
    CHECK_FALSE(parts("+= x(i, r)"));
}

TEST_CASE("a scan down the rows of a tile takes whole rows, one at the root whole columns") {
    std::string text =
        "pipeline p(in: f32[h, w]) -> out[h, w]\ns(y, x) = in(y, x)\n"
        "s(r, x) += s(r - 1, x) for r: 1..h\n";
    CHECK(authored(text + "out(y, x) = s(y, x) + s(h - 1 - y, x)\n").find(R"(stage s.update(0)
  xo, xi = split(x, 16)
  reorder(r, xo, xi)
  vectorize(xi)
)") != std::string::npos);
    CHECK(authored("pipeline p(in: f32[h, w]) -> s[h, w]\n" + text.substr(text.find("\ns(") + 1))
              .find("reorder(xo, r, xi)\n  parallel(xo)\n") != std::string::npos);
}

TEST_CASE("scans along the rows of a tile are vectors of rows, stored by columns") {
    std::string text = "pipeline p(in: f32[h, w]) -> out[h, w]\ns(y, x) = in(y, x)\n";
    auto has = [&](const std::string& rest, const char* what) {
        return authored(text + rest).find(what) != std::string::npos;
    };
    std::string scan = "s(y, r) += s(y, r - 1) for r: 1..w\n",
                out = "out(y, x) = s(y, x) + s(y, w - 1 - x)\n";
    CHECK(has(scan + out, "transform_layout([y, x] -> [x, y])\n  reorder(x, y)\n"));
    CHECK(has(scan + out, "stage s.update(0)\n  reorder(r, y)\n  vectorize(y, 16)\n"));
    CHECK(has(scan + out, "reorder(yo, xo, yi, xi)\n"));
    CHECK_FALSE(
        has("s(y, index(i32(in(y, r))) % 8) += 1.0 for r: 0..w\n" + out, "transform_layout"));
    CHECK_FALSE(has(scan + "s(q, x) += s(q - 1, x) for q: 1..h\n" + out, "transform_layout"));
}

TEST_CASE("schedules by rule are legal, the same every time, and change no bit") {
    for (std::string text : {
             "pipeline p(in: f32[h, w]) -> o[h, w]\ns(y, x) = in(y, x)\n"
             "s(y, r) = s(y, r - 1) + (s(y, r) - s(y, r - 1)) * 0.5 for r: 1..w\n"
             "t(y, x) = s(y, x)\nt(y, w - 1 - r) = t(y, w - r) + s(y, w - 1 - r) for r: 1..w\n"
             "o(y, x) = t(y, x) - s(y, x)\n",
             "pipeline p(in: u8[c, h, w]) -> o[c, h, w]\ns(k, y, x) = u16(in(k, y, x))\n"
             "s(k, y, r) += s(k, y, r - 1) for r: 1..w\no(k, y, x) = s(k, y, x) + s(k, y, 0)\n",
             "pipeline p(in: f32[n]) -> out[]\nout() += in(r) for r: 0..n\n",
             "pipeline p(in: u8[n]) -> h[256]\nh(index(in(r))) += 1 for r: 0..n\n",
             "pipeline p(in: f32[n]) -> s[n]\ns(x) = in(x)\ns(r) += s(r - 1) for r: 1..n\n",
             "pipeline p(in: f32[h, w]) -> o[h, w]\nm(y) = maximum(in(y, r) for r: 0..w)\n"
             "e(y, x) = exp(in(y, x) - m(y))\ns(y) = sum(e(y, r) for r: 0..w)\no(y, x) = e(y, x) / "
             "s(y)\n",
             "pipeline p(in: u8[c, h, w]) -> o[c, h]\no(c, y) = max(o(c, y), in(c, y, r)) for r: "
             "0..w\n",
             "pipeline p(in: i32[h, w]) -> o[h]\nt(y) += in(y, r) for r: 0..w\n"
             "o(y) = min(o(y), in(y, r) - t(y)) for r: 0..w\n",
             "pipeline p(in: f32[h, w]) -> a[h, w], b[w, h]\nf(y, x) = sqrt(in(y, x)) * exp(in(y, "
             "x))\n"
             "a(y, x) = f(y, x) + f(y, w - 1 - x)\nb(x, y) = f(y, x) - 1.0\n",
             "pipeline p(x: f32[m, n]) -> o[m]\nt(i) += x(i, r) for r: 0..n\n"
             "o(i) += (x(i, r) - t(i)) * (x(i, r) - t(i)) for r: 0..n\n",
             "pipeline p(x: f32[m, n]) -> o[m], q[m]\ns(i) = {0.0, 1.0}\n"
             "s(i) = {s(i)[0] + x(i, r), s(i)[1] * x(i, r)} for r: 0..n\no(i) = s(i)[0]\nq(i) += "
             "x(i, r) * s(i)[1] for r: 0..n\n",
             "pipeline p(in: f32[h, w]) -> o[h, w]\nd(y, x) = in(y, x)\n"
             "d(r, x) = d(r - 1, x) * 0.5 + in(r, x) for r: 1..h\nu(y, x) = d(y, x)\n"
             "u(h - 1 - r, x) = max(u(h - r, x), d(h - 1 - r, x)) for r: 1..h\no(y, x) = u(y, x)\n",
             "pipeline p(a: f32[h, m, k], b: f32[h, n, k]) -> c[h, m, n]\n"
             "c(g, i, j) += a(g, i, r) * b(g, j, r) for r: 0..k\n",
             "pipeline p(a: f32[m, k], b: f32[2, n, k]) -> c[m, n]\n"
             "s(i, g, j) += a(i, r) * b(g, j, r) for r: 0..k\nc(i, j) = s(i, 0, j) * s(i, 1, j)\n",
             "pipeline p(a: f32[n, n]) -> c[n, n]\nc(i, j) += a(i, r) * a(j, r) for r: 0..n\n",
             "pipeline p(in: f32[h, w]) -> o[h / 4, w / 4]\nd(y, x) = (in(2 * y, 2 * x) + in(2 * y "
             "+ 1, 2 * x + 1)) / 2.0\n"
             "e(y, x) = exp(d(y, x))\no(y, x) = e(2 * y, 2 * x) + e(2 * y + 1, 2 * x + 1)\n",
         }) {
        Pipeline p = parse_pipeline(text);
        Schedule s = auto_schedule(p);
        INFO(s.text());
        CHECK(s == auto_schedule(parse_pipeline(text)));
        CHECK(parse_schedule(p, s.text()) == s);
        CHECK_NOTHROW(check(s));
        VerifyOptions options;
        options.calls = 6;
        VerifyReport report = verify(p, s, options);
        INFO(to_string(report));
        CHECK(report.ok());
        CHECK(report.compared > 0);
        CHECK(report.ulp_from_algorithm == 0);
    }
}

TEST_CASE("a chain of five hundred stencils falls into tiles whose borders stay small") {
    std::string text = "s0(y, x) = in(clamp(y, 0, h - 1), clamp(x, 0, w - 1))\n";
    for (int k = 1; k <= 500; ++k)
        text += fmt::format("s{0}(y, x) = sqrt(s{1}(y - 1, x) + s{1}(y + 1, x)) * s{1}(y, x)\n", k,
                            k - 1);
    std::string schedule = authored("pipeline p(in: f32[h, w]) -> s500[h, w]\n" + text);
    auto count = [&](const char* what) {
        int n = 0;
        for (size_t at = 0; (at = schedule.find(what, at)) != std::string::npos; ++at) ++n;
        return n;
    };
    // Every second one is stored: four reach eight rows beside a tile on each side, the fifth begins a group.
    CHECK(count("stage") == 250);
    CHECK(count("compute_root") == 49);
    CHECK(count("compute_at") == 200);
}

TEST_CASE("how far a read reaches beside its reader's point") {
    Expr y = var(Symbol::named("y")), x = var(Symbol::named("x")), r = var(Symbol::named("r")),
         n = var(Symbol::named("n"));
    CHECK(access_text(y) == "1 * y + 0..0");
    CHECK(access_text(y + r) == "1 * y + -2..3");
    CHECK(access_text(clamp(x - 1, index_imm(0), n - 1)) == "1 * x + -1..-1");
    CHECK(access_text(2 * y + 1) == "2 * y + 1..1");
    CHECK(access_text((y + 4) / 2) == "0.5 * y + 2..2");
    CHECK(access_text(y + n) == "1 * y + 0..0");
    for (Expr whole : {r, n, y + x, y % 4, n - y, y * n, select(y < 3, y, x)})
        CHECK(access_text(whole) == "all");
}
