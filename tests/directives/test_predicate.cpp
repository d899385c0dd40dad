// test_predicate.cpp - the tail predicate: blocks are whole, and loads and stores stand under masks.
#include <burin/schedule.h>

#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

TEST_CASE("a predicated vector loop is one loop of masked vectors") {
    CHECK("\n" + text_after(Copy, "stage g\nvectorize(x, 8, predicate)\n", "unroll_loops") == R"(
buffer in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.xo in 0 .. (extent(g, 1) + 7) / 8 {
      g[ramp((g.y - origin(g, 0)) * stride(g, 0) + g.xo * 8, 1, 8)] = in[ramp((g.y - origin(in, 0)) * stride(in, 0) + origin(g, 1) + g.xo * 8 - origin(in, 1), 1, 8) if ramp(g.xo * 8, 1, 8) < broadcast(extent(g, 1), 8)] if ramp(g.xo * 8, 1, 8) < broadcast(extent(g, 1), 8)
    }
  }
}
)");
}

TEST_CASE("a predicated serial loop runs whole blocks, without a branch") {
    has_shape(Copy, "stage g\nsplit(x, 4, predicate)\n", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.xo in 0 .. (extent(g, 1) + 3) / 4 {
      for g.xi in 0 .. 4 {
        if under_mask(g.xo * 4 + g.xi < extent(g, 1)) {
          g(g.y, origin(g, 1) + g.xo * 4 + g.xi) = in(g.y, origin(g, 1) + g.xo * 4 + g.xi)
        }
      }
    }
  }
}
)");
    std::string text = text_after(Copy, "stage g\nsplit(x, 4, predicate)\n", "unroll_loops");
    CHECK(text.find("  if ") == std::string::npos);
    CHECK(text.find("] if g.xo * 4 + g.xi < extent(g, 1)\n") != std::string::npos);
}

TEST_CASE("predicate never changes a value") {
    is_right(Stencil, "stage g\nsplit(y, 4, predicate)\nsplit(x, 8, predicate)\n", 8);
    is_right(Stencil, "stage g\nsplit(y, 4, predicate)\nvectorize(x, 8, predicate)\nparallel(yo)\n",
             8);
    is_right(Stencil, "stage g\nsplit(x, w + 1, predicate)\n", 4);
    is_right(Stencil,
             "stage f\ncompute_root()\nsplit(y, 5, predicate)\nvectorize(x, 8, predicate)\n", 5);
    is_right(Stencil,
             "stage g\ntile(y, x, 4, 8, predicate)\nvectorize(xi)\nunroll(yi)\n"
             "stage f\ncompute_at(g, xo)\nvectorize(x, 4, predicate)\n",
             8);
    is_right(Product,
             "stage c\nvectorize(j, 8, predicate)\nstage c.update(0)\nsplit(r, 3, predicate)\n"
             "split(i, 4, predicate)\nreorder(ro, io, ri)\nvectorize(j, 8, predicate)\n",
             4);
    for (std::string memory : {"Register", "Stack"})
        is_right(Product,
                 "stage c.update(0)\ntile(i, j, 4, 8, predicate)\nreorder(io, jo, r, ii, ji)\n"
                 "unroll(ii)\nvectorize(ji)\ncache_write(jo, " +
                     memory + ")\n",
                 8);
}

TEST_CASE("a predicated split may be split again, and mixes with other tails") {
    is_right(Stencil, "stage g\nsplit(x, 8, predicate)\nsplit(xi, 3, predicate)\n", 8);
    is_right(Stencil, "stage g\nsplit(x, 8, guard)\nsplit(xi, 3, predicate)\n", 8);
    is_right(Stencil, "stage g\nsplit(x, 8, predicate)\nvectorize(xi, 3, guard)\n", 8);
    is_right(Stencil, "stage g\nsplit(x, 8, predicate)\nvectorize(xi, 3, shift_inwards)\n", 8);
}

TEST_CASE("splits with predicate commute with those of other loops") {
    CHECK(shape(Stencil, "stage g\nsplit(y, 4, predicate)\nsplit(x, 8)\n") ==
          shape(Stencil, "stage g\nsplit(x, 8)\nsplit(y, 4, predicate)\n"));
}

TEST_CASE("predicate is a tail, and its near misses are named") {
    refuses(Stencil, "stage g\nsplit(y, 4, predicated)\n", "unknown-word",
            "predicated is no tail; did you mean predicate?");
}
