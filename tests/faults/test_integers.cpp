// Integer arithmetic: the engine's own division, shifts, wraps, on every path and folded.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faults/fixture.h"

using namespace faults;

namespace {

// Outputs o0(i), o1(i), ... [n] of these terms.
std::string table(const std::string& params, const std::string& n,
                  const std::vector<std::string>& terms) {
    std::string outputs, text;
    for (size_t k = 0; k < terms.size(); ++k) {
        outputs += fmt::format("{}o{}[{}]", k ? ", " : "", k, n);
        text += fmt::format("o{}(i) = {}\n", k, terms[k]);
    }
    return fmt::format("pipeline p({}) -> {}\n{}", params, outputs, text);
}
std::string vectorised(size_t terms, int lanes, const char* tail) {
    std::string lines;
    for (size_t k = 0; k < terms; ++k)
        lines += fmt::format("stage o{}\n  vectorize(i, {}, {})\n", k, lanes, tail);
    return lines;
}
template <class T>
std::vector<T> spread(T lo, T hi, int step) {
    std::vector<T> v;
    for (int64_t i = lo; i <= hi; i += step) v.push_back(T(i));
    return v;
}
template <class T, class F>
Buffer<T> mapped(const std::vector<F>& v, auto f) {
    Buffer<T> b({int64_t(v.size())});
    for (size_t i = 0; i < v.size(); ++i) b(i) = T(f(v[i]));
    return b;
}

constexpr int8_t lowest8 = INT8_MIN;

}  // namespace

TEST_CASE("H21 a factor and a divisor of any signs keep their rounding") {
    std::vector<std::string> terms;
    std::vector<AnyBuffer> expected;
    auto n = [](int64_t i) { return i - 20; };
    for (int m : {-7, -3, -1, 2})
        for (int d : {-6, -4, -1, 3}) {
            terms.push_back(fmt::format("{} * (i32(i) - 20 + 5) / {}", m, d));
            expected.push_back(
                filled<int32_t>({41}, [=](int64_t i) { return floor_div(m * (n(i) + 5), d); }));
            terms.push_back(
                fmt::format("i64({} * (i - 20 + 5) % {} + (i - 20) * {} / {})", m, d, m, d));
            expected.push_back(filled<int64_t>({41}, [=](int64_t i) {
                return floor_mod(m * (n(i) + 5), d) + floor_div(n(i) * m, d);
            }));
        }
    terms.push_back("-67 * 120 * (i32(i) - 105) / 69");
    expected.push_back(
        filled<int32_t>({41}, [=](int64_t i) { return floor_div(-67 * 120 * (i - 105), 69); }));
    CHECK(floor_div(-67 * 120 * (-85 - 73), 69) == 18410);
    holds(table("", "41", terms), {{{}, expected}});
}

TEST_CASE("H22 a shift to the right keeps its sign") {
    auto check = [](auto least, const char* type) {
        using T = decltype(least);
        std::vector<T> v = {T(-5), T(-1), T(0), T(7), least, T(-(least + 1))};
        int top = int(sizeof(T)) * 8 - 1;
        holds(table(fmt::format("m: {}[n]", type), "n",
                    {fmt::format("m(i) >> {}", top), fmt::format("m(i) << {}", top),
                     fmt::format("m(i) >> {} << 1", top - 1)}),
              {{{row(v)},
                {mapped<T>(v, [](T x) { return x < 0 ? -1 : 0; }),
                 mapped<T>(v, [=](T x) { return x & 1 ? least : T(0); }),
                 mapped<T>(v, [=](T x) { return (x >> (top - 1)) * 2; })}}},
              {vectorised(3, 4, "guard")});
    };
    check(int8_t(INT8_MIN), "i8");
    check(int16_t(INT16_MIN), "i16");
    check(int32_t(INT32_MIN), "i32");
    check(int64_t(INT64_MIN), "i64");
}

