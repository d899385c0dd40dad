// Rewrites that other compilers got wrong, by the id of the fault.
#include <doctest/doctest.h>

#include "arith/rules.h"
#include "arith/simplify.h"
#include "core/arith_eval.h"
#include "core/arith_text.h"
#include "ir/equal.h"
#include "ir/print.h"

using namespace burin;
using arith_eval::Env;
using arith_eval::eval;
using arith_text::ex;
using arith_text::facts;
using arith_text::sym;

namespace {
// e and simplify(e) at each value of one variable.
void check_all(const Expr& e, std::string_view name, int64_t lo, int64_t hi,
               const Facts& known = {}) {
    Expr s = simplify(e, known);
    INFO(to_string(e) << "  ->  " << to_string(s));
    for (int64_t v = lo; v <= hi; ++v) {
        Env env = {{sym(name), Value::integer(arith_text::type_of_name(name), v)}};
        if (!same(eval(e, env), eval(s, env)))
            CHECK(to_string(eval(s, env)) == to_string(eval(e, env)));
    }
}
Expr with(const std::string& text, const std::vector<std::pair<std::string, int64_t>>& values) {
    Substitution by;
    for (auto& [name, v] : values) by[sym(name)] = imm(arith_text::type_of_name(name), v);
    return substitute(ex(text), by);
}
}  // namespace

TEST_CASE("H21: a negative factor of a quotient is not moved into the divisor") {
    for (int m = -7; m <= 7; ++m)
        for (int d = -7; d <= 7; ++d)
            for (const char* form :
                 {"(m*(x + 5))/s", "(x*m - 3)/s + (x*m)/s", "(x*m + 1) % s", "((x + 1)/s)*m"}) {
                Expr e = substitute(ex(form), {{sym("m"), index_imm(m)}, {sym("s"), index_imm(d)}});
                check_all(e, "x", -40, 40);
            }
    check_all(ex("((x - 73)*(-67)*120)/69"), "x", -200, 200);
    CHECK(const_int(simplify(with("(-3*(x + 5))/6", {{"x", -4}}))) == -1);
}

TEST_CASE("H22: a shift to the right stays a shift") {
    Expr e = ex("a >> 31");
    CHECK(simplify(e).same_as(e));
    for (auto [a, right] :
         {std::pair<int64_t, int64_t>{-5, -1}, {-1, -1}, {0, 0}, {7, 0}, {INT32_MIN, -1}})
        CHECK(const_int(simplify(with("a >> 31", {{"a", a}}))) == right);
    check_all(ex("(d >> 7) + (d << 7)"), "d", -128, 127);
}

TEST_CASE("H24, H25, H29: quotients and remainders of constants are those of the engine") {
    CHECK(const_int(simplify(with("a/b", {{"a", 110}, {"b", 55}}))) == 2);
    CHECK(const_int(simplify(with("a % b", {{"a", 110}, {"b", 55}}))) == 0);
    CHECK(const_int(simplify(with("a/b", {{"a", INT32_MIN}, {"b", -1}}))) == INT32_MIN);
    CHECK(const_int(simplify(with("a % b", {{"a", INT32_MIN}, {"b", -1}}))) == 0);
    for (const char* zero : {"a/0", "a % 0", "0/0 + a - a", "x/0", "x % 0", "0/a", "0 % a"})
        CHECK(const_int(simplify(ex(zero))) == 0);
    auto lanes = make(Ramp{index_imm(1), index_imm(1), 2}, IndexType.with_lanes(2));
    CHECK(const_int(simplify(lanes % 0)) == 0);
    CHECK(const_int(simplify(lanes / 0)) == 0);
    Expr lowest = make(IntImm{INT64_MIN}, IndexType);
    CHECK_FALSE(is_const(simplify(lowest / -1)));  // beyond 64 bits
}

