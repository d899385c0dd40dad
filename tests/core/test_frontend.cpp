// test_frontend.cpp - programs as users write them, and the algorithm that comes out, as text.
#include <burin/burin.h>
#include <doctest/doctest.h>

#include <cmath>

#include "error_of.h"
#include "func/algorithm.h"
#include "ir/build.h"
#include "ir/equal.h"

using namespace burin;

TEST_CASE("the blur of the README freezes to its text") {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
    blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3;
    Pipeline blur("blur", {in}, {blur_y({h - 2, w - 2})});
    CHECK(print(blur) == R"(pipeline blur(in: f32[h, w]) -> blur_y[h - 2, w - 2]
blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3.0
blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3.0
)");
    CHECK(blur.name() == "blur");
    CHECK(blur.hash().size() == 32);
}

TEST_CASE("the dense layer freezes to a sum with an implicit start") {
    Size m("m"), n("n"), k("k");
    Input<float> a("a", {m, k}), b("b", {k, n}), bias("bias", {n});
    Var i("i"), j("j");
    RDom r(k, "r");
    Func c("c"), y("y");
    c(i, j) += a(i, r) * b(r, j);
    y(i, j) = gelu(c(i, j) + bias(j));
    Pipeline dense("dense", {a, b, bias}, {y({m, n})});
    CHECK(print(dense) == R"(pipeline dense(a: f32[m, k], b: f32[k, n], bias: f32[n]) -> y[m, n]
c(i, j) += a(i, r) * b(r, j) for r: 0..k
y(i, j) = gelu(c(i, j) + bias(j))
)");
    CHECK(print(dense.strict())
              .starts_with(
                  "pipeline dense(a: f32[m, k], b: f32[k, n], bias: f32[n]) -> y[m, n] strict\n"));
    CHECK_FALSE(dense.strict() == dense);
}

TEST_CASE("every spelling that the language offers means what it says") {
    Size n("n");
    Param<float> p("p");
    Var x("x"), y("y");
    Input<uint8_t> in("in", {n});
    Input<float> z("z", Rank(2)), one("one", Rank(0));
    RDom r({3, Range{-1, 2}}, "r"), q(10, "q"), t(Range{1, n}, "t");
    r.where(r[0] < r[1]);
    Func f("f"), g("g"), s0("s0"), am("am"), d("d"), b("b");
    f(x) = 0;
    f(r[0]) += 3;
    s0() += cast<float>(in(q));
    am(y) = {-1.0f, 0};
    am(y) = {select(z(y, q) > am(y)[0], z(y, q), am(y)[0]), 0};
    d(x) = 0.0f;
    d(n - 1 - t) = select(t == 0 || !(1 < t), p, 0.f) * -p + s0();
    b(x) &= in(t) << 1;
    g(x) = max(1, in(x)) + cast<uint8_t>(sum(q, z(x, q) * 2)) +
           cast<uint8_t>(exp(p) + d(x) + one()) + 1u;
    Pipeline all("all", {in, z, p, one}, {f({n}), g.shape({n}), s0({}), am({n}), b({3})});
    CHECK(
        print(all) ==
        R"(pipeline all(in: u8[n], z: f32[_, _], p: f32, one: f32[]) -> f[n], g[n], s0[], am[n], b[3]
f(x) = 0
f(r0) += 3 for r0: 0..3, r1: -1..2 where r0 < r1
s0() += f32(in(q)) for q: 0..10
d(x) = 0.0
d(n - 1 - t) = select(t == 0 || !(1 < t), p, 0.0) * -p + s0() for t: 1..n
g_sum(x) += z(x, q) * 2.0 for q: 0..10
g(x) = max(1, in(x)) + u8(g_sum(x)) + u8(exp(p) + d(x) + one()) + 1
am(y) = {-1.0, 0}
am(y) = {select(am(y)[0] < z(y, q), z(y, q), am(y)[0]), 0} for q: 0..10
b(x) &= in(t) << 1 for t: 1..n
)");
    CHECK(parse_pipeline(print(all)) == all);
}

