// Faults of conversions, strides and recompiled programs: the values hold by definition and in kernels, scalar and
// vectorised.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "error_of.h"
#include "faults/cases.h"

using namespace burin;
using faults::row;

namespace {

// One output over i, by every way to compute it.
template <class T>
void gives(const std::string& pipeline, const std::vector<Arg>& in, const Buffer<T>& expected) {
    Pipeline p = parse_pipeline(pipeline);
    CHECK(same(evaluate(p, in)[0], expected));
    for (const char* lines :
         {"", "stage o\n  vectorize(i, 4, guard)\n", "stage o\n  vectorize(i, 2)\n"})
        CHECK(same(
            compile(p, parse_schedule(p, fmt::format("schedule 1 for p\n{}", lines))).call(in)[0],
            expected));
}

}  // namespace

TEST_CASE("H28 64-bit integers are folded as integers") {
    gives(
        "pipeline p() -> o[3]\no(i) = max(i64(9007199254740993) / i64(1) * i64(1) - i64(0), "
        "i64(0))\n",
        {}, row<int64_t>({9007199254740993, 9007199254740993, 9007199254740993}));
}

TEST_CASE("H39 a sum of two products rounds three times") {
    gives("pipeline p(a: f32[n], b: f32[n], x: f32[n]) -> o[n]\no(i) = a(i) * x(i) + b(i) * x(i)\n",
          {row<float>({1e20f, 2, 1, 1, 1}), row<float>({-1e20f, 3, 1, 1, 1}),
           row<float>({1e10f, 1, 1, 1, 1})},
          row<float>({0, 5, 2, 2, 2}));
}

TEST_CASE("H42 floats beyond an integer type saturate, NaN gives 0") {
    Buffer<float> v = row<float>({-1, 300.5f, faults::nan, 1e20f, -129.9f});
    gives("pipeline p(v: f32[n]) -> o[n]\no(i) = u16(v(i))\n", {v},
          row<uint16_t>({0, 300, 0, 65535, 0}));
    gives("pipeline p(v: f32[n]) -> o[n]\no(i) = i8(v(i))\n", {v},
          row<int8_t>({-1, 127, 0, 127, -128}));
    gives("pipeline p(v: f32[n]) -> o[n]\no(i) = i32(v(i))\n", {v},
          row<int32_t>({-1, 300, 0, INT32_MAX, -129}));
}

TEST_CASE("H43 H44 H45 a half rounds once, overflows to infinity and reaches its denormals") {
    const char* text = "pipeline p(v: f32[n]) -> o[n]\no(i) = f32(f16(v(i)))\n";
    gives(text,
          {row<float>(
              {1.f / 7, 65504, 65519, 65520, 70000, 1e10f, -70000, faults::inf, faults::nan})},
          row<float>({0.142822265625f, 65504, 65504, faults::inf, faults::inf, faults::inf,
                      -faults::inf, faults::inf, faults::nan}));
    gives(text, {row<float>({0x1p-25f, std::nextafter(0x1p-25f, 1.f), 0x1.8p-24f, 0x1p-24f})},
          row<float>({0, 0x1p-24f, 0x1p-23f, 0x1p-24f}));
}

TEST_CASE("H53 inputs may run backwards in any dimension") {
    std::vector<float> a(12);
    for (size_t i = 0; i < 12; ++i) a[i] = float(i);
    auto v = Buffer<float>::view(a.data() + 6, {Dim{0, 2, -6}, Dim{0, 3, 2}});
    Pipeline p = parse_pipeline("pipeline p(v: f32[h, w]) -> o[h, w]\no(y, x) = v(y, x) - 0.25\n");
    Buffer<float> out =
        compile(p, parse_schedule(p, "schedule 1 for p\nstage o\n  vectorize(x, 4, guard)\n"))(v);
    for (int64_t y = 0; y < 2; ++y)
        for (int64_t x = 0; x < 3; ++x) CHECK(out(y, x) == float((1 - y) * 6 + 2 * x) - 0.25f);
}

TEST_CASE("H67 one kernel is called by many threads, each with its own number") {
    Pipeline p = parse_pipeline("pipeline p(b: i32[n], k: i32) -> o[n]\no(i) = b(i) + k\n");
    Kernel kernel = compile(p, Schedule(p));
    auto b = faults::filled<int32_t>({37}, [](int64_t i) { return i; });
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int n = 0; n < 500; ++n) {
                Buffer<int32_t> out = kernel(b, t * 1000 + n);
                for (int64_t i = 0; i < 37; ++i) wrong += out(i) != int32_t(i) + t * 1000 + n;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("H94 H95 programs of one name keep their own code, whatever was compiled between") {
    auto make = [](const char* value) {
        Pipeline p =
            parse_pipeline(fmt::format("pipeline k(x: i32[n]) -> o[n]\no(i) = {}\n", value));
        return compile(p, Schedule(p));
    };
    Buffer<int32_t> x = row<int32_t>({0, 1, 2});
    Kernel twice = make("2 * x(i)"), plus = make("x(i) + 100"), again = make("2 * x(i)");
    for (const Kernel& k : {twice, again})
        CHECK(same(Buffer<int32_t>(k(x)), row<int32_t>({0, 2, 4})));
    CHECK(same(Buffer<int32_t>(plus(x)), row<int32_t>({100, 101, 102})));
}
