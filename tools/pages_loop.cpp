// The pages about loops: their factors, tails, kinds and orders. pages.h says how they are written.
namespace burin {

extern const char* const loop_pages = R"(
== program copy
pipeline copy(in: f32[h, w], p: i32, q: f32) -> out[h, w]
out(y, x) = in(y, x) + q
== program sum
pipeline sum_up(a: f32[m, k], t: u8[n]) -> c[m], h[256], q[n]
c(i) += a(i, r) for r: 0..k
h(i) = 0
h(index(t(r))) += 1 for r: 0..n
q(i) = 0
q(r) = q(r - 1) + i32(t(r)) for r: 1..n
== program gemm
pipeline gemm(a: f32[m, k], b: f32[k, n]) -> c[m, n]
c(i, j) += a(i, r) * b(r, j) for r: 0..k

== factor-below-one
A loop is split into pieces of one iteration or more.
-- burin copy
-- sched
stage out
  xo, xi = split(x, 0)
-- instead sched
stage out
  xo, xi = split(x, 8)

== factor-type
A factor counts iterations: it is a whole number.
-- burin copy
-- sched
stage out
  xo, xi = split(x, q)
-- instead sched
stage out
  xo, xi = split(x, p)

== factor-not-constant
How many lanes a vector has, or how often a loop is unrolled, is known when code is made.
-- burin copy
-- sched
stage out
  vectorize(x, p)
-- instead sched
stage out
  xo, xi = split(x, p)
  vectorize(xi, 8)

== factor-too-large
Vectors and unrolled loops become code, one piece for each iteration: thousands are no gain.
-- burin copy
-- sched
stage out
  vectorize(x, 4096)
-- instead sched
stage out
  vectorize(x, 16)

== factor-not-positive
A factor that is a parameter has its value at the call. It must be at least 1 then.
-- burin copy
-- sched
stage out
  xo, xi = split(x, p)
-- call
--size h=4,w=8 --set p=0
-- instead call
--size h=4,w=8 --set p=3

== extent-not-constant
Lanes and unrolled copies are counted when code is made, so the loop has a constant number of iterations.
-- burin copy
-- sched
stage out
  vectorize(x)
-- instead sched
stage out
  vectorize(x, 8)

== two-vector-loops
A stage has one loop of lanes.
-- burin copy
-- sched
stage out
  vectorize(x, 8)
  vectorize(y, 4)
-- instead sched
stage out
  vectorize(x, 8)
  unroll(y, 4)

== parallel-in-vector
Lanes of a vector run in lockstep: they cannot each start threads.
-- burin copy
-- sched
stage out
  xo, xi = split(x, 8)
  parallel(xi)
  vectorize(y, 8)
  reorder(xo, yo, yi, xi)
-- instead sched
stage out
  parallel(y)
  vectorize(x, 8)

== loop-already-marked
A loop that was made parallel, vectorised or unrolled is finished: what shapes it comes before the line that marks it.
-- burin copy
-- sched
stage out
  vectorize(x, 8)
  xa, xb = split(xi, 2)
-- instead sched
stage out
  xo, xi = split(x, 8)
  xa, xb = split(xo, 2)
  vectorize(xi)

== loop-listed-twice
An order of loops lists each of them once.
-- burin copy
-- sched
stage out
  reorder(x, y, x)
-- instead sched
stage out
  reorder(x, y)

== loop-name-taken
Loops of a stage, the sizes and the parameters of the pipeline each have a name of their own.
-- burin copy
-- sched
stage out
  h, xi = split(x, 8)
-- instead sched
stage out
  xo, xi = split(x, 8)

== fuse-not-adjacent
Two loops become one where nothing stands between them.
-- burin copy
-- sched
stage out
  fuse(x, y)
-- instead sched
stage out
  fuse(y, x)

== fuse-mixed
A loop over a reduction's domain has an order to keep, one over coordinates has none. One loop cannot be both.
-- burin gemm
-- sched
stage c.update(0)
  reorder(i, j, r)
  jr = fuse(j, r)
-- instead sched
stage c.update(0)
  reorder(i, j, r)
  ij = fuse(i, j)

== too-many-loops
A stage of more than a hundred loops is not meant. Where it happens, a program wrote the schedule: each split adds a loop.

== tail-not-allowed
round_up computes points beyond the extent, which an output has no room for and a reduction must not have. shift_inwards
computes some points twice, which an update of what it reads cannot stand.
-- burin copy
-- sched
stage out
  xo, xi = split(x, 8, round_up)
-- instead sched
stage out
  xo, xi = split(x, 8, guard)

== parallel-race
Two iterations of the loop touch the same value, and at least one writes it. At once, in any order, the result would be anybody's guess.
-- burin sum
-- sched
stage c.update(0)
  parallel(r)
-- instead sched
part = rfactor(c.update(0), r, 16, outer, u, in_order)
stage part.update(0)
  parallel(u)

== parallel-unproved
Whether two iterations write to the same place depends on data.
-- burin sum
-- sched
stage h.update(0)
  parallel(r)
-- instead sched
part = rfactor(h.update(0), r, 16, outer, u, tree)
stage part.update(0)
  reorder(u, ri)
  parallel(u)

== vectorize-race
Two lanes would touch the same value, and at least one writes it.
-- burin sum
-- sched
stage c.update(0)
  vectorize(r, 8)
-- instead sched
part = rfactor(c.update(0), r, 8, inner, u, in_order)
stage part.update(0)
  reorder(i, ro, u)
  vectorize(u)

== vectorize-unproved
Whether two lanes write to the same place depends on data.
-- burin sum
-- sched
stage h.update(0)
  vectorize(r, 8)
-- instead sched
part = rfactor(h.update(0), r, 8, inner, u, tree)
stage part.update(0)
  reorder(ro, u)

== reduction-order
Sums of floats depend on their order, and a scan on what was before. Loops over the domain stay in the written order unless an edit states another.
-- burin sum
-- sched
stage c.update(0)
  ro, ri = split(r, 8)
  reorder(ri, ro)
-- instead sched
part = rfactor(c.update(0), r, 8, inner, u, in_order)
stage part.update(0)
  reorder(i, ro, u)

== order-unproved
Whether the other order gives the same result depends on data.
-- burin
pipeline p(t: u8[n], v: f32[n]) -> h[256]
h(i) = 0.0
h(index(t(r))) = v(r) for r: 0..n
-- sched
stage h.update(0)
  ro, ri = split(r, 8)
  reorder(ri, ro)
-- instead sched
stage h.update(0)
  ro, ri = split(r, 8)

== vectorize-outer
A loop inside the vectorised one is vectorised too, or its number of iterations differs from lane to lane.
The innermost loop is the one to vectorise.

== vectorize-extent unroll-extent
The loop's number of iterations turned out not to be a constant when loops were made from the schedule. A split by a constant before the line that marks it makes it one.

== storage-in-vector
Something was to be allocated inside a vectorised loop. Its place belongs at a loop outside.

== storage-unbounded
The size of an intermediate could grow without bound: its coordinates depend on data whose range nobody knows. A clamp of the index gives it one.
)";

}  // namespace burin
