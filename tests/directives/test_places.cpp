// test_places.cpp - compute_inline, compute_root, compute_at, store_root, store_at: where a stage is
// computed and kept.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>

#include <fmt/ranges.h>

#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

TEST_CASE("an inlined stage has no loops, one at root has all of its points at once") {
    has_shape(Stencil, "", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
      g(g.y, g.x) = 3 * (in(g.y - 5, g.x) + in(g.y - 4, g.x + 2))
    }
  }
}
)");
    has_shape(Stencil, "stage f\ncompute_root()\n", R"(
func in: i32
realize f: i32[origin(g, 0) - 5: extent(g, 0) + 1, origin(g, 1): extent(g, 1) + 2] {
  produce f {
    for f.y in origin(g, 0) - 5 .. origin(g, 0) - 5 + (extent(g, 0) + 1) {
      for f.x in origin(g, 1) .. origin(g, 1) + (extent(g, 1) + 2) {
        f(f.y, f.x) = in(f.y, f.x) * 3
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

TEST_CASE("a stage at a loop computes and keeps what one iteration of that loop needs") {
    has_shape(Stencil, "stage f\ncompute_at(g, y)\n", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    realize f: i32[g.y - 5: 2, origin(g, 1): extent(g, 1) + 2] {
      produce f {
        for f.y in g.y - 5 .. g.y - 5 + 2 {
          for f.x in origin(g, 1) .. origin(g, 1) + (extent(g, 1) + 2) {
            f(f.y, f.x) = in(f.y, f.x) * 3
          }
        }
      }
      for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
        g(g.y, g.x) = f(g.y - 5, g.x) + f(g.y - 4, g.x + 2)
      }
    }
  }
}
)");
}

TEST_CASE("storage may live longer than the computation that fills it") {
    has_shape(Stencil, "stage f\nstore_at(g, y)\ncompute_at(g, x)\n", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    realize f: i32[g.y - 5: 2, origin(g, 1): extent(g, 1) + 2] {
      for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
        let f.x.lo = select(origin(g, 1) < g.x, g.x + 2, g.x)
        produce f {
          for f.y in g.y - 5 .. g.y - 5 + 2 {
            for f.x in f.x.lo .. f.x.lo + (g.x - f.x.lo + 3) {
              f(f.y, f.x) = in(f.y, f.x) * 3
            }
          }
        }
        g(g.y, g.x) = f(g.y - 5, g.x) + f(g.y - 4, g.x + 2)
      }
    }
  }
}
)");
}

TEST_CASE("no place changes a value") {
    std::string tiles = "stage g\ntile(y, x, 4, 8)\n";
    for (std::string tail : {"auto", "guard", "shift_inwards"}) {
        std::string cut = "stage g\ntile(y, x, 4, 8, " + tail + ")\nvectorize(xi)\n";
        for (std::string loop : {"yo", "xo", "yi"})
            is_right(Stencil, cut + "stage f\ncompute_at(g, " + loop + ")\nvectorize(x, 8)\n", 8);
    }
    is_right(Stencil, tiles + "stage f\nstore_at(g, yo)\ncompute_at(g, yi)\n", 4);
    is_right(Stencil, "stage f\nstore_root()\ncompute_at(g, y)\nvectorize(x, 4, round_up)\n", 4);
    is_right(Stencil, tiles + "parallel(yo)\nstage f\ncompute_at(g, xo)\nsplit(y, 3, round_up)\n",
             4);
}

TEST_CASE("every place that is said to be legal is right") {
    std::string lines = "stage g\ntile(y, x, 4, 8)\nparallel(yo)\nvectorize(xi)\n";
    Schedule s = parse_schedule(pipeline(Stencil), "schedule 1 for stencil\n" + lines);
    auto places = legal_places(s, "f");
    CHECK(places == std::vector<std::string>{"inline", "root", "g.yo", "g.xo", "g.yi"});
    for (auto& place : places) {
        std::string line =
            place.starts_with("g.") ? "compute_at(g, " + place.substr(2) : "compute_" + place + "(";
        is_right(Stencil, lines + "stage f\n" + line + ")\n", 4);
    }
}

TEST_CASE("lines of different stages commute; inline is the default of a pure stage") {
    CHECK(shape(Stencil, "stage f\ncompute_at(g, yo)\nstage g\nsplit(y, 4)\n") ==
          shape(Stencil, "stage g\nsplit(y, 4)\nstage f\ncompute_at(g, yo)\n"));
    CHECK(shape(Stencil, "stage f\ncompute_inline()\n") == shape(Stencil, ""));
    CHECK(shape(Stencil, "stage f\nstore_at(g, y)\ncompute_at(g, y)\n") ==
          shape(Stencil, "stage f\ncompute_at(g, y)\n"));
}

TEST_CASE("places that cannot be are refused") {
    refuses(Stencil, "stage f\ncompute_at(g, z)\n", "unknown-loop", "g has no loop z");
    refuses(Stencil, "stage g\nvectorize(x, 8)\nstage f\ncompute_at(g, xi)\n",
            "compute-at-vectorized", "f cannot be computed at g.xi: that loop is vectorised");
    refuses(Stencil, "stage g\ncompute_at(f, y)\n", "output-not-root",
            "g is an output and is computed at root only");
    refuses(Stencil, "stage f\ncompute_root()\ncompute_at(g, y)\n", "placed-twice",
            "another line says where f is computed");
    refuses(Stencil, "stage f\ncompute_at(f, y)\n", "placed-in-itself",
            "f cannot be placed inside its own loops");
    refuses(Stencil, "stage f\nstore_at(g, x)\ncompute_at(g, y)\n", "store-inside-compute",
            "f cannot be stored at g.x: it is computed at g.y, outside that loop");
    refuses(Stencil,
            "stage g\nparallel(x)\n"
            "stage f\nstore_at(g, y)\ncompute_at(g, x)\n",
            "store-outside-parallel",
            "f cannot be stored at g.y and computed at g.x: between them g.x is parallel, and its "
            "iterations would write the same storage");
    refuses(Stencil, "stage f\nstore_at(g, y)\n", "store-without-compute",
            "f has a store_at but is computed inline");
}

TEST_CASE("inline, a stage with updates is a copy for each of its readers") {
    Pipeline p = parse_pipeline(R"(pipeline p(in: i32[h, w]) -> g[h, w], k[h, w]
f(y) += in(y, r) for r: 0..w
e(y, x) = f(y) + i32(x)
g(y, x) = e(y, x) * 2
g(y, x) += f(y) for q: 0..2
k(y, x) = e(y, x) - f(y)
)");
    Schedule s = parse_schedule(p, R"(schedule 1 for p
stage f
  compute_inline()
stage f.update(0)
  unroll(r, 2)
stage g
  vectorize(x, 8)
)");
    CHECK(fmt::format("{}", fmt::join(compile(p, s).func_names(), " ")) ==
          "f e f_in_g g f_in_e_in_k e_in_k f_in_k k");
    CHECK(derive(s) == p);
    VerifyReport r = verify(p, s, {.calls = 8, .budget = 400});
    INFO(to_string(r));
    CHECK(r.ok());
}
