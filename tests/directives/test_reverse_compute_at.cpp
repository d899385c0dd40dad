// test_reverse_compute_at.cpp - the reader takes the loops of what it reads.
#include <burin/schedule.h>
#include <burin/verify.h>

#include "error_of.h"
#include "fixture.h"
#include "legal/replay.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

const std::string cut = "stage f\ntile(y, x, 4, 8)\nparallel(yo)\n";

Pipeline rows() {
    return parse_pipeline(R"(pipeline rows(in: i32[h, w]) -> g[h, w], k[w, h]
s(y) += in(y, r) for r: 0..w
t(y, x) = in(y, x) + 1
u(v, x) = t(v, x) - s(v - 1)
g(v, x) = u(v, x) * 2
k(x, y) = i32(y)
k(x, y) += t(y, x) * 3 for q: 0..2
)");
}

Schedule of_rows(const std::string& lines) {
    return parse_schedule(rows(), "schedule 1 for rows\n" + lines);
}

std::string loops_of_rows(const std::string& lines) {
    Schedule s = of_rows(lines);
    check(s);
    return to_string(replay(s.pipeline(), s.directives()));
}

void refuses_rows(const std::string& lines, const std::string& id, const std::string& message) {
    INFO(lines);
    Error e = error_of([&] { check(of_rows(lines)); });
    CHECK(e.kind() == ErrorKind::Schedule);
    CHECK(e.id() == id);
    CHECK(e.message() == message);
}

}  // namespace

TEST_CASE("the reader has the producer's loops, which is computed in them") {
    has_shape(Stencil,
              "stage g\nreverse_compute_at(f, yo)\nstage f\nsplit(y, 4, guard)\nparallel(yo)\n",
              R"(
func in: i32
produce g {
  parallel for g.yo in 0 .. (extent(g, 0) + 3) / 4 {
    realize f: i32[origin(g, 0) + g.yo * 4 - 5: min(extent(g, 0) - g.yo * 4, 4) + 1, origin(g, 1): extent(g, 1) + 2] {
      produce f {
        for f.yo in 0 .. min(extent(g, 0) - g.yo * 4, 4) / 4 + 1 {
          for f.yi in 0 .. min(min(extent(g, 0) - g.yo * 4, 4) - f.yo * 4 + 1, 4) {
            for f.x in origin(g, 1) .. origin(g, 1) + (extent(g, 1) + 2) {
              f(origin(g, 0) + g.yo * 4 + f.yo * 4 + f.yi - 5, f.x) = in(origin(g, 0) + g.yo * 4 + f.yo * 4 + f.yi - 5, f.x) * 3
            }
          }
        }
      }
      for g.yi in 0 .. min(extent(g, 0) - g.yo * 4, 4) {
        for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
          g(origin(g, 0) + g.yo * 4 + g.yi, g.x) = f(origin(g, 0) + g.yo * 4 + g.yi - 5, g.x) + f(origin(g, 0) + g.yo * 4 + g.yi - 4, g.x + 2)
        }
      }
    }
  }
}
)");
}

TEST_CASE("it is the schedule that one could have written by hand, in whatever order it stands") {
    CHECK(shape(Stencil, cut + "stage g\nreverse_compute_at(f, xo)\n") ==
          shape(Stencil,
                "stage g\ntile(y, x, 4, 8)\nparallel(yo)\n"
                "stage f\ntile(y, x, 4, 8)\ncompute_at(g, xo)\n"));
    CHECK(shape(Stencil, "stage g\nreverse_compute_at(f, yo)\nsplit(x, 2)\n" + cut) ==
          shape(Stencil,
                "stage g\nsplit(y, 4)\nsplit(x, 2)\nparallel(yo)\n"
                "stage f\ntile(y, x, 4, 8)\ncompute_at(g, yo)\n"));
    CHECK(shape(Stencil, "stage f\nreorder(x, y)\nstage g\nreverse_compute_at(f, x)\n") ==
          shape(Stencil, "stage g\nreorder(x, y)\nstage f\nreorder(x, y)\ncompute_at(g, x)\n"));
}

TEST_CASE("loops that were taken can be taken again; coordinates match whatever they are called") {
    std::string taken =
        "stage g\nreverse_compute_at(u, yo)\nstage u\nreverse_compute_at(s, yo)\n"
        "stage s.update(0)\nsplit(y, 4)\nparallel(yo)\n";
    CHECK(loops_of_rows(taken) ==
          loops_of_rows("stage g\nyo, yi = split(v, 4)\nparallel(yo)\n"
                        "stage u\nyo, yi = split(v, 4)\ncompute_at(g, yo)\n"
                        "stage s\ncompute_at(u, yo)\nstage s.update(0)\nsplit(y, 4)\n"));
    VerifyReport r = verify(rows(), of_rows(taken), {.calls = 8, .budget = 400});
    INFO(to_string(r));
    CHECK(r.ok());
}

