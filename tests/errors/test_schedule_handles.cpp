// test_schedule_handles.cpp - what the handles of a schedule in C++ refuse.
#include <burin/schedule.h>
#include <doctest/doctest.h>

#include "error_of.h"

using namespace burin;

TEST_CASE("a Func of another pipeline is not a stage of this one") {
    Var x("x");
    Func f("f"), g("f"), unknown("unknown");
    f(x) = cast<int>(x);
    g(x) = cast<int>(x) + 1;
    Schedule s(Pipeline("p", {}, {f({8})}));
    CHECK(error_of([&] { s[unknown].parallel(x); }).id() == "unknown-stage");
    Func other("f");
    other(x) = cast<int>(x);
    Error e = error_of([&] { s[other].parallel(x); });
    CHECK(e.id() == "stage-of-other-pipeline");
    CHECK(e.kind() == ErrorKind::Schedule);
    s[f].parallel(x);
}

TEST_CASE("a loop of another stage is refused, and a refused line leaves the schedule as it was") {
    Var y("y"), x("x");
    Func f("f"), g("g");
    f(y, x) = cast<int>(x);
    g(y, x) = f(y, x) + f(y, x + 1);
    Schedule s(Pipeline("p", {}, {g({8, 8})}));
    auto [yo, yi] = s[g].split(y, 4);
    Schedule before = s;
    Error e = error_of([&] { s[f].compute_root().vectorize(yo); });
    CHECK(e.id() == "loop-of-other-stage");
    CHECK(e.where().line == __LINE__ - 2);
    CHECK(error_of([&] { s[g].parallel("z"); }).id() == "unknown-loop");
    CHECK(error_of([&] { s[g].split(yi, 0); }).where().text == "s[g].split(yi, 0)");
    CHECK_FALSE(s == before);  // compute_root stands
    before["f"].compute_root();
    CHECK(s == before);
}

TEST_CASE("names that the text form could not hold are refused in C++ too") {
    Var x("x");
    Input<float> in("in", 1);
    Func f("f"), g("g");
    f(x) = in(x);
    g(x) = f(x) + f(x + 1);
    Pipeline p("p", {in}, {g({8})});
    for (const char* bad : {"", "a b", "1a", "a.b"}) {
        INFO(bad);
        Schedule s(p);
        if (*bad) CHECK(error_of([&] { s[g].split(x, bad, "xi", 8); }).kind() == ErrorKind::Type);
        CHECK(error_of([&] { s.cache_read(bad, in, {f}); }).kind() == ErrorKind::Type);
        CHECK(s == Schedule(p));
    }
}