TEST_CASE("an inline reduction is a stage named after its reader, or the Func itself") {
    Size n("n");
    Input<float> in("in", {n, n});
    Var x("x"), y("y");
    RDom r(n, "r"), q({n, 2}, "q");
    Func whole("whole"), part("part"), least("least");
    whole(x) = sum(r, in(x, r));
    Expr s = sum(r, in(y, r));
    part(x, y) = s * s + sum(r, in(y, r)) -
                 maximum(r, in(r, y) * sum(q, in(q[0], x + q[1]), "inner")) +
                 sum({r, q}, in(r, q[0]));
    least(x) = argmin(q, in(q[0], x + q[1]));
    Func out("out");
    out(x, y) = part(x, y) + whole(x) + cast<float>(least(x)[2] + argmax(r, in(x, r))[1]);
    Pipeline p("p", {in}, {out({n, n})});
    CHECK(print(p) == R"(pipeline p(in: f32[n, n]) -> out[n, n]
part_sum(y) += in(y, r) for r: 0..n
inner(x) += in(q0, x + q1) for q0: 0..n, q1: 0..2
part_maximum(x, y) = max(part_maximum(x, y), in(r, y) * inner(x)) for r: 0..n
part_sum1() += in(r, q0) for r: 0..n, q0: 0..n, q1: 0..2
part(x, y) = part_sum(y) * part_sum(y) + part_sum(y) - part_maximum(x, y) + part_sum1()
whole(x) += in(x, r) for r: 0..n
least(x) = argmin(least(x), {in(q0, x + q1), i64(q0), i64(q1)}) for q0: 0..n, q1: 0..2
out_argmax(x) = argmax(out_argmax(x), {in(x, r), i64(r)}) for r: 0..n
out(x, y) = part(x, y) + whole(x) + f32(least(x)[2] + out_argmax(x)[1])
)");
    CHECK(parse_pipeline(print(p)) == p);
}

TEST_CASE("an update in any spelling has one form") {
    Input<float> a("a", Rank(1)), b("b", Rank(1));
    RDom r(8, "r");
    Var x("x");
    auto text_of = [&](auto write) {
        Func f("f");
        f(x) = 0.0f;
        write(f);
        std::string text = print(Pipeline("p", {a, b}, {f({8})}));
        return text.substr(text.find("f(x) = 0.0\n") + 11);
    };
    auto product = "f(x) += a(r) * b(r) for r: 0..8\n";
    CHECK(text_of([&](Func f) { f(x) += a(r) * b(r); }) == product);
    CHECK(text_of([&](Func f) { f(x) = f(x) + a(r) * b(r); }) == product);
    CHECK(text_of([&](Func f) { f(x) = a(r) * b(r) + f(x); }) == product);
    auto negative = "f(x) += -a(r) * b(r) for r: 0..8\n";
    CHECK(text_of([&](Func f) { f(x) -= a(r) * b(r); }) == negative);
    CHECK(text_of([&](Func f) { f(x) = f(x) - a(r) * b(r); }) == negative);
    CHECK(text_of([&](Func f) { f(x) -= 3 * b(r); }) == "f(x) += -3.0 * b(r) for r: 0..8\n");
    CHECK(text_of([&](Func f) { f(x) -= -b(r); }) == "f(x) += b(r) for r: 0..8\n");
    CHECK(text_of([&](Func f) { f(x) = max(b(r), f(x)); }) ==
          "f(x) = max(f(x), b(r)) for r: 0..8\n");
    CHECK(text_of([&](Func f) { f(x) = b(r) * f(x); }) == "f(x) *= b(r) for r: 0..8\n");
    CHECK(text_of([&](Func f) { f(x) = b(r) - f(x); }) == "f(x) = b(r) - f(x) for r: 0..8\n");
    CHECK(text_of([&](Func f) { f(r) = f(r - 1) + b(r); }) ==
          "f(r) = f(r - 1) + b(r) for r: 0..8\n");
}

