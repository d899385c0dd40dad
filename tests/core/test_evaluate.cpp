// test_evaluate.cpp - definitions computed directly: the values that every other path must have.
#include <burin/evaluate.h>

#include <fmt/format.h>

#include "base/deep.h"
#include "error_of.h"
#include "faults/fixture.h"

using namespace burin;
using faults::filled;
using faults::one;
using faults::row;

namespace {

Results values(const std::string& text, std::vector<Arg> args = {}) {
    return evaluate(parse_pipeline(text), args);
}

template <class T>
void check_same(const Buffer<T>& got, const Buffer<T>& wanted) {
    CHECK(same(got, wanted));
}

}  // namespace

TEST_CASE("a chain of 2000 stages is no deeper than its stack of work") {
    std::string text = "pipeline chain(in: i32[m, n]) -> s2000[m, n]\ns0(i, j) = in(i, j)\n";
    for (int k = 0; k < 2000; ++k) text += fmt::format("s{}(i, j) = s{}(i, j) + 1\n", k + 1, k);
    Buffer<int32_t> out = values(text, {Buffer<int32_t>({4, 4})});
    check_same(out, filled<int32_t>({4, 4}, [](int64_t, int64_t) { return 2000; }));
}

TEST_CASE("an update whose pure Vars differ from another's touches only what is asked of it") {
    Buffer<int32_t> out = values(R"(pipeline borders() -> f[3, 4]
        f(x, y) = i32(10 * x + y)
        f(0, y) = -1
        f(x, 0) = f(x, 0) + 100
        )");
    check_same(out, filled<int32_t>({3, 4}, [](int64_t x, int64_t y) {
                   int64_t v = x == 0 ? -1 : 10 * x + y;
                   return y == 0 ? v + 100 : v;
               }));
}

TEST_CASE("a scan reads what it has just written, in the order of its domain") {
    Buffer<int32_t> in = row<int32_t>({3, 1, 4, 1, 5});
    Buffer<int32_t> forward = values(R"(pipeline sums(in: i32[n]) -> f[n]
        f(x) = in(x)
        f(r) = f(r - 1) + in(r) for r: 1..n
        )",
                                     {in});
    check_same(forward, row<int32_t>({3, 4, 8, 9, 14}));
    Buffer<int32_t> backward = values(R"(pipeline sums(in: i32[n]) -> f[n]
        f(x) = in(x)
        f(n - 1 - r) = f(n - r) + in(n - 1 - r) for r: 1..n
        )",
                                      {in});
    check_same(backward, row<int32_t>({14, 11, 10, 6, 5}));
}

TEST_CASE("a histogram counts, and bins nobody wrote have the pure value") {
    Buffer<uint8_t> in = row<uint8_t>({7, 3, 7, 7, 255, 3});
    Buffer<int32_t> out = values(R"(pipeline histogram(in: u8[n]) -> h[256]
        h(b) = 0
        h(index(in(r))) += 1 for r: 0..n
        )",
                                 {in});
    check_same(out, filled<int32_t>({256}, [](int64_t b) {
                   return b == 7 ? 3 : b == 3 ? 2 : b == 255;
               }));
}

TEST_CASE("a later update sees the earlier ones, each over its whole domain") {
    Buffer<int32_t> out = values(R"(pipeline stages() -> f[4]
        f(x) = i32(x)
        f(r) = f(r + 1) for r: 0..3
        f(x) = f(x) * 2
        f(r) += f(3 - r) for r: 0..4
        )");
    // 0 1 2 3 -> 1 2 3 3 -> 2 4 6 6 -> one after the other, each sees the ones before
    check_same(out, row<int32_t>({8, 10, 16, 14}));
}

TEST_CASE("where skips points of the domain, and its reads are those of the update") {
    Buffer<int32_t> out = values(R"(pipeline triangle(a: i32[n, n]) -> s[n]
        s(i) = 0
        s(i) += a(i, r) for r: 0..n where r <= i && a(i, r) > 0
        )",
                                 {filled<int32_t>({3, 3}, [](int64_t i, int64_t j) {
                                     return i == 2 && j == 1 ? -5 : 1 + i + j;
                                 })});
    check_same(out, row<int32_t>({1, 2 + 3, 3 + 5}));
}

