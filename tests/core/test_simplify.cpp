#include <doctest/doctest.h>

#include "arith/simplify.h"
#include "core/arith_text.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::facts;

namespace {
std::string simple(const std::string& text, const std::string& known = "") { return to_string(simplify(ex(text), facts(known))); }
std::string text(const std::string& t) { return to_string(ex(t)); }
bool proved(const std::string& text, const std::string& known = "") { return prove(ex(text), facts(known)); }
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
}
