#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "base/deep.h"
#include "error_of.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/expr_parser.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/value.h"

using namespace burin;

namespace {

const Symbol x = Symbol::named("x"), y = Symbol::named("y");

// Text of the algorithm form: a, b are f32, u is u8, p is a bool, everything else a coordinate; every read is f32.
Expr read(std::string text) {
    Tokens tokens(std::move(text), "test.burin", TextForm::Algorithm);
    Names names;
    names.variable = [](const Token& t) {
        return var(Symbol::named(t.text), t.text == "a" || t.text == "b" ? f32
                                          : t.text == "u"                ? u8
                                          : t.text == "p"                ? Bool
                                                                         : IndexType);
    };
    names.read = [](const Token& t, std::vector<Expr> args, std::optional<int> element) {
        return make(Read{Symbol::named(t.text), element.value_or(0), std::move(args), {}, {}}, f32);
    };
    names.meta = [](const Token& t, MetaKind what, int dim) {
        return make(Meta{Symbol::named(t.text), what, dim}, IndexType);
    };
    names.reduce = [](const Token&, Reduction r) {
        r.element = std::max(r.element, 0);
        Type t = r.element ? IndexType : r.value.type();
        return make(std::move(r), t);
    };
    Expr e = ExprParser(tokens, names).expr();
    if (!tokens.done()) tokens.fail("the end");
    return typed(e);
}

void check_round_trip(const std::string& text, const std::string& canonical) {
    CAPTURE(text);
    Expr e = read(text);
    CHECK(to_string(e) == canonical);
    CHECK(equal(read(canonical), e));
}
void check_unchanged(const std::string& text) { check_round_trip(text, text); }

Error refused(const std::string& text) {
    return error_of([&] { read(text); });
}

}  // namespace

TEST_CASE("operators print with the fewest parentheses that C++ needs") {
    for (auto text : {"x + y * 2 - z",
                      "(x + y) * 2",
                      "x - (y - z)",
                      "x - y - z",
                      "x / (y * z)",
                      "x % 3 == 0 && p",
                      "!(p && x < y)",
                      "!p || p && x < 3",
                      "(p || p) && p",
                      "u & 7 ^ 1 | u << 2",
                      "u & (7 ^ u)",
                      "~u >> 1",
                      "p == x < y",
                      "p ^ x <= y",
                      "-x + -y",
                      "-(x + y)",
                      "-(-x)",
                      "x - -3",
                      "x * -3",
                      "-x * y",
                      "-(x * y)",
                      "select(p, x, 3)",
                      "min(x, 3) + max(0, y)",
                      "clamp(x, 0, y - 1)",
                      "f32(x) * a",
                      "f()",
                      "f(y, x + 1)[1] * f(0, x)",
                      "extent(in, 1) - origin(in, 0) * stride(in, 2)",
                      "fma(a, b, 1.0)",
                      "saturating_cast_u8(i32(u) + 1)",
                      "reinterpret_u32(a)",
                      "exp(a) + pow(2.0, b)",
                      "popcount(u) + absd(u, 3)",
                      "is_nan(a)",
                      "widening_mul(u, 3)",
                      "likely(x < 3)"})
        check_unchanged(text);
    check_round_trip("((x))", "x");
    check_round_trip("x>=y", "y <= x");
    check_round_trip("x > 3", "3 < x");
    check_round_trip("((x*y)+(z))", "x * y + z");
    check_round_trip("min(max(x, 0), y)", "clamp(x, 0, y)");
    check_round_trip("mux(x, 1, 2, 3)", "select(x == 0, 1, select(x == 1, 2, 3))");
    check_round_trip("lerp(a, b, 0.5)", "a + (b - a) * 0.5");
    check_round_trip("f(y,\n x)", "f(y, x)");
}

