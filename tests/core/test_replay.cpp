// test_replay.cpp - from a schedule to a Plan.
#include "legal/replay.h"

#include <burin/schedule.h>
#include <doctest/doctest.h>

#include "error_of.h"
#include "func/directives.h"
#include "temp_folder.h"

using namespace burin;

namespace {

struct Blur {
    Size h{"h"}, w{"w"};
    Input<float> in{"in", {h, w}};
    Var y{"y"}, x{"x"};
    Func blur_x{"blur_x"}, blur_y{"blur_y"};
    Pipeline p = make();
    Pipeline make() {
        blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
        blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3;
        return Pipeline("blur", {in}, {blur_y({h - 2, w - 2})});
    }
};

struct Dense {
    Size m{"m"}, n{"n"}, k{"k"};
    Input<float> a{"a", {m, k}}, b{"b", {k, n}};
    Var i{"i"}, j{"j"};
    RDom r{k, "r"};
    Func c{"c"}, y{"y"};
    Pipeline p = make();
    Pipeline make() {
        c(i, j) += a(i, r) * b(r, j);
        y(i, j) = max(c(i, j), 0);
        return Pipeline("dense", {a, b}, {y({m, n})});
    }
};

std::string plan_text(const Schedule& s) { return to_string(replay(s.pipeline(), s.directives())); }

}  // namespace

TEST_CASE(
    "the empty schedule computes pure Funcs inline and Funcs with updates at root, pure loops "
    "outside the reduction's") {
    CHECK(plan_text(Schedule(Blur().p)) == "blur_y: root\n  for y\n    for x\n");
    CHECK(plan_text(Schedule(Dense().p)) ==
          "c: root\n  for i\n    for j\nc.update(0): root\n  for i\n    for j\n      for r\ny: "
          "root\n  for i\n    for j\n");
}

