// test_derive.cpp - edits: the algorithm that a schedule asks for, by its text and by its values.
#include <burin/evaluate.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>

#include <cmath>

#include "error_of.h"

using namespace burin;

namespace {

std::vector<float> numbers(int n) {  // their sum depends on its order
    std::vector<float> v;
    for (int i = 0; i < n; ++i)
        v.push_back(float(std::sin(i * 12.9898)) * std::pow(10.0f, float(i % 7 - 3)));
    return v;
}

// What rfactor says, word by word.
float dot_in_parts(const std::vector<float>& a, const std::vector<float>& b, int n, bool inner,
                   bool tree) {
    int extent = int(a.size()), block = (extent + n - 1) / n;
    std::vector<float> part(n, -0.0f);
    for (int u = 0; u < n; ++u)
        for (int step = 0; step < block; ++step) {
            int r = inner ? step * n + u : u * block + step;
            if (r < extent) part[u] = std::fma(a[r], b[r], part[u]);
        }
    float s = 0;
    if (!tree) {
        for (float p : part) s = s + p;
        return s;
    }
    for (; n > 1; n = (n + 1) / 2)
        for (int u = 0; u < n / 2; ++u) part[u] = part[u] + part[u + (n + 1) / 2];
    return s + part[0];
}

struct Dot {
    Size k{"k"};
    Input<float> a{"a", {k}}, b{"b", {k}};
    RDom r{k, "r"};
    Func s{"s"};
    Pipeline p = make();
    Pipeline make() {
        s() += a(r) * b(r);
        return Pipeline("dot", {a, b}, {s({})});
    }
};

template <class T>
T value(const Pipeline& p, std::initializer_list<Arg> args) {
    Buffer<T> out = evaluate(p, args);
    return out();
}

}  // namespace

TEST_CASE("rfactor computes what its words say, for every count of parts and both ways to merge") {
    Dot d;
    for (int extent : {0, 1, 5, 16, 17, 100}) {
        auto x = numbers(extent), y = numbers(extent + 3);
        y.erase(y.begin(), y.begin() + 3);
        auto a = Buffer<float>::view(x.data(), {extent}),
             b = Buffer<float>::view(y.data(), {extent});
        for (int n : {1, 2, 3, 4, 7, 16, 33})
            for (bool inner : {false, true})
                for (bool tree : {false, true}) {
                    Schedule s(d.p);
                    s.rfactor("part", d.s.update(0), d.r, n, inner ? Parts::Inner : Parts::Outer,
                              "u", tree ? Merge::Tree : Merge::InOrder);
                    INFO(s.text() << extent);
                    CHECK(value<float>(derive(s), {a, b}) == dot_in_parts(x, y, n, inner, tree));
                }
    }
}

TEST_CASE("the text of a factored sum shows its parts and the order of its merge") {
    Dot d;
    Schedule s(d.p);
    s.rfactor("part", d.s.update(0), d.r, 4, Parts::Inner, "u", Merge::Tree);
    CHECK(derive(s).text() == R"(pipeline dot(a: f32[k], b: f32[k]) -> s[]
part(u) = -0.0
part(u) += a(ro * 4 + u) * b(ro * 4 + u) for ro: 0..(k + 3) / 4 where ro * 4 + u < k
part(ut) += part(ut + 2) for ut: 0..2
part(ut) += part(ut + 1) for ut: 0..1
s() += part(0)
)");
    Schedule t(d.p);
    t.rfactor("part", d.s.update(0), d.r, 4, Parts::Outer, "u", Merge::InOrder);
    CHECK(derive(t).text() == R"(pipeline dot(a: f32[k], b: f32[k]) -> s[]
part(u) = -0.0
part(u) += a(u * ((k + 3) / 4) + ri) * b(u * ((k + 3) / 4) + ri) for ri: 0..(k + 3) / 4 where u * ((k + 3) / 4) + ri < k
s() += part(u) for u: 0..4
)");
}