TEST_CASE("an operator without a pure definition starts at its identity") {
    Input<float> a("a", Rank(1));
    Input<uint8_t> b("b", Rank(1));
    RDom r(8, "r");
    Var x("x");
    auto start = [&](auto write) {
        Func f("f");
        write(f);
        Pipeline p("p", {a, b}, {f({8})});
        const FuncDef& def = p.algorithm().funcs[0];
        CHECK(def.defs[0].implicit);
        return def.defs[0].values[0];
    };
    auto is = [](const Expr& e, Type t, double v) {
        return e.type() == t && (t.is_float() ? const_float(e) == v : const_int(e) == int64_t(v));
    };
    CHECK(is(start([&](Func f) { f(x) += a(r); }), f32, 0));
    CHECK(is(start([&](Func f) { f(x) *= a(r); }), f32, 1));
    CHECK(is(start([&](Func f) { f(x) = max(f(x), a(r)); }), f32, -INFINITY));
    CHECK(is(start([&](Func f) { f(x) = min(f(x), b(r)); }), u8, 255));
    CHECK(is(start([&](Func f) { f(x) = f(x) & b(r); }), u8, 255));
    CHECK(is(start([&](Func f) { f(x) = b(r) | f(x); }), u8, 0));
    CHECK(is(start([&](Func f) { f(x) ^= b(r) > 3; }), Bool, 0));
    CHECK(is(start([&](Func f) { f(x) = f(x) && b(r) > 3; }), Bool, 1));
}

TEST_CASE("an expression is no condition of C++, so that its operators mean what they say") {
    static_assert(!std::is_constructible_v<bool, Expr>);
    static_assert(!std::is_convertible_v<decltype(Expr() < Expr()), bool>);
    static_assert(std::is_same_v<decltype(Size("a") == Size("b")), Expr>);
    enum E { A, B };
    static_assert(std::is_same_v<decltype(A | B), int>);  // foreign operators stay untouched
}

TEST_CASE("borders have a value everywhere, for every extent and offset") {
    // Where the coordinate x of a line of n points is read, by walking: one step of the pattern at a time.
    auto walked = [](const std::string& border, int64_t x, int64_t n) {
        int64_t at = 0, step = x < 0 ? -1 : 1, way = step;
        for (int64_t k = 0; k != x; k += step) {
            int64_t to = at + way;
            bool leaves = to < 0 || to >= n;
            if (!leaves) at = to;
            else if (border == "wrapped") at = to < 0 ? n - 1 : 0;
            else if (border == "reflected") way = -way;
            else if (border == "mirrored" && n > 1) way = -way, at += way;
        }
        return at;
    };
    Size n("n");
    Input<int32_t> in("in", {n});
    Var x("x");
    struct Case {
        const char* name;
        Func of_input, of_func;
    };
    Func same("same");
    same(x) = in(x);
    Case cases[] = {{"clamped", clamped(in), clamped(same, {Range{-2, n - 2}})},
                    {"mirrored", mirrored(in), mirrored(same, {Range{-2, n - 2}})},
                    {"reflected", reflected(in, {0}), reflected(same, {Range{-2, n - 2}})},
                    {"wrapped", wrapped(in), wrapped(same, {Range{-2, n - 2}})},
                    {"padded", padded(in, -1), padded(same, {Range{-2, n - 2}}, -1)}};
    for (auto& c : cases) {
        Func f("f"), g("g");
        f(x) = c.of_input(x - 12);
        g(x) = c.of_func(x - 12);
        Pipeline p("p", {in}, {f({24}), g({24})});
        for (int64_t extent = 1; extent <= 4; ++extent) {
            Buffer<int32_t> line({extent});
            for (int64_t i = 0; i < extent; ++i) line(i) = int32_t(i);
            Results r = evaluate(p, {AnyBuffer(line).translated({-2})});
            for (int64_t i = 0; i < 24; ++i) {
                int64_t from = i - 12 + 2;
                bool inside = from >= 0 && from < extent;
                int64_t right = c.name == std::string("padded") ? (inside ? from : -1)
                                                                : walked(c.name, from, extent);
                INFO(c.name << " extent " << extent << " at " << from);
                CHECK(r.get<int32_t>(0)(i) == right);
                CHECK(r.get<int32_t>(1)(i) == right);
            }
        }
    }
}

