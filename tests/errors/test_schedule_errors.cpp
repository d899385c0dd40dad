// test_schedule_errors.cpp - the refusals of schedules: id, words, place and what would work
// instead.
#include <burin/schedule.h>
#include <doctest/doctest.h>

#include <regex>

#include "error_of.h"

using namespace burin;

namespace {

struct Names {
    Var y{"y"}, x{"x"}, i{"i"}, j{"j"};
    Size h{"h"}, w{"w"}, m{"m"}, n{"n"}, k{"k"};
};

Pipeline blur() {
    auto [y, x, i, j, h, w, m, n, k] = Names();
    Input<float> in("in", {h, w});
    Param<int> p("p");
    Param<float> q("q");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(y, x) = in(y, x) + q;
    blur_y(y, x) = blur_x(y, x) + blur_x(y, x) * 2;
    return Pipeline("blur", {in, p, q}, {blur_y({h, w})});
}

Pipeline edges() {
    auto [y, x, i, j, h, w, m, n, k] = Names();
    Input<float> in("in", {h, w});
    Func f("f"), g("g"), out("out");
    f(y, x) = in(y, x) * 2;
    g(y, x) = f(y, x) + 1;
    out(y, x) = f(y, x) + g(y, x);
    return Pipeline("edges", {in}, {out({h, w})});
}

// A matrix product, a histogram, a prefix sum, and an exact sum over two variables.
Pipeline dense() {
    auto [y, x, i, j, h, w, m, n, k] = Names();
    Input<float> a("a", {m, k}), b("b", {k, n});
    Input<uint8_t> t("t", {n});
    RDom r(k, "r"), all(n, "r"), after(Range{1, n}, "r"), s({Extent(4), Extent(n)}, "s");
    Func c("c"), out("y"), histogram("h"), q("q"), z("z");
    c(i, j) += a(i, r) * b(r, j);
    out(i, j) = c(i, j);
    histogram(i) = 0;
    histogram(index(t(all))) += 1;
    q(i) = 0;
    q(after) = q(after - 1) + cast<int>(t(after));
    z(i, j) = 0;
    z(i, j) += cast<int>(t(s[1])) * cast<int>(s[0]);
    return Pipeline("dense", {a, b, t}, {out({m, n}), histogram({256}), q({n}), z({n, n})});
}

Error error_for(const Pipeline& p, const std::string& lines) {
    return error_of(
        [&] { check(parse_schedule(p, "schedule 1 for " + p.name() + "\n" + lines, "s.sched")); });
}

// The whole report; a line of this file stands as "code".
void refuses(const Pipeline& p, const std::string& lines, const std::string& report) {
    INFO(lines);
    Error e = error_for(p, lines);
    CHECK(e.kind() == ErrorKind::Schedule);
    static const std::regex here(R"(test_schedule_errors\.cpp:\d+)");
    CHECK(std::regex_replace(e.what(), here, "code") == report);
}

}  // namespace