TEST_CASE("rfactor of an exact reduction changes no bit, wherever its left side puts the values") {
    Size n("n"), m("m");
    Input<uint8_t> t("t", {n, m});
    Var i("i"), j("j");
    RDom r({Extent(n), Extent(m)}, "r"), c(m, "c");
    Func histogram("histogram"), rows("rows"), best("best"), fixed("fixed");
    histogram(i) = 0;
    histogram(index(t(r[0], r[1]))) += 1;
    rows(i) = cast<uint8_t>(7);
    rows(i) += t(i, c);
    fixed(i, j) = 3;
    fixed(0, j) += cast<int>(t(j, c));
    Tuple found = argmax(r, t(r[0], r[1]), "found");
    best() = {found[0], found[1], found[2]};
    Pipeline p("exact", {t}, {histogram({256}), rows({n}), fixed({3, n}), best({})});
    Buffer<uint8_t> in({5, 7});
    for_each_point(in.dims(), [&](auto at) {
        in(at[0], at[1]) = uint8_t((at[0] * 37 + at[1] * 101) % 50 * 5);
    });
    Results want = evaluate(p, {in});
    for (Parts parts : {Parts::Inner, Parts::Outer})
        for (Merge merge : {Merge::InOrder, Merge::Tree})
            for (int k : {1, 2, 3, 8}) {
                Schedule s(p);
                s.rfactor("h_part", histogram.update(0), r[0], k, parts, "u", merge);
                s.rfactor("h_part2", "h_part.update(0)", r[1], k, parts, "v", merge);
                s.rfactor("rows_part", rows.update(0), c, k, parts, "u", merge);
                s.rfactor("fixed_part", fixed.update(0), c, k, parts, "u", merge);
                s.rfactor("found_part", "found", r[1], k, parts, "u", merge);
                Results got = evaluate(derive(s), {in});
                INFO(derive(s).text());
                REQUIRE(got.size() == want.size());
                for (int o = 0; o < got.size(); ++o) CHECK(same(got[o], want[o]));
            }
}

TEST_CASE("a sum that subtracts keeps its sign in parts") {
    Size k("k");
    Input<float> a("a", {k});
    Func s("s");
    RDom r(k, "r");
    s() = 1.0f;
    s() -= a(r);
    Pipeline p("negative", {a}, {s({})});
    Schedule t(p);
    t.rfactor("part", s.update(0), r, 1, Parts::Inner, "u");
    Buffer<float> in({3});
    in(0) = 0.5f, in(1) = 4, in(2) = -0.25f;
    CHECK(value<float>(derive(t), {in}) == 1.0f + (((-0.0f - 0.5f) - 4.0f) + 0.25f));
}

TEST_CASE("cache_read and clone_in make stages that their readers read, and change no value") {
    Size m("m"), n("n"), k("k");
    Input<int32_t> a("a", {m, k}), b("b", {k, n});
    Var i("i"), j("j");
    RDom r(k, "r");
    Func c("c"), twice("twice"), out("out");
    c(i, j) += a(i, r) * b(r, j);
    twice(i, j) = c(i, j) * 2;
    out(i, j) = c(i, j) + twice(i, j);
    Pipeline p("two", {a, b}, {out({m, n})});
    Schedule s(p);
    Func bp = s.cache_read("bp", b, {c.update(0)});
    Func cc = s.cache_read("cc", c, {out});
    s.clone_in("c2", c, {twice});
    CHECK(derive(s).text() == R"(pipeline two(a: i32[m, k], b: i32[k, n]) -> out[m, n]
bp(d0, d1) = b(d0, d1)
c(i, j) += a(i, r) * bp(r, j) for r: 0..k
c2(i, j) += a(i, r) * bp(r, j) for r: 0..k
twice(i, j) = c2(i, j) * 2
cc(i, j) = c(i, j)
out(i, j) = cc(i, j) + twice(i, j)
)");
    s[bp].compute_root().transform_layout({Var("k"), Var("j")}, {j / 32, Var("k"), j % 32}, true);
    s[cc].compute_at(out, i);
    s["c2.update(0)"].vectorize(j, 8);
    check(s);
    CHECK(parse_schedule(p, s.text()) == s);
    Buffer<int32_t> x({3, 4}), y({4, 5});
    for_each_point(x.dims(), [&](auto at) { x(at[0], at[1]) = int(at[0] * 10 + at[1]); });
    for_each_point(y.dims(), [&](auto at) { y(at[0], at[1]) = int(at[0] - 3 * at[1]); });
    CHECK(same(evaluate(p, {x, y})[0], evaluate(derive(s), {x, y})[0]));
}

TEST_CASE("H02: rfactor of a plain assignment is refused") {
    Var x("x");
    Func f("f"), g("g");
    RDom r(10, "r");
    f(x) = cast<int>(x);
    g(x) = 4;
    g(r) = 17 * f(r) + 8;
    Schedule s(Pipeline("p", {}, {g({20})}));
    Error e = error_of([&] { s.rfactor("part", g.update(0), r, 4, Parts::Inner, "u"); });
    CHECK(e.kind() == ErrorKind::Schedule);
    CHECK(e.id() == "rfactor-no-operator");
}

TEST_CASE("a strict pipeline refuses to reorder an inexact reduction, and allows an exact one") {
    Dot d;
    Schedule s(d.p.strict());
    CHECK(error_of([&] { s.rfactor("part", "s.update(0)", "r", 4, Parts::Inner, "u"); }).id() ==
          "strict-order");
    Func m("m");
    RDom r(d.k, "r");
    m() = 0.0f;
    m() = max(m(), d.a(r));
    Schedule t(Pipeline("largest", {d.a}, {m({})}).strict());
    t.rfactor("part", m.update(0), r, 4, Parts::Inner, "u");
}
