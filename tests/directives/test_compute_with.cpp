// test_compute_with.cpp - compute_with(stage, loop): stages that are computed with each other share their loops.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>

#include "error_of.h"
#include "fixture.h"
#include "func/algorithm.h"

using namespace burin;
using namespace burin::directives;

namespace {

const std::string copies =
    "pipeline p(a: i32[m, n]) -> f[m, n], g[m, n]\n"
    "f(y, x) = a(y, x)\n"
    "g(y, x) = a(y, x) * 2\n";

// Two reductions by rows and one by columns; what of a row needs the first; as many points as there are columns.
const std::string sums =
    "pipeline p(a: i32[m, n]) -> s[m], t[m], u[n], v[m, n], w[n]\n"
    "s(y) += a(y, x) for x: 0..n\n"
    "t(y) = max(t(y), a(y, x)) for x: 0..n\n"
    "u(x) += a(y, x) for y: 0..m\n"
    "v(y, x) = a(y, x) - s(y)\n"
    "w(x) = i32(x)\n";

// Read where rows begin below zero, inside the loops of a reader.
const std::string tiles =
    "pipeline p(h: size, w: size, a: i32[_, _]) -> g[h, w]\n"
    "e(y, x) = a(y, x) + 1\n"
    "f(y, x) = a(y, x) * 3\n"
    "d(y, x) = e(y, x) * 2\n"
    "g(y, x) = f(y - 5, x) + f(y - 4, x) + d(y - 5, x + 2)\n";

void is_right(const std::string& pipeline, const std::string& lines, int factor) {
    INFO(lines);
    Schedule s = parse_schedule(parse_pipeline(pipeline), "schedule 1 for p\n" + lines);
    Kernel kernel = compile(s.pipeline(), s);
    bool shifted = pipeline == tiles;
    for (int64_t rows : {0, 1, factor - 1, factor, factor + 1, 13})
        for (int64_t columns : {0, 1, factor - 1, factor, factor + 1, 13}) {
            INFO(rows << " x " << columns);
            Buffer<int> a({rows + shifted, columns + 2 * shifted});
            uint32_t state = 1;
            for_each_point(a.dims(), [&](auto at) {
                state = state * 1664525 + 1013904223;
                a(at[0], at[1]) = int32_t(state) / 257;
            });
            std::vector<Arg> args{a};
            if (shifted) args = {rows, columns, a.translated({-5, 0})};
            auto got = kernel.call(args), expected = evaluate(derive(s), args);
            for (size_t i = 0; i < s.pipeline().algorithm().outputs.size(); ++i)
                CHECK(same(got[i], expected[i]));
        }
    agrees(pipeline, lines);
}

std::string split(const std::string& stage, const std::string& tail, const std::string& more) {
    return "stage " + stage + "\nsplit(y, 4, " + tail + ")\nsplit(x, 4, " + tail + ")\n" + more;
}

}  // namespace

TEST_CASE("loops down to the one named are shared, as far as each stage has iterations") {
    CHECK("\n" + shape("pipeline p(a: i32[m, n]) -> f[m], g[m]\n"
                       "f(y) = a(y, 0)\n"
                       "g(y) += a(y, x) for x: 0..n\n",
                       "stage g.update(0)\ncompute_with(f, y)\n") ==
          R"(
func a: i32
func g: i32
if 1 <= extent(g, 0) {
  produce g {
    for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
      g(g.y) = 0
    }
  }
}
for f.y in origin(f, 0) .. origin(f, 0) + max(extent(f, 0), extent(g, 0)) {
  if likely(f.y < extent(f, 0) + origin(f, 0)) {
    produce f {
      f(f.y) = a(f.y, 0)
    }
  }
  if likely(f.y < extent(g, 0) + origin(f, 0)) {
    produce g {
      for g.x in 0 .. n {
        g(f.y + origin(g, 0) - origin(f, 0)) = g(f.y + origin(g, 0) - origin(f, 0)) + a(f.y + origin(g, 0) - origin(f, 0), g.x)
      }
    }
  }
}
)");
}

