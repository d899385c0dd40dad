// test_frontend.cpp - programs as users write them, and the algorithm that comes out, as text.
#include <burin/burin.h>
#include <doctest/doctest.h>

#include "error_of.h"

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
}
