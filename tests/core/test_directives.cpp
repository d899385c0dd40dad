// test_directives.cpp - the text form of a schedule.
#include "func/directives.h"

#include <doctest/doctest.h>

#include "error_of.h"

using namespace burin;

namespace {

const char* const everything = R"(schedule 1 for dense 3f9a2c11d0e45b773f9a2c11d0e45b77
bp = cache_read(b, [c, d.update(1)])
zp = rfactor(c.update(0), r, 16, inner, u, tree)
max_bytes(bp, 4096)
stage y
  it, jt, ii, ji = tile(i, j, 128, 1024, guard)
  parallel(it)
  vectorize(ji, 16)
  compute_root()
stage c.update(0)
  ko, ki = split(r, 256)
  compute_at(y, jt)
  reorder(ko, i, j)
  cache_write(j, Register)
stage bp
  store_at(c.update(0), ko)
  transform_layout([k, j] -> [j / 32, k, j % 32], pad)
  split(x, p * 2 + 1)
  note("a string")
)";

}  // namespace

TEST_CASE("printing and parsing a schedule gives it back") {
    Directives d = parse_directives(everything);
    CHECK(to_string(d) == everything);
    CHECK(same(parse_directives(to_string(d)), d));
    CHECK(d.pipeline == "dense");
    CHECK(to_hex(d.hash.value()) == "3f9a2c11d0e45b773f9a2c11d0e45b77");
    REQUIRE(d.edits.size() == 3);
    REQUIRE(d.stages.size() == 3);
    CHECK(d.stages[1].stage == StageName{"c", 0});
    CHECK(d.stages[2].lines[1].args[0].arrow.size() == 3);
}

TEST_CASE("spaces, comments and empty lines mean nothing in a schedule") {
    Directives a =
        parse_directives("schedule 1 for blur\nstage f\n  yo, yi = split(y, 32)\n  parallel(yo)\n");
    Directives b = parse_directives(
        "# a comment\n\nschedule 1 for blur # another\n\n stage f\nyo,yi=split( y,32 "
        ")\n\n\tparallel(yo)");
    CHECK(same(a, b));
}

TEST_CASE(
    "equality of schedules looks at the lines of each stage, not at the order of stages or at "
    "source lines") {
    auto text = [](const char* s) {
        return parse_directives(std::string("schedule 1 for blur\n") + s);
    };
    CHECK(same(text("stage f\nparallel(y)\nstage g\nserial(x)\n"),
               text("stage g\nserial(x)\n\nstage f\nparallel(y)\n")));
    CHECK(same(text("stage f\n"), text("")));
    CHECK_FALSE(
        same(text("stage f\nparallel(y)\nunroll(x)\n"), text("stage f\nunroll(x)\nparallel(y)\n")));
    CHECK_FALSE(same(text("stage f\nsplit(y, 8)\n"), text("stage f\nsplit(y, 16)\n")));
    CHECK_FALSE(same(text("stage f\na, b = split(y, 8)\n"), text("stage f\na, c = split(y, 8)\n")));
}

TEST_CASE("a line knows where it stands") {
    Directives d = parse_directives("schedule 1 for blur\nstage f\n  parallel(y)\n", "blur.sched");
    const Where& w = d.stages[0].lines[0].where;
    CHECK(w.file == "blur.sched");
    CHECK(w.line == 3);
    CHECK(w.text.find("parallel(y)") != std::string::npos);
}

TEST_CASE("a file that is no schedule is refused with its line") {
    struct Case {
        std::string text;
        int line;
    };
    const Case cases[] = {
        {"", 1},
        {"\n\n", 3},
        {"schedule 1", 1},
        {"schedule 1 for", 1},
        {"schedule 1 for blur\nstage", 2},
        {"schedule 1 for blur\nstage f\n  split(y, ", 3},
        {"schedule 1 for blur\nstage f\n  split y\n", 3},
        {"schedule 1 for blur\nstage f\n  yo, = split(y, 3)\n", 3},
        {"schedule 1 for blur\nstage f\n  split(in(y), 3)\n", 3},
        {"schedule 1 for blur\nstage f\n  specialize(n) {\n", 4},
        {"schedule 1 for blur xyz\n", 1},
        {std::string("\x7f"
                     "ELF\0\x01\x02",
                     7),
         1},
        {std::string("schedule 1 for blur\nstage f\n  sp\0it(y, 3)\n", 41), 3},
    };
    for (auto& c : cases) {
        INFO(c.text);
        Error e = error_of([&] { parse_directives(c.text, "f.sched"); });
        CHECK(e.kind() == ErrorKind::Value);
        CHECK(e.id() == "syntax");
        CHECK(e.where().file == "f.sched");
        CHECK(e.where().line == c.line);
    }
    CHECK(error_of([] { parse_directives("schedule 2 for blur\n"); }).id() == "schedule-version");
    Error twice = error_of([] { parse_directives("schedule 1 for blur\nstage f\nstage f\n"); });
    CHECK(twice.id() == "stage-twice");
    CHECK(twice.where().line == 3);
}

TEST_CASE("a huge or deeply nested schedule is refused, not read") {
    std::string head = "schedule 1 for blur\nstage f\n  split(y, ";
    CHECK(error_of([] { parse_directives(std::string((1 << 20) + 1, ' ')); }).kind() ==
          ErrorKind::Resource);
    for (std::string open : {"[", "(", "-"}) {
        std::string deep;
        for (int i = 0; i < 200'000; ++i) deep += open;
        INFO(open);
        CHECK(error_of([&] { parse_directives(head + deep); }).kind() == ErrorKind::Resource);
    }
}
