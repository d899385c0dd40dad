// Faults whose right answer is an error that names the culprit, before anything is written.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>

#include "error_of.h"
#include "faults/fixture.h"

using namespace faults;

TEST_CASE("H15 a factor of 0 or less at the call is E-value and nothing is written") {
    Pipeline p = parse_pipeline("pipeline p(p: i32) -> out[10]\nout(x) = u16(1)\n");
    Kernel k =
        compile(p, parse_schedule(p, "schedule 1 for p\nstage out\n  parallel(x, index(p))\n"));
    for (int factor : {0, -3}) {
        Buffer<uint16_t> out({10});
        Error e = error_of([&] { k(factor, out); });
        CHECK(e.kind() == ErrorKind::Value);
        CHECK(says(e, "p"));
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
    CHECK(says(e, "c cannot"));
    CHECK(says(e, "d.ii"));
}

TEST_CASE("H17 loops that are fused under a condition are missed as without it") {
    const char* text =
        "pipeline p(in: i32[4, 2]) -> o0[4, 2], o1[4, 2]\nf(x, y) = in(x, y)\no0(x, y) = f(x, y)\n"
        "o1(x, y) = 2 * in(x, y)\n";
    std::string inside = "stage f\n  compute_at(o0, x)\n";
    Error plain = refusal_of(text, inside + "stage o0\n  fuse(x, y)\n");
    Error special = refusal_of(
        text, inside + "stage o0\n  specialize(stride(in, 0) == 128) {\n    fuse(x, y)\n  }\n");
    CHECK(special.kind() == ErrorKind::Schedule);
    CHECK(special.id() == plain.id());
    CHECK(special.message() == plain.message());
    CHECK(says(special, "o0 has no loop x"));
}

TEST_CASE("H19 a place that does not enclose every use names the readers outside") {
    const char* text =
        "pipeline p() -> bar[5, 2]\nfoo(x) = i32(x)\nm() = maximum(foo(r) for r: 0..100)\nbar(x, "
        "y) = foo(x) + m()\n";
    Error e = refusal_of(text, "stage m\n  compute_root()\nstage foo\n  compute_at(bar, x)\n");
    CHECK(says(e, "foo"));
    CHECK(says(e, "bar.x"));
    CHECK(says(e, "m"));
    Buffer<int32_t> out = run(parse_pipeline(text));
    for (int64_t x = 0; x < 5; ++x) CHECK(out(x, 1) == x + 99);
}