TEST_CASE("H23 a shift by the width or more is one answer in body, tail and folder") {
    std::vector<Case> calls;
    for (int32_t s : {32, -1, 31, 33, INT32_MIN}) {
        auto all = filled<int32_t>({7}, [=](int64_t) { return s; });
        auto gaps = std::make_shared<std::vector<int32_t>>(14, s);
        auto strided = Buffer<int32_t>::view(gaps->data(), {Dim{0, 7, 2}}, gaps);
        auto left = filled<int32_t>({7}, [=](int64_t) { return s == 31 ? INT32_MIN : 0; });
        auto right = filled<int32_t>({7}, [](int64_t) { return -1; });
        calls.push_back({{all}, {left, right}});
        calls.push_back({{strided}, {left, right}});
    }
    holds(table("s: i32[n]", "n", {"1 << s(i)", "-5 >> s(i)"}), calls,
          {vectorised(2, 4, "guard"), vectorised(2, 4, "shift_inwards")});
    holds(table("", "7",
                {"1 << 32", "1 << -1", "1 << 31", "-5 >> 33", "5 >> 33", "u8(255) << u8(8)",
                 "u8(255) >> u8(9)"}),
          {{{},
            {filled<int32_t>({7}, [](int64_t) { return 0; }),
             filled<int32_t>({7}, [](int64_t) { return 0; }),
             filled<int32_t>({7}, [](int64_t) { return INT32_MIN; }),
             filled<int32_t>({7}, [](int64_t) { return -1; }),
             filled<int32_t>({7}, [](int64_t) { return 0; }),
             filled<uint8_t>({7}, [](int64_t) { return 0; }),
             filled<uint8_t>({7}, [](int64_t) { return 0; })}}});
}

TEST_CASE("H24 quotients of integers are not those of floats") {
    auto check = [](std::vector<int32_t> a, std::vector<int32_t> b) {
        auto of = [&](auto f) {
            return filled<int32_t>(
                {int64_t(a.size()), int64_t(b.size())},
                [&](int64_t i, int64_t j) { return f(a[size_t(i)], b[size_t(j)]); });
        };
        holds(
            "pipeline p(a: i32[m], b: i32[n]) -> q[m, n], r[m, n]\nq(i, j) = a(i) / b(j)\nr(i, j) "
            "= a(i) % b(j)\n",
            {{{row(a), row(b)}, {of(floor_div), of(floor_mod)}}},
            {"stage q\n  vectorize(j, 8, guard)\nstage r\n  vectorize(j, 8, guard)\n"});
    };
    check(spread<int32_t>(0, 299, 1), spread<int32_t>(1, 59, 1));
    check({INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX},
          {INT32_MIN, -3, -2, 2, 3, 55, 46341, INT32_MAX});
    holds(table("", "1", {"110 / 55", "110 % 55"}), {{{}, {row<int32_t>({2}), row<int32_t>({0})}}});
}

TEST_CASE("H25 the lowest value divided by -1 is itself, of every width, known or not") {
    auto check = [](auto least, const char* type) {
        using T = decltype(least);
        auto all = [](T v) { return filled<T>({7}, [=](int64_t) { return v; }); };
        std::string low = fmt::format("{}({})", type, int64_t(least)),
                    minus = fmt::format("{}(-1)", type);
        holds(table(fmt::format("a: {0}[n], b: {0}", type), "n",
                    {"a(i) / b", "a(i) % b", "a(i) / " + minus, "a(i) % " + minus, low + " / b",
                     low + " % b", low + " / " + minus, low + " % " + minus, "-a(i)", "abs(a(i))",
                     "a(i) * " + minus}),
              {{{all(least), T(-1)},
                {all(least), all(0), all(least), all(0), all(least), all(0), all(least), all(0),
                 all(least), all(least), all(least)}}},
              {vectorised(11, 4, "guard")});
    };
    check(lowest8, "i8");
    check(int16_t(INT16_MIN), "i16");
    check(int32_t(INT32_MIN), "i32");
    check(int64_t(INT64_MIN), "i64");
}

