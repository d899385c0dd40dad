// test_loop_kinds.cpp - serial, parallel, vectorize, unroll: how the iterations of a loop are run.
#include "fixture.h"

using namespace burin::directives;
using enum Program;

TEST_CASE("marks stand at the loops; with a factor they split first") {
    has_shape(Copy, "stage g\nparallel(y)\nvectorize(x, 8, guard)\n", R"(
func in: i32
produce g {
  parallel for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.xo in 0 .. (extent(g, 1) + 7) / 8 {
      vectorized for g.xi in 0 .. 8 {
        if likely(g.xo * 8 + g.xi < extent(g, 1)) {
          g(g.y, origin(g, 1) + g.xo * 8 + g.xi) = in(g.y, origin(g, 1) + g.xo * 8 + g.xi)
        }
      }
    }
  }
}
)");
    has_shape(Product, "stage c.update(0)\nreorder(r, j)\nunroll(j, 4)\n", R"(
func a: f32
func b: f32
func c: f32
produce c {
  for c.i in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
      c(c.i, c.j) = 0.0
    }
  }
  for c.i_1 in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.r in 0 .. k {
      for c.jo in 0 .. (extent(c, 1) + 3) / 4 {
        unrolled for c.ji in 0 .. 4 {
          if likely(c.jo * 4 + c.ji < extent(c, 1)) {
            c(c.i_1, origin(c, 1) + c.jo * 4 + c.ji) = fma(a(c.i_1, c.r), b(c.r, origin(c, 1) + c.jo * 4 + c.ji), c(c.i_1, origin(c, 1) + c.jo * 4 + c.ji))
          }
        }
      }
    }
  }
}
)");
}

TEST_CASE("a mark with a factor is a split and a mark") {
    CHECK(shape(Stencil, "stage g\nvectorize(x, 8)\n") ==
          shape(Stencil, "stage g\nsplit(x, 8)\nvectorize(xi)\n"));
    CHECK(shape(Stencil, "stage g\nunroll(x, 4)\n") ==
          shape(Stencil, "stage g\nsplit(x, 4)\nunroll(xi)\n"));
    CHECK(shape(Stencil, "stage g\nparallel(y, 4)\n") ==
          shape(Stencil, "stage g\nsplit(y, 4)\nparallel(yo)\n"));
}

TEST_CASE("no mark changes a value") {
    for (std::string tail : {"auto", "guard", "shift_inwards"})
        for (std::string kind : {"serial", "parallel", "vectorize", "unroll"})
            is_right(Stencil, "stage g\n" + kind + "(x, 8, " + tail + ")\n", 8);
    is_right(Stencil, "stage f\ncompute_root()\nvectorize(x, 4, round_up)\nparallel(y)\n", 4);
    is_right(Product,
             "stage c\nvectorize(j, 8)\n"
             "stage c.update(0)\nreorder(r, j)\nparallel(i)\nvectorize(j, 8)\n",
             8);
    is_right(Product,
             "stage c.update(0)\nunroll(r, 4)\nvectorize(i, 4)\nreorder(io, j, ro, ri, ii)\n", 4);
}

TEST_CASE("marks of different loops commute, a mark is idempotent, serial is the default") {
    CHECK(shape(Stencil, "stage g\nparallel(y)\nparallel(y)\n") ==
          shape(Stencil, "stage g\nparallel(y)\n"));
    CHECK(shape(Stencil, "stage g\nparallel(y)\nvectorize(x, 8)\n") ==
          shape(Stencil, "stage g\nvectorize(x, 8)\nparallel(y)\n"));
    CHECK(shape(Stencil, "stage g\nserial(y)\n") == shape(Stencil, ""));
}

TEST_CASE("marks that cannot be are refused") {
    refuses(Stencil, "stage g\nvectorize(x)\n", "extent-not-constant",
            "g.x has no constant extent and cannot be vectorised");
    refuses(Stencil, "stage g\nunroll(x)\n", "extent-not-constant",
            "g.x has no constant extent and cannot be unrolled");
    refuses(Stencil, "stage g\nparallel(y)\nunroll(y)\n", "loop-already-marked",
            "g.y is parallel already and cannot be unrolled too");
    refuses(Stencil, "stage g\nparallel(z)\n", "unknown-loop", "g has no loop z");
    refuses(Stencil, "stage g\nvectorize(x, 1000000)\n", "factor-too-large",
            "vectorize by 1000000 is more than the limit of 1024");
    refuses(Product, "stage c.update(0)\nvectorize(r, 8)\n", "vectorize-race",
            "c.update(0).ri cannot be vectorised: iterations r = 0 and r = 1 both update c(i, j)");
    refuses(Product, "stage c.update(0)\nparallel(r)\n", "parallel-race",
            "c.update(0).r cannot be parallel: iterations r = 0 and r = 1 both update c(i, j)");
}

TEST_CASE("the parts of an rfactor are a constant number of lanes or copies, at every place") {
    std::string part = "part = rfactor(c.update(0), r, 4, ";
    has_shape(Product,
              part +
                  "inner, u, in_order)\n"
                  "stage part\ncompute_at(c.update(0), j)\nvectorize(u)\n"
                  "stage part.update(0)\nreorder(ro, u)\nunroll(u)\n",
              R"(
func a: f32
func b: f32
func c: f32
produce c {
  for c.i in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
      c(c.i, c.j) = 0.0
    }
  }
  for c.i_1 in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j_1 in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
      realize part: f32[c.i_1: 1, c.j_1: 1, 0: 4] {
        produce part {
          vectorized for part.u in 0 .. 4 {
            part(c.i_1, c.j_1, part.u) = -0.0
          }
          for part.ro in 0 .. (k + 3) / 4 {
            unrolled for part.u_1 in 0 .. 4 {
              if part.ro * 4 + part.u_1 < k {
                part(c.i_1, c.j_1, part.u_1) = fma(a(c.i_1, part.ro * 4 + part.u_1), b(part.ro * 4 + part.u_1, c.j_1), part(c.i_1, c.j_1, part.u_1))
              }
            }
          }
        }
        for c.u in 0 .. 4 {
          c(c.i_1, c.j_1) = c(c.i_1, c.j_1) + part(c.i_1, c.j_1, c.u)
        }
      }
    }
  }
}
)");
    for (std::string merge : {"in_order", "tree"})
        for (std::string mark : {"vectorize", "unroll"})
            for (std::string place : {"compute_root()", "compute_at(c.update(0), j)"})
                is_right(Product,
                         part + "inner, u, " + merge + ")\nstage part\n" + place + "\n" + mark +
                             "(u)\nstage part.update(0)\nreorder(ro, u)\n" + mark + "(u)\n",
                         4);
    // Where fewer parts are needed the other lanes do nothing.
    is_right(Product,
             part +
                 "outer, u, in_order)\nstage c.update(0)\nsplit(u, 3)\n"
                 "stage part\ncompute_at(c.update(0), uo)\nvectorize(u)\n"
                 "stage part.update(0)\nreorder(ri, u)\nvectorize(u)\n",
             4);
}
