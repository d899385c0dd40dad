// test_edits.cpp - cache_read, clone_in, rfactor: schedules that change the list of stages.
#include <burin/schedule.h>

#include <set>
#include <sstream>

#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

std::string derived(Program p, const std::string& lines) {
    return derive(
               parse_schedule(pipeline(p), "schedule 1 for " + pipeline(p).name() + "\n" + lines))
        .text();
}

// stages that do not read each other have no order
std::set<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
}

}  // namespace

TEST_CASE("cache_read makes a stage that copies, and its readers read it") {
    CHECK("\n" + derived(Product, "bp = cache_read(b, [c])\n") == R"(
pipeline product(a: f32[m, k], b: f32[k, n]) -> c[m, n]
bp(d0, d1) = b(d0, d1)
c(i, j) += a(i, r) * bp(r, j) for r: 0..k
)");
    has_shape(Product, "bp = cache_read(b, [c])\nstage bp\ncompute_at(c.update(0), i)\n", R"(
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
    realize bp: f32[0: k, origin(c, 1): extent(c, 1)] {
      if 1 <= k {
        produce bp {
          for bp.d0 in 0 .. k {
            for bp.d1 in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
              bp(bp.d0, bp.d1) = b(bp.d0, bp.d1)
            }
          }
        }
      }
      for c.j_1 in origin(c, 1) .. origin(c, 1) + extent(c, 1) {
        for c.r in 0 .. k {
          c(c.i_1, c.j_1) = fma(a(c.i_1, c.r), bp(c.r, c.j_1), c(c.i_1, c.j_1))
        }
      }
    }
  }
}
)");
}

TEST_CASE("clone_in makes a stage again for some of its readers") {
    CHECK("\n" + derived(Diamond, "f2 = clone_in(f, [e])\n") == R"(
pipeline diamond(in: i32[h, w]) -> g[h, w]
f(y, x) = in(y, x) + 1
f2(y, x) = in(y, x) + 1
e(y, x) = f2(y, x) * 2
g(y, x) = e(y, x) + f(y, x)
)");
}

TEST_CASE("rfactor splits a reduction into parts and merges them") {
    CHECK("\n" + derived(Product, "part = rfactor(c.update(0), r, 4, inner, u, in_order)\n") == R"(
pipeline product(a: f32[m, k], b: f32[k, n]) -> c[m, n]
part(i, j, u) = -0.0
part(i, j, u) += a(i, ro * 4 + u) * b(ro * 4 + u, j) for ro: 0..(k + 3) / 4 where ro * 4 + u < k
c(i, j) += part(i, j, u) for u: 0..4
)");
    CHECK("\n" + derived(Product, "part = rfactor(c.update(0), r, 4, outer, u, tree)\n") == R"(
pipeline product(a: f32[m, k], b: f32[k, n]) -> c[m, n]
part(u, i, j) = -0.0
part(u, i, j) += a(i, u * ((k + 3) / 4) + ri) * b(u * ((k + 3) / 4) + ri, j) for ri: 0..(k + 3) / 4 where u * ((k + 3) / 4) + ri < k
part(ut, i, j) += part(ut + 2, i, j) for ut: 0..2
part(ut, i, j) += part(ut + 1, i, j) for ut: 0..1
c(i, j) += part(0, i, j)
)");
    has_golden_shape(Product,
                     "part = rfactor(c.update(0), r, 4, inner, u, tree)\n"
                     "stage part\ncompute_root()\n",
                     "rfactor");
}