TEST_CASE("names that do not exist are refused with what was likely meant") {
    refuses(blur(), "stage blr_y\nparallel(y)\n",
            R"(error: blur has no stage blr_y; did you mean blur_y?  [unknown-stage]
  s.sched:3   parallel(y)
  help: its stages: blur_x, blur_y)");
    refuses(blur(), "stage in\nparallel(y)\n",
            R"(error: in is an argument of blur, not a stage  [input-is-no-stage]
  s.sched:3   parallel(y)
  help: copy = cache_read(in, [reader]) makes a stage that copies it)");
    refuses(blur(), "stage blur_y\nparalell(y)\n",
            R"(error: there is no directive paralell; did you mean parallel?  [unknown-directive]
  s.sched:3   paralell(y))");
    refuses(blur(), "stage blur_y\nparallel(yo)\n",
            R"(error: blur_y has no loop yo; did you mean y?  [unknown-loop]
  s.sched:3   parallel(yo)
  help: its loops: y, x)");
    refuses(blur(), "stage blur_y\nsplit(y, 8)\nparallel(y)\n",
            R"(error: blur_y has no loop y; did you mean yo?  [unknown-loop]
  s.sched:4   parallel(y)
  note: y was split into yo and yi
  help: its loops: yo, yi, x)");
    refuses(blur(), "stage blur_y\nfuse(y, x)\nparallel(y)\n",
            R"(error: blur_y has no loop y; did you mean yx?  [unknown-loop]
  s.sched:4   parallel(y)
  note: y and x were fused into yx
  help: its loops: yx)");
    refuses(blur(), "stage blur_y.update(0)\nparallel(y)\n",
            R"(error: there is no blur_y.update(0): blur_y has 0 updates  [unknown-stage]
  s.sched:3   parallel(y))");
    refuses(blur(), "stage blur_y\nsplit(y, hh)\n",
            R"(error: blur has no size or parameter hh; did you mean h?  [unknown-size]
  s.sched:3   split(y, hh))");
    refuses(blur(), "stage blur_y\nsplit(y, y)\n",
            R"(error: blur has no size or parameter y  [unknown-size]
  s.sched:3   split(y, y))");
    refuses(blur(), "stage blur_y\nsplit(y, 8, gard)\n",
            R"(error: gard is no tail; did you mean guard?  [unknown-word]
  s.sched:3   split(y, 8, gard)
  help: one of auto, guard, round_up, shift_inwards, predicate)");
    refuses(blur(), "stage blur_x\ncompute_at(blur_y, z)\n",
            R"(error: blur_y has no loop z  [unknown-loop]
  s.sched:3   compute_at(blur_y, z)
  note: blur_x is placed there
  help: its loops: y, x)");
    refuses(blur(), "stage blur_x\ncompute_root()\nbound(z, 0, 4)\n",
            R"(error: blur_x has no coordinate z  [unknown-coordinate]
  s.sched:4   bound(z, 0, 4)
  help: its coordinates: y, x)");
    refuses(blur(), "stage blur_x\ncompute_root()\nstore_in(Shared)\n",
            R"(error: Shared is no kind of memory  [unknown-word]
  s.sched:4   store_in(Shared)
  help: one of Heap, Stack, Register)");
    refuses(dense(), "part = rfactor(c.update(0), k, 8, inner, u, tree)\n",
            R"(error: c.update(0) has no reduction variable k  [unknown-loop]
  s.sched:2   part = rfactor(c.update(0), k, 8, inner, u, tree)
  help: its variables: r)");
    refuses(dense(), "bp = cache_read(bb, [y])\n",
            R"(error: dense has no stage bb; did you mean b?  [unknown-stage]
  s.sched:2   bp = cache_read(bb, [y])
  help: its stages: c, c.update(0), y, h, h.update(0), q, q.update(0), z, z.update(0))");
    refuses(dense(), "c2 = clone_in(b, [c])\n",
            R"(error: b is an argument of dense, not a stage  [input-is-no-stage]
  s.sched:2   c2 = clone_in(b, [c])
  help: copy = cache_read(b, [reader]) makes a stage that copies it)");
    refuses(dense(), "c2 = clone(b, [c])\n", R"(error: there is no edit clone  [unknown-directive]
  s.sched:2   c2 = clone(b, [c]))");
    refuses(dense(), "stage c\nbp = cache_read(b, [c])\n",
            R"(error: cache_read is an edit: it stands before the stages  [edit-in-stage]
  s.sched:3   bp = cache_read(b, [c]))");
}

