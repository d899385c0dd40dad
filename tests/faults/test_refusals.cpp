// Faults whose right answer is an error that names the culprit, before anything is written.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>

#include "error_of.h"
#include "faults/cases.h"

using namespace burin;

namespace {

Error refusal_of(const std::string& pipeline, const std::string& lines) {
    Pipeline p = parse_pipeline(pipeline);
    Error e = error_of([&] { check(parse_schedule(p, "schedule 1 for p\n" + lines)); });
    CHECK(e.kind() == ErrorKind::Schedule);
    return e;
}
bool names(const Error& e, const char* what) { return e.message().find(what) != std::string::npos; }

}  // namespace

TEST_CASE("H04 a loop over a floating-point reduction is neither parallel nor vectorised") {
    const char* product =
        "pipeline p(a: f32[m, k], w: f32[k, n]) -> c[m, n]\nc(i, j) += a(i, r) * w(r, j) for r: "
        "0..k\n";
    for (const char* line : {"parallel(r)", "vectorize(r, 4)"}) {
        Error e = refusal_of(product, fmt::format("stage c.update(0)\n  {}\n", line));
        CHECK(names(e, "c.update(0).r"));
    }
}

TEST_CASE("H15 a factor of 0 or less at the call is E-value and nothing is written") {
    Pipeline p = parse_pipeline("pipeline p(p: i32) -> out[10]\nout(x) = u16(1)\n");
    Kernel k =
        compile(p, parse_schedule(p, "schedule 1 for p\nstage out\n  parallel(x, index(p))\n"));
    for (int factor : {0, -3}) {
        Buffer<uint16_t> out({10});
        Error e = error_of([&] { k(factor, out); });
        CHECK(e.kind() == ErrorKind::Value);
        CHECK(names(e, "p"));
        for (int64_t x = 0; x < 10; ++x) CHECK(out(x) == 0);
    }
    Buffer<uint16_t> out = k(3);
    for (int64_t x = 0; x < 10; ++x) CHECK(out(x) == 1);
}

TEST_CASE("H16 computing inside a vectorised loop names the stage and the loop") {
    Error e = refusal_of(
        "pipeline p(a: f32[n], b: f32[n]) -> e[n]\nc(i) = a(i) + b(i)\nd(i) = c(i) + c(i)\ne(i) = "
        "d(i) + a(i)\n",
        "stage d\n  compute_root()\n  vectorize(i, 8)\nstage c\n  compute_at(d, ii)\n");
    CHECK(names(e, "c cannot"));
    CHECK(names(e, "d.ii"));
}

TEST_CASE("H19 a place that does not enclose every use names the readers outside") {
    const char* text =
        "pipeline p() -> bar[5, 2]\nfoo(x) = i32(x)\nm() = maximum(foo(r) for r: 0..100)\nbar(x, "
        "y) = foo(x) + m()\n";
    Error e = refusal_of(text, "stage m\n  compute_root()\nstage foo\n  compute_at(bar, x)\n");
    CHECK(names(e, "foo"));
    CHECK(names(e, "bar.x"));
    CHECK(names(e, "m"));
    Buffer<int32_t> out = run(parse_pipeline(text));
    for (int64_t x = 0; x < 5; ++x) CHECK(out(x, 1) == x + 99);
}

TEST_CASE("H54 an output that overlaps an input is E-alias, interleaved memory is not") {
    Pipeline p = parse_pipeline("pipeline p(in: i32[9]) -> o[8]\no(x) = in(x) + in(x + 1)\n");
    Kernel k = compile(p, Schedule(p));
    std::vector<int32_t> memory(20, 1);
    auto view = [&](int64_t at, int64_t n, int64_t stride) {
        return Buffer<int32_t>::view(memory.data() + at, {Dim{0, n, stride}});
    };
    CHECK(error_of([&] { k(view(0, 9, 1), view(1, 8, 1)); }).kind() == ErrorKind::Alias);
    CHECK(error_of([&] { k(view(0, 9, 1), view(0, 8, 1)); }).kind() == ErrorKind::Alias);
    CHECK(memory == std::vector<int32_t>(20, 1));
    k(view(0, 9, 2), view(1, 8, 2));
    for (int64_t x = 0; x < 8; ++x) CHECK(memory[size_t(2 * x + 1)] == 2);
}
