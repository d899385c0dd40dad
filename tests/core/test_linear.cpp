#include <doctest/doctest.h>

#include "arith/eval_index.h"
#include "arith/linear.h"
#include "arith/modulus.h"
#include "arith/monotonic.h"
#include "core/arith_text.h"
#include "error_of.h"
#include "ir/equal.h"
#include "ir/print.h"

using namespace burin;
using arith_text::ex;
using arith_text::facts;
using arith_text::sym;

TEST_CASE("a linear form has each atom once") {
    Linear l = linear(ex("x*3 + (y - x)*2 - 4 - (z/2)*6 + y"));
    CHECK(l.terms.size() == 3);
    CHECK(l.of(ex("x")) == 1);
    CHECK(l.of(ex("y")) == 3);
    CHECK(l.of(ex("z/2")) == -6);
    CHECK(l.constant == -4);
    CHECK(to_string(to_expr(l)) == to_string(ex("x + y*3 - z/2*6 - 4")));
}

TEST_CASE("what would leave 64 bits is left as it stands") {
    Expr e = ex("x*4611686018427387904*4");
    CHECK(linear(e).terms.size() == 1);
    CHECK(linear(e).terms[0].atom.same_as(e));
    CHECK(linear(ex("9223372036854775807 + x + 1 - x")).constant != INT64_MIN);
    CHECK_FALSE(add(Linear{{}, INT64_MAX}, Linear{{}, 1}));
    CHECK_FALSE(scale(linear(ex("x*4611686018427387904")), 2));
}

TEST_CASE("coefficients are known where a variable stands outside atoms") {
    CHECK(coefficient(ex("x*3 - (x - y)"), sym("x")) == 2);
    CHECK(coefficient(ex("y + n"), sym("x")) == 0);
    CHECK(coefficient(ex("x + x/2"), sym("x")) == std::nullopt);
}

TEST_CASE("products of sums multiply out for comparing") {
    CHECK(
        add(expanded(ex("(x + 1)*(y - 2)")), expanded(ex("y*x - x*2 + y - 2")), -1)->is_constant());
    CHECK(add(expanded(ex("x*y*z")), expanded(ex("z*(x*y)")), -1)->is_constant());
}

TEST_CASE("the modulus of an index") {
    CHECK(modulus_of(ex("x*8 + y*12 + 5")) == Modulus{4, 1});
    CHECK(modulus_of(ex("min(x*6, y*4 + 2)")) == Modulus{2, 0});
    CHECK(modulus_of(ex("(x*12 + 6)/3")) == Modulus{4, 2});
    CHECK(modulus_of(ex("(x*8 + 3) % 4")) == Modulus{4, 3});
    CHECK(modulus_of(ex("7")) == Modulus{0, 7});
    CHECK(modulus_of(ex("n + 1"), facts("n % 8 == 3")) == Modulus{8, 4});
    CHECK(modulus_of(ex("x*(y*2 + 1)*4")) == Modulus{4, 0});
    CHECK(remainder_of(ex("x*8 + 13"), 4) == 1);
    CHECK_FALSE(remainder_of(ex("x*6"), 4));
}

TEST_CASE("monotony of an index in a variable") {
    auto moves = [](const char* e, const char* known = "") {
        return monotonic(ex(e), sym("x"), facts(known));
    };
    CHECK(moves("y*2") == Monotonic::Constant);
    CHECK(moves("x*2 + y") == Monotonic::Increasing);
    CHECK(moves("min(x, n) - max(3 - x, y)") == Monotonic::Increasing);
    CHECK(moves("-x/8") == Monotonic::Decreasing);
    CHECK(moves("x/-8") == Monotonic::Decreasing);
    CHECK(moves("x % 8") == Monotonic::Unknown);
    CHECK(moves("x*n") == Monotonic::Unknown);
    CHECK(moves("x*n", "n in 0..") == Monotonic::Increasing);
    CHECK(moves("x + min(5 - x, 0)") == Monotonic::Increasing);
    CHECK(moves("x - (x - 3)") == Monotonic::Constant);
    CHECK(moves("select(y < 3, x, x*2)") == Monotonic::Increasing);
}

TEST_CASE("an index is evaluated on concrete values, with overflow reported") {
    auto value = [](const char* e) {
        return eval_index(ex(e), [](const Expr& leaf) {
            return to_string(leaf) == "x" ? 7 : to_string(leaf) == "y" ? -2 : INT64_MAX;
        });
    };
    CHECK(value("x*3 + y/4 - x % 4") == 17);
    CHECK(value("select(x < y, x, y) + min(x, y)") == -4);
    CHECK(value("index(i32(x) + 2147483647)") == -2147483642);
    CHECK(value("extent(in, 0) - 1") == INT64_MAX - 1);
    CHECK(value("select(x > 3, x, n + 1)") == 7);
    auto e = error_of([&] { value("n + x"); });
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.id() == "index-overflow");
    CHECK(e.message().find("n + x") != std::string::npos);
    CHECK(error_of([&] { value("n*y*0 - 4"); }).id() == "index-overflow");
}

TEST_CASE("a program evaluates many expressions over shared steps") {
    std::vector<Expr> leaves = {ex("x"), ex("f"), ex("p")};
    IndexProgram program({ex("x*x + 1"), ex("select(f < 2.0, x*x, 0)"), ex("x < 3 && p"),
                          ex("9223372036854775807 + x")},
                         leaves);
    IndexValue out[4];
    int64_t in[] = {5, 0x3f800000, 1};  // 1.0f
    program.run(in, out);
    CHECK(out[0].value == 26);
    CHECK(out[1].value == 25);
    CHECK(out[2].value == 0);
    CHECK(out[3].overflow);
    CHECK_FALSE(out[0].overflow);
    CHECK(error_of([&] { IndexProgram({ex("y")}, leaves); }).kind() == ErrorKind::Internal);
}
