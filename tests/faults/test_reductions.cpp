// Reductions, partial sums, updates.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "faults/fixture.h"

using namespace faults;

namespace {

const char* stencil = R"(pipeline stencil(w: size, h: size) -> out[w, h]
source(x, y) = i32(2 * x + 5 * y)
s(x, y) = 0
s(x, y) += source(x + r, y + q) for r: -1..2, q: -1..2
out(x, y) = s(x, y) / 9
)";
std::vector<Case> planes() {  // 2 x + 5 y over a few boxes
    std::vector<Case> calls;
    for (auto [w, h] : {std::pair(5, 3), {1, 1}, {6, 3}, {0, 4}, {9, 8}})
        calls.push_back({{w, h}, {filled<int32_t>({w, h}, [](int64_t x, int64_t y) {
                             return 2 * x + 5 * y;
                         })}});
    return calls;
}

}  // namespace

TEST_CASE("H01 rfactor of an update whose pure loops are split leaves every sum as it is") {
    Lines lines;
    for (int factor : {1, 2, 3, 4, 5})
        for (const char* tail : {"guard", "shift_inwards", "round_up", "auto"})
            lines.push_back(fmt::format(
                "sp = rfactor(s.update(0), r, {0}, {2}, u, {3})\n"
                "stage s\n  compute_root()\n  split(x, {0}, {1})\n"
                "stage sp\n  compute_root()\n  split(x, {0}, {1})\n"
                "stage sp.update(0)\n  split(x, {0}, guard)\n"
                "stage out\n  split(y, {0})\n",
                factor, tail, factor % 2 ? "inner" : "outer", factor % 3 ? "in_order" : "tree"));
    holds(stencil, planes(), lines);
}

TEST_CASE("H02 an update that assigns or subtracts has no partial results") {
    const char* assign =
        "pipeline p() -> g[20]\nf(x) = i32(x)\ng(x) = 4\ng(r) = 17 * f(r) + 8 for r: 0..10\n";
    holds(assign,
          {{{}, {filled<int32_t>({20}, [](int64_t x) { return x < 10 ? 17 * x + 8 : 4; })}}},
          {"stage f\n  compute_at(g.update(0), r)\n", "stage g.update(0)\n  unroll(r, 3)\n",
           "stage g.update(0)\n  vectorize(r, 4)\n"});
    CHECK(says(refusal_of(assign, "gp = rfactor(g.update(0), r, 4, inner, u, in_order)\n"),
               "g.update(0)"));

    const char* subtract =
        "pipeline p() -> g[20]\nf(x) = i32(x)\ng(x) = 4\ng(r) = g(r) - f(r) for r: 0..10\n";
    holds(subtract, {{{}, {filled<int32_t>({20}, [](int64_t x) { return x < 10 ? 4 - x : 4; })}}},
          {"stage g.update(0)\n  vectorize(r, 4)\n", "stage g.update(0)\n  parallel(r)\n",
           "gp = rfactor(g.update(0), r, 4, inner, u, in_order)\nstage gp.update(0)\n  "
           "parallel(u)\n"});

    holds("pipeline p() -> g[3]\ng(x) -= i32(r * x) for r: 0..10\n",
          {{{}, {row<int32_t>({0, -45, -90})}}},
          {"gp = rfactor(g.update(0), r, 4, inner, u, in_order)\nstage gp.update(0)\n  "
           "vectorize(u, 4)\n",
           "gp = rfactor(g.update(0), r, 3, outer, u, tree)\nstage gp\n  parallel(u)\n"});
}

TEST_CASE("H03 partial sums in vectors are as many as the factor says, for every extent") {
    std::vector<Case> calls;
    for (int64_t n : {0, 1, 3, 4, 5, 7, 8}) {
        int sum = 0;
        for (int x = 0; x < n; ++x) sum += 2 * (1 + x) + 10;
        calls.push_back({{n}, {one(uint16_t(sum))}});
    }
    holds(
        "pipeline p(n: size) -> s[]\nsource(x, y) = u16(1 + x + 10 * y)\ns() = u16(0)\n"
        "s() += source(r, q) for r: 0..n, q: 0..2\n",
        calls,
        {"sp = rfactor(s.update(0), r, 4, inner, u, in_order)\nstage sp\n  vectorize(u, 4)\nstage "
         "sp.update(0)\n  vectorize(u, 4)\n",
         "sp = rfactor(s.update(0), r, 5, outer, u, tree)\nstage sp\n  vectorize(u, 4)\nstage "
         "sp.update(0)\n  vectorize(u, 4)\n",
         "stage s.update(0)\n  reorder(q, r)\n  unroll(r, 4)\n"});
    CHECK(says(refusal_of("pipeline p(n: size) -> s[]\ns() += u16(r) for r: 0..n\n",
                          "stage s.update(0)\n  vectorize(r, 4)\n"),
               "s.update(0).ri"));
}

