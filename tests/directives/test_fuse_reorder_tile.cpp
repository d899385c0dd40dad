// test_fuse_reorder_tile.cpp - the directives that join loops and change their order.
#include "fixture.h"

using namespace burin::directives;
using enum Program;

TEST_CASE("fuse makes one loop of two, whose point it divides out") {
    has_shape(Copy, "stage g\nfuse(y, x)\n", R"(
func in: i32
produce g {
  for g.yx in 0 .. extent(g, 0) * extent(g, 1) {
    g(origin(g, 0) + g.yx / extent(g, 1), origin(g, 1) + g.yx % extent(g, 1)) = in(origin(g, 0) + g.yx / extent(g, 1), origin(g, 1) + g.yx % extent(g, 1))
  }
}
)");
}

TEST_CASE("reorder changes the order of the loops that it lists") {
    has_shape(Product, "stage c.update(0)\nreorder(r, i)\n", R"(
func a: f32
func b: f32
func c: f32
produce c {
  for c.i in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
      c(c.i, c.j) = 0.0
    }
  }
  for c.r in 0 .. k {
    for c.j_1 in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
      for c.i_1 in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
        c(c.i_1, c.j_1) = fma(a(c.i_1, c.r), b(c.r, c.j_1), c(c.i_1, c.j_1))
      }
    }
  }
}
)");
}

TEST_CASE("tile splits and puts the outer loops outside") {
    has_shape(Copy, "stage g\ntile(y, x, 4, 8, guard)\n", R"(
func in: i32
produce g {
  for g.yo in 0 .. (extent(g, 0) + 3) / 4 {
    for g.xo in 0 .. (extent(g, 1) + 7) / 8 {
      for g.yi in 0 .. min(extent(g, 0) - g.yo * 4, 4) {
        for g.xi in 0 .. min(extent(g, 1) - g.xo * 8, 8) {
          g(origin(g, 0) + g.yo * 4 + g.yi, origin(g, 1) + g.xo * 8 + g.xi) = in(origin(g, 0) + g.yo * 4 + g.yi, origin(g, 1) + g.xo * 8 + g.xi)
        }
      }
    }
  }
}
)");
}

TEST_CASE("no order changes a value") {
    is_right(Stencil, "stage g\nfuse(y, x)\n", 4);
    is_right(Stencil, "stage g\nfuse(y, x)\nsplit(yx, 8)\n", 8);
    is_right(Stencil, "stage g\nreorder(x, y)\n", 4);
    is_right(Product, "stage c.update(0)\nreorder(r, j, i)\n", 4);
    is_right(Product, "stage c.update(0)\nfuse(i, j)\nreorder(r, ij)\n", 4);
    for (std::string tail : {"auto", "guard", "shift_inwards"}) {
        is_right(Stencil, "stage g\ntile(y, x, 4, 8, " + tail + ")\n", 8);
        is_right(Stencil,
                 "stage g\nyo, xo, yi, xi = tile(y, x, 4, 3, " + tail + ")\nfuse(yo, xo)\n", 4);
    }
}

TEST_CASE("reorder is idempotent and its own inverse; tile is two splits and a reorder") {
    std::string plain = shape(Stencil, ""), swapped = shape(Stencil, "stage g\nreorder(x, y)\n");
    CHECK(shape(Stencil, "stage g\nreorder(x, y)\nreorder(x, y)\n") == swapped);
    CHECK(shape(Stencil, "stage g\nreorder(x, y)\nreorder(y, x)\n") == plain);
    CHECK(swapped != plain);
    CHECK(shape(Stencil, "stage g\ntile(y, x, 4, 8)\n") ==
          shape(Stencil, "stage g\nsplit(y, 4)\nsplit(x, 8)\nreorder(yo, xo, yi, xi)\n"));
}

TEST_CASE("orders that cannot be are refused") {
    refuses(Stencil, "stage g\nfuse(x, y)\n", "fuse-not-adjacent",
            "fuse(x, y): y must stand directly inside x");
    refuses(Product, "stage c.update(0)\nfuse(j, r)\n", "fuse-mixed",
            "fuse(j, r): r is a loop of the reduction's domain, j is not");
    refuses(Stencil, "stage g\nreorder(x, z)\n", "unknown-loop", "g has no loop z");
    refuses(Stencil, "stage g\nreorder(x, x)\n", "loop-listed-twice",
            "reorder(x, x): x is listed twice");
    refuses(Stencil, "stage g\ntile(y, x, 4)\n", "directive-arguments",
            "tile(y, x, 4): a factor is needed for each loop");
    refuses(
        Product, "stage c.update(0)\nsplit(r, 4)\nreorder(ri, ro)\n", "reduction-order",
        "c.update(0): ro must stay outside ri: (ro = 0, ri = 1) runs before (ro = 1, ri = 0) as "
        "written, and would run after it");
}