TEST_CASE("H26 narrow arithmetic wraps before it is widened, fused and not") {
    auto check = [](auto zero, const char* type) {
        using T = decltype(zero);
        std::vector<T> v = {T(0),
                            T(1),
                            T(127),
                            T(128),
                            T(200),
                            T(255),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::min()};
        std::string text =
            fmt::format("pipeline p(x: {}[n]) -> o[n], s[n], m[n], l[n], g[n], a[n]\n", type);
        auto line = [&](const char* name, const char* term) {
            text += fmt::format("{0}_t(i) = {1}\n{0}(i) = i64({0}_t(i))\n", name, term);
        };
        line("o", "x(i) + x(i)");
        line("s", fmt::format("{}(0) - x(i) - x(i)", type).c_str());
        line("m", "x(i) * x(i)");
        line("l", "x(i) << 1");
        line("g", std::is_signed_v<T> ? "-x(i)" : "~x(i)");
        line("a", std::is_signed_v<T> ? "abs(x(i))" : "x(i)");
        holds(text, {{{row(v)},
                      {mapped<int64_t>(v, [](T x) { return T(x + x); }),
                       mapped<int64_t>(v, [](T x) { return T(T(-x) - x); }),
                       mapped<int64_t>(v, [](T x) { return T(uint32_t(x) * uint32_t(x)); }),
                       mapped<int64_t>(v, [](T x) { return T(x << 1); }),
                       mapped<int64_t>(v, [](T x) { return std::is_signed_v<T> ? T(-x) : T(~x); }),
                       mapped<int64_t>(
                           v, [](T x) { return std::is_signed_v<T> ? T(x < 0 ? -x : x) : x; })}}});
    };
    check(uint8_t(0), "u8");
    check(int8_t(0), "i8");
    check(uint16_t(0), "u16");
    check(int16_t(0), "i16");
    holds("pipeline p(x: u8[n]) -> o[n]\no(i) = i16(x(i) + x(i))\n",
          {{{row<uint8_t>({128, 200})}, {row<int16_t>({0, 144})}}});
}

TEST_CASE("H27 a coordinate as data has the type that was asked for") {
    auto right = filled<int64_t>({9}, [](int64_t i) { return i * 1500000000; });
    holds(table("", "9",
                {"i64(i) * 1500000000", "i64(i * 1500000000)", "i * 1500000000",
                 "i32(i * 1500000000)"}),
          {{{},
            {right, right, right,
             filled<int32_t>({9}, [](int64_t i) { return int32_t(uint32_t(i) * 1500000000u); })}}},
          {vectorised(4, 4, "guard")});
}

TEST_CASE("H28 64-bit integers are folded as integers") {
    auto check = [](const std::string& type, const std::string& c, auto value) {
        using T = decltype(value);
        auto t = [&](const char* n) { return type + "(" + n + ")"; };
        std::vector<std::string> terms = {c + " / " + t("1"),
                                          c + " * " + t("1"),
                                          c + " - " + t("0"),
                                          "max(" + c + ", " + t("0") + ")",
                                          "min(" + c + ", " + c + ")",
                                          type + "(" + c + ")",
                                          c + " + x(i)",
                                          "x(i) ^ " + c};
        std::vector<AnyBuffer> expected;
        for (size_t k = 0; k < terms.size(); ++k)
            expected.push_back(row<T>({k == 3 ? std::max(value, T(0)) : value}));
        holds(table("x: " + type + "[n]", "n", terms), {{{row<T>({0})}, expected}});
    };
    check("i64", "i64(9007199254740993)", int64_t(9007199254740993));
    check("i64", "i64(9223372036854775807)", INT64_MAX);
    check("i64", "i64(-9223372036854775808)", INT64_MIN);
    check("u64", "u64(18446744073709551615)", UINT64_MAX);
    check("u64", "u64(9007199254740993)", uint64_t(9007199254740993));
}

