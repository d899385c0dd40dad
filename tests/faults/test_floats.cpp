// Floating point: NaN, zeros, infinities, roundings and conversions, folded and at run time.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "faults/fixture.h"
#include "report/paths.h"

using namespace faults;

namespace {

// A vector that rotates v, so that each element comes to each place.
template <class T>
std::vector<std::vector<T>> rotations(std::vector<T> v) {
    std::vector<std::vector<T>> all;
    for (size_t i = 0; i < v.size(); ++i) {
        all.push_back(v);
        std::rotate(v.begin(), v.begin() + 1, v.end());
    }
    return all;
}
// One output over i: term(v(i)) for each v.
void maps(const char* from, const char* term, const AnyBuffer& v, const AnyBuffer& expected) {
    holds(fmt::format("pipeline p(v: {}[n]) -> o[n]\no(i) = {}\n", from, term), {{{v}, {expected}}},
          {"stage o\n  vectorize(i, 4, guard)\n", "stage o\n  vectorize(i, 2)\n"});
}
template <class T>
T next(T v) {
    return std::nextafter(v, T(1));
}

}  // namespace

TEST_CASE("H34 the maximum and the minimum of NaN and numbers is NaN, at any place") {
    std::vector<Case> calls;
    auto call = [&](const std::vector<float>& v, float most, float least) {
        calls.push_back({{row(v)}, {one(most), one(least)}});
    };
    call({NaN, NaN}, NaN, NaN);
    call({1, NaN, 2}, NaN, NaN);
    call({NaN, 1}, NaN, NaN);
    call({}, -inf, inf);
    for (auto& v : rotations<float>({NaN, 1, -inf, 4, 5, inf, 7, 8, 9})) call(v, NaN, NaN);
    for (auto& v : rotations<float>({-3, 1, 4})) call(v, 4, -3);
    holds(
        "pipeline p(v: f32[n]) -> m[], l[]\nm() = maximum(v(r) for r: 0..n)\nl() = minimum(v(r) "
        "for r: 0..n)\n",
        calls,
        {"stage m.update(0)\n  unroll(r, 4)\nstage l.update(0)\n  unroll(r, 8)\n",
         "mp = rfactor(m.update(0), r, 4, inner, u, tree)\nlp = rfactor(l.update(0), r, 3, outer, "
         "w, in_order)\n"
         "stage mp.update(0)\n  vectorize(u, 4)\nstage lp.update(0)\n  vectorize(w, 4)\n"});
    holds(
        "pipeline p(v: f32[n]) -> o[n], a[n], b[n], s[n]\no(i) = clamp(v(i), f32(0), f32(2))\na(i) "
        "= max(v(i), f32(0))\nb(i) = min(f32(0), v(i))\n"
        "s(i) = clamp(f32(1), v(i), f32(3))\n",
        {{{row<float>({NaN, -1, -0.f, 0, 1, 3, inf, -inf, NaN})},
          {row<float>({NaN, 0, 0, 0, 1, 2, 2, 0, NaN}),
           row<float>({NaN, 0, 0, 0, 1, 3, inf, 0, NaN}),
           row<float>({NaN, -1, -0.f, 0, 0, 0, 0, -inf, NaN}),
           row<float>({NaN, 1, 1, 1, 1, 3, 3, 1, NaN})}}},
        {"stage o\n  vectorize(i, 4, guard)\nstage a\n  vectorize(i, 8, guard)\nstage b\n  "
         "vectorize(i, 4, shift_inwards)\n"});
}

TEST_CASE("H35 argmax gives the first NaN, else the first of the largest, and its value") {
    std::vector<Case> calls;
    auto call = [&](const std::vector<float>& v) {
        size_t at = 0;
        for (size_t i = 0; i < v.size(); ++i)
            if (!std::isnan(v[at]) && (std::isnan(v[i]) || v[i] > v[at])) at = i;
        calls.push_back({{row(v)}, {one(v[at]), one(int64_t(at))}});
    };
    for (auto& v : rotations<float>({NaN, 6, 8})) call(v);
    for (auto& v : rotations<float>({1, 9, 9, NaN, NaN, 2, 9, 0, 3})) call(v);
    for (auto& v : rotations<float>({1, 9, 9, -inf, 2, 9, 0, 3, inf, inf})) call(v);
    call({7, 7, 7});
    call({-inf, -inf});
    call(std::vector<float>(33, 7));
    holds(
        "pipeline p(v: f32[n]) -> m[]\nm() = argmax(v(r) for r: 0..n)\n", calls,
        {"stage m.update(0)\n  unroll(r, 4)\n",
         "mp = rfactor(m.update(0), r, 4, inner, u, tree)\nstage mp.update(0)\n  vectorize(u, 4)\n",
         "mp = rfactor(m.update(0), r, 3, outer, u, in_order)\nstage mp\n  parallel(u)\nstage "
         "mp.update(0)\n  parallel(u)\n"});
}