TEST_CASE("H04 a loop over a floating-point reduction is neither parallel nor vectorised") {
    const char* product =
        "pipeline p(a: f32[m, k], w: f32[k, n]) -> c[m, n]\nc(i, j) += a(i, r) * w(r, j) for r: "
        "0..k\n";
    for (const char* line : {"parallel(r)", "vectorize(r, 4)", "parallel(r, 2)"}) {
        Error e = refusal_of(product, fmt::format("stage c.update(0)\n  {}\n", line));
        CHECK(says(e, "c.update(0).r"));
    }
    holds(product,
          {{{filled<float>({2, 4}, [](int64_t i, int64_t k) { return 4 * i + k + 1; }),
             filled<float>({4, 2}, [](int64_t k, int64_t j) { return k % 2 == j; })},
            {filled<float>({2, 2},
                           [](int64_t i, int64_t j) { return i ? 12 + 2 * j : 4 + 2 * j; })}}},
          {"cp = rfactor(c.update(0), r, 4, inner, u, in_order)\nstage cp.update(0)\n  "
           "parallel(u)\n"});
}

TEST_CASE("H05 the start of a sum respects the guard of the loop it is computed in") {
    Lines lines;
    for (int factor : {2, 3, 4, 6})
        lines.push_back(
            fmt::format("stage c\n  split(i, {}, guard)\nstage b\n  compute_at(c, ii)\n", factor));
    lines.push_back(
        "stage c\n  vectorize(i, 4, guard)\nstage b\n  compute_at(c, io)\n  vectorize(i, 4)\n");
    holds(
        "pipeline p() -> c[5]\na(i, k) = i32(i + k)\nb(i) = sum(a(i, k) for k: 0..5)\nc(i) = "
        "b(i)\n",
        {{{}, {row<int32_t>({10, 15, 20, 25, 30})}}}, lines);
}

TEST_CASE("H06 a sum inside a vectorised loop is not added up once a lane") {
    holds(
        "pipeline p() -> o[2, 2, 4]\ns(x, y) = 0\ns(x, y) += i32(r) for r: 1..3\no(x, y, c) = "
        "select(c == 3, 255, s(x, y))\n",
        {{{},
          {filled<int32_t>({2, 2, 4},
                           [](int64_t, int64_t, int64_t c) { return c == 3 ? 255 : 3; })}}},
        {"stage s\n  compute_inline()\nstage o\n  vectorize(c, 4)\n",
         "stage s\n  compute_at(o, y)\nstage o\n  vectorize(c, 4)\n",
         "stage s\n  compute_inline()\nstage o\n  vectorize(y, 2)\n",
         "stage s\n  compute_at(o, c)\nstage o\n  reorder(c, x, y)\n  vectorize(y, 2)\n"});
}

namespace {
template <class T>
void counts(const char* type) {
    std::vector<Case> calls;
    for (int64_t n : {0, 1, 15, 16, 17, 100, 127, 128, 200, 255, 256})
        calls.push_back({{filled<bool>({n}, [](int64_t) { return true; })}, {one(T(n))}});
    holds(fmt::format("pipeline p(b: bool[n]) -> c[]\nc() = {0}(0)\nc() += {0}(b(i)) for i: 0..n\n",
                      type),
          calls,
          {"cp = rfactor(c.update(0), i, 16, inner, u, tree)\nstage cp\n  vectorize(u, 16)\n"
           "stage cp.update(0)\n  vectorize(u, 16)\n  unroll(io, 2)\n",
           "stage c.update(0)\n  split(i, 32)\n  unroll(ii, 16)\n"});
}
}  // namespace

TEST_CASE("H07 counting in a narrow type wraps as the type does") {
    counts<int8_t>("i8");
    counts<uint8_t>("u8");
    counts<int16_t>("i16");
    counts<int32_t>("i32");
}