TEST_CASE("arms and right sides that are not taken are not read") {
    Buffer<float> in = row<float>({1, 2, 3});
    Buffer<float> out = values(R"(pipeline edge(in: f32[n]) -> o[n]
        o(x) = select(x > 0 && in(x - 1) < 2, in(x - 1), select(x == 0 || in(x - 1) > 5, f32(0), 9))
        )",
                               {in});
    check_same(out, row<float>({0, 1, 9}));
}

TEST_CASE("a read outside an input is E-bounds and names it, the coordinate and the reader") {
    Error e = error_of([] {
        values("pipeline shift(in: f32[n]) -> o[n]\no(x) = in(x + 1)\n", {row<float>({1, 2, 3})});
    });
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.message() == "in is read at 3, dimension 0 holds 0 .. 3");
    REQUIRE(e.notes().size() == 1);
    CHECK(e.notes()[0].message == "for o at 2");
}

TEST_CASE("tuples are written together, from values read before") {
    Results r = values(R"(pipeline swap(n: size) -> f[n]
        f(x) = {i32(x), f32(10 * x)}
        f(x) = {i32(f(x)[1]), f32(f(x)[0])}
        )",
                       {3});
    check_same(r.get<int32_t>(0), row<int32_t>({0, 10, 20}));
    check_same(r.get<float>(1), row<float>({0, 1, 2}));
}

TEST_CASE(
    "a product added to a Func is contracted, written apart it is not, and strict rounds it") {
    float a = 1 + 0x1p-12f;  // a * a = 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11
    auto sum_with = [&](const std::string& flag, const std::string& line) -> float {
        std::string text = "pipeline p(a: f32, b: f32) -> c[]" + flag +
                           "\nt() = a * b\nc() = f32(-1.00048828125)\n" + line + "\n";
        return Buffer<float>(values(text, {a, a}))();
    };
    CHECK(sum_with("", "c() += a * b") == 0x1p-24f);
    CHECK(sum_with("", "c() = c() + a * b") == 0x1p-24f);
    CHECK(sum_with("", "c() += t()") == 0);
    CHECK(sum_with(" strict", "c() += a * b") == 0);
}

TEST_CASE("only the boxes asked for are computed") {
    Pipeline p = parse_pipeline(R"(pipeline tiles(in: f32[h, w]) -> o[h, w], s[h]
        o(y, x) = in(y, x) + in(y + 1, x)
        s(y) = in(y, 0)
        )");
    Buffer<float> in = filled<float>({100, 50}, [](int64_t y, int64_t x) { return 100 * y + x; });
    Results r = evaluate(p, {in}, {{{96, 3, 0}, {10, 2, 0}}, {{7, 1, 0}}});
    REQUIRE(r[0].dim(0).min == 96);
    Buffer<float> o = r.get<float>(0);
    for (int64_t y = 96; y < 99; ++y)
        for (int64_t x = 10; x < 12; ++x) CHECK(o(y, x) == 200 * y + 100 + 2 * x);
    CHECK(r.get<float>(1)(7) == 700);
    CHECK(error_of([&] { evaluate(p, {in}); }).id() == "read-outside-input");
}

TEST_CASE("an expression doubled 60 times and a sum of 50,000 terms are computed once each") {
    const int terms_in_sum = int(std::min<uint32_t>(50'000, deepest_depth / 2));
    std::string doubled = "pipeline d(v: i32) -> f[2]\ne0(x) = v\n";
    for (int k = 0; k < 60; ++k) doubled += fmt::format("e{}(x) = e{}(x) + e{}(x)\n", k + 1, k, k);
    check_same(Buffer<int32_t>(values(doubled + "f(x) = e60(x) + 1\n", {3})), row<int32_t>({1, 1}));
    std::string terms = "pipeline t(v: i32) -> f[]\nf() = v";
    for (int k = 0; k < terms_in_sum; ++k) terms += " + 1";
    CHECK(Buffer<int32_t>(values(terms + "\n", {3}))() == terms_in_sum + 3);
}