TEST_CASE("arguments of the wrong form are refused") {
    refuses(blur(), "stage blur_y\nsplit(y, 0)\n",
            R"(error: split(y, 0): a factor is at least 1, not 0  [factor-below-one]
  s.sched:3   split(y, 0))");
    refuses(blur(), "stage blur_y\nsplit(y, 3 - 5)\n",
            R"(error: split(y, -2): a factor is at least 1, not -2  [factor-below-one]
  s.sched:3   split(y, 3 - 5))");
    refuses(blur(), "stage blur_y\nsplit(y, q)\n", R"(error: q is no integer  [factor-type]
  s.sched:3   split(y, q))");
    refuses(
        blur(), "stage blur_y\nsplit(y, 1.5)\n",
        R"(error: argument 2 of split must be made of numbers, sizes and integer parameters  [directive-arguments]
  s.sched:3   split(y, 1.5))");
    refuses(blur(), "stage blur_y\nsplit(y)\n",
            R"(error: split does not take 1 argument  [directive-arguments]
  s.sched:3   split(y)
  help: split(loop, factor[, tail]))");
    refuses(blur(), "stage blur_y\na = split(y, 8)\n",
            R"(error: split makes 2 loops, not 1  [directive-results]
  s.sched:3   a = split(y, 8))");
    refuses(blur(), "stage blur_y\na, a = split(y, 8)\n",
            R"(error: y cannot be split into two loops named a  [loop-name-taken]
  s.sched:3   a, a = split(y, 8))");
    refuses(blur(), "stage blur_y\na, x = split(y, 8)\n",
            R"(error: blur_y cannot have a new loop x: the name is taken  [loop-name-taken]
  s.sched:3   a, x = split(y, 8))");
    refuses(blur(), "stage blur_y\na, h = split(y, 8)\n",
            R"(error: blur_y cannot have a new loop h: the name is taken  [loop-name-taken]
  s.sched:3   a, h = split(y, 8))");
    refuses(blur(), "stage blur_y\nvectorize(x, p)\n",
            R"(error: vectorize needs a constant factor, not index(p)  [factor-not-constant]
  s.sched:3   vectorize(x, p)
  help: split by it, and vectorize a split of constant factor inside)");
    refuses(blur(), "stage blur_y\nvectorize(x, 4096)\n",
            R"(error: vectorize by 4096 is more than the limit of 1024  [factor-too-large]
  s.sched:3   vectorize(x, 4096))");
    refuses(blur(), "stage blur_y\ntile(y, x, 8)\n",
            R"(error: tile(y, x, 8): a factor is needed for each loop  [directive-arguments]
  s.sched:3   tile(y, x, 8))");
    refuses(blur(), "stage blur_x\ncompute_root()\nbound(x, 0, 0 - 4)\n",
            R"(error: bound(x, 0, -4): an extent is not negative  [bound-negative]
  s.sched:4   bound(x, 0, 0 - 4))");
    refuses(
        blur(), "stage blur_x\ncompute_root()\ntransform_layout(y, x)\n",
        R"(error: transform_layout takes [coordinates] -> [storage coordinates]  [directive-arguments]
  s.sched:4   transform_layout(y, x)
  help: transform_layout([k, j] -> [j / 32, k, j % 32], pad))");
    refuses(dense(), "part = rfactor(c.update(0), r, 8, middle, u, tree)\n",
            R"(error: argument 4 of rfactor must be one of inner, outer  [directive-arguments]
  s.sched:2   part = rfactor(c.update(0), r, 8, middle, u, tree))");
    refuses(dense(), "part = rfactor(c.update(0), r, 8, inner, i, tree)\n",
            R"(error: i cannot be the coordinate of the parts: the name is taken  [loop-name-taken]
  s.sched:2   part = rfactor(c.update(0), r, 8, inner, i, tree))");
    refuses(dense(), "part = rfactor(c.update(0), r, 8)\n",
            R"(error: rfactor takes 6 arguments and makes one stage  [directive-arguments]
  s.sched:2   part = rfactor(c.update(0), r, 8)
  help: part = rfactor(f.update(0), r, 16, inner, u, in_order))");
    refuses(dense(), "rfactor(c.update(0), r, 8, inner, u, tree)\n",
            R"(error: rfactor takes 6 arguments and makes one stage  [directive-arguments]
  s.sched:2   rfactor(c.update(0), r, 8, inner, u, tree)
  help: part = rfactor(f.update(0), r, 16, inner, u, in_order))");
    refuses(dense(), "bp = cache_read(b, c)\n",
            R"(error: the readers stand in a list  [directive-arguments]
  s.sched:2   bp = cache_read(b, c)
  help: cache_read(b, [reader]))");
}