TEST_CASE(
    "a constant is bare where its sibling or its default type gives its type, and typed else") {
    for (auto text : {"3",
                      "1.5",
                      "u8(3)",
                      "f64(0.1)",
                      "index(3)",
                      "true",
                      "a * 2.0",
                      "u + 3",
                      "i64(3) + i64(4)",
                      "3 + 4",
                      "f16(0.1) + f16(2.0)",
                      "u8(i32(3))",
                      "f32(u8(3))",
                      "-i32(3)",
                      "-f32(1.0)",
                      "~5",
                      "select(p, u8(1), u8(2))",
                      "f64(x) * 0.1",
                      "min(u, 3)",
                      "f(3, -1)",
                      "i64(-9223372036854775808)",
                      "u64(18446744073709551615)",
                      "f32(nan)",
                      "f16(inf)",
                      "f64(-inf)",
                      "a + f32(inf)",
                      "a == -0.0",
                      "pow(2.0, f64(x))",
                      "pow(f64(2.0), f64(3.0))",
                      "fma(f64(1.0), f64(x), f64(2.0))",
                      "fma(f64(x), 1.0, 2.0)"})
        check_unchanged(text);
    check_round_trip("i32(-2147483648)", "-2147483648");
    check_round_trip("a * 2", "a * 2.0");
    check_round_trip("5000000000", "i64(5000000000)");
    check_round_trip("nan", "f32(nan)");
    check_round_trip("-0.0 * a", "-0.0 * a");
    check_round_trip("f32(0.1)", "0.1");
    CHECK(to_string(index_imm(3), IndexType) == "3");
    CHECK(to_string(imm(i32, 3), IndexType) == "i32(3)");
    CHECK(to_string(imm(u8, 3), u8) == "3");
    CHECK(to_string(float_imm(f32, 3), i32) == "3.0");
    CHECK(to_string(float_imm(f32, 3), u8) == "f32(3.0)");
    CHECK(to_string(Expr(0.1)) == "0.1");
    CHECK(to_string(Expr(300)) == "300");
}

TEST_CASE("floats print in the shortest form that reads back") {
    CHECK(to_string(float_imm(f32, 0.1)) == "0.1");
    CHECK(to_string(float_imm(f32, 1e30)) == "1e30");
    CHECK(to_string(float_imm(f32, 16777216)) == "16777216.0");
    CHECK(to_string(float_imm(f16, 0.1)) == "f16(0.1)");
    CHECK(to_string(float_imm(bf16, 3.14)) == "bf16(3.14)");
    CHECK(to_string(float_imm(f64, 5e-324)) == "f64(5e-324)");
    CHECK(to_string(float_imm(f32, 1e-45)) == "1e-45");
    std::mt19937_64 random(3);
    for (Type t : {f16, bf16, f32, f64})
        for (int i = 0; i < 20'000; ++i) {
            Value v = of_bits(t, random());
            Expr e = make(FloatImm{v.is_nan() ? float_imm(t, NAN).as<FloatImm>()->value : v.f}, t);
            std::string text = to_string(e);
            CAPTURE(text);
            REQUIRE(equal(read(text), e));
        }
}

TEST_CASE("reducers bind their variables in the term and in where, not in the bounds") {
    for (auto text : {"sum(f(r, q) * a for r: 0..3, q: -1..y where r != q as taps) / 7.0",
                      "argmax(f(r) for r: 0..extent(in, 0))[1]", "product(f(r) for r: x..x + 3)",
                      "maximum(sum(f(r, s) for s: 0..4) for r: 0..4)"})
        check_unchanged(text);
    // names that mean something else outside
    Expr e = read("minimum(f(p) * f32(u) for p: 0..3, u: 0..2)");
    CHECK(e.as<Reduction>()->value.as<Mul>()->b.as<Cast>()->value.type() == IndexType);
    CHECK(refused("sum(a for r: 0..p)").id() == "coordinate-type");
    CHECK(refused("sum(a)").message() == "expected 'for', not ')' (column 6)");
    check_unchanged("sum + argmax * for");  // bare, these are names like any other
}

TEST_CASE(
    "what does not follow the grammar is refused with the line, what was seen and what was "
    "expected") {
    auto says = [](const char* text, const std::string& message) {
        CAPTURE(text);
        Error e = refused(text);
        CHECK(e.kind() == ErrorKind::Value);
        CHECK(e.id() == "syntax");
        CHECK(e.message() == message);
        CHECK(e.where().file == "test.burin");
    };
    says("x +", "expected an expression, not the end of the text (column 4)");
    says("x + * y", "expected an expression, not '*' (column 5)");
    says("f(x", "expected ',' or ')', not the end of the text (column 4)");
    says("f(x))", "expected the end, not ')' (column 5)");
    says("x y", "expected the end, not 'y' (column 3)");
    says("f(x)[y]", "expected the number of a tuple's element, not 'y' (column 6)");
    says("(x", "expected ')', not the end of the text (column 3)");
    says("99999999999999999999",
         "expected a number of at most 64 bits, not '99999999999999999999' (column 1)");
    says("1e999", "expected a number within the range of f64, not '1e999' (column 1)");
    says("extent(3, 1)", "expected the name of a buffer, not '3' (column 8)");
    Error e = refused("(a +\n u)");
    CHECK(e.kind() == ErrorKind::Type);
    CHECK(e.id() == "mixed-types");
    CHECK(e.where().line == 1);
    CHECK(e.where().text == "(a +");
    CHECK(refused("u + 300").id() == "literal-range");
    CHECK(refused("sqrt(x)").id() == "operand-type");
    CHECK(refused("clamp(x, 1)").message() == "clamp takes 3 arguments, not 2");
    CHECK(refused("sqrt(x)").where().text == "sqrt(x)");
}

