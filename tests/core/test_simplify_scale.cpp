// The work that simplify does on large inputs, counted in nodes and rewrites.
#include <doctest/doctest.h>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "base/deep.h"
#include "core/arith_eval.h"
#include "core/arith_text.h"
#include "ir/equal.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::name_of;

namespace {
struct Done {
    Expr e;
    SimplifyWork work;
};
Done simplified(const Expr& e) {
    Done d;
    d.e = simplify(e, {}, {.work = &d.work});
    return d;
}
}  // namespace

TEST_CASE("an expression doubled 60 times costs its nodes, not its paths") {  // H73
    Expr x = ex("x"), a = ex("a"), f = ex("f");
    for (int k = 0; k < 60; ++k) x = x + x, a = a * a + a, f = f * f;
    CHECK(to_string(simplified(x).e) == "x * 1152921504606846976");
    CHECK(simplified(a).work.nodes < 2000);
    CHECK(simplified(f).work.nodes < 2000);
    CHECK(simplified(f).e.same_as(f));
    Expr m = ex("x");
    for (int k = 0; k < 60; ++k) m = min(m + ex("y"), m - ex("z") * k);
    CHECK(simplified(m).work.nodes < 20'000);
    CHECK(prove(m <= m + 1));
    interval_of(m, {{arith_text::sym("x"), {ex("0"), ex("n")}}});
}

TEST_CASE("a shared graph of depth 10,000 is linear work") {
    for (int depth : {2'500, 5'000, 10'000}) {
        if (2 * uint32_t(depth) >= deepest_depth) break;
        Expr i = ex("x"), j = ex("y"), f = ex("f"), g = ex("g"), p = ex("p");
        for (int k = 0; k < depth; ++k) {
            Expr next = k % 3 ? min(i + 1, j) : max(i, j - 1);
            j = i;
            i = next;
            next = select(ex("q"), f + g, f * g);
            g = f;
            f = next;
        }
        CHECK(simplified(i).work.nodes < 60 * depth);
        CHECK(simplified(f).work.nodes < 30 * depth);
    }
}

TEST_CASE("a chain of selects under bools stays a chain") {  // H71
    for (int length : {100, 200, 400}) {
        Expr e = ex("f"), predicate = ex("p");
        for (int k = 0; k < length; ++k) {
            Expr p = name_of("p" + std::to_string(k));
            e = select(p, e + 1.0f, e * 1.0f);
            predicate = (predicate && p) || (predicate && !p);
        }
        Done d = simplified(e);
        CHECK(d.work.nodes < 20 * length);
        CHECK(d.work.rewrites <= 2 * length);
        CHECK(to_string(simplified(predicate).e) == "p");
    }
}

TEST_CASE("what stands in many places is worked out once") {
    auto again = [] { return select(ex("y") * 2 < ex("n") * 2 + ex("z"), ex("f"), ex("g")); };
    Expr e = ex("f");
    for (int k = 0; k < 200; ++k) e = e * 1.5f + again();
    CHECK(simplified(e).work.nodes < 200 * 4);
    CHECK(simplified(again()).work.nodes > 4);
}

// H72
TEST_CASE("a sum of 50,000 terms and a tree of 90,000 levels are done without a large stack") {
    Expr sum = ex("x"), same = ex("x"), tree = ex("f");
    int terms = int(std::min<uint32_t>(50'000, deepest_depth / 2)), levels = terms * 9 / 5;
    for (int k = 0; k < terms; ++k)
        sum = sum + name_of("x" + std::to_string(k % 1000)), same = same + 1;
    for (int k = 0; k < levels; ++k) tree = tree + 1.0f;
    CHECK(to_string(simplified(same).e) == "x + " + std::to_string(terms));
    CHECK(simplified(sum).work.nodes < 2'000'000);
    CHECK(simplified(tree).e.same_as(tree));
}

TEST_CASE("two rules that could undo each other end") {  // H75
    auto ramp = [](const char* base, const char* stride) {
        return make(Ramp{ex(base), ex(stride), 2}, IndexType.with_lanes(2));
    };
    Expr e = broadcast(ex("s"), 2);
    Expr x = select(1 < ramp("65422", "38") + 16, ramp("s", "t"), e % e) +
             ramp("v", "-17") % ex("w") - ramp("v", "w");
    Done done = simplified(x);
    CHECK_FALSE(done.work.gave_up);
    CHECK(done.work.rewrites < 100);
    auto number = [](int v) { return Value::integer(IndexType, v); };
    arith_eval::Env env = {{arith_text::sym("s"), number(3)},
                           {arith_text::sym("t"), number(2)},
                           {arith_text::sym("v"), number(5)},
                           {arith_text::sym("w"), number(4)}};
    for (int lane : {0, 1}) CHECK(arith_eval::eval(done.e, env, lane).i == (lane ? -4 : -1));
}