TEST_CASE("loops that cannot be split, fused, reordered or marked are refused") {
    refuses(
        blur(), "stage blur_y\nsplit(y, 8, round_up)\n",
        R"(error: round_up is not possible on blur_y.y: blur_y is an output, and points outside its buffer would be written  [tail-not-allowed]
  s.sched:3   split(y, 8, round_up)
  note: unproved: that the extent of y is a multiple of 8
  help: guard)");
    refuses(
        blur(), "stage blur_y\nvectorize(x)\n",
        R"(error: blur_y.x has no constant extent and cannot be vectorised  [extent-not-constant]
  s.sched:3   vectorize(x)
  help: vectorize(x, 8) splits it first)");
    refuses(blur(), "stage blur_y\nsplit(x, p)\nunroll(xi)\n",
            R"(error: blur_y.xi has no constant extent and cannot be unrolled  [extent-not-constant]
  s.sched:4   unroll(xi)
  help: unroll(xi, 8) splits it first)");
    refuses(
        blur(), "stage blur_y\nvectorize(x, 8)\nvectorize(y, 8)\n",
        R"(error: blur_y.yi cannot be vectorised: xi is, and a stage has one vectorised loop  [two-vector-loops]
  s.sched:4   vectorize(y, 8)
  help: unroll(yi), or fuse the two)");
    refuses(blur(), "stage blur_y\nvectorize(x, 8)\nsplit(xi, 2)\n",
            R"(error: blur_y.xi is vectorised already and cannot be split  [loop-already-marked]
  s.sched:4   split(xi, 2)
  help: it can be before the line that marks it)");
    refuses(blur(), "stage blur_y\nparallel(y)\nunroll(y, 2)\n",
            R"(error: blur_y.y is parallel already and cannot be split  [loop-already-marked]
  s.sched:4   unroll(y, 2)
  help: it can be before the line that marks it)");
    refuses(
        blur(),
        "stage blur_y\nsplit(x, 8)\nparallel(xi)\nvectorize(y, 8)\nreorder(xo, yo, yi, xi)\n",
        R"(error: blur_y: the parallel loop xi is inside the vectorised loop yi  [parallel-in-vector]
  s.sched:4   parallel(xi)
  help: reorder puts it outside)");
    refuses(blur(), "stage blur_y\nreorder(x, y, x)\n",
            R"(error: reorder(x, y, x): x is listed twice  [loop-listed-twice]
  s.sched:3   reorder(x, y, x))");
    refuses(blur(), "stage blur_y\nfuse(x, y)\n",
            R"(error: fuse(x, y): y must stand directly inside x  [fuse-not-adjacent]
  s.sched:3   fuse(x, y)
  note: the loops of blur_y, outermost first: y, x
  help: reorder(x, y) first)");
    refuses(
        dense(), "stage c.update(0)\nsplit(r, 8, round_up)\n",
        R"(error: round_up is not possible on c.update(0).r: more iterations of a reduction than written would run  [tail-not-allowed]
  s.sched:3   split(r, 8, round_up)
  help: guard)");
    refuses(
        dense(), "stage c.update(0)\nsplit(i, 8, shift_inwards)\n",
        R"(error: shift_inwards is not possible on c.update(0).i: points in the overlap would be updated twice, and the update reads c  [tail-not-allowed]
  s.sched:3   split(i, 8, shift_inwards)
  help: guard)");
    refuses(dense(), "stage c.update(0)\nreorder(j, r)\nfuse(j, r)\n",
            R"(error: fuse(j, r): r is a loop of the reduction's domain, j is not  [fuse-mixed]
  s.sched:4   fuse(j, r))");
}

