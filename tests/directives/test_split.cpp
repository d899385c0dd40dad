// test_split.cpp - split(v, n, tail): v becomes an outer loop and an inner one of n iterations.
#include "fixture.h"

using namespace burin::directives;
using enum Program;

TEST_CASE("a split with guard tests each point of its tail") {
    has_shape(Copy, "stage g\nsplit(y, 4, guard)\n", R"(
func in: i32
produce g {
  for g.yo in 0 .. (extent(g, 0) + 3) / 4 {
    for g.yi in 0 .. min(extent(g, 0) - g.yo * 4, 4) {
      for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
        g(origin(g, 0) + g.yo * 4 + g.yi, g.x) = in(origin(g, 0) + g.yo * 4 + g.yi, g.x)
      }
    }
  }
}
)");
}

TEST_CASE("a split that shifts inwards moves the start of its last tile") {
    has_shape(Copy, "stage g\nsplit(y, 4, shift_inwards)\n", R"(
func in: i32
produce g {
  for g.yo in 0 .. (extent(g, 0) + 3) / 4 {
    let g.y.base = max(min(g.yo * 4, extent(g, 0) - 4), 0)
    for g.yi in 0 .. min(extent(g, 0), 4) {
      for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
        g(origin(g, 0) + g.y.base + g.yi, g.x) = in(origin(g, 0) + g.y.base + g.yi, g.x)
      }
    }
  }
}
)");
}

TEST_CASE("a split that rounds up has room for whole tiles and masks what it reads") {
    has_shape(Stencil, "stage f\ncompute_root()\nsplit(x, 4, round_up)\n", R"(
func in: i32
realize f: i32[origin(g, 0) - 5: extent(g, 0) + 1, origin(g, 1): (extent(g, 1) + 1) / 4 * 4 + 4] {
  produce f {
    for f.y in origin(g, 0) - 5 .. origin(g, 0) - 5 + (extent(g, 0) + 1) {
      for f.xo in 0 .. (extent(g, 1) + 1) / 4 + 1 {
        for f.xi in 0 .. 4 {
          f(f.y, origin(g, 1) + f.xo * 4 + f.xi) = in(f.y, origin(g, 1) + f.xo * 4 + f.xi if f.xo * 4 + f.xi <= extent(g, 1) + 1) * 3
        }
      }
    }
  }
  produce g {
    for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
      for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
        g(g.y, g.x) = f(g.y - 5, g.x) + f(g.y - 4, g.x + 2)
      }
    }
  }
}
)");
}

TEST_CASE("the loop over parts of a tile ends where the region does") {
    std::string lines = "stage g\nsplit(x, 64, guard)\nsplit(xi, 8)\nvectorize(xii)\n";
    CHECK("\n" + shape(Copy, lines) == R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.xo in 0 .. (extent(g, 1) + 63) / 64 {
      for g.xio in 0 .. min((extent(g, 1) + 7) / 8 - g.xo * 8, 8) {
        vectorized for g.xii in 0 .. 8 {
          if likely(g.xo * 64 + g.xio * 8 + g.xii < extent(g, 1)) {
            g(g.y, origin(g, 1) + g.xo * 64 + g.xio * 8 + g.xii) = in(g.y, origin(g, 1) + g.xo * 64 + g.xio * 8 + g.xii)
          }
        }
      }
    }
  }
}
)");
    for (std::string more : {"", "split(xio, 4)\n", "reorder(xio, y, xo)\n", "unroll(xio)\n"})
        is_right(Copy, lines + more, 8);
    is_right(Copy, "stage g\nsplit(x, h, guard)\nsplit(xi, 3, guard)\nreorder(xo, y, xio, xii)\n",
             3);
}

TEST_CASE("a split never changes a value, whatever its tail") {
    for (std::string tail : {"auto", "guard", "shift_inwards"}) {
        is_right(Stencil, "stage g\nsplit(y, 4, " + tail + ")\nsplit(x, 8, " + tail + ")\n", 8);
        is_right(Stencil, "stage g\nsplit(y, 8, " + tail + ")\nsplit(yi, 3, " + tail + ")\n", 8);
    }
    is_right(Stencil, "stage f\ncompute_root()\nsplit(y, 5, round_up)\nsplit(x, 8, round_up)\n", 5);
    is_right(Product, "stage c.update(0)\nsplit(r, 3)\nsplit(i, 4)\nreorder(ro, io, ri)\n", 4);
}

TEST_CASE("the factor may be a number known at the call") {
    is_right(Stencil, "stage g\nsplit(y, w + 1)\n", 4);
}

TEST_CASE("splits of different loops commute, and a split by hand-given names is the same split") {
    CHECK(shape(Stencil, "stage g\nsplit(y, 4)\nsplit(x, 8)\n") ==
          shape(Stencil, "stage g\nsplit(x, 8)\nsplit(y, 4)\n"));
    CHECK(shape(Stencil, "stage g\nyo, yi = split(y, 4)\n") ==
          shape(Stencil, "stage g\nsplit(y, 4)\n"));
}

TEST_CASE("splits that cannot be are refused") {
    refuses(Stencil, "stage g\nsplit(y, 0)\n", "factor-below-one",
            "split(y, 0): a factor is at least 1, not 0");
    refuses(Stencil, "stage g\nsplit(z, 4)\n", "unknown-loop", "g has no loop z");
    refuses(
        Stencil, "stage g\nsplit(y, 4, round_up)\n", "tail-not-allowed",
        "round_up is not possible on g.y: g is an output, and points outside its buffer would be "
        "written");
    refuses(Stencil, "stage g\nx, yi = split(y, 4)\n", "loop-name-taken",
            "g cannot have a new loop x: the name is taken");
    refuses(Product, "stage c.update(0)\nsplit(r, 4, shift_inwards)\n", "tail-not-allowed",
            "shift_inwards is not possible on c.update(0).r: more iterations of a reduction than "
            "written would run");
}

TEST_CASE("a loop inside lanes of other tiles runs to its factor, guarded") {
    is_right(Stencil,
             "stage g\nsplit(y, 4, shift_inwards)\nsplit(yi, 3)\nreorder(yo, yio, yii, "
             "x)\nvectorize(x, 8)\n",
             4);
    is_right(Stencil,
             "stage g\ntile(y, x, 4, 3, guard)\nreorder(yo, yi, xo, xi)\nvectorize(xo, 2)\n", 4);
    is_right(
        Stencil,
        "stage g\nsplit(x, 6)\nsplit(xi, 4)\nreorder(xo, xio, y, xii)\nvectorize(xo, 2, guard)\n",
        6);
}
