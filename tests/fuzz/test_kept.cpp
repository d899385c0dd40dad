// What fuzzing found, shrunk: every path agrees with the definition.
#include <burin/schedule.h>
#include <doctest/doctest.h>

#include "error_of.h"
#include "report/verify.h"

using namespace burin;

namespace {

void agrees(const std::string& pipeline, const std::string& schedule) {
    Pipeline p = parse_pipeline(pipeline);
    VerifyReport r =
        verify(p, parse_schedule(p, "schedule 1 for p\n" + schedule), {.calls = 8, .budget = 400});
    INFO(to_string(r));
    CHECK(r.ok());
    CHECK(r.compared > 0);
}

}  // namespace

TEST_CASE("what a select's condition says does not unmask the loads of its arms") {
    agrees(
        "pipeline p(in: i64[h, w]) -> f[w]\n"
        "f(x) = i64(select(x != x, u16(select(x >= 0 && x < h && x < w, in(x, x), i64(-5))),\n"
        "  u16(select(x / 2 >= 0 && x / 2 < h && x >= 0 && x < w, in(x / 2, x), i64(127)))))\n",
        "");
    agrees(
        "pipeline p(in: i8[w]) -> f[w]\n"
        "f(x) = max(f(x), select(x < 5, i8(r), padded(in(x + 2), i8(-5)))) for r: 0..5, q: 0..1\n",
        "stage f\n  unroll(x, 4)\n");
}

TEST_CASE("what only an empty reduction needs is not computed, nor what that reads") {
    agrees(
        "pipeline p(in: i32[h]) -> f[w]\n"
        "g(x) = clamped(in(x)) * 2\n"
        "f(x) += g(x) + g(x + 1) for r: 0..0\n",
        "stage in_clamped\n  compute_at(f.update(0), x)\n"
        "stage g\n  compute_at(f.update(0), x)\n");
}

TEST_CASE("coordinates that were data on the way need no check that entry cannot compute") {
    agrees(
        "pipeline p(in: i32[w]) -> g[w]\n"
        "f(x) = in(clamp(index(clamp(i32(x), i32(3), i32(6))), 0, w - 1))\n"
        "g(x) = f(x) + sum(f(r) for r: -1..2)\n",
        "stage f\n  compute_root()\n  vectorize(x, 16, shift_inwards)\n");
}

TEST_CASE("a cast through a float saturates, the one without it does not") {
    agrees("pipeline p(in: u8[w]) -> f[w]\nf(x) = i8(f32(in(x)))\n", "");
}

TEST_CASE("the condition that masks a load has its own loads masked") {
    agrees(
        "pipeline p(in: i32[w]) -> g[w]\n"
        "f(x) = select(index(clamp(in(clamp(x, 0, w - 1)), 0, 6)) < w,\n"
        "  in(index(clamp(in(clamp(x, 0, w - 1)), 0, 6))), 0)\n"
        "g(x) = f(index(f(x)))\n",
        "");
}

TEST_CASE("a Func that no simplified reader needs is not computed") {
    agrees(
        "pipeline p(in: i8[w]) -> f[w]\n"
        "f(x) = wrapped(in(index(clamp(i32(padded(in(2 * x), i8(-1))) - i32(x), i32(7), "
        "i32(6)))))\n",
        "stage in_padded\n  compute_root()\n");
}

TEST_CASE("a vectorised loop of one iteration may be left with lanes that all name one element") {
    agrees(
        "pipeline p(in: f32[h, w]) -> f[h, w]\n"
        "g(y, x) = padded(in(h - 1 - y, x % 5), f32(0.1))\n"
        "f(y, x) = g(y, x) + g(y + 1, x)\n",
        "stage in_padded\n  compute_root()\n  split(x1, 5)\n  vectorize(x1o, 8)\n");
}

TEST_CASE("data is no value known at entry, whatever its coordinates") {
    agrees(
        "pipeline p(in: u16[w]) -> f[4, 9]\n"
        "f(z, x) = u16(0)\n"
        "f(index(clamp(i32(wrapped(in(6))) - 1, 0, 7)), x) |= u16(3) for r: 0..3\n",
        "stage in_wrapped\n  compute_root()\n");
}