TEST_CASE("H29 a quotient and a remainder by 0 are 0, of coordinates, vectors and constants") {
    auto zeros = [](auto zero) { return filled<decltype(zero)>({9}, [](int64_t) { return 0; }); };
    std::vector<std::string> terms = {
        "i % 0", "i / 0", "i / i * 0 + i / 0", "(2 * i + 1) % 0",  "i64(i) % z",  "i64(i) / z",
        "z / z", "7 % z", "0 / (i64(i) + 1)",  "0 % (i64(i) + 1)", "i % (n - n)", "i / (n - n)"};
    std::vector<AnyBuffer> expected(terms.size(), zeros(int64_t(0)));
    holds(table("z: i64, n: size", "9", terms), {{{0, 5}, expected}},
          {vectorised(terms.size(), 4, "guard"), vectorised(terms.size(), 2, "auto")});
    auto a = filled<int32_t>({4}, [](int64_t i) { return 10 + i; });
    holds("pipeline p(a: i32[4]) -> o[9], q[9]\no(i) = a(i % 0)\nq(i) = a(i / 0 + 1)\n",
          {{{a},
            {filled<int32_t>({9}, [](int64_t) { return 10; }),
             filled<int32_t>({9}, [](int64_t) { return 11; })}}},
          {"stage o\n  vectorize(i, 4)\nstage q\n  vectorize(i, 4, guard)\n"});
    for (const char* type : {"i8", "u16", "u32", "u64"}) {
        std::vector<std::string> of_type;
        for (const char* term :
             {"{0}(y(i)) / {0}(0)", "{0}(y(i)) % {0}(0)", "{0}(5) / {0}(0)", "{0}(0) / {0}(0)",
              "{0}(y(i)) / ({0}(y(i)) - {0}(y(i)))", "{0}(7) % ({0}(y(i)) ^ {0}(y(i)))"})
            of_type.push_back(fmt::format("i64({})", fmt::format(fmt::runtime(term), type)));
        holds(table("y: i64[n]", "n", of_type),
              {{{filled<int64_t>({9}, [](int64_t i) { return i - 4; })},
                std::vector<AnyBuffer>(of_type.size(), zeros(int64_t(0)))}},
              {vectorised(of_type.size(), 4, "guard")});
    }
}

TEST_CASE("H30 the remainder of a strided index wraps in each lane") {
    auto a = filled<int32_t>({9}, [](int64_t i) { return 10 + i; });
    for (int modulus : {2, 3, 5, 8, 9}) {
        std::vector<std::string> terms;
        std::vector<AnyBuffer> expected;
        for (int stride = 1; stride <= 8; ++stride) {
            int offset = (3 * stride + modulus) % 8 - (stride % 2 ? 0 : 5);
            terms.push_back(fmt::format("a(({} * i + {}) % {})", stride, offset, modulus));
            expected.push_back(filled<int32_t>(
                {8}, [=](int64_t i) { return 10 + floor_mod(stride * i + offset, modulus); }));
        }
        holds(table("a: i32[9]", "8", terms), {{{a}, expected}}, {vectorised(8, 4, "guard")});
    }
    holds("pipeline p(a: i32[8]) -> o[8]\no(i) = a((3 * i + 2) % 8)\n",
          {{{filled<int32_t>({8}, [](int64_t i) { return 10 + i; })},
            {row<int32_t>({12, 15, 10, 13, 16, 11, 14, 17})}}},
          {"stage o\n  vectorize(i, 4)\n"});
}