TEST_CASE("H36 a select between NaN and a number keeps both arms") {
    holds(
        "pipeline p(v: f32[n]) -> o[n], s[n], z[n]\no(i) = select(is_nan(v(i)), f32(nan), 1)\ns(i) "
        "= select(is_nan(v(i)), 1, f32(nan))\n"
        "z(i) = select(v(i) > 2, f32(0), f32(-0.0))\n",
        {{{row<float>({1, NaN, 3})},
          {row<float>({1, NaN, 1}), row<float>({NaN, 1, NaN}), row<float>({-0.f, -0.f, 0})}}},
        {"stage o\n  vectorize(i, 4, guard)\nstage s\n  vectorize(i, 2)\nstage z\n  vectorize(i, "
         "2)\n"});
}

TEST_CASE("H37 reductions over one more than whole tiles meet no padding") {
    std::vector<Case> calls;
    for (int64_t n = 1; n <= 33; ++n)
        for (float v : {-0.f, inf, -inf})
            calls.push_back({{filled<float>({n}, [=](int64_t) { return v; })},
                             {one(v), one(v), one(v == 0 ? 0.f : v), one(v == 0 ? 0.f : v)}});
    calls.push_back({{row<float>({0.f, -0.f})}, {one(0.f), one(-0.f), one(0.f), one(0.f)}});
    holds(
        "pipeline p(v: f32[n]) -> m[], l[], s[], t[]\nm() = maximum(v(r) for r: 0..n)\nl() = "
        "minimum(v(r) for r: 0..n)\ns() = sum(v(r) for r: 0..n)\n"
        "t() += v(r) for r: 0..n\n",
        calls,
        {"stage m.update(0)\n  unroll(r, 4)\nstage l.update(0)\n  unroll(r, 8)\n",
         "mp = rfactor(m.update(0), r, 8, inner, u, tree)\nlp = rfactor(l.update(0), r, 4, outer, "
         "w, in_order)\nsp = rfactor(s.update(0), r, 4, inner, z, tree)\n"
         "stage mp.update(0)\n  vectorize(u, 8)\nstage lp.update(0)\n  vectorize(w, 4)\nstage "
         "sp.update(0)\n  vectorize(z, 4)\n"});
}

TEST_CASE("H38 a function and its inverse do not cancel") {
    Pipeline p = parse_pipeline("pipeline p(v: f32[n]) -> o[n]\no(i) = log(exp(v(i)))\n");
    Buffer<float> v = row<float>({88, 89, -104, 0}), back = evaluate(p, {v});
    CHECK(back(0) == doctest::Approx(88));
    CHECK(back(1) == inf);
    CHECK(back(2) == -inf);
    maps("f32", "log(exp(v(i)))", v, back);
    Buffer<float> roots = row<float>({1e19f, 1e20f, -3, NaN});
    maps("f32", "sqrt(v(i) * v(i))", roots, row<float>({std::sqrt(1e19f * 1e19f), inf, 3, NaN}));
    maps("f32", "-(-v(i)) + (v(i) / 3 * 3 - v(i))", row<float>({1, 5, inf, -0.f}),
         row<float>({1, 5, NaN, -0.f + (-0.f / 3 * 3 - -0.f)}));
    holds("pipeline p() -> a[], b[]\na() = log(exp(f32(89)))\nb() = sqrt(f32(1e20) * f32(1e20))\n",
          {{{}, {one(inf), one(inf)}}});
}

TEST_CASE("H39 a sum of two products rounds three times") {
    holds(
        "pipeline p(a: f32[n], b: f32[n], x: f32[n]) -> o[n], t[n]\no(i) = a(i) * x(i) + b(i) * "
        "x(i)\nq(i) = a(i) * x(i)\nt(i) = q(i) - a(i) * x(i)\n",
        {{{row<float>({1e20f, 2, 1, 1, 0.1f}), row<float>({-1e20f, 3, 1, 1, -0.1f}),
           row<float>({1e10f, 1, 1, 1, 0.1f})},
          {row<float>({0, 5, 2, 2, 0}), row<float>({0, 0, 0, 0, 0})}}},
        {"stage o\n  vectorize(i, 4, guard)\nstage t\n  vectorize(i, 8, guard)\nstage q\n  "
         "compute_at(t, io)\n  vectorize(i, 4)\n"});
}

