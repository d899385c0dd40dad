#include <doctest/doctest.h>

#include "arith/simplify.h"
#include "core/arith_text.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::facts;

namespace {
std::string simple(const std::string& text, const std::string& known = "") {
    return to_string(simplify(ex(text), facts(known)));
}
std::string text(const std::string& t) { return to_string(ex(t)); }
bool proved(const std::string& text, const std::string& known = "") {
    return prove(ex(text), facts(known));
}
}  // namespace

TEST_CASE("like terms of an index are combined") {
    CHECK(simple("(x + 3) - x") == text("3"));
    CHECK(simple("yo*32 + 31 + 2 - yo*32 + 1") == text("34"));
    CHECK(simple("x*2 + y - x - x") == text("y"));
    CHECK(simple("3 - x - (y - x)*2") == text("x - y*2 + 3"));
    CHECK(simple("-(x - y)") == text("y - x"));
    CHECK(simple("min(yo*32 + 31, h - 1) + 2 - min(yo*32, h - 32) + 1") == text("34"));
}

TEST_CASE("division and remainder of an index give up what divides") {
    CHECK(simple("(x*8 + 3) / 8") == text("x"));
    CHECK(simple("(x*8 + 3) % 8") == text("3"));
    CHECK(simple("(x*8 + y) / 4") == text("x*2 + y/4"));
    CHECK(simple("(x*8 + y) / 8", "y in 0..7") == text("x"));
    CHECK(simple("(x*6 + 4) / 8") == text("(x*3 + 2)/4"));
    CHECK(simple("(x*6 + 4) % 8") == text("(x*3 + 2) % 4*2"));
    CHECK(simple("x/8*8 + x % 8") == text("x"));
    CHECK(simple("(n - 1)/8 + 1") == text("(n + 7)/8"));
}

TEST_CASE("comparisons of indices are decided where facts allow it") {
    CHECK(simple("xo*8 + xi < n", "n in 64..; xo in 0..7; xi in 0..7") == text("true"));
    CHECK(simple("xo*8 + xi < n", "xo in 0..(n/8) - 1; xi in 0..7") == text("true"));
    CHECK(simple("x*8 < 16") == text("x < 2"));
    CHECK(simple("x + 1 <= n") == text("x < n"));
    CHECK(simple("1 <= (n + 7)/8") == text("1 <= n"));
    CHECK(simple("x/8 < 3") == text("x < 24"));
    CHECK(simple("x/8 <= -3") == text("x < -16"));
    CHECK(simple("-2 <= x/8") == text("-16 <= x"));
    CHECK(simple("x*2 == y*2 + 1") == text("false"));
    CHECK(simple("min(x, n - 1)", "x in 0..n - 1") == text("x"));
    CHECK(simple("min(max(x, 0), n - 1)", "x in 1..n - 2") == text("x"));
    CHECK(simple("min(min(x, 3), 5)") == text("min(x, 3)"));
    CHECK(simple("min(y + x, y + 3)") == text("min(x, 3) + y"));
}

TEST_CASE("proofs that lowering needs hold") {
    CHECK(proved("(x/8)*8 <= x"));
    CHECK(proved("((n + 7)/8)*8 >= n"));
    CHECK(proved("((n + 7)/8)*8 - n <= 7"));
    CHECK(proved("min(x, y) <= x"));
    CHECK(proved("x <= max(y, x)"));
    CHECK(proved("y - 1 >= min(y, z) - 1"));
    CHECK(proved("xo*8 + xi < n", "xo in 0..(n + 7)/8 - 1; xi in 0..7; xo*8 + xi <= n - 1"));
    CHECK(proved("n >= 1", "x in 0..n - 1"));
    CHECK(proved("xo*8 + xi <= n + 6", "xo in 0..(n + 7)/8 - 1; xi in 0..7"));
    CHECK_FALSE(proved("xo*8 + xi < n", "xo in 0..(n + 7)/8 - 1; xi in 0..7"));
    CHECK(proved("min(xo*8, n - 8) + xi < n", "xo in 0..(n + 7)/8 - 1; xi in 0..7"));
    CHECK(proved("min(xo*8, n - 8) + xi >= 0", "n in 8..; xo in 0..(n + 7)/8 - 1; xi in 0..7"));
    CHECK_FALSE(proved("x < n"));
    CHECK_FALSE(proved("x <= x - 1"));
    CHECK(proved("max(x, -x) >= 0"));
    CHECK(proved("x % 8 <= 7 && x % 8 >= 0"));
    CHECK(proved("x - x/8*8 == x % 8"));
    CHECK(proved("extent(in, 0) >= 0"));
    CHECK(proved("xo*8 + xi < n", "n % 8 == 0; xo in 0..(n + 7)/8 - 1; xi in 0..7"));
    CHECK(proved("xo*t + xi < n", "t in 1..; xo in 0..n/t - 1; xi in 0..t - 1"));
    CHECK(proved("xo*t + xi < n + t", "t in 1..; xo in 0..(n + t - 1)/t - 1; xi in 0..t - 1"));
    CHECK(proved("t*xo + xi >= 0", "t in 1..; xo in 0..(n + t - 1)/t - 1; xi in 0..t - 1"));
    CHECK(proved("((n + t - 1)/t)*t >= n", "t in 1.."));
    CHECK(proved("(x + 1)*s - x*s == s"));
}

