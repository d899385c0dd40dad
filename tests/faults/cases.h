// cases.h - faults that users of other compilers met, as algorithms with the values they must have whatever the
// schedule. The names are those of the collection they come from.
#pragma once
#include <burin/arg.h>
#include <burin/pipeline.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace faults {

using namespace burin;

struct Case {
    std::string id, text;
    std::vector<Arg> inputs;
    std::vector<AnyBuffer> expected;  // of every output; empty: `error` is expected
    std::string error;
};

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float inf = std::numeric_limits<float>::infinity();

template <class T>
Buffer<T> row(std::initializer_list<T> values) {
    Buffer<T> b({int64_t(values.size())});
    for (int64_t i = 0; const T& v : values) b(i++) = v;
    return b;
}
template <class T>
Buffer<T> one(T value) {
    Buffer<T> b(std::initializer_list<int64_t>{});
    b() = value;
    return b;
}
template <class T, class F>
Buffer<T> filled(std::initializer_list<int64_t> extents, F f) {  // f(i), f(i, j), f(i, j, k)
    Buffer<T> b(extents);
    for_each_point(b.dims(), [&](std::span<const int64_t> at) {
        if constexpr (std::is_invocable_v<F, int64_t>)
            b(at[0]) = T(f(at[0]));
        else if constexpr (std::is_invocable_v<F, int64_t, int64_t>)
            b(at[0], at[1]) = T(f(at[0], at[1]));
        else
            b(at[0], at[1], at[2]) = T(f(at[0], at[1], at[2]));
    });
    return b;
}
inline int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// One of the type T, given its name in texts.
template <class T>
Case count_of(std::string type, int64_t n) {
    return {"H07",
            "pipeline count(b: bool[n]) -> c[]\nc() = " + type + "(0)\nc() += " + type +
                "(b(i)) for i: 0..n\n",
            {filled<bool>({n}, [](int64_t) { return true; })},
            {one(T(n))},
            ""};
}