TEST_CASE("merges by a tree stand beside loops that are rounded up") {
    agrees(
        "pipeline p(in: f32[w]) -> g[w]\n"
        "f(x) = min(f(x), clamped(in(x + r))) for r: 0..4\n"
        "g(x) = f(x)\n",
        "e = rfactor(f, r, 3, inner, u, tree)\n"
        "stage e\n  split(u, 4)\n"
        "stage e.update(2)\n  unroll(x, 2, round_up)\n");
}

TEST_CASE("a cached tile follows loops whose starts have names") {
    agrees(
        "pipeline p(p: i32) -> f[h, w]\n"
        "f(y, x) = minimum(i8(r) * i8(y) for r: 0..5)\n",
        "stage f\n  split(y, 16, shift_inwards)\n  split(yi, p)\n  cache_write(x, Heap)\n"
        "  reorder(x, yio, yo, yii)\n  vectorize(yo, 2)\n");
}

TEST_CASE("a tile's copies keep the part of a guard that their own loops decide") {
    agrees("pipeline p(w: size) -> f[w]\nf(x) = i32(x)\n",
           "stage f\n  split(x, 5)\n  cache_write(xo, Register)\n  split(xi, 16, guard)\n"
           "  split(xio, 8)\n  split(xioo, 4, guard)\n  split(xiooi, 3)\n");
}

TEST_CASE("a cached tile stands under the guards of its own stage, not of producers placed in it") {
    agrees(
        "pipeline p(in: i32[w]) -> f[w]\n"
        "g(x) = in(clamp(x, 0, w - 1)) + 1\n"
        "f(x) += g(x % 5) * i32(r) for r: 0..3\n",
        "stage g\n  compute_at(f.update(0), r)\n  unroll(x, 3)\n"
        "stage f.update(0)\n  cache_write(x, Register)\n");
}

TEST_CASE("a stage has one cached tile") {
    Pipeline p = parse_pipeline("pipeline p(n: size) -> f[n]\nf(x) += i32(r) for r: 0..4\n");
    Error e = error_of([&] {
        parse_schedule(p,
                       "schedule 1 for p\nstage f.update(0)\n  cache_write(x, Heap)\n  "
                       "cache_write(r, Stack)\n");
    });
    CHECK(e.id() == "cache-write-twice");
}

TEST_CASE("what only an unread element of a tuple reads is needed nowhere, inline or stored") {
    const char* text =
        "pipeline p(in: i32[w], out: i32[w]) -> g[w]\n"
        "f(x) = {minimum(in(x - 2) for r: 0..5), out(x)}\n"
        "g(x) = f(x)[1]\n";
    agrees(text, "");
    agrees(text, "stage f\n  compute_root()\n  vectorize(x, 4)\n");
    agrees(text, "stage f\n  compute_at(g, x)\n");
}

TEST_CASE("a tile of a run-time factor is as large as the factor, not as its type allows") {
    agrees("pipeline p(n: i32, w: size) -> f[w]\nf(x) = f16(x)\n",
           "stage f\n  vectorize(x, 3)\n  split(xo, n)\n  cache_write(xoo, Heap)\n");
}

TEST_CASE("an iteration that reads nothing asks for nothing beyond what is stored or read at all") {
    std::string scaled =
        "pipeline p(in: f32[h, w], m: size, c: size) -> o[h, m]\n"
        "f(y, x) = in(y, clamp(x, 0, w - 1)) * 2.0\n";
    // beyond c the tile of x is empty, and the ends of x * w are not
    agrees(scaled + "o(y, x) = select(x < c, f(y, x * w / m), 0.0)\n",
           "stage o\n  split(x, 2, guard)\nstage f\n  compute_at(o, xo)\n  store_root()\n");
    // one point, two lanes
    agrees(scaled + "o(y, x) = f(y, x * w / m + c - c)\n",
           "stage o\n  split(x, 2, shift_inwards)\n  reorder(xi, y, xo)\n"
           "stage f\n  compute_at(o, y)\n  store_root()\n");
    // f has no storage outside, and reads an input
    agrees(
        "pipeline p(in: f32[w], m: size, c: size, k: size) -> o[m]\n"
        "f(x) = in(x) * 2.0\n"
        "o(x) = select(x < c, f(x * k), 0.0)\n",
        "stage o\n  split(x, 2, guard)\nstage f\n  compute_at(o, xo)\n");
    // through a stage between, and updates that scatter by a product
    agrees(
        "pipeline p(in: f32[w], m: size, c: size, k: size) -> o[m]\n"
        "f(x) = in(clamp(x, 0, w - 1)) * 2.0\n"
        "g(x) = f(x + 1) - f(x)\n"
        "o(x) = select(x < c, g(x * k), 0.0)\n",
        "stage o\n  split(x, 3, guard)\nstage g\n  compute_at(o, xo)\nstage f\n"
        "  compute_at(o, xo)\n  store_root()\n");
}