TEST_CASE("an update takes loops over its coordinates") {
    std::string taken =
        "stage t\nsplit(y, 4)\nreorder(yo, x, yi)\n"
        "stage k.update(0)\nreverse_compute_at(t, x)\n";
    // g reads t too, through u
    refuses_rows(taken, "compute-at-outside-use",
                 "t cannot be computed at k.update(0).x: g reads it too, outside that loop");
    std::string clone = "t2 = clone_in(t, [k])\nstage t2\nsplit(y, 4)\nreorder(yo, x, yi)\n";
    taken = clone + "stage k.update(0)\nreverse_compute_at(t2, x)\n";
    CHECK(loops_of_rows(taken) ==
          loops_of_rows(clone + "compute_at(k.update(0), x)\n"
                                "stage k.update(0)\nsplit(y, 4)\nreorder(yo, x, yi)\n"));
    Schedule s = of_rows(taken);
    VerifyReport r = verify(rows(), s, {.calls = 8, .budget = 400});
    INFO(to_string(r));
    CHECK(r.ok());
}

TEST_CASE("taken loops compute the same values") {
    for (std::string tail : {"auto", "guard", "shift_inwards"})
        for (std::string loop : {"yo", "xo", "yi"})
            is_right(Stencil,
                     "stage f\ntile(y, x, 4, 8, " + tail +
                         ")\nvectorize(xi)\nparallel(yo)\n"
                         "stage g\nreverse_compute_at(f, " +
                         loop + ")\n",
                     8);
    is_right(Stencil,
             "stage f\nsplit(y, 4)\nsplit(yo, 2)\nreorder(yoi, yoo)\nstore_at(g, yoi)\n"
             "stage g\nreverse_compute_at(f, yoo)\nvectorize(x, 4)\n",
             4);
}

TEST_CASE("in C++ the loop is the producer's") {
    Pipeline p = pipeline(Stencil);
    Schedule s(p);
    auto [yo, yi] = s["f"].split("y", 4);
    s["f"].parallel(yo);
    s["g"].reverse_compute_at("f", yo).vectorize("x", 8);
    CHECK(s.text().ends_with("stage g\n  reverse_compute_at(f, yo)\n  vectorize(x, 8)\n"));
    CHECK(parse_schedule(p, s.text()) == s);
    CHECK(error_of([&] { s["g"].reverse_compute_at("f", Loop{"g", "yo"}); }).id() ==
          "loop-of-other-stage");
}

TEST_CASE("loops that cannot be taken are refused") {
    auto stencil = [](const std::string& of_f, const std::string& of_g, const std::string& id,
                      const std::string& message) {
        refuses(Stencil, "stage g\n" + of_g + "\nstage f\n" + of_f + "\n", id, message);
    };
    stencil("fuse(y, x)", "reverse_compute_at(f, yx)", "reverse-loop",
            "g cannot take the loop f.yx: it was fused");
    stencil("vectorize(x, 8)", "reverse_compute_at(f, xi)", "reverse-loop",
            "g cannot take the loop f.xi: it is vectorised");
    stencil("unroll(y, 2)", "reverse_compute_at(f, yi)", "reverse-loop",
            "g cannot take the loop f.yi: it is unrolled");
    stencil("split(y, 2)", "reverse_compute_at(f, y)", "unknown-loop",
            "f has no loop y; did you mean yo?");
    stencil("split(y, 2)", "split(x, 4)\nyo = fuse(xo, xi)\nreverse_compute_at(f, yo)",
            "loop-name-taken", "g cannot have a new loop yo: the name is taken");
    stencil("split(y, 2)", "split(y, 4)\nreverse_compute_at(f, yo)", "loop-name-taken",
            "g cannot have a new loop yo: the name is taken");
    stencil("split(y, 2, round_up)", "reverse_compute_at(f, yo)", "tail-not-allowed",
            "round_up is not possible on g.y: g is an output, and points outside its buffer would "
            "be written");
    stencil("uo, ui = split(y, 2)", "split(y, 4)\nreverse_compute_at(f, uo)", "unknown-loop",
            "g has no loop y; did you mean yo?");
    stencil("compute_root()", "reverse_compute_at(f, y)", "placed-twice",
            "another line says where f is computed");
    stencil("split(x, 2)", "reverse_compute_at(g, y)", "reverse-not-read",
            "g takes no loops of g: it does not read it");
    refuses(Stencil, "stage f\nreverse_compute_at(g, y)\n", "reverse-not-read",
            "f takes no loops of g: it does not read it");
    refuses_rows("stage s.update(0)\nreorder(r, y)\nstage u\nreverse_compute_at(s, y)\n",
                 "reverse-loop",
                 "u cannot take the loop s.update(0).r: it is a loop of a reduction");
    refuses(Product, "stage c\nreverse_compute_at(a, y)\n", "input-is-no-stage",
            "a is an argument of product, not a stage");
    Pipeline p = parse_pipeline(R"(pipeline p(in: i32[n]) -> g[n], h[n]
h(x) = in(x)
f(x) = in(x)
g(x) = f(x) + f(x / 2) + h(x)
)");
    auto error = [&](const char* lines) {
        return error_of([&] { parse_schedule(p, std::string("schedule 1 for p\n") + lines); });
    };
    Error e = error("stage g\nreverse_compute_at(f, x)\n");
    CHECK(e.id() == "reverse-no-match");
    CHECK(e.message() ==
          "g cannot take the loop f.x: x of f is not one of its coordinates, but for a constant, "
          "in all that it reads");
    REQUIRE(e.notes().size() == 2);
    CHECK(e.notes()[1].message == "it reads f at x / 2");
    CHECK(e.helps() == std::vector<std::string>{"split g itself, and compute_at places f"});
    e = error("stage g\nreverse_compute_at(h, x)\n");
    CHECK(e.id() == "output-not-root");
    CHECK(e.message() == "h is an output and is computed at root only");
}