TEST_CASE("the first program of the design becomes the loops that it names") {
    Blur b;
    Schedule s(b.p);
    auto [yo, yi] = s[b.blur_y].split(b.y, 32);
    s[b.blur_y].parallel(yo).vectorize(b.x, 16);
    s[b.blur_x].store_at(b.blur_y, yo).compute_at(b.blur_y, yi).vectorize(b.x, 16);
    check(s);
    CHECK(plan_text(s) == R"(blur_x: blur_y.yi, stored at blur_y.yo
  for y
    for xo
      vectorized xi in 16 (shift_inwards)
blur_y: root
  parallel yo
    for yi in 32 (shift_inwards)
      for xo
        vectorized xi in 16 (shift_inwards)
)");
    CHECK(s.text().ends_with(R"(stage blur_y
  yo, yi = split(y, 32)
  parallel(yo)
  vectorize(x, 16)
stage blur_x
  store_at(blur_y, yo)
  compute_at(blur_y, yi)
  vectorize(x, 16)
)"));
}

TEST_CASE("a schedule is a value: it is copied, printed, read back, compared and saved") {
    Blur b;
    Schedule s(b.p);
    auto [yo, yi] = s[b.blur_y].split(b.y, 32);
    Schedule t = s;
    s[b.blur_y].parallel(yo);
    CHECK_FALSE(s == t);
    t["blur_y"].parallel("yo");
    CHECK(s == t);
    CHECK(parse_schedule(b.p, s.text()) == s);
    TempFolder folder;
    save_schedule(s, folder / "blur.sched");
    CHECK(load_schedule(b.p, folder / "blur.sched") == s);
    CHECK(folder.files() == std::vector<std::string>{"blur.sched"});
}

TEST_CASE(
    "loops are named as asked, else after the loop they come from, numbered if that is taken") {
    Blur b;
    Schedule s(b.p);
    auto [yo, yi] = s[b.blur_y].split(b.y, 32);
    CHECK(yo.name == "yo");
    s[b.blur_y].split(yi, "mid", "in", 8);
    auto [xo, xi] = s[b.blur_y].split(b.x, "yoo", "x2", 4);
    CHECK(s[b.blur_y].split(yo, 2).outer.name == "yoo1");
    CHECK(s[b.blur_y].fuse("in", xo).name == "inyoo");
    CHECK(plan_text(s) == R"(blur_y: root
  for yoo1
    for yoi in 2 (shift_inwards)
      for mid
        for inyoo
          for x2 in 4 (shift_inwards)
)");
}

TEST_CASE(
    "tile splits each loop and puts the outer loops outside; reorder moves the listed loops "
    "alone") {
    Blur b;
    Schedule s(b.p);
    auto [yo, xo, yi, xi] = s[b.blur_y].tile(b.y, b.x, 4, 8, Tail::Guard);
    CHECK(plan_text(s) == R"(blur_y: root
  for yo
    for xo
      for yi in 4 (guard)
        for xi in 8 (guard)
)");
    s[b.blur_y].reorder({xi, xo});
    CHECK(plan_text(s) == R"(blur_y: root
  for yo
    for xi in 8 (guard)
      for yi in 4 (guard)
        for xo
)");
    Dense d;
    Schedule t(d.p);
    auto loops = t[d.y].tile({d.i, d.j}, {Expr(4), d.n / 2});
    REQUIRE(loops.size() == 4);
    CHECK(loops[3].name == "ji");
    CHECK(t.text().ends_with("  io, jo, ii, ji = tile(i, j, 4, n / 2)\n"));
    CHECK(parse_schedule(d.p, t.text()) == t);
}

TEST_CASE(
    "an automatic tail shifts inwards, guards updates and run-time factors, rounds up what reads "
    "no input") {
    Dense d;
    Schedule s(d.p);
    s[d.c].vectorize(d.j, 8);
    s[d.c.update(0)].vectorize(d.j, 8);
    s[d.y].vectorize(d.j, 8).parallel(d.i, d.m / 4);
    CHECK(plan_text(s) == R"(c: root
  for i
    for jo
      vectorized ji in 8 (round_up)
c.update(0): root
  for i
    for jo
      vectorized ji in 8 (guard)
        for r
y: root
  parallel io
    for ii in m / 4 (guard)
      for jo
        vectorized ji in 8 (shift_inwards)
)");
}

TEST_CASE("the intended schedule of the packed matrix product replays") {
    Dense d;
    Schedule s = parse_schedule(d.p, R"(schedule 1 for dense
bp = cache_read(b, [c])
stage bp
  compute_root()
  transform_layout([k, j] -> [j / 32, k, j % 32], pad)
stage c.update(0)
  ko, ki = split(r, 256)
  io, i2 = split(i, 8)
  jo, jr = split(j, 32)
  jv, jl = split(jr, 16)
  reorder(ko, io, jo, ki, i2, jv, jl)
  unroll(i2)
  unroll(jv)
  vectorize(jl)
  cache_write(jo, Register)
)");
    check(s);
    CHECK(plan_text(s).find(R"(c.update(0): root
  for ko
    for io
      for jo
        for ki in 256 (guard)
          unrolled i2 in 8 (guard)
            unrolled jv
              vectorized jl in 16 (guard)
)") != std::string::npos);
    CHECK(parse_schedule(d.p, s.text()) == s);
}

TEST_CASE(
    "an RVar that the left side uses as a coordinate of its own may run in any order; a scan and a "
    "scatter may not") {
    Size n("n");
    Input<int32_t> in("in", {n, n});
    Var x("x"), y("y");
    RDom r({Extent(n), Extent(n)}, "r"), one(4, "one");
    Func transposed("transposed"), skewed("skewed"), halves("halves"), sums("sums");
    transposed(y, x) = 0;
    transposed(r[1], r[0]) = in(r[0], r[1]);
    skewed(y, x) = 0;
    skewed(r[0], r[0] + 2 * r[1]) = in(r[0], r[1]);
    halves(x) = cast<int>(x);
    halves(one) = halves(one) + halves(one + 4);
    sums(y, x) = in(y, x);
    sums(y, one + 1) = sums(y, one) + in(y, one);
    Pipeline p("orders", {in}, {transposed({n, n}), skewed({n, n}), halves({8}), sums({n, n})});
    Schedule s(p);
    s[transposed.update(0)].reorder({r[1], r[0]}).parallel(r[1]).vectorize(r[0], 8);
    s[skewed.update(0)].reorder({r[1], r[0]}).parallel(r[0]);
    s[halves.update(0)].vectorize(one);  // reads four further on, which no iteration writes
    s[sums.update(0)].reorder({one, y}).parallel(y);
    check(s);
    CHECK(error_of([&] { s[sums.update(0)].vectorize(one); }).id() == "vectorize-race");
    CHECK(error_of([&] { s[sums.update(0)].parallel(one); })
              .message()
              .find("one = 1 reads sums(y, one)") != std::string::npos);
}

TEST_CASE(
    "inline, a Func with updates is a private copy in its reader's innermost loop that is not "
    "vectorised") {
    Dense d;
    Schedule s(d.p);
    s[d.c].compute_inline();
    s[d.y].vectorize(d.j, 8);
    check(s);
    CHECK(plan_text(s).starts_with("c: y.jo\n"));
}

TEST_CASE("legal_places and why_not ask without changing the schedule") {
    Size n("n");
    Input<float> in("in", {n, n});
    Var y("y"), x("x");
    Func f("f"), g("g"), sobel("sobel");
    f(y, x) = in(y, x) * 2;
    g(y, x) = f(y, x) + f(y, x + 1);
    sobel(y, x) = f(y, x) + g(y, x);
    Pipeline p("edges", {in}, {sobel({n, n})});
    Schedule s(p);
    s[g].compute_at(sobel, y);
    s[sobel].vectorize(x, 8);
    std::string before = s.text();
    CHECK(legal_places(s, f) == std::vector<std::string>{"inline", "root", "sobel.y"});
    CHECK(legal_places(s, "g") ==
          std::vector<std::string>{"inline", "root", "sobel.y", "sobel.xo"});
    CHECK_FALSE(why_not(s, "f.compute_at(sobel, y)"));
    CHECK_FALSE(why_not(s, "g.compute_root()"));  // instead of the place it has
    CHECK(why_not(s, "f.compute_at(g, x)")->message() ==
          "f cannot be computed at g.x: sobel reads it too, outside that loop");
    CHECK(why_not(s, "f.compute_at(sobel, z)")->id() == "unknown-loop");
    CHECK(why_not(s, "sobel.split(y, 0)")->id() == "factor-below-one");
    CHECK(why_not(s, "sobel.split(y")->kind() == ErrorKind::Value);
    CHECK(s.text() == before);
    s[f].compute_at(g, x);
    CHECK(legal_places(s, f) == std::vector<std::string>{"inline", "root", "sobel.y"});
}

TEST_CASE("directives of different stages commute, those of one stage do not") {
    Blur b;
    auto lines = [&](const char* t) {
        return parse_schedule(b.p, std::string("schedule 1 for blur\n") + t);
    };
    const char* consumer_last =
        "stage blur_x\ncompute_at(blur_y, yi)\nstage blur_y\nyo, yi = split(y, 8)\n";
    const char* consumer_first =
        "stage blur_y\nyo, yi = split(y, 8)\nstage blur_x\ncompute_at(blur_y, yi)\n";
    CHECK(plan_text(lines(consumer_last)) == plan_text(lines(consumer_first)));
    CHECK(lines(consumer_last) == lines(consumer_first));
    CHECK(error_of([&] { lines("stage blur_y\nparallel(yo)\nyo, yi = split(y, 8)\n"); }).id() ==
          "unknown-loop");
}

TEST_CASE("a factor may be made of sizes and integer parameters, written in C++ or in text") {
    Size n("n");
    Param<int32_t> p("p");
    Param<float> q("q");
    Input<float> in("in", {n});
    Var x("x");
    Func f("f");
    f(x) = in(x)*q;
    Pipeline chunks("chunks", {in, p, q}, {f({n})});
    Schedule s(chunks);
    s[f].parallel(x, index(p * 2) + n / (3 + 1));
    CHECK(s.text().ends_with("  parallel(x, p * 2 + n / 4)\n"));
    CHECK(s == parse_schedule(chunks, s.text()));
    s[f].split("xi", p);
    CHECK(s == parse_schedule(chunks, s.text()));
    check(s);
    auto refused = [&](const Expr& factor) {
        return error_of([&] { Schedule(chunks)[f].split(x, factor); }).id();
    };
    CHECK(refused(q) == "factor-type");
    CHECK(refused(cast<int>(q)) == "factor-type");
    CHECK(refused(select(n < 4, n, 4)) == "directive-arguments");
    CHECK(refused(extent(in, 0)) == "directive-arguments");
    CHECK(refused(x) == "unknown-size");
}