TEST_CASE("H40 differences and products with infinity are not folded to 0") {
    Buffer<float> v = row<float>({1, 2, 0, -0.f, inf, -inf, NaN});
    maps("f32", "v(i) * f32(inf) - v(i) * f32(inf)", v,
         row<float>({NaN, NaN, NaN, NaN, NaN, NaN, NaN}));
    maps("f32", "v(i) - v(i)", v, row<float>({0, 0, 0, 0, NaN, NaN, NaN}));
    maps("f32", "v(i) / v(i)", v, row<float>({1, 1, NaN, NaN, NaN, NaN, NaN}));
    maps("f32", "f32(0) * v(i)", v, row<float>({0, 0, 0, -0.f, NaN, NaN, NaN}));
    maps("f32", "v(i) + f32(0)", v, row<float>({1, 2, 0, 0, inf, -inf, NaN}));
    maps("f32", "v(i) + f32(-0.0)", v, row<float>({1, 2, 0, -0.f, inf, -inf, NaN}));
    maps("f32", "f32(0) - v(i)", v, row<float>({-1, -2, 0, 0, -inf, inf, NaN}));
    maps("f32", "select(v(i) == v(i), f32(1), f32(2))", v, row<float>({1, 1, 1, 1, 1, 1, 2}));
    maps("f32", "select(v(i) < 1 || v(i) >= 1, f32(1), f32(2))", v,
         row<float>({1, 1, 1, 1, 1, 1, 2}));
    maps("i32", "(v(i) - v(i)) / v(i) + 0 * v(i)", row<int32_t>({3, 0, INT32_MIN}),
         row<int32_t>({0, 0, 0}));
}

namespace {

std::vector<AnyBuffer> run_all(const std::string& text, const std::vector<Arg>& inputs,
                               const std::string& lines) {
    Pipeline p = parse_pipeline(text);
    Results r = compile(p, parse_schedule(p, "schedule 1 for p\n" + lines)).call(inputs);
    std::vector<AnyBuffer> all;
    for (int i = 0; i < r.size(); ++i) all.push_back(r[i]);
    return all;
}

// Each term over all pairs of a and b: from buffers, and with constants written out by unrolled loops.
void folds_as_run(const char* type, const std::vector<std::string>& constants,
                  const std::vector<std::string>& terms) {
    size_t n = constants.size();
    std::string outputs, text, lines;
    for (size_t k = 0; k < terms.size(); ++k) {
        outputs += fmt::format("{}o{}[{}, {}]", k ? ", " : "", k, n, n);
        text += fmt::format("o{}(i, j) = {}\n", k, terms[k]);
        lines += fmt::format(
            "stage o{0}\n  bound(i, 0, {1})\n  bound(j, 0, {1})\n  unroll(i, {1}, guard)\n  "
            "unroll(j, {1}, guard)\n",
            k, n);
    }
    std::string made = choice(type, constants);
    std::string known = fmt::format("v(k) = {}\na(i, j) = v(i)\nb(i, j) = v(j)\n", made);
    Pipeline values = parse_pipeline(fmt::format("pipeline p() -> v[{}]\nv(k) = {}\n", n, made));
    AnyBuffer v = evaluate(values, {})[0];
    std::string from_buffer = fmt::format(
        "pipeline p(v: {}[n]) -> {}\na(i, j) = v(i)\nb(i, j) = v(j)\n{}", type, outputs, text);
    Results expected = evaluate(parse_pipeline(from_buffer), {v});
    std::vector<AnyBuffer> all;
    for (int k = 0; k < expected.size(); ++k) all.push_back(expected[k]);
    CHECK(same(run_all(from_buffer, {v}, ""), all));
    std::string folded = fmt::format("pipeline p() -> {}\n{}{}", outputs, known, text);
    for (auto& schedule : {std::string(), lines}) CHECK(same(run_all(folded, {}, schedule), all));
}

}  // namespace