TEST_CASE("a bound of a long extent is worked out at entry") {
    for (std::string lines : {"", "vectorize(b, 4, guard)\n", "split(b, 3, shift_inwards)\n"})
        agrees(
            "pipeline p(v: f32[n]) -> total[(n + 7) / 8], back[n]\ntotal(b) = v(b)\nback(c) = "
            "v(c)\n",
            "stage total\nbound(b, n - n, (n + 7) / 8)\n" + lines);
}

TEST_CASE("of a vector with one lane in use one number is written") {
    // product and clz of 64 bits, truncated: the next number stays as it was
    agrees(
        "pipeline p(in: u32[w]) -> o[h, w]\n"
        "f(x) = in(x)\n"
        "o(y, x) = mul_high(f(x), f(clamp(y, 0, w - 1)))\n",
        "stage o\n  split(x, 1, guard)\n  vectorize(xi, 4)\nstage f\n  compute_root()\n");
}

TEST_CASE("what nothing needs is small, also where its coordinates are multiplied") {
    agrees(
        "pipeline p(in: u32[w], d: size) -> f[h, w], g[4]\n"
        "s(x) = in(clamp(x, 0, w - 1))\n"
        "f(y, x) = s(x * d / d)\n"
        "g(x) += f(x, x + 2) for r: 2..h\n",
        "stage s\n  compute_root()\n");
}

TEST_CASE("the largest u64 is the largest in a vector, too") {
    agrees(
        "pipeline p(in: u64[w]) -> f[w]\n"
        "f(x) = in(x) / u64(3)\n"
        "f(x) = max(f(x), ~u64(0)) for r: 0..5\n",
        "stage f.update(0)\n  vectorize(x, 8)\n");
}

TEST_CASE("a loop cut short by a run-time factor reaches no further than its coordinate") {
    agrees(
        "pipeline p(a: f32[w], p: i32) -> f[9, w]\n"
        "g(x) = a(x) * 2.0\n"
        "f(y, x) = g(x) + 1.0\n",
        "stage g\n  compute_at(f, y)\nstage f\n  split(x, p, guard)\n");
}

TEST_CASE("inside the inner part of a split domain the domain may be empty") {
    agrees(
        "pipeline p(in: i32[h]) -> f[w]\n"
        "f(y) += wrapped(in(y)) for r: 2..h\n",
        "stage in_wrapped\n  compute_at(f.update(0), y)\n"
        "stage f.update(0)\n  split(r, 3)\n  reorder(ri, y, ro)\n");
}

TEST_CASE(
    "so many lanes or copies as readers leave begin where the readers do, not where the region "
    "does") {
    std::string text =
        "pipeline p(a: i8[h, w], in: f32[h, w]) -> f[1, h, w]\n"
        "f(z, y, x) = i64(a(y, x))\n"
        "f(z, y, r) = f(z, y, r - 2) + i64(reflected(in(y * w / w, r % 5))) for r: 2..4\n";
    for (const char* lines : {"unroll(x1)", "vectorize(x1)", "split(x1, 2)\n  unroll(x1o)",
                              "fuse(x0, x1)", "split(x1, 2)\n  fuse(x1o, x1i)\n  unroll(x1ox1i)"})
        agrees(text,
               std::string("stage in_reflected\n  compute_at(f.update(0), z)\n  ") + lines + "\n");
}