TEST_CASE("a border that is asked for twice is one stage, another one is another") {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func f("f");
    f(y, x) = clamped(in)(y, x - 1) + clamped(in)(y, x + 1) + clamped(in, {1})(y, x) +
              Func(padded(in, 0, {0}))(y - 1, x);
    CHECK(print(Pipeline("p", {in}, {f({h, w})})) == R"(pipeline p(in: f32[h, w]) -> f[h, w]
in_clamped(x0, x1) = in(clamp(x0, origin(in, 0), origin(in, 0) + h - 1), clamp(x1, origin(in, 1), origin(in, 1) + w - 1))
in_clamped1(x0, x1) = in(x0, clamp(x1, origin(in, 1), origin(in, 1) + w - 1))
in_padded(x0, x1) = select(origin(in, 0) <= x0 && x0 < origin(in, 0) + h, in(x0, x1), 0.0)
f(y, x) = in_clamped(y, x - 1) + in_clamped(y, x + 1) + in_clamped1(y, x) + in_padded(y - 1, x)
)");
}

// as a tree: never
TEST_CASE("a long chain and a large graph of expressions freeze, print and read back") {
    Var x("x");
    Input<int32_t> in("in", Rank(1));
    Func f("f");
    f(x) = in(x);
    for (int i = 0; i < 2000; ++i) {
        Func next("stage" + std::to_string(i));
        next(x) = f(x) + 1;
        f = next;
    }
    Pipeline chain("chain", {in}, {f({4})});
    CHECK(chain.algorithm().funcs.size() == 2001);
    CHECK(parse_pipeline(print(chain)) == chain);

    Func g("g");
    RDom r(3, "r");
    Expr e = in(r);
    for (int i = 0; i < 500; ++i) e = e * e;
    g(x) += e;
    Pipeline power("power", {in}, {g({4})});
    CHECK(print(power).size() < 20000);
    CHECK(print(power).find(" let {\n  e0 = ") != std::string::npos);
    CHECK(parse_pipeline(print(power)) == power);
}

TEST_CASE("the numbers in an algorithm keep every bit in its text") {
    const double reals[] = {NAN, INFINITY, -INFINITY, -0.0, 5e-324, 0.1, 1.7976931348623157e308};
    const float floats[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-45f, 0.1f, 16777217.0f};
    Var x("x");
    std::vector<Func> all;
    auto define = [&](const Expr& e) {
        all.emplace_back("stage" + std::to_string(all.size()));
        all.back()(x) = e;
        all.back()(x) = select(x == 3, e, all.back()(x));
    };
    for (double v : reals) define(v);
    for (float v : floats) define(v);
    for (float v : floats) define(cast(f16, v == 16777217.0f ? 0 : v)), define(cast(bf16, v));
    for (int64_t v : {INT64_MIN, INT64_MAX, (int64_t(1) << 53) + 1, int64_t(-1)}) define(v);
    define(UINT64_MAX);
    define(uint64_t(1) << 63);
    define(INT32_MIN);
    define(cast<int8_t>(-128));
    define(cast<uint8_t>(255));
    define(true);
    Func out("out");
    Expr sum = 0;
    for (auto& f : all) sum = sum + select(f(x) == f(x), 1, 0);
    out(x) = sum;
    Pipeline p("p", {}, {out({4})}), q = parse_pipeline(print(p));
    CHECK(p == q);
    for (size_t i = 0; i < all.size(); ++i) {
        auto &a = p.algorithm().funcs[i], &b = q.algorithm().funcs[i];
        INFO(a.name.hint());
        CHECK(a.types == b.types);
        CHECK(equal(a.defs[0].values, b.defs[0].values));
        CHECK(equal(a.defs[1].values, b.defs[1].values));
    }
}