TEST_CASE("an order that would change a result is refused with two iterations that collide") {
    refuses(
        dense(), "stage c.update(0)\nparallel(r)\n",
        R"(error: c.update(0).r cannot be parallel: iterations r = 0 and r = 1 both update c(i, j)  [parallel-race]
  s.sched:3   parallel(r)
  note: code   c(i, j) += a(i, r) * b(r, j) for r: 0..k   its definition
  help: c_part = rfactor(c.update(0), r, 16, outer, u, in_order) makes parts; then parallel(u))");
    refuses(
        dense(), "stage c.update(0)\nvectorize(r, 8)\n",
        R"(error: c.update(0).ri cannot be vectorised: iterations r = 0 and r = 1 both update c(i, j)  [vectorize-race]
  s.sched:3   vectorize(r, 8)
  note: code   c(i, j) += a(i, r) * b(r, j) for r: 0..k   its definition
  help: c_part = rfactor(c.update(0), r, 16, inner, u, in_order) makes parts; then vectorize(u, 16))");
    refuses(
        dense(), "stage c.update(0)\nsplit(r, 8)\nreorder(ri, ro)\n",
        R"(error: c.update(0): ro must stay outside ri: (ro = 0, ri = 1) runs before (ro = 1, ri = 0) as written, and would run after it  [reduction-order]
  s.sched:4   reorder(ri, ro)
  note: iterations r = 0 and r = 1 both update c(i, j)
  help: c_part = rfactor(c.update(0), r, 16, inner, u, in_order) states another order
  help: the order as written: ro, ri)");
    refuses(
        dense(), "stage h.update(0)\nparallel(r)\n",
        R"(error: h.update(0).r cannot be parallel: iterations r = 0 and r = 1 may both touch h(index(t(r)))  [parallel-unproved]
  s.sched:3   parallel(r)
  note: code   h(index(t(r))) += 1 for r: 0..n   its definition
  help: h_part = rfactor(h.update(0), r, 16, outer, u, tree) makes parts; then parallel(u))");
    refuses(
        dense(), "stage h.update(0)\nvectorize(r, 8)\n",
        R"(error: h.update(0).ri cannot be vectorised: iterations r = 0 and r = 1 may both touch h(index(t(r)))  [vectorize-unproved]
  s.sched:3   vectorize(r, 8)
  note: code   h(index(t(r))) += 1 for r: 0..n   its definition
  help: h_part = rfactor(h.update(0), r, 16, inner, u, tree) makes parts; then vectorize(u, 16))");
    refuses(
        dense(), "stage q.update(0)\nparallel(r)\n",
        R"(error: q.update(0).r cannot be parallel: iteration r = 2 reads q(r - 1), which iteration r = 1 writes  [parallel-race]
  s.sched:3   parallel(r)
  note: code   q(r) = q(r - 1) + i32(t(r)) for r: 1..n   its definition)");
    refuses(
        dense(), "stage q.update(0)\nsplit(r, 8)\nreorder(ri, ro)\n",
        R"(error: q.update(0): ro must stay outside ri: (ro = 0, ri = 1) runs before (ro = 1, ri = 0) as written, and would run after it  [reduction-order]
  s.sched:4   reorder(ri, ro)
  note: iteration r = 2 reads q(r - 1), which iteration r = 1 writes
  help: the order as written: ro, ri)");
    refuses(
        dense(), "stage z.update(0)\nvectorize(s0)\n",
        R"(error: z.update(0).s0 cannot be vectorised: iterations s0 = 0 and s0 = 1 both update z(i, j)  [vectorize-race]
  s.sched:3   vectorize(s0)
  note: code   z(i, j) += i32(t(s1)) * i32(s0) for s0: 0..4, s1: 0..n   its definition
  help: z_part = rfactor(z.update(0), s0, 16, inner, u, tree) makes parts; then vectorize(u, 16))");
}

