// test_prefetch.cpp - prefetch(f, loop, distance): what a later iteration reads is asked for.
#include <burin/kernel.h>
#include <burin/schedule.h>

#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

TEST_CASE("an iteration asks for what the one some steps later reads of an input, by lines") {
    has_shape(Copy, "stage g\nsplit(x, 8, guard)\nprefetch(in, xo, 4)\nprefetch(in, y, 1)\n", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    if g.y + 1 < origin(g, 0) + extent(g, 0) {
      for in.line in 0 .. (extent(g, 1) + 14) / 16 + 1 {
        prefetch in(g.y + 1, min(in.line * 16, extent(g, 1) - 1) + origin(g, 1))
      }
    }
    for g.xo in 0 .. (extent(g, 1) + 7) / 8 {
      if g.xo + 4 < (extent(g, 1) + 7) / 8 {
        for in.line_1 in 0 .. (min(extent(g, 1) - g.xo * 8 - 32, 8) + 14) / 16 + 1 {
          prefetch in(g.y, min(in.line_1 * 16 + 1, min(extent(g, 1) - g.xo * 8 - 32, 8)) + origin(g, 1) + g.xo * 8 + 31)
        }
      }
      for g.xi in 0 .. min(extent(g, 1) - g.xo * 8, 8) {
        g(g.y, origin(g, 1) + g.xo * 8 + g.xi) = in(g.y, origin(g, 1) + g.xo * 8 + g.xi)
      }
    }
  }
}
)");
}

TEST_CASE("a kernel asks the machine for the lines") {
    Pipeline p = pipeline(Copy);
    Kernel k = compile(p, parse_schedule(p, "schedule 1 for copy\nstage g\nprefetch(in, y, 2)\n"));
    CHECK(k.llvm().find("llvm.prefetch") != std::string::npos);
}

TEST_CASE("prefetch never changes a value") {
    for (std::string tail : {"guard", "shift_inwards"}) {
        std::string tiles = "stage g\nsplit(y, 4, " + tail + ")\nvectorize(x, 8, " + tail + ")\n";
        is_right(Stencil, tiles + "prefetch(in, yo, 1)\nprefetch(in, xo, 2)\n", 4);
        is_right(Stencil, tiles + "prefetch(f, yi, 3)\nstage f\ncompute_root()\n", 4);
        is_right(Stencil,
                 tiles + "prefetch(in, yo, 1)\nstage f\ncompute_at(g, yo)\nprefetch(in, y, 1)\n",
                 4);
    }
    is_right(Stencil,
             "stage g\nprefetch(f, y, 1)\nstage f\ncompute_root()\n"
             "transform_layout([y, x] -> [x / 4, y, x % 4], pad)\n",
             4);
    is_right(Product, "stage c.update(0)\nreorder(i, r, j)\nprefetch(b, r, 2)\nprefetch(c, i, 1)\n",
             4);
    is_right(Product,
             "stage c.update(0)\ntile(i, j, 4, 8)\nreorder(io, jo, r, ii, ji)\nunroll(ii)\n"
             "vectorize(ji)\ncache_write(jo, Register)\nprefetch(b, r, 4)\nprefetch(a, io, 1)\n",
             8);
}

TEST_CASE("prefetches commute with each other and with marks of other loops") {
    is_right(Diamond,
             "stage g\nprefetch(f, x, 1)\nprefetch(e, x, 1)\nstage f\ncompute_root()\n"
             "stage e\ncompute_at(g, y)\n",
             4);
    CHECK(shape(Copy, "stage g\nprefetch(in, y, 1)\nvectorize(x, 8)\n") ==
          shape(Copy, "stage g\nvectorize(x, 8)\nprefetch(in, y, 1)\n"));
}

TEST_CASE("prefetches of nothing are refused") {
    refuses(Stencil, "stage g\nprefetch(q, y, 1)\n", "unknown-stage", "stencil has no stage q");
    refuses(Stencil, "stage g\nprefetch(in, z, 1)\n", "unknown-loop", "g has no loop z");
    refuses(Stencil, "stage g\nprefetch(in, y, 0)\n", "factor-below-one",
            "prefetch(in, y, 0): a factor is at least 1, not 0");
    refuses(Stencil, "stage g\nprefetch(in, y, w)\n", "factor-not-constant",
            "prefetch(in, y, w): the distance is a constant");
    refuses(Stencil, "stage g\nprefetch(in, y, 1)\nprefetch(in, y, 2)\n", "prefetch-twice",
            "another line prefetches in in g.y");
    refuses(Stencil, "stage g\nprefetch(in, y, 1)\nsplit(y, 4)\n", "unknown-loop",
            "g has no loop y; did you mean yo?");
    for (std::string kind : {"parallel", "vectorise"})
        refuses(Stencil,
                "stage g\nsplit(x, 8)\nprefetch(in, xi, 1)\n" +
                    std::string(kind == "parallel" ? "parallel" : "vectorize") + "(xi)\n",
                "prefetch-without-order",
                "in cannot be prefetched in g.xi: that loop is " +
                    std::string(kind == "parallel" ? kind : "vectorised") +
                    ", and no iteration comes after another");
    refuses(Stencil, "stage g\nprefetch(f, y, 1)\n", "prefetch-inline",
            "f cannot be prefetched in g.y: it is computed inline and has no storage");
    refuses(Stencil, "stage g\nprefetch(f, y, 1)\nstage f\ncompute_at(g, x)\n", "prefetch-inside",
            "f cannot be prefetched in g.y: each iteration computes what it reads of it");
    refuses(Stencil, "stage g\nprefetch(in, y, 1)\nstage f\ncompute_root()\n", "prefetch-not-read",
            "in cannot be prefetched in g.y: nothing in that loop reads it");
}