TEST_CASE("H41 what is folded has the bits of what is run") {
    std::vector<std::string> constants = {
        "0", "-0.0", "1", "-1", "inf", "-inf", "nan", "3.4028235e38", "1.17549435e-38", "1e-45"};
    std::vector<std::string> binary = {"a(i, j) + b(i, j)",
                                       "a(i, j) - b(i, j)",
                                       "a(i, j) * b(i, j)",
                                       "a(i, j) / b(i, j)",
                                       "min(a(i, j), b(i, j))",
                                       "max(a(i, j), b(i, j))",
                                       "select(a(i, j) < b(i, j), a(i, j), b(i, j))",
                                       "(1 / sqrt(a(i, j))) * b(i, j)",
                                       "fma(a(i, j), b(i, j), a(i, j))",
                                       "a(i, j) + b(i, j) - a(i, j)"};
    folds_as_run("f32", constants, binary);
    folds_as_run("f32", constants,
                 {"sqrt(a(i, j))", "exp(a(i, j))", "log(a(i, j))", "tanh(a(i, j))",
                  "rsqrt(a(i, j))", "abs(a(i, j))", "-a(i, j)"});
    folds_as_run("f32", {"0", "-0.0", "1.5", "inf", "nan", "1e-45"},
                 {"sin(a(i, j))", "cos(a(i, j))", "erf(a(i, j))", "sigmoid(a(i, j))",
                  "gelu(a(i, j))", "floor(a(i, j))", "round(a(i, j))", "pow(a(i, j), b(i, j))"});
    folds_as_run("f16", {"0", "-0.0", "1", "inf", "nan", "65504", "6e-8"}, binary);
    folds_as_run("f64", {"0", "-0.0", "1", "-inf", "nan", "1.7976931348623157e308", "5e-324"},
                 binary);
    holds("pipeline p() -> y[]\nz() = f32(0)\ny() = (1 / sqrt(z())) * 0\n", {{{}, {one(NaN)}}},
          {"stage z\n  compute_root()\n"});
}

TEST_CASE("H42 floats beyond an integer type saturate, NaN gives 0, known or not") {
    Buffer<float> v = row<float>({-1, 300.5f, NaN, 1e20f, -129.9f, inf, -inf});
    maps("f32", "u8(v(i))", v, row<uint8_t>({0, 255, 0, 255, 0, 255, 0}));
    maps("f32", "u16(v(i))", v, row<uint16_t>({0, 300, 0, 65535, 0, 65535, 0}));
    maps("f32", "i8(v(i))", v, row<int8_t>({-1, 127, 0, 127, -128, 127, -128}));
    maps("f32", "i32(v(i))", v, row<int32_t>({-1, 300, 0, INT32_MAX, -129, INT32_MAX, INT32_MIN}));
    maps("f32", "u32(v(i))", v, row<uint32_t>({0, 300, 0, UINT32_MAX, 0, UINT32_MAX, 0}));
    maps("f32", "i64(v(i))", v, row<int64_t>({-1, 300, 0, INT64_MAX, -129, INT64_MAX, INT64_MIN}));
    maps("f32", "u64(v(i))", v, row<uint64_t>({0, 300, 0, UINT64_MAX, 0, UINT64_MAX, 0}));
    maps("f64", "i32(v(i))", row<double>({2147483647.5, -2147483648.9, 2147483648.0, -1e300}),
         row<int32_t>({INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN}));
    maps(
        "f16", "i16(v(i)) + i16(u8(v(i)))",
        [] {
            AnyBuffer b(f16, {3});
            const uint16_t bits[] = {0x7bff, 0x7c00, 0x7e00};  // 65504, inf, NaN
            std::memcpy(b.data(), bits, sizeof bits);
            return b;
        }(),
        row<int16_t>({int16_t(INT16_MIN + 254), int16_t(INT16_MIN + 254), 0}));
    holds(
        "pipeline p() -> a[], b[], c[], d[], e[]\na() = u16(f32(-1))\nb() = u8(f32(300.5))\nc() = "
        "i32(f32(nan))\nd() = i32(f32(1e20))\ne() = i8(f32(-129.9))\n",
        {{{}, {one(uint16_t(0)), one(uint8_t(255)), one(0), one(INT32_MAX), one(int8_t(-128))}}});
}

TEST_CASE("H43 a cast to a narrower float and back is kept") {
    Buffer<float> sevenths({20}), halves({20}), brains({20});
    Buffer<double> doubles({20}), floats({20});
    for (int64_t i = 0; i < 20; ++i) {
        sevenths(i) = float(i) / 7;
        halves(i) = float(_Float16(sevenths(i)));
        uint32_t u = std::bit_cast<uint32_t>(sevenths(i));
        brains(i) = std::bit_cast<float>((u + 0x7fff + (u >> 16 & 1)) >> 16 << 16);
        doubles(i) = double(i) / 7;
        floats(i) = float(doubles(i));
    }
    CHECK(halves(1) == 0.142822265625f);
    maps("f32", "f32(f16(v(i)))", sevenths, halves);
    maps("f32", "f32(bf16(v(i)))", sevenths, brains);
    maps("f64", "f64(f32(v(i)))", doubles, floats);
    holds("pipeline p() -> y[20]\nh(i) = f16(f32(i) / 7)\ny(i) = f32(h(i))\n", {{{}, {halves}}},
          {"stage y\n  vectorize(i, 8)\n", "stage y\n  unroll(i, 4)\n"});
}

