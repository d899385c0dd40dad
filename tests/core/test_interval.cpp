#include <doctest/doctest.h>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "core/arith_text.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::facts;
using arith_text::sym;

namespace {
// The interval of e while x is in the text's range, and so on: "x in 0..7; y in x..x + 3".
std::string interval(const std::string& e, const std::string& scope,
                     const std::string& known = "") {
    Bounds bounds;
    for (size_t at = 0; at < scope.size();) {
        size_t end = std::min(scope.find(';', at), scope.size());
        std::string part = scope.substr(at, end - at);
        at = end + 1;
        size_t in = part.find(" in "), dots = part.find(".."), first = part.find_first_not_of(' ');
        bounds.push_back({sym(part.substr(first, in - first)),
                          {ex(part.substr(in + 4, dots - in - 4)), ex(part.substr(dots + 2))}});
    }
    Interval i = interval_of(ex(e), bounds, facts(known));
    auto shown = [](const Expr& x) {
        return x.defined() ? to_string(simplify(x)) : std::string("-");
    };
    return shown(i.lo) + " .. " + shown(i.hi);
}
std::string range(const std::string& lo, const std::string& hi) {
    auto shown = [](const std::string& x) { return x == "-" ? x : to_string(simplify(ex(x))); };
    return shown(lo) + " .. " + shown(hi);
}
}  // namespace

TEST_CASE("affine intervals are exact") {
    CHECK(interval("(x + 3) - x", "x in 0..n") == range("3", "3"));
    CHECK(interval("yo*8 + yi", "yi in 0..7") == range("yo*8", "yo*8 + 7"));
    CHECK(interval("yo*8 + yi", "yo in 0..9; yi in 0..7") == range("0", "79"));
    CHECK(interval("x*2 - y + 1", "x in 0..n; y in x..x + 2") == range("-1", "n + 1"));
    CHECK(interval("y - x", "x in 0..n; y in x - 1..x + 1") == range("-1", "1"));
    CHECK(interval("-x", "x in 1..n") == range("-n", "-1"));
}

TEST_CASE("clamps, selects, quotients and remainders have bounds") {
    CHECK(interval("clamp(x, 0, w - 1)", "x in -5..w + 5", "w in 1..") == range("0", "w - 1"));
    CHECK(interval("min(x, n - 1)", "x in 0..m") == range("min(0, n - 1)", "min(m, n - 1)"));
    CHECK(interval("min(x, n) - x", "x in 0..9") == range("min(0, n - 9)", "min(0, n)"));
    CHECK(interval("select(x < n, x, n)", "x in 3..5") == range("min(n, 3)", "max(n, 5)"));
    CHECK(interval("x/8", "x in 0..n") == range("0", "n/8"));
    CHECK(interval("x/-2", "x in 0..8") == range("-4", "0"));
    CHECK(interval("x % 8", "x in 0..n") == range("0", "min(n, 7)"));
    CHECK(interval("x % 8", "x in 16..19") == range("0", "3"));
    CHECK(interval("x % 8", "x in -3..100") == range("0", "7"));
    CHECK(interval("x - x/8*8", "x in 0..100") == range("0", "7"));
    CHECK(interval("x*n", "x in 0..9", "n in 0..") == range("0", "n*9"));
    CHECK(interval("x/n", "x in 0..9", "n in 1..") == range("0", "9/n"));
    // n may be 0 or less
    CHECK(interval("x % n", "x in 0..9") == range("min(n + 1, 0)", "max(n - 1, 0)"));
    CHECK(interval("x % 0", "x in 0..9") == range("0", "0"));
    CHECK(interval("x / n", "x in 2..9") == range("min(2/n, 9/n)", "max(2/n, 9/n)"));
}

TEST_CASE("data has the range of its type") {
    CHECK(interval("index(u) + x", "x in 0..3; u in 0..1") == range("0", "258"));
    CHECK(interval("index(i16(a))*2", "a in 0..1") == range("-65536", "65534"));
}

TEST_CASE("what is not known is unbounded") {
    CHECK(interval("x/y", "x in 0..9; y in -1..1") == range("-", "-"));
    CHECK(interval("max(x/y, 3)", "x in 0..9; y in -1..1") == range("3", "-"));
    CHECK(interval("x % y", "x in 0..9; y in 1..4") == range("-", "-"));
}

TEST_CASE("hulls and intersections of intervals decide what facts decide") {
    auto known = facts("n in 1..");
    Interval a{ex("0"), ex("n - 1")}, b{ex("-1"), ex("n + 1")};
    CHECK(to_string(hull(a, b, known).lo) == "index(-1)");
    CHECK(to_string(simplify(hull(a, b, known).hi)) == "n + 1");
    CHECK(to_string(intersection(a, b, known).hi) == "n - 1");
    CHECK(to_string(Interval{ex("yo*32"), ex("yo*32 + 33")}.extent()) == "index(34)");
    CHECK_FALSE(hull(a, {ex("0"), Expr()}).hi.defined());
    CHECK(intersection(a, {ex("0"), Expr()}).hi.defined());
}

TEST_CASE("constant bounds follow from facts") {
    CHECK(lower_bound(ex("x*2 - y"), facts("x in 3..9; y in 0..x")) == 3);
    CHECK(upper_bound(ex("x*2 - y"), facts("x in 3..9; y in 0..x")) == 18);
    CHECK(upper_bound(ex("min(x, 7) + index(u)")) == 262);
    CHECK(lower_bound(ex("x")) == std::nullopt);
    CHECK(upper_bound(ex("(x % 8)*3")) == 21);
}