TEST_CASE("places that cannot be are refused with the blocking use and the legal places") {
    refuses(blur(), "stage blur_y\ncompute_inline()\n",
            R"(error: blur_y is an output and is computed at root only  [output-not-root]
  s.sched:3   compute_inline())");
    refuses(
        blur(), "stage blur_x\nparallel(y)\n",
        R"(error: blur_x is computed inline and has no loops or storage: parallel(y) would be lost  [inline-has-no-loops]
  s.sched:3   parallel(y)
  help: compute_root() or compute_at(...) in stage blur_x)");
    refuses(blur(), "stage blur_x\nstore_at(blur_y, y)\n",
            R"(error: blur_x has a store_at but is computed inline  [store-without-compute]
  s.sched:3   store_at(blur_y, y)
  help: compute_at says where)");
    refuses(blur(), "stage blur_x\ncompute_at(blur_x, y)\n",
            R"(error: blur_x cannot be placed inside its own loops  [placed-in-itself]
  s.sched:3   compute_at(blur_x, y))");
    refuses(blur(), "stage blur_x\ncompute_at(blur_y, x)\ncompute_root()\n",
            R"(error: another line says where blur_x is computed  [placed-twice]
  s.sched:4   compute_root()
  note: s.sched:3   compute_at(blur_y, x)   that line)");
    refuses(
        blur(), "stage blur_y\nvectorize(x, 8)\nstage blur_x\ncompute_at(blur_y, xi)\n",
        R"(error: blur_x cannot be computed at blur_y.xi: that loop is vectorised  [compute-at-vectorized]
  s.sched:5   compute_at(blur_y, xi)
  note: code   blur_y(y, x) = blur_x(y, x) + blur_x(y, x) * 2.0   the stage with that loop
  help: legal places for blur_x: inline, root, blur_y.y, blur_y.xo)");
    refuses(
        blur(), "stage blur_y\nparallel(y)\nstage blur_x\ncompute_at(blur_y, x)\nstore_root()\n",
        R"(error: blur_x cannot be stored at root and computed at blur_y.x: between them blur_y.y is parallel, and its iterations would write the same storage  [store-outside-parallel]
  s.sched:6   store_root()
  help: store_at(blur_y, y), or further in
  help: legal places for blur_x: inline, root, blur_y.y, blur_y.x)");
    refuses(
        blur(), "stage blur_x\ncompute_at(blur_y, y)\nstore_at(blur_y, x)\n",
        R"(error: blur_x cannot be stored at blur_y.x: it is computed at blur_y.y, outside that loop  [store-inside-compute]
  s.sched:4   store_at(blur_y, x)
  help: legal places for blur_x: inline, root, blur_y.y, blur_y.x)");
    refuses(
        edges(), "stage f\ncompute_at(out, x)\nstage g\ncompute_root()\n",
        R"(error: f cannot be computed at out.x: g reads it too, outside that loop  [compute-at-outside-use]
  s.sched:3   compute_at(out, x)
  note: s.sched:5   compute_root()   g is computed at root
  note: code   f is defined here
  help: legal places for f: inline, root)");
    refuses(
        edges(), "stage f\ncompute_at(g, x)\nstage g\ncompute_root()\n",
        R"(error: f cannot be computed at g.x: out reads it too, outside that loop  [compute-at-outside-use]
  s.sched:3   compute_at(g, x)
  note: code   out(y, x) = f(y, x) + g(y, x)   out is computed at root
  note: code   f is defined here
  help: legal places for f: inline, root)");
    refuses(
        edges(), "stage f\ncompute_at(g, x)\n",
        R"(error: f cannot be computed at g.x: g is computed inline and has no loops  [place-in-inline]
  s.sched:3   compute_at(g, x)
  help: legal places for f: inline, root, out.y, out.x)");
    refuses(
        edges(), "stage f\ncompute_at(g, x)\nstage g\ncompute_at(f, x)\n",
        R"(error: f cannot be computed at g.x: f is placed inside a Func that is placed inside it  [placement-cycle]
  s.sched:3   compute_at(g, x))");
}