TEST_CASE("at one place, boxes that are alike leave no test") {
    CHECK("\n" + shape("pipeline p(a: i32[n]) -> g[n]\n"
                       "e(x) = a(x) + 1\n"
                       "f(x) = a(x) * 3\n"
                       "g(x) = f(x) - e(x)\n",
                       "stage g\nsplit(x, 8, guard)\nstage e\ncompute_at(g, xo)\n"
                       "stage f\ncompute_at(g, xo)\ncompute_with(e, x)\n") ==
          R"(
func a: i32
produce g {
  for g.xo in 0 .. (extent(g, 0) + 7) / 8 {
    realize e: i32[origin(g, 0) + g.xo * 8: min(extent(g, 0) - g.xo * 8, 8)] {
      realize f: i32[origin(g, 0) + g.xo * 8: min(extent(g, 0) - g.xo * 8, 8)] {
        for e.x in origin(g, 0) + g.xo * 8 .. origin(g, 0) + g.xo * 8 + min(extent(g, 0) - g.xo * 8, 8) {
          produce e {
            e(e.x) = a(e.x) + 1
          }
          produce f {
            f(e.x) = a(e.x) * 3
          }
        }
        for g.xi in 0 .. min(extent(g, 0) - g.xo * 8, 8) {
          g(origin(g, 0) + g.xo * 8 + g.xi) = f(origin(g, 0) + g.xo * 8 + g.xi) - e(origin(g, 0) + g.xo * 8 + g.xi)
        }
      }
    }
  }
}
)");
}

TEST_CASE("what one of the stages needs comes before all of them, storage included") {
    CHECK("\n" + shape("pipeline p(a: i32[n]) -> f[], g[]\n"
                       "f() += a(x) for x: 0..n\n"
                       "e(x) = a(x) * 2\n"
                       "g() += e(x) for x: 0..n\n",
                       "stage e\ncompute_root()\nstage g.update(0)\n"
                       "compute_with(f.update(0), x)\n") ==
          R"(
func a: i32
func f: i32
func g: i32
produce f {
  f() = 0
}
realize e: i32[0: n] {
  if 1 <= n {
    produce e {
      for e.x in 0 .. n {
        e(e.x) = a(e.x) * 2
      }
    }
  }
  produce g {
    g() = 0
  }
  for f.x in 0 .. n {
    produce f {
      f() = f() + a(f.x)
    }
    produce g {
      g() = g() + e(f.x)
    }
  }
}
)");
}

TEST_CASE("what stages compute does not change") {
    for (std::string tail : {"guard", "shift_inwards", "predicate"}) {
        is_right(copies, split("f", tail, "") + split("g", tail, "compute_with(f, xi)\n"), 4);
        is_right(copies, split("f", tail, "") + split("g", "guard", "compute_with(f, yo)\n"), 4);
        is_right(copies,
                 split("f", tail, "vectorize(xi)\nparallel(yo)\n") +
                     split("g", tail, "vectorize(xi)\nparallel(yo)\ncompute_with(f, xi)\n"),
                 4);
        is_right(copies,
                 "stage f\ntile(y, x, 4, 4, " + tail + ")\nunroll(yi)\nstage g\ntile(y, x, 3, 8, " +
                     tail + ")\nunroll(yi)\ncompute_with(f, yi)\n",
                 4);
        is_right(copies,
                 "stage f\nyx = fuse(y, x)\nsplit(yx, 4, guard)\nstage g\nsplit(x, 4, " + tail +
                     ")\ncompute_with(f, yxi)\n",
                 4);
        is_right(sums,
                 "stage s.update(0)\nsplit(y, 4, guard)\nreorder(yo, x, yi)\n"
                 "vectorize(yi)\ncache_write(yo, Register)\n"
                 "stage t.update(0)\nsplit(y, 4, guard)\nreorder(yo, x, yi)\nvectorize(yi)\n"
                 "cache_write(yo, Register)\ncompute_with(s.update(0), x)\n"
                 "stage w\nsplit(x, 4, " +
                     tail + ")\ncompute_with(s.update(0), yo)\n",
                 4);
    }
    is_right(sums,
             "stage u.update(0)\nreorder(y, x)\ncompute_with(s.update(0), x)\n"
             "stage t.update(0)\ncompute_with(u.update(0), x)\n"
             "stage t\ncompute_with(s, y)\nstage v\ncompute_with(w, x)\n",
             4);
    is_right(sums,
             "stage t.update(0)\ncompute_with(s.update(0), x)\n"
             "stage u.update(0)\nreorder(y, x)\ncompute_with(t.update(0), y)\n"
             "specialize(m == 13) {\n  vectorize(x, 8)\n}\n",
             4);
}

TEST_CASE("stages inside a reader's loops share theirs, with what is computed in them") {
    std::string inside = "stage e\ncompute_root()\nstage g\nsplit(y, 4, guard)\nvectorize(x, 4)\n";
    for (std::string tail : {"guard", "round_up", "shift_inwards", "auto"})
        is_right(tiles,
                 inside + "stage d\ncompute_at(g, yo)\nsplit(x, 4, " + tail +
                     ")\nstage f\ncompute_at(g, yo)\nsplit(x, 4, " + tail +
                     ")\ncompute_with(d, xo)\n",
                 4);
    is_right(tiles,
             inside +
                 "stage d\nstore_root()\ncompute_at(g, yi)\nstage f\nstore_at(g, yo)\n"
                 "compute_at(g, yi)\ncompute_with(d, x)\n",
             4);
    is_right(tiles,
             "stage f\ncompute_root()\nstage d\ncompute_root()\ncompute_with(f, x)\n"
             "stage e\ncompute_at(d, y)\n",
             4);
    is_right(tiles,
             "stage f\ncompute_root()\nstage d\ncompute_root()\ncompute_with(f, y)\n"
             "stage e\nstore_root()\ncompute_at(d, y)\nprefetch(a, y, 1)\n",
             4);
}

