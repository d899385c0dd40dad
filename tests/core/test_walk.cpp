#include <doctest/doctest.h>

#include <chrono>

#include "base/deep.h"
#include "error_of.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/walk.h"

using namespace burin;

namespace {

const Symbol x = Symbol::named("x"), y = Symbol::named("y");

Expr doubled(Expr e, int times) {
    for (int i = 0; i < times; ++i) e = make(Add{e, e}, e.type());
    return e;
}
Stmt doubled(Stmt s, int times) {
    for (int i = 0; i < times; ++i) s = make(Block{{s, s}});
    return s;
}
Expr deep(int depth) {
    Expr e = var(x);
    while (int(e.node()->depth) < depth) e = make(Neg{e}, e.type());
    return e;
}

template <class F>
double milliseconds(F f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace

TEST_CASE("rewrite returns the same node where nothing changed") {
    Stmt s = parse_stmt("for i in 0 .. n {\n if i < m {\n f(i, 0) = x + g\n f(i, 1) = 1\n }\n }");
    CHECK(rewrite(s, [](const Var& op, auto& self) { return self.descend(op); }).same_as(s));
    Stmt t = substitute(s, x, index_imm(3));
    CHECK_FALSE(t.same_as(s));
    auto body = [](const Stmt& s) { return s.as<For>()->body.as<If>()->yes.as<Block>()->stmts; };
    CHECK(body(t)[1].same_as(body(s)[1]));
    CHECK_FALSE(body(t)[0].same_as(body(s)[0]));
    CHECK(to_string(body(t)[0]) == "f(i, 0) = 3 + g\n");
    CHECK_FALSE(uses(t, x));
    CHECK(uses(s, x));
}

TEST_CASE("rewrite keeps types and origins") {
    Stmt s = make(Provide{Symbol::named("f"), {var(x)}, {var(y, f32) + 1}}, {}, 7);
    Stmt t = substitute(s, x, var(y));
    CHECK(t.node()->origin == 7);
    CHECK(t.as<Provide>()->values[0].same_as(s.as<Provide>()->values[0]));
    CHECK(rewrite(Expr(var(y, f32) + 1), [](const FloatImm& op, auto&) {
              return float_imm(handle(op).type(), 2);
          }).type() == f32);
}

TEST_CASE(
    "a DAG doubled 60 times is walked, rewritten, compared and hashed in the time of its 60 "
    "nodes") {
    Expr a = doubled(var(x), 60), b = doubled(var(x), 60);
    Stmt s = doubled(make(Provide{Symbol::named("f"), {a}, {b}}), 60);
    CHECK(milliseconds([&] {
              int seen = 0;
              visit(s, [&](const Add& op, auto& self) {
                  ++seen;
                  self.descend(op);
              });
              CHECK(seen == 120);
              CHECK(equal(a, b));
              CHECK(hash_of(a) == hash_of(b));
              CHECK(equal(substitute(a, x, var(y)), doubled(var(y), 60)));
              CHECK(equal(substitute(s, x, var(y)), doubled(make(Provide{Symbol::named("f"),
                                                                         {doubled(var(y), 60)},
                                                                         {doubled(var(y), 60)}}),
                                                            60)));
              CHECK(equal_up_to_names(substitute(s, x, var(y)), s));
              CHECK_FALSE(equal(a, doubled(var(y), 60)));
              CHECK_FALSE(uses(s, y));
          }) < 1000);
}

TEST_CASE("inside scoped() a shared node is seen again") {
    Expr shared = var(x) + 1, e = make(Mul{shared, make(Neg{shared}, IndexType)}, IndexType);
    int seen = 0;
    auto count = [&](const Add& op, auto& self) {
        ++seen;
        self.descend(op);
    };
    visit(e, count);
    CHECK(seen == 1);
    seen = 0;
    visit(e, count, [&](const Neg& op, auto& self) { self.scoped([&] { self.descend(op); }); });
    CHECK(seen == 2);
    int made = 0;
    Expr r = rewrite(
        e,
        [&](const Var&, auto&) {
            ++made;
            return var(y);
        },
        [&](const Neg& op, auto& self) { return self.scoped([&] { return self.descend(op); }); });
    CHECK(made == 2);
    CHECK(equal(r, substitute(e, x, var(y))));
}

TEST_CASE("a tree 90,000 deep is walked, compared, printed, read and released") {
    int levels = int(std::min<uint32_t>(90'000, deepest_depth / 2));
    Expr a = deep(levels), b = deep(levels);
    CHECK(equal(a, b));
    CHECK(hash_of(a) == hash_of(b));
    CHECK(uses(a, x));
    CHECK(equal(substitute(a, x, var(y)), substitute(b, x, var(y))));
    Expr sum = var(x);
    while (sum.node()->depth < uint32_t(levels)) sum = var(y) * (sum + 1);
    CHECK(equal(parse_expr(to_string(sum)), sum));
    Stmt s = make(Provide{Symbol::named("f"), {}, {var(x)}});
    while (s.node()->depth < uint32_t(levels)) s = make(If{bool_imm(true), s, {}});
    CHECK(equal(parse_stmt(to_string(s)), s));
}

TEST_CASE("a tree of 100,001 levels is refused when it is made") {
    Expr e = deep(100'000);
    Error error = error_of([&] { make(Neg{e}, e.type()); });
    CHECK(error.kind() == ErrorKind::Resource);
    CHECK(error.id() == "expression-too-deep");
    CHECK(error_of([&] { make(Provide{x, {e}, {}}); }).kind() == ErrorKind::Resource);
}