TEST_CASE("kernels compute what the edited algorithm says") {
    is_right(Product, "bp = cache_read(b, [c])\nstage bp\ncompute_root()\nvectorize(d1, 8)\n", 8);
    is_right(Product, "bp = cache_read(b, [c])\nstage bp\ncompute_at(c.update(0), i)\n", 4);
    is_right(Stencil, "ip = cache_read(in, [f])\nstage ip\ncompute_at(g, y)\nvectorize(d1, 4)\n",
             4);
    is_right(Diamond,
             "f2 = clone_in(f, [e])\nstage e\ncompute_at(g, y)\nstage f2\ncompute_at(e, y)\n"
             "stage f\ncompute_root()\n",
             4);
    for (std::string parts : {"inner", "outer"})
        for (std::string merge : {"in_order", "tree"})
            for (std::string n : {"1", "3", "4", "16"})
                is_right(
                    Product,
                    "part = rfactor(c.update(0), r, " + n + ", " + parts + ", u, " + merge + ")\n",
                    4);
    is_right(Product,
             "part = rfactor(c.update(0), r, 4, inner, u, in_order)\n"
             "stage part\ncompute_at(c.update(0), j)\nvectorize(u, 4)\n",
             4);
}

TEST_CASE("a product of packed panels, blocked for caches and registers") {
    std::string lines = R"(bp = cache_read(b, [c])
stage bp
  compute_root()
  transform_layout([k, j] -> [j / 32, k, j % 32], pad)
stage c.update(0)
  ko, ki = split(r, 256)
  io, i2 = split(i, 8)
  jo, jr = split(j, 32)
  jv, jl = split(jr, 16)
  reorder(ko, io, jo, ki, i2, jv, jl)
  unroll(i2)
  unroll(jv)
  vectorize(jl)
  cache_write(jo, Register)
)";
    Schedule s = parse_schedule(pipeline(Product), "schedule 1 for product\n" + lines);
    CHECK(parse_schedule(pipeline(Product), s.text()) == s);
    CHECK(s.text().ends_with(lines));
    is_right(Product, lines, 8);
    is_right(Product, lines, 32);
}

TEST_CASE("edits of different stages commute") {
    std::string a = "ap = cache_read(a, [c])\n", b = "bp = cache_read(b, [c])\n";
    CHECK(lines_of(derived(Product, a + b)) == lines_of(derived(Product, b + a)));
}

TEST_CASE("edits that cannot be are refused") {
    refuses(Product, "bp = cache_read(bb, [c])\n", "unknown-stage",
            "product has no stage bb; did you mean b?");
    refuses(Product, "c = cache_read(b, [c])\n", "stage-name-taken",
            "c cannot be the name of a new stage: it is taken");
    refuses(Stencil, "ip = cache_read(in, [g])\n", "reader-does-not-read", "g does not read in");
    refuses(Product, "c2 = clone_in(b, [c])\n", "input-is-no-stage",
            "b is an argument of product, not a stage");
    refuses(Stencil, "f2 = clone_in(f, [g])\n", "clone-leaves-none",
            "nobody would read f any more");
    refuses(Product, "part = rfactor(c.update(0), i, 4, inner, u, tree)\n", "unknown-loop",
            "c.update(0) has no reduction variable i");
    refuses(Product, "part = rfactor(c.update(0), r, 0, inner, u, tree)\n", "rfactor-parts",
            "the number of parts must be a constant from 1 to 1048576");
    refuses(Product, "part = rfactor(c.update(1), r, 4, inner, u, tree)\n", "unknown-stage",
            "there is no c.update(1): c has 1 update");
}

TEST_CASE("why_not asks about edits too") {
    Schedule s(pipeline(Diamond));
    CHECK_FALSE(why_not(s, "f2 = clone_in(f, [e])"));
    CHECK_FALSE(why_not(s, "ip = cache_read(in, [f])"));
    CHECK(why_not(s, "f2 = clone_in(f, [e, g])")->id() == "clone-leaves-none");
    CHECK(why_not(s, "g = cache_read(in, [f])")->id() == "stage-name-taken");
    CHECK(why_not(s, "p = rfactor(g, r, 4, inner, u, tree)")->id() == "rfactor-no-update");
    CHECK(why_not(s, "p = rfacto(g, r)")->id() == "unknown-directive");
    CHECK(why_not(s, "cache_read(in, [f])")->id() == "directive-arguments");
    CHECK(s == Schedule(pipeline(Diamond)));
    Schedule product(pipeline(Product));
    CHECK_FALSE(why_not(product, "part = rfactor(c.update(0), r, 8, inner, u, in_order)"));
}