TEST_CASE("H31 nested floor divisions with a negative middle") {
    auto right = filled<int64_t>(
        {33}, [](int64_t v) { return (floor_div((v * 4 / 9 + 1) / 2 - 4, 3) + v) * 2 - 1; });
    CHECK(right(0) == -5);
    CHECK(right(3) == 3);
    CHECK(right(32) == 65);
    auto in = filled<int64_t>({80}, [](int64_t i) { return i; }).translated({-10});
    holds(
        "pipeline p(in: i64[_]) -> e[33], d[33], read[33]\n"
        "e(v) = ((((v * 4) / 9 + 1) / 2 - 4) / 3 + v) * 2 - 1\n"
        "d(v) = ((((i64(v) * 4) / 9 + 1) / 2 - 4) / 3 + i64(v)) * 2 - 1\n"
        "read(v) = in(((((v * 4) / 9 + 1) / 2 - 4) / 3 + v) * 2 - 1) - 10\n",
        {{{in}, {right, right, right}}},
        {"stage e\n  vectorize(v, 8)\nstage d\n  vectorize(v, 8, guard)\nstage read\n  "
         "vectorize(v, 16)\n"});
}

TEST_CASE("H32 products of bytes are not saturated on their way into a 32-bit sum") {
    std::vector<Case> calls;
    for (int64_t n : {0, 1, 4, 15, 16, 37, 64})
        for (int32_t b : {127, -128})
            calls.push_back({{filled<uint8_t>({n}, [](int64_t) { return 255; }),
                              filled<int8_t>({n}, [=](int64_t) { return b; })},
                             {one(int32_t(n * 255 * b))}});
    holds("pipeline p(a: u8[n], b: i8[n]) -> d[]\nd() += i32(a(k)) * i32(b(k)) for k: 0..n\n",
          calls,
          {"dp = rfactor(d.update(0), k, 16, inner, u, in_order)\nstage dp\n  vectorize(u, "
           "8)\nstage dp.update(0)\n  vectorize(u, 8)\n",
           "dp = rfactor(d.update(0), k, 4, outer, u, tree)\nstage dp.update(0)\n  reorder(u, "
           "ki)\n  unroll(ki, 4)\n"});
    auto a = filled<uint8_t>({3, 9}, [](int64_t i, int64_t k) { return 255 - i * k; });
    auto b =
        filled<int8_t>({9, 5}, [](int64_t k, int64_t j) { return k % 2 ? -128 + j : 127 - j; });
    holds(
        "pipeline p(a: u8[m, k], b: i8[k, n]) -> c[m, n]\nc(i, j) += i32(a(i, r)) * i32(b(r, j)) "
        "for r: 0..k\n",
        {{{a, b},
          {filled<int32_t>({3, 5},
                           [&](int64_t i, int64_t j) {
                               int32_t sum = 0;
                               for (int64_t k = 0; k < 9; ++k) sum += int32_t(a(i, k)) * b(k, j);
                               return sum;
                           })}}},
        {"stage c.update(0)\n  vectorize(j, 4, guard)\n  unroll(r, 4)\n"});
}

TEST_CASE("H33 a product distributes over a wrapped sum, before and after it is widened") {
    std::vector<int8_t> v = spread<int8_t>(-128, 127, 15);
    int64_t n = int64_t(v.size());
    auto right = filled<int32_t>({n, n, n}, [&](int64_t c, int64_t x, int64_t y) {
        return int8_t(v[size_t(c)] * int8_t(v[size_t(x)] + v[size_t(y)]));
    });
    holds(
        "pipeline p(v: i8[n]) -> p[n, n, n], q[n, n, n]\n"
        "p(c, x, y) = i32(v(c) * (v(x) + v(y)))\nq(c, x, y) = i32(v(c) * v(x) + v(c) * v(y))\n",
        {{{row(v)}, {right, right}}},
        {"stage p\n  vectorize(y, 16)\nstage q\n  vectorize(y, 8, guard)\n"});
    holds(
        "pipeline p(c: i8, x: i8, y: i8) -> p[], q[], f[]\np() = i32(c * (x + y))\nq() = i32(c * x "
        "+ c * y)\nf() = i32(i8(6) * (i8(5) + i8(20)))\n",
        {{{6, 5, 20}, {one(-106), one(-106), one(-106)}}});
}