TEST_CASE("it commutes with lines of other stages, and in C++ names a stage and its loop") {
    CHECK(
        shape(copies, "stage g\ncompute_with(f, y)\nvectorize(x, 8)\nstage f\nvectorize(x, 4)\n") ==
        shape(copies, "stage f\nvectorize(x, 4)\nstage g\nvectorize(x, 8)\ncompute_with(f, y)\n"));
    Pipeline p = parse_pipeline(sums);
    Schedule s(p);
    s["t.update(0)"].compute_with("s.update(0)", "x");
    CHECK(s ==
          parse_schedule(p, "schedule 1 for p\nstage t.update(0)\ncompute_with(s.update(0), x)\n"));
}

TEST_CASE("stages that do not run side by side are refused") {
    auto no = [](const std::string& lines, const std::string& id, const std::string& message) {
        refuses(sums, lines, id, message);
    };
    no("stage s\ncompute_with(s, y)\n", "with-dependent",
       "s cannot be computed with s: it is that stage itself");
    no("stage s.update(0)\ncompute_with(s, y)\n", "with-dependent",
       "s.update(0) cannot be computed with s: stages of one Func run one after the other");
    no("stage v\ncompute_with(s.update(0), y)\n", "with-dependent",
       "v cannot be computed with s.update(0).y: v reads s");
    no("stage t.update(0)\ncompute_with(s.update(0), y)\nstage v\ncompute_with(t.update(0), y)\n",
       "with-dependent", "v cannot be computed with t.update(0).y: v reads s");
    no("stage t\ncompute_with(q, y)\n", "unknown-stage", "p has no stage q");
    no("stage t\ncompute_with(s, z)\n", "unknown-loop", "s has no loop z");
    no("stage t\ncompute_with(s, y)\ncompute_with(u, x)\n", "with-twice",
       "another line says what t is computed with");
    no("stage t\ncompute_with(s.update(0), x)\n", "with-loops",
       "t cannot be computed with s.update(0).x: that is loop 2 of s.update(0) from outside, and "
       "t has 1");
    no("stage t\nparallel(y)\ncompute_with(s, y)\n", "with-kinds",
       "t cannot be computed with s.y: t.y is parallel, s.y, its counterpart, serial");
    no("stage s\nvectorize(y, 4)\nstage t\nvectorize(y, 8)\ncompute_with(s, yi)\n", "with-kinds",
       "t cannot be computed with s.yi: t.yi is vectorised by 8, s.yi, its counterpart, by 4");
    no("stage s\npartition(y, never)\nstage t\ncompute_with(s, y)\n", "with-kinds",
       "t cannot be computed with s.y: t.y is partitioned auto, s.y, its counterpart, never");
    no("stage t\ncompute_with(s.update(0), y)\nstage s\ncompute_with(t.update(0), y)\n",
       "with-order",
       "no order is left in which s and what it is computed with could run: other paired stages "
       "come before one of them and after another");
    refuses(tiles, "stage e\ncompute_root()\nstage d\ncompute_with(e, y)\ncompute_root()\n",
            "with-dependent", "d cannot be computed with e.y: d reads e");
    CHECK(
        refusal_of(tiles, "stage e\ncompute_root()\nstage d\ncompute_with(e, y)\ncompute_root()\n")
            .helps()[0] ==
        "stage e: compute_at(d, y), where each iteration finds what it reads; store_at further "
        "out keeps it for the next ones");
    refuses(tiles, "stage e\ncompute_root()\nstage f\ncompute_with(e, y)\ncompute_at(g, y)\n",
            "with-elsewhere", "f cannot be computed with e.y: f is computed at g.y, e root");
    refuses(
        "pipeline p(a: i32[n]) -> g[n]\n"
        "e(x) = 0\n"
        "e(r) = e(r - 1) + a(r) for r: 1..n\n"
        "f(x) = a(x)\n"
        "g(x) = e(x) + e(x - 1) + f(x)\n",
        "stage e\nstore_root()\ncompute_at(g, x)\nfold_storage(x, 2)\n"
        "stage f\ncompute_at(g, x)\ncompute_with(e, x)\n",
        "with-steps",
        "f cannot be computed with e: what is kept of e folds along x, and its stages take turns "
        "at each step there");
}