TEST_CASE(
    "H44 a half overflows to infinity, and all halves come back, with and without instructions for "
    "them") {
    Buffer<float> v = row<float>({65504, 65519, 65520, 70000, 1e10f, -70000, inf, NaN});
    Buffer<float> right = row<float>({65504, 65504, inf, inf, inf, -inf, inf, NaN});
    maps("f32", "f32(f16(v(i)))", v, right);
    AnyBuffer all(f16, {1 << 16});
    for (int i = 0; i < 1 << 16; ++i) std::memcpy(all.data() + 2 * i, &i, 2);
    Pipeline p = parse_pipeline(
        "pipeline p(h: f16[n], v: f32[m]) -> o[n], t[n], d[m]\no(i) = f16(f32(h(i)))\nt(i) = "
        "f16(f64(h(i)))\nd(i) = f32(f16(v(i)))\n");
    for (const char* target : {"host", "x86-64", "x86-64-v3"})
        for (const char* lines : {"",
                                  "stage o\n  vectorize(i, 8)\nstage t\n  vectorize(i, 4)\nstage "
                                  "d\n  vectorize(i, 4)\n"}) {
            INFO(target << " " << lines);
            Results r = compile(p, parse_schedule(p, fmt::format("schedule 1 for p\n{}", lines)),
                                Target::parse(target))(all, v);
            CHECK(same(r[0], all));
            CHECK(same(r[1], all));
            CHECK(same(r[2], right));
        }
}

TEST_CASE("H45 halves round once to their denormals, from floats and from doubles") {
    AnyBuffer right = row<float>({0, 0x1p-24f, 0x1p-23f, 0x1p-24f, -0.f, 0, 0x1p-24f});
    maps(
        "f32", "f32(f16(v(i)))",
        row<float>({0x1p-25f, next(0x1p-25f), 0x3p-25f, 0x1p-24f, -0x1p-25f, 0x1p-26f, 0x1.8p-25f}),
        right);
    maps("f64", "f32(f16(v(i)))",
         row<double>({0x1p-25, next(0x1p-25), 0x3p-25, 0x1p-24, -0x1p-25, 0x1p-26, 0x1.8p-25}),
         right);
    // Rounded by way of f32 these would be ties.
    maps("f64", "f64(f16(v(i)))", row<double>({1 + 0x1p-11 + 0x1p-40, 1 + 0x3p-11 - 0x1p-40}),
         row<double>({1 + 0x1p-10, 1 + 0x1p-10}));
    maps("f64", "f64(bf16(v(i)))", row<double>({1 + 0x1p-8 + 0x1p-40, 1 + 0x3p-8 - 0x1p-40}),
         row<double>({1 + 0x1p-7, 1 + 0x1p-7}));
}

TEST_CASE("H46 a row of softmax that is all masked is NaN, fused or not") {
    Lines lines;
    for (int block : {1, 2, 3})
        lines.push_back(
            fmt::format("stage o\n  vectorize(x, {0}, guard)\nstage m\n  compute_at(o, y)\nstage "
                        "m.update(0)\n  split(r, {0})\n"
                        "stage e\n  compute_at(o, y)\n  vectorize(x, {0})\nstage s\n  "
                        "compute_at(o, y)\nstage s.update(0)\n  split(r, {0})\n",
                        block));
    auto in = filled<float>({3, 3}, [](int64_t y, int64_t x) {
        return y == 2 ? 0 : y == 0 && x == 0 ? 0 : -inf;
    });
    holds(
        "pipeline p(in: f32[h, w], c: f32[w, k]) -> o[h, w], t[h, k]\nm(y) = maximum(in(y, r) for "
        "r: 0..w)\ne(y, x) = exp(in(y, x) - m(y))\n"
        "s(y) = sum(e(y, r) for r: 0..w)\no(y, x) = e(y, x) / s(y)\nt(y, j) += o(y, q) * c(q, j) "
        "for q: 0..w\n",
        {{{in, filled<float>({3, 2}, [](int64_t q, int64_t j) { return q + j; })},
          {filled<float>({3, 3},
                         [](int64_t y, int64_t x) {
                             return y == 2 ? 1.f / 3 : y ? NaN : float(x == 0);
                         }),
           filled<float>(
               {3, 2},
               [](int64_t y, int64_t j) {
                   float third = 1.f / 3, t = 0;
                   for (int q = 0; q < 3; ++q)
                       t = std::fma(y == 2 ? third : y ? NaN : float(q == 0), float(q + j), t);
                   return t;
               })}}},
        lines);
}