inline std::vector<Case> cases() {
    std::vector<Case> all;
    auto add = [&](const char* id, const char* text, std::vector<Arg> inputs,
                   std::vector<AnyBuffer> expected) {
        all.push_back({id, text, std::move(inputs), std::move(expected), ""});
    };
    auto refuse = [&](const char* id, const char* text, std::vector<Arg> inputs,
                      const char* error) {
        all.push_back({id, text, std::move(inputs), {}, error});
    };
    auto sum_5 = filled<int32_t>({5, 3}, [](int64_t x, int64_t y) { return 2 * x + 5 * y; });

    for (const char* id : {"H01", "H09"})
        add(id, R"(pipeline stencil() -> out[5, 3]
            source(x, y) = i32(2 * x + 5 * y)
            s(x, y) = 0
            s(x, y) += source(x + r, y + q) for r: -1..2, q: -1..2
            out(x, y) = s(x, y) / 9
            )",
            {}, {sum_5});
    add("H02", R"(pipeline assign() -> g[20]
        f(x) = i32(x)
        g(x) = 4
        g(r) = 17 * f(r) + 8 for r: 0..10
        )",
        {}, {filled<int32_t>({20}, [](int64_t x) { return x < 10 ? 17 * x + 8 : 4; })});
    add("H03", R"(pipeline partial() -> s[]
        source(x, y) = u16(1 + x + 10 * y)
        s() = u16(0)
        s() += source(r, q) for r: 0..5, q: 0..2
        )",
        {}, {one(uint16_t(80))});
    add("H04", R"(pipeline product(a: f32[m, k], w: f32[k, n]) -> c[m, n]
        c(i, j) += a(i, r) * w(r, j) for r: 0..k
        )",
        {filled<float>({2, 4}, [](int64_t i, int64_t k) { return 4 * i + k + 1; }),
         filled<float>({4, 2}, [](int64_t k, int64_t j) { return k % 2 == j; })},
        {filled<float>({2, 2}, [](int64_t i, int64_t j) { return i ? 12 + 2 * j : 4 + 2 * j; })});
    add("H05", R"(pipeline rows() -> c[5]
        a(i, k) = i32(i + k)
        b(i) = sum(a(i, k) for k: 0..5)
        c(i) = b(i)
        )",
        {}, {row<int32_t>({10, 15, 20, 25, 30})});
    add("H06", R"(pipeline again() -> o[2, 2, 4]
        s(x, y) = 0
        s(x, y) += i32(r) for r: 1..3
        o(x, y, c) = select(c == 3, 255, s(x, y))
        )",
        {},
        {filled<int32_t>({2, 2, 4}, [](int64_t, int64_t, int64_t c) { return c == 3 ? 255 : 3; })});
    for (int64_t n : {15, 16, 100, 200, 256}) {
        all.push_back(count_of<int8_t>("i8", n));
        all.push_back(count_of<uint8_t>("u8", n));
        all.push_back(count_of<int16_t>("i16", n));
        all.push_back(count_of<int32_t>("i32", n));
    }
    add("H08", R"(pipeline window() -> g[7]
        f(x) = i32(x)
        g(x) = f(x - 1) + f(x)
        )",
        {}, {row<int32_t>({-1, 1, 3, 5, 7, 9, 11})});
    add("H13", R"(pipeline quotient() -> out[25]
        out(x) = 100 / (27 - i32(x))
        )",
        {}, {filled<int32_t>({25}, [](int64_t x) { return 100 / (27 - x); })});
    add("H21", R"(pipeline sign() -> e[41]
        e(i) = -3 * (i32(i) - 20 + 5) / 6
        )",
        {}, {filled<int32_t>({41}, [](int64_t i) { return floor_div(-3 * (i - 15), 6); })});
    add("H22", R"(pipeline shift(m: i32[n]) -> o[n]
        o(x) = m(x) >> 31
        )",
        {row<int32_t>({-5, -1, 0, 7, INT32_MIN})}, {row<int32_t>({-1, -1, 0, 0, -1})});
    for (int32_t s : {32, -1, 31, 33})
        add("H23", R"(pipeline wide(s: i32[n]) -> o[n]
            o(i) = 1 << s(i)
            )",
            {filled<int32_t>({7}, [=](int64_t) { return s; })},
            {filled<int32_t>({7}, [=](int64_t) { return s == 31 ? INT32_MIN : 0; })});
    add("H24", R"(pipeline quotients(a: i32[m], b: i32[n]) -> q[m, n], r[m, n]
        q(i, j) = a(i) / b(j)
        r(i, j) = a(i) % b(j)
        )",
        {filled<int32_t>({300}, [](int64_t i) { return i; }),
         filled<int32_t>({59}, [](int64_t j) { return j + 1; })},
        {filled<int32_t>({300, 59}, [](int64_t i, int64_t j) { return i / (j + 1); }),
         filled<int32_t>({300, 59}, [](int64_t i, int64_t j) { return i % (j + 1); })});
    add("H25", R"(pipeline least(a: i32[n], b: i32) -> q[n], r[n]
        q(i) = a(i) / b
        r(i) = a(i) % b
        )",
        {row<int32_t>({INT32_MIN, 7}), -1}, {row<int32_t>({INT32_MIN, -7}), row<int32_t>({0, 0})});
    add("H26", R"(pipeline promoted(x: u8[n]) -> o[n]
        o(i) = i16(x(i) + x(i))
        )",
        {row<uint8_t>({128, 200})}, {row<int16_t>({0, 144})});
    for (const char* text : {R"(pipeline wide() -> o[9]
            o(i) = i64(i) * 1500000000
            )",
                             R"(pipeline wide() -> o[9]
            o(i) = i64(i * 1500000000)
            )",
                             R"(pipeline wide() -> o[9]
            o(i) = i * 1500000000
            )"})
        add("H27", text, {}, {filled<int64_t>({9}, [](int64_t i) { return i * 1500000000; })});
    for (int64_t stride = 1; stride <= 8; ++stride)
        all.push_back({"H30",
                       "pipeline strided(a: i32[8]) -> o[8]\no(i) = a((" + std::to_string(stride) +
                           " * i + 2) % 8)\n",
                       {filled<int32_t>({8}, [](int64_t i) { return 10 + i; })},
                       {filled<int32_t>({8}, [=](int64_t i) { return 10 + (stride * i + 2) % 8; })},
                       ""});
    add("H31", R"(pipeline nested() -> e[33]
        e(v) = ((((v * 4) / 9 + 1) / 2 - 4) / 3 + v) * 2 - 1
        )",
        {}, {filled<int64_t>({33}, [](int64_t v) {
            return (floor_div((v * 4 / 9 + 1) / 2 - 4, 3) + v) * 2 - 1;
        })});
    for (int32_t b : {127, -128})
        add("H32", R"(pipeline dot(a: u8[4], b: i8[4]) -> d[]
            d() += i32(a(k)) * i32(b(k)) for k: 0..4
            )",
            {filled<uint8_t>({4}, [](int64_t) { return 255; }),
             filled<int8_t>({4}, [=](int64_t) { return b; })},
            {one(int32_t(4 * 255 * b))});
    add("H33", R"(pipeline wrapped(c: i8, x: i8, y: i8) -> p[], q[]
        p() = i32(c * (x + y))
        q() = i32(c * x + c * y)
        )",
        {6, 5, 20}, {one(int32_t(-106)), one(int32_t(-106))});
    auto extremes = [&](const char* id, std::initializer_list<float> v, float most, float least) {
        add(id, R"(pipeline extremes(v: f32[n]) -> m[], l[]
            m() = maximum(v(r) for r: 0..n)
            l() = minimum(v(r) for r: 0..n)
            )",
            {row<float>(v)}, {one(most), one(least)});
    };
    extremes("H34", {nan, nan}, nan, nan);
    extremes("H34", {1, nan, 2}, nan, nan);
    extremes("H34", {nan, 1}, nan, nan);
    extremes("H37", {-0.f, -0.f, -0.f, -0.f, -0.f, -0.f, -0.f, -0.f, -0.f}, -0.f, -0.f);
    extremes("H37", {inf, inf, inf}, inf, inf);
    extremes("H37", {0.f, -0.f}, 0.f, -0.f);
    auto first = [&](std::initializer_list<float> v, float most, int64_t at) {
        add("H35", R"(pipeline first(v: f32[n]) -> m[]
            m() = argmax(v(r) for r: 0..n)
            )",
            {row<float>(v)}, {one(most), one(at)});
    };
    first({nan, 6, 8}, nan, 0);
    first({6, nan, 8}, nan, 1);
    first({7, 7, 7}, 7, 0);
    first({1, 9, 9, nan, nan}, nan, 3);
    first({-inf, -inf}, -inf, 0);
    add("H36", R"(pipeline choice(v: f32[n]) -> o[n], s[n]
        o(i) = select(is_nan(v(i)), f32(nan), 1)
        s(i) = select(is_nan(v(i)), 1, f32(nan))
        )",
        {row<float>({1, nan, 3})}, {row<float>({1, nan, 1}), row<float>({nan, 1, nan})});
    add("H46", R"(pipeline softmax(in: f32[h, w]) -> o[h, w]
        m(y) = maximum(in(y, r) for r: 0..w)
        e(y, x) = exp(in(y, x) - m(y))
        s(y) = sum(e(y, r) for r: 0..w)
        o(y, x) = e(y, x) / s(y)
        )",
        {filled<float>({2, 3}, [](int64_t y, int64_t x) { return y == 0 && x == 0 ? 0 : -inf; })},
        {filled<float>({2, 3}, [](int64_t y, int64_t x) { return y ? nan : x == 0; })});
    for (int64_t h : {0, 3})
        add("H47", R"(pipeline nothing(in: f32[h, w]) -> s[h], p[h], mean[h], variance[h], most[h]
            s(y) = sum(in(y, r) for r: 0..w)
            p(y) = product(in(y, r) for r: 0..w)
            mean(y) = s(y) / f32(w)
            variance(y) = sum((in(y, r) - mean(y)) * (in(y, r) - mean(y)) for r: 0..w) / f32(w)
            most(y) = maximum(in(y, r) for r: 0..w)
            )",
            {Buffer<float>({h, 0})},
            {filled<float>({h}, [](int64_t) { return 0; }),
             filled<float>({h}, [](int64_t) { return 1; }),
             filled<float>({h}, [](int64_t) { return nan; }),
             filled<float>({h}, [](int64_t) { return nan; }),
             filled<float>({h}, [](int64_t) { return -inf; })});
    const char* resize = R"(pipeline resize(in: f32[n], m: size) -> o[m]
        o(i) = in(clamp(i * n / m, 0, n - 1))
        )";
    refuse("H49", resize, {Buffer<float>({0}), 3}, "read-outside-input");
    add("H49", resize, {Buffer<float>({4}), 0}, {Buffer<float>({0})});
    add("H49", resize, {row<float>({1, 2}), 4}, {row<float>({1, 1, 2, 2})});
    refuse("H57", R"(pipeline table(t: f32[n]) -> b[]
        b() = sum(t(k) for k: 0..64)
        )",
           {filled<float>({3}, [](int64_t) { return -34.0282f; })}, "read-outside-input");
    add("H58", R"(pipeline ends() -> g[4, 4]
        f(x, y) = i32(x + y)
        g(x, y) = f(min(x, y), max(x, y))
        )",
        {}, {filled<int32_t>({4, 4}, [](int64_t x, int64_t y) { return x + y; })});
    for (int64_t n : {1, 2, 3, 4})
        add("H59", R"(pipeline mirror(in: i32[n]) -> o[3]
            m(x) = in(clamp(min(x % max(2 * n - 2, 1), 2 * n - 2 - x % max(2 * n - 2, 1)), 0, n - 1))
            o(x) = m(x - 3) + m(x + 5)
            )",
            {filled<int32_t>({n}, [](int64_t i) { return 7 + i; })},
            {filled<int32_t>({3}, [=](int64_t x) {
                auto mirrored = [=](int64_t i) {
                    int64_t p = std::max<int64_t>(2 * (n - 1), 1), at = ((i % p) + p) % p;
                    return 7 + (at < n ? at : p - at);
                };
                return mirrored(x - 3) + mirrored(x + 5);
            })});
    add("H60", R"(pipeline split() -> s[]
        f(x) = i32(x)
        s() = sum(f(r) for r: 0..10)
        )",
        {}, {one(int32_t(45))});
    return all;
}

}  // namespace faults