TEST_CASE("H30: the remainder of a strided index vector wraps in each lane") {
    for (int stride = 1; stride <= 8; ++stride)
        for (int offset = 0; offset < 8; ++offset)
            for (int modulus = 2; modulus <= 9; ++modulus) {
                Expr ramp = make(Ramp{ex("x") * 4 * stride + offset, index_imm(stride), 4},
                                 IndexType.with_lanes(4));
                for (auto& e : {ramp % modulus, ramp / modulus}) {
                    Expr s = simplify(e);
                    for (int64_t x = -3; x <= 3; ++x)
                        for (int lane = 0; lane < 4; ++lane) {
                            Env env = {{sym("x"), Value::integer(IndexType, x)}};
                            if (eval(e, env, lane).i != eval(s, env, lane).i)
                                CHECK(to_string(e) == to_string(s));
                        }
                }
            }
}

TEST_CASE("H31: nested floor divisions with a negative middle") {
    Expr e = ex("((((x*4)/9 + 1)/2 - 4)/3 + x)*2 - 1");
    check_all(e, "x", -50, 50);
    check_all(e, "x", 0, 32, facts("x in 0..32"));
    for (auto [x, right] : {std::pair<int64_t, int64_t>{0, -5}, {3, 3}, {9, 15}, {32, 65}})
        CHECK(eval(simplify(e), {{sym("x"), Value::integer(IndexType, x)}}).i == right);
}

TEST_CASE("H36: NaN is not equal to a number in a select") {
    for (const char* e :
         {"select(is_nan(f), nan, 1.0)", "select(is_nan(f), 1.0, nan)", "select(p, 0.0, -0.0)"})
        CHECK(equal(simplify(ex(e)), ex(e)));
    CHECK(equal(simplify(ex("select(p, nan + f*0, nan + f*0)")), ex("nan + f*0")));
}

TEST_CASE("H38, H40: floats lose nothing unless a label allows it") {
    for (const char* e : {"log(exp(f))", "sqrt(f*f)", "f*g - f*g", "f - f", "f/f", "0.0*f"}) {
        Expr s = simplify(ex(e));
        INFO(to_string(s));
        CHECK(s.node()->kind == ex(e).node()->kind);
        CHECK_FALSE(is_const(s));
    }
    SimplifyOptions relaxed{.allowed = NoNan | NoSignedZero | Approximate};
    CHECK(to_string(simplify(ex("f - f"), {}, relaxed)) ==
          to_string(simplify(ex("0.0*f"), {}, relaxed)));
    CHECK(to_string(simplify(ex("log(exp(f))"), {}, relaxed)) == "f");
}

TEST_CASE("H43: a cast to a narrower float and back is kept") {
    for (const char* e : {"f32(f16(f))", "f32(bf16(f))"}) CHECK(equal(simplify(ex(e)), ex(e)));
    Expr wide = cast(f64, cast(f32, var(sym("w_f64"), f64)));
    CHECK(equal(simplify(wide), wide));
    Expr seventh = cast(f32, cast(f16, float_imm(f32, 1.0f / 7)));
    CHECK(const_float(simplify(seventh)) == 0.142822265625);
}

TEST_CASE("H48: loops of no iterations are gone, those of one are their body") {
    auto loop = [](const Expr& extent) {
        Symbol i = Symbol::fresh("i");
        Stmt body = make(Store{sym("o"), var(i), ex("f"), {}});
        return make(For{i, ex("x"), extent, LoopKind::Unrolled, body});
    };
    for (int n : {-1, 0})
        CHECK(to_string(simplify(loop(index_imm(n)))) == to_string(make(Block{})));
    CHECK(simplify(loop(ex("min(n, 0)"))).as<Block>());
    CHECK(simplify(loop(index_imm(1))).as<Store>());
    for (int n : {7, 8, 9, 16, 17})
        CHECK(const_int(simplify(loop(index_imm(n))).as<For>()->extent) == n);
}
