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

TEST_CASE("the empty schedule computes pure Funcs inline and Funcs with updates at root, pure loops outside the reduction's") {
    CHECK(plan_text(Schedule(Blur().p)) == "blur_y: root\n  for y\n    for x\n");
    CHECK(plan_text(Schedule(Dense().p)) ==
          "c: root\n  for i\n    for j\nc.update(0): root\n  for i\n    for j\n      for r\ny: root\n  for i\n    for j\n");
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