TEST_CASE("what is nested too deeply is E-resource, and 40,000 levels are read") {
    CHECK(refused(std::string(1'000'000, '(')).kind() == ErrorKind::Resource);
    CHECK(refused(std::string(100'000, '-') + "a").kind() == ErrorKind::Resource);
    size_t deep = std::min<size_t>(99'999, deepest_depth / 2);
    CHECK(refused(std::string(deep, '-') + "a" + std::string(deep, '+')).kind() ==
          ErrorKind::Value);
    std::string s = "p", long_sum = "x";
    for (int i = 0; i < 9'000; ++i)
        s = "p || p && p ^ u == u << 1 + 3 * u8(" + s + ")", long_sum += " + x";
    CHECK(read(s).node()->depth > 50'000);
    CHECK(read(long_sum).node()->depth == 9'001);
    for (int i = 0; i < 100'000; ++i) long_sum += " + x";
    CHECK(refused(long_sum).kind() == ErrorKind::Resource);
}

TEST_CASE("a text of more than 64 MiB is refused, and brief cuts") {
    Expr e = var(x);
    for (int i = 0; i < 60; ++i) e = e + e;
    CHECK(error_of([&] { to_string(e); }).kind() == ErrorKind::Resource);
    CHECK(brief(e).size() < 210);
    CHECK(brief(e).ends_with("..."));
    CHECK(brief(var(x) + 1) == "x + 1");
}

TEST_CASE("two Symbols with one hint print apart, and no name reads as something else") {
    Expr other = var(Symbol::fresh("x")), third = var(Symbol::fresh("x_1"));
    CHECK(to_string(var(x) + other * third - var(x)) == "x + x_1 * x_1_1 - x");
    CHECK(to_string(var(Symbol::fresh("true")) +
                    var(Symbol::fresh("a b")) * var(Symbol::fresh(""))) == "true_1 + a_b * __");
    Symbol ramp = Symbol::fresh("ramp"), f = Symbol::fresh("min");
    Stmt s = make(Provide{f, {var(x)}, {make(Read{ramp, 0, {var(x)}, {}, {}}, f32)}});
    CHECK(to_string(s) == "func ramp_1: f32\nmin_1(x) = ramp_1(x)\n");
    CHECK(equal_up_to_names(parse_stmt(to_string(s)), s));
}

TEST_CASE("vectors print as calls") {
    for (std::string text :
         {"ramp(x, 1, 8) + 2", "ramp(ramp(x, 1, 4), 16, 2)", "broadcast(x, 8) * ramp(0, y, 8)",
          "broadcast(u8(3), 8)", "ramp(i32(1), i32(2), 4)", "combine_sum(ramp(x, 1, 8), 2)",
          "combine_and(broadcast(true, 4), 1)",
          "shuffle(ramp(x, 1, 4), broadcast(index(0), 4))[0, 4, 1]",
          "select(ramp(x, 1, 4) < 3, ramp(x, 1, 4), 0)", "clamp(ramp(x, 1, 4), 0, 7)",
          "broadcast(broadcast(x, 2), 4)", "broadcast(3, 4) + broadcast(4, 4)"}) {
        CAPTURE(text);
        CHECK(to_string(parse_expr(text)) == text);
    }
    Expr e = parse_expr(
        "buffer f: u8\nfunc g: {f32, u8}\nf[ramp(x, 1, 4) if ramp(x, 1, 4) < 3] + g(x, ramp(0, 1, "
        "4))[1]");
    CHECK(to_string(e) == "f[ramp(x, 1, 4) if ramp(x, 1, 4) < 3] + g(x, ramp(0, 1, 4))[1]");
    CHECK(e.type() == u8.with_lanes(4));
    CHECK(parse_expr("scalar p: f64\np * 2").type() == f64);
}

namespace {

// Random expressions over named variables, reads and loads of every type.
struct Random {
    std::mt19937_64 bits;
    int below(int n) { return int(bits() % uint64_t(n)); }
    template <class T>
    T one_of(std::initializer_list<T> v) {
        return v.begin()[below(int(v.size()))];
    }

    Type type() {
        return one_of({Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, IndexType});
    }
    Expr number(Type t) {
        if (t.is_float())
            return float_imm(t, one_of({0.0, -0.0, 1.0, -2.5, 0.1, 1e30, double(INFINITY),
                                        double(NAN), of_bits(t, bits()).f}));
        return imm(t, one_of({int64_t(0), int64_t(1), int64_t(-1), int64_t(7), INT64_MIN, INT64_MAX,
                              int64_t(bits())}));
    }
    Expr leaf(Type t, int lanes) {
        std::string name = "_" + to_string(t);
        int kind = below(lanes > 1 ? 3 : 4);
        if (lanes > 1 && kind == 0 && !t.is_bool())
            return make(Ramp{any(t, 1, 1), any(t, 1, 1), lanes}, t.with_lanes(lanes));
        if (lanes > 1 && kind <= 1)
            return make(Broadcast{any(t, 1, 1), lanes}, t.with_lanes(lanes));
        if (kind <= 1) return broadcast(number(t), lanes);
        if (kind == 2)
            return make(Load{Symbol::named("b" + name), any(IndexType, lanes, 0), {}},
                        t.with_lanes(lanes));
        return var(Symbol::named("v" + name), t);
    }
    Expr any(Type t, int lanes, int depth) {
        if (depth <= 0)
            return below(2) && lanes == 1 ? var(Symbol::named("v_" + to_string(t)), t)
                                          : broadcast(number(t), lanes);
        if (below(8) == 0) return leaf(t, lanes);
        auto sub = [&](Type u) { return any(u, lanes, depth - 1 - below(2)); };
        switch (below(7)) {
            case 0: return select(sub(Bool), sub(t), sub(t));
            case 1:
                if (Type from = type(); from != t && !(t.is_index() && !from.is_integer()) &&
                                        !(from.is_index() && t.is_bool()))
                    return cast(t, sub(from));
                return sub(t);
            case 2:
                if (lanes == 1)
                    return make(Read{Symbol::named("f_" + to_string(t)),
                                     below(2),
                                     {any(IndexType, 1, depth - 1), any(IndexType, 1, 1)},
                                     {},
                                     {}},
                                t);
                return leaf(t, lanes);
            default: break;
        }
        Expr a = sub(t), b = sub(t);
        if (t.is_bool()) {
            Type u = type();
            Expr c = sub(u), d = sub(u);
            switch (below(7)) {
                case 0:  return a && b;
                case 1:  return a || b;
                case 2:  return a ^ b;
                case 3:  return !a;
                case 4:  return c != d;
                case 5:  return u.is_bool() ? c == d : c < d;
                default: return u.is_bool() ? c & d : c >= d;
            }
        }
        switch (below(12)) {
            case 0:  return a + b;
            case 1:  return a - b;
            case 2:  return a * b;
            case 3:  return a / b;
            case 4:  return min(a, b);
            case 5:  return max(a, b);
            case 6:  return -a;
            case 7:  return clamp(a, b, sub(t));
            case 8:  return t.is_float() ? fma(a, b, sub(t)) : a % b;
            case 9:  return t.is_float() ? pow(a, b) : t.is_integer() ? a << b : likely(a);
            case 10: return t.is_float() ? exp(a) : t.is_integer() ? ~a : abs(a);
            default:
                return t.is_integer() ? saturating_cast(t, cast(i64, a)) ^ halving_add(a, b) : a;
        }
    }
};

}  // namespace

TEST_CASE("random expressions read back as they were") {
    std::string header;
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, IndexType}) {
        std::string name = to_string(t);
        header += "scalar v_" + name + ": " + name + "\nbuffer b_" + name + ": " + name +
                  "\nfunc f_" + name + ": {" + name + ", " + name + "}\n";
    }
    Random r{std::mt19937_64(1)};
    for (int i = 0; i < 20'000; ++i) {
        Expr e = r.any(r.type(), r.below(3) ? 1 : 4, 4);
        std::string text = to_string(e);
        CAPTURE(text);
        Expr back = parse_expr(header + text);
        INFO(to_string(back));
        REQUIRE(equal(back, e));
    }
}