namespace {
Expr vec(const std::string& base, const std::string& stride, int lanes) {
    Expr b = ex(base), s = ex(stride);
    return make(Ramp{b, s, lanes}, b.type().with_lanes(lanes));
}
}  // namespace

TEST_CASE("vectors of ramps and broadcasts stay ramps and broadcasts") {
    auto shown = [](const Expr& e) { return to_string(simplify(e)); };
    CHECK(shown(vec("x", "1", 8) + ex("y") + 1) == to_string(vec("x + y + 1", "1", 8)));
    CHECK(shown(vec("x", "1", 8) * 4 - vec("y", "2", 8)) == to_string(vec("x*4 - y", "2", 8)));
    CHECK(shown(broadcast(ex("x"), 8) + broadcast(ex("y"), 8)) ==
          to_string(broadcast(ex("x + y"), 8)));
    CHECK(shown(vec("x*8", "1", 8) / 8) == to_string(broadcast(ex("x"), 8)));
    CHECK(shown(vec("x*8", "1", 8) % 8) == to_string(vec("0", "1", 8)));
    CHECK(shown(min(vec("x*8", "1", 8), ex("x*8 + 7"))) == to_string(vec("x*8", "1", 8)));
    CHECK(shown(vec("x", "1", 8) < ex("x + 8")) == to_string(broadcast(bool_imm(true), 8)));
}

TEST_CASE("casts in a row become one where that is exact") {
    CHECK(simple("i32(i64(a))") == text("a"));
    CHECK(simple("i8(i16(a))") == text("i8(a)"));
    CHECK(simple("f32(f64(f))") == text("f"));
    CHECK(simple("f64(f32(u))") == text("f64(u)"));
    CHECK(simple("f32(f16(f))") == text("f32(f16(f))"));  // H43
    CHECK(simple("f32(bf16(f))") == text("f32(bf16(f))"));
    CHECK(simple("i32(f32(a))") == text("i32(f32(a))"));
}

TEST_CASE("data comparisons are decided by the ranges of their types") {
    CHECK(simple("i32(u) < 256") == text("true"));
    CHECK(simple("max(i32(u), 0)") == text("i32(u)"));
    CHECK(simple("i32(u) + 1 == 0") == text("false"));
    CHECK(simple("u < 255") == text("u < 255"));
    CHECK(simple("a + 1 > a") == text("a < a + 1"));  // it may wrap
}

TEST_CASE("bools lose what others imply") {
    CHECK(simple("(p && r) || (p && !r)") == text("p"));
    CHECK(simple("x < 3 && x < 5") == text("x < 3"));
    CHECK(simple("x < 3 && 5 < x") == text("false"));
    CHECK(simple("x < 3 || 2 <= x") == text("true"));
    CHECK(simple("p && q", "p") == text("q"));
    CHECK(simple("select(x < n, min(x, n - 1), 0)") == text("select(x < n, x, 0)"));
}

TEST_CASE("float arithmetic keeps every bit") {  // H38, H40
    for (const char* same :
         {"f - f", "f*0", "f/f", "f + 0.0", "sqrt(f*f)", "(f + 1) - 1", "f*g + f"})
        CHECK(simple(same) == text(same));
    CHECK(simple("f*1") == text("f"));
    CHECK(simple("f + -0.0") == text("f"));
    CHECK(simple("f/4") == text("f*0.25"));
    CHECK(simple("f/3") == text("f/3"));
    CHECK(simple("select(p, f, f)") == text("f"));
    CHECK(simple("select(is_nan(f), nan, 1.0)") == text("select(is_nan(f), nan, 1.0)"));  // H36
}