TEST_CASE("storage that cannot be is refused") {
    refuses(blur(), "stage blur_y\nstore_in(Stack)\n",
            R"(error: blur_y is an output: its storage is the caller's buffer  [output-storage]
  s.sched:3   store_in(Stack))");
    refuses(
        blur(), "stage blur_x\ncompute_root()\ntransform_layout([y, x] -> [x, x / 8])\n",
        R"(error: the storage coordinates do not tell all values of y apart exactly once  [layout-not-one-to-one]
  s.sched:4   transform_layout([y, x] -> [x, x / 8])
  help: y alone, or y / c and y % c of one c)");
    refuses(
        blur(), "stage blur_x\ncompute_root()\ntransform_layout([x, y] -> [y, x])\n",
        R"(error: the left side of -> names the coordinates of blur_x in another order than they have  [layout-order]
  s.sched:4   transform_layout([x, y] -> [y, x]))");
    refuses(blur(), "stage blur_x\ncompute_root()\ntransform_layout([x] -> [x])\n",
            R"(error: blur_x has 2 coordinates, not 1  [layout-rank]
  s.sched:4   transform_layout([x] -> [x]))");
    refuses(
        blur(), "stage blur_x\ncompute_root()\ntransform_layout([y, x] -> [y + 1, x])\n",
        R"(error: y + 1 is no storage coordinate: x, x / c, x % c and x / c % d are, for x on the left  [layout-form]
  s.sched:4   transform_layout([y, x] -> [y + 1, x]))");
    refuses(
        dense(), "stage z.update(0)\ncache_write(i, Stack)\n",
        R"(error: the tile that z.update(0).i touches cannot be cached: j has no constant extent  [cache-write-size]
  s.sched:3   cache_write(i, Stack)
  help: split j by a constant and reorder its outer part outside i)");
    refuses(
        dense(), "stage h.update(0)\ncache_write(r, Register)\n",
        R"(error: the tile that h.update(0).r touches cannot be cached: its coordinates depend on t  [cache-write-scatter]
  s.sched:3   cache_write(r, Register))");
}

TEST_CASE("edits that cannot be are refused") {
    refuses(dense(), "part = rfactor(c.update(0), r, 0, inner, u, tree)\n",
            R"(error: the number of parts must be a constant from 1 to 1048576  [rfactor-parts]
  s.sched:2   part = rfactor(c.update(0), r, 0, inner, u, tree))");
    refuses(
        dense(), "part = rfactor(q.update(0), r, 8, inner, u, tree)\n",
        R"(error: q.update(0) is a plain assignment: its parts could not be combined  [rfactor-no-operator]
  s.sched:2   part = rfactor(q.update(0), r, 8, inner, u, tree)
  note: code   q(r) = q(r - 1) + i32(t(r)) for r: 1..n   its definition
  help: rfactor takes updates by + * min max & | ^, argmin and argmax)");
    refuses(dense(), "y = cache_read(b, [c])\n",
            R"(error: y cannot be the name of a new stage: it is taken  [stage-name-taken]
  s.sched:2   y = cache_read(b, [c]))");
    refuses(dense(), "bp = cache_read(b, [y])\n",
            R"(error: y does not read b  [reader-does-not-read]
  s.sched:2   bp = cache_read(b, [y])
  help: its readers: c.update(0))");
    refuses(dense(), "c2 = clone_in(c, [y])\n",
            R"(error: nobody would read c any more  [clone-leaves-none]
  s.sched:2   c2 = clone_in(c, [y])
  help: place c itself, or leave a reader to it)");
}

TEST_CASE("a schedule for another pipeline is refused by its name") {
    CHECK(std::string(error_of([] {
                          parse_schedule(blur(), "schedule 1 for edges\n", "s.sched");
                      }).what()) ==
          "error: the schedule is for edges, not for blur  [schedule-for-another]\n  s.sched:1");
}

TEST_CASE(
    "a schedule for another version of the algorithm is accepted where all of it fits, else all "
    "misfits are listed") {
    std::string head = "schedule 1 for edges 00000000000000000000000000000001\n";
    check(parse_schedule(edges(), head + "stage f\ncompute_at(out, y)\n"));
    Error e = error_of([&] {
        parse_schedule(edges(),
                       head + "stage f\ncompute_root()\nparallel(yy)\nstage gg\nserial(x)\n",
                       "s.sched");
    });
    std::string report = e.what();
    CHECK(report.starts_with(
        R"(error: the schedule was written for another version of edges: 2 of its 3 lines do not fit it  [stale-schedule]
  s.sched:4   parallel(yy)
  note: s.sched:4   parallel(yy)   f has no loop yy; did you mean y?
  note: s.sched:6   serial(x)   edges has no stage gg; did you mean g?
  help: the other lines resolve)"));
}
