#include <doctest/doctest.h>

#include "arith/simplify.h"
#include "core/arith_text.h"
#include "ir/equal.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::facts;
using arith_text::sym;

namespace {
Stmt store(const Expr& index, const Expr& value = ex("f"), const Expr& predicate = {}) {
    return make(Store{sym("out"), index, value, predicate});
}
Stmt loop(const char* v, const char* min, const char* extent, const Stmt& body) {
    return make(For{sym(v), ex(min), ex(extent), LoopKind::Serial, body});
}
Stmt when(const char* cond, const Stmt& yes, const Stmt& no = {}) {
    return make(If{ex(cond), yes, no});
}
Stmt let(const char* v, const char* value, const Stmt& body) {
    return make(Let{sym(v), ex(value), body});
}
void check(const Stmt& from, const Stmt& to, const char* known = "") {
    Stmt s = simplify(from, facts(known));
    INFO(to_string(s));
    CHECK(equal(s, to));
}
}  // namespace

TEST_CASE("guards that loop bounds prove are dropped") {
    check(
        loop("xo", "0", "n/8", loop("xi", "0", "8", when("xo*8 + xi < n", store(ex("xo*8 + xi"))))),
        loop("xo", "0", "n/8", loop("xi", "0", "8", store(ex("xo*8 + xi")))));
    Stmt needed = loop("xo", "0", "(n + 7)/8",
                       loop("xi", "0", "8", when("xo*8 + xi < n", store(ex("xo*8 + xi")))));
    check(needed, needed);
    check(needed, loop("xo", "0", "(n + 7)/8", loop("xi", "0", "8", store(ex("xo*8 + xi")))),
          "n % 8 == 0");
}

TEST_CASE("clamps that hold inside a loop or a branch are dropped there and nowhere else") {
    Expr clamped = ex("clamp(x, 0, n - 1)");
    check(make(Block{{loop("x", "0", "n", store(clamped)), store(clamped)}}),
          make(Block{{loop("x", "0", "n", store(ex("x"))), store(simplify(clamped))}}));
    check(when("x < n && 0 <= x", store(clamped), store(clamped)),
          when("x < n && 0 <= x", store(ex("x")), store(simplify(clamped))));
}

TEST_CASE("branches on constants, empty branches and nested blocks go") {
    check(when("1 < 2", store(ex("0")), store(ex("1"))), store(ex("0")));
    check(when("2 < 1", store(ex("0"))), make(Block{}));
    check(when("p", make(Block{}), store(ex("1"))), when("!p", store(ex("1"))));
    check(when("p", when("p", store(ex("1")))), when("p", store(ex("1"))));
    check(make(Block{{store(ex("0")), make(Block{{make(Block{}), store(ex("1"))}})}}),
          make(Block{{store(ex("0")), store(ex("1"))}}));
}

TEST_CASE("lets of constants and names are substituted, unread ones dropped, others known") {
    check(let("t", "4", store(ex("t + x"))), store(ex("x + 4")));
    check(let("t", "y", store(ex("t + x"))), store(ex("y + x")));
    check(let("t", "y*2", store(ex("x"))), store(ex("x")));
    check(let("t", "y*2", let("s", "t + 1", store(ex("x")))), store(ex("x")));
    check(let("t", "y*2", when("t == y + y", store(ex("t")))), let("t", "y*2", store(ex("t"))));
    check(loop("x", "y", "1", store(ex("x + 1"))), store(ex("y + 1")));
    check(loop("x", "y*2", "1", store(ex("x + 1"))), let("x", "y*2", store(ex("x + 1"))));
}

TEST_CASE("stores under constant predicates are unconditional or gone") {
    check(store(ex("x"), ex("f"), ex("x <= x")), store(ex("x")));
    check(store(ex("x"), ex("f"), ex("x < x")), make(Block{}));
    check(store(ex("x"), ex("f"), ex("x < n")), store(ex("x"), ex("f"), ex("x < n")));
}

TEST_CASE("what holds in a loop is not believed behind it") {
    Expr c = ex("0 < n");
    Stmt s = make(Block{{loop("x", "0", "n", store(ex("x"), select(c, ex("f"), ex("g")))),
                         store(ex("0"), select(c, ex("f"), ex("g")))}});
    Stmt r = simplify(s);
    CHECK(r.as<Block>()->stmts[0].as<For>()->body.as<Store>()->value.as<Var>());
    CHECK(r.as<Block>()->stmts[1].as<Store>()->value.as<Select>());
}

TEST_CASE("likely conditions stay until they are stripped") {
    Stmt s = when("likely(x < n)", store(ex("min(x, n - 1)")));
    check(s, when("likely(x < n)", store(ex("x"))));
    CHECK(equal(strip_hints(s), when("x < n", store(ex("min(x, n - 1)")))));
    check(when("likely(x < n)", store(ex("x"))), store(ex("x")), "x in 0..n - 1");
}
