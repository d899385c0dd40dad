// The pages about places, storage, edits and names in schedules. pages.h says how they are written.
namespace burin {

extern const char* const schedule_pages = R"(
== program blur
pipeline blur(in: f32[h, w], p: i32, q: f32) -> out[h, w]
rows(y, x) = in(y, x) * q
out(y, x) = rows(y, x) + 1.0
== program edges
pipeline edges(in: f32[h, w]) -> out[h, w]
f(y, x) = in(y, x) * 2.0
g(y, x) = f(y, x) + 1.0
out(y, x) = f(y, x) + g(y, x)
== program product
pipeline product(a: f32[m, k], b: f32[k, n]) -> c[m, n]
c(i, j) += a(i, r) * b(r, j) for r: 0..k
== program scans
pipeline scans(t: u8[n]) -> q[n], s[n], c[256]
q(i) = 0
q(r) = q(r - 1) + i32(t(r)) for r: 1..n
s(i) += i32(t(r)) for r: 0..n
c(i) = 0
c(index(t(r))) += 1 for r: 0..n

== compute-at-outside-use
What is computed at a loop is there for the body of that loop alone. A Func that reads it elsewhere would find nothing.
-- burin edges
-- sched
stage g
  compute_root()
stage f
  compute_at(g, x)
-- instead sched
stage g
  compute_root()
stage f
  compute_root()

== compute-at-vectorized
The iterations of a vectorised loop run at once: there is no moment inside one of them at which something could be computed.
-- burin blur
-- sched
stage out
  vectorize(x, 8)
stage rows
  compute_at(out, xi)
-- instead sched
stage out
  vectorize(x, 8)
stage rows
  compute_at(out, xo)

== store-inside-compute
Storage has to be there before its values are computed and as long as they are used, so store_at names a loop outside compute_at's.
-- burin blur
-- sched
stage rows
  compute_at(out, y)
  store_at(out, x)
-- instead sched
stage rows
  compute_at(out, x)
  store_at(out, y)

== store-outside-parallel
Iterations of a parallel loop run at once. Storage outside it would be one for all of them, and each would write its own values there.
-- burin blur
-- sched
stage out
  parallel(y)
stage rows
  compute_at(out, x)
  store_root()
-- instead sched
stage out
  parallel(y)
stage rows
  compute_at(out, x)
  store_at(out, y)

== store-without-compute
An inlined Func has no storage. compute_at says where it is computed; store_at alone does not.
-- burin blur
-- sched
stage rows
  store_at(out, y)
-- instead sched
stage rows
  store_at(out, y)
  compute_at(out, x)

== inline-has-no-loops
A pure Func without a place is put where it is read, so it has no loops of its own that a line could be about.
-- burin blur
-- sched
stage rows
  parallel(y)
-- instead sched
stage rows
  compute_root()
  parallel(y)

== place-in-inline
A Func that is computed inline has no loops, so nothing can be computed at one of them.
-- burin edges
-- sched
stage f
  compute_at(g, x)
-- instead sched
stage g
  compute_at(out, y)
stage f
  compute_at(out, y)

== placed-in-itself
A Func's own loops compute it; it cannot be computed inside them before they start.
-- burin blur
-- sched
stage rows
  compute_at(rows, y)
-- instead sched
stage rows
  compute_at(out, y)

== placed-twice
A Func has one place. Two lines that give one contradict each other.
-- burin blur
-- sched
stage rows
  compute_at(out, x)
  compute_root()
-- instead sched
stage rows
  compute_root()

== placement-cycle
Two Funcs each inside the other's loops: neither could start.
-- burin edges
-- sched
stage f
  compute_at(g, x)
stage g
  compute_at(f, x)
-- instead sched
stage g
  compute_root()
stage f
  compute_root()

== output-not-root
The caller's buffer holds an output, whole. So it is computed at root, in loops of its own.
-- burin blur
-- sched
stage out
  compute_inline()
-- instead sched
stage rows
  compute_inline()

== output-storage
The storage of an output is the buffer that the caller gives: the schedule does not choose it.
-- burin blur
-- sched
stage out
  store_in(Stack)
-- instead sched
stage rows
  compute_at(out, x)
  store_in(Stack)

== storage-not-constant
On the stack and in registers there is room only for what has a constant size.
-- burin blur
-- sched
stage rows
  compute_root()
  store_in(Stack)
-- instead sched
stage out
  xo, xi = split(x, 64)
stage rows
  compute_at(out, xo)
  store_in(Stack)

== storage-too-large
The stack of a thread is small: what is larger than the limit belongs on the heap.
-- burin blur
-- sched
stage out
  xo, xi = split(x, 1048576)
stage rows
  compute_at(out, xo)
  store_in(Stack)
-- instead sched
stage out
  xo, xi = split(x, 1048576)
stage rows
  compute_at(out, xo)
  store_in(Heap)

== layout-form
A storage coordinate is a coordinate x of the Func, or x / c, x % c or x / c % d with constants: these can be told apart again.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([y, x] -> [y + 1, x])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, y])

== layout-order
The left side of -> lists the coordinates in the Func's own order; the order of storage is the right side's matter.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([x, y] -> [y, x])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, y])

== layout-rank
The left side of -> lists all the coordinates of the Func, and no others.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([x] -> [x])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, y])

== layout-not-one-to-one
Two points would lie in the same place, or the parts of a coordinate do not make it up again.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, x / 8])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x / 8, y, x % 8], pad)

== layout-not-whole
Blocks of a layout are whole. Where the extent may not be a multiple of them, the storage must be allowed to be larger.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x / 8, y, x % 8])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x / 8, y, x % 8], pad)

== layout-twice
A Func has one layout; a second one would contradict it.
-- burin blur
-- sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, y])
  transform_layout([y, x] -> [y, x])
-- instead sched
stage rows
  compute_root()
  transform_layout([y, x] -> [x, y])

== bound-twice
One promise about a coordinate is enough; two could contradict each other.
-- burin blur
-- sched
stage out
  bound(x, 0, 8)
  bound(x, 0, 8)
-- instead sched
stage out
  bound(x, 0, 8)

== bound-negative
An extent is 0 or more.
-- burin blur
-- sched
stage out
  bound(x, 0, 3 - 8)
-- instead sched
stage out
  bound(x, 0, 8)

== cache-write-size
A tile that lives on the stack or in registers has a constant size, so the loops inside that move over it have constant extents.
-- burin product
-- sched
stage c.update(0)
  reorder(i, r, j)
  cache_write(i, Stack)
-- instead sched
stage c.update(0)
  jo, ji = split(j, 16)
  reorder(i, jo, r, ji)
  cache_write(jo, Register)

== cache-write-scatter
The points that the update touches depend on data, so nobody can say beforehand which tile they make.
-- burin scans
-- sched
stage c.update(0)
  cache_write(r, Stack)
-- instead sched
stage s.update(0)
  io, ii = split(i, 16)
  reorder(io, r, ii)
  cache_write(io, Stack)

== cache-write-self-read
An update that reads its Func at other points would not find them in the tile.
-- burin scans
-- sched
stage q.update(0)
  ro, ri = split(r, 16)
  cache_write(ro, Stack)
-- instead sched
stage s.update(0)
  io, ii = split(i, 16)
  reorder(io, r, ii)
  cache_write(io, Stack)

== cache-write-vector
The iterations of a vectorised loop run at once: none of them has a moment to copy a tile.
-- burin product
-- sched
stage c.update(0)
  reorder(r, i, j)
  jo, ji = split(j, 8)
  vectorize(ji)
  cache_write(ji, Register)
-- instead sched
stage c.update(0)
  jo, ji = split(j, 8)
  reorder(i, jo, r, ji)
  vectorize(ji)
  cache_write(jo, Register)

== cache-write-parallel
The tile belongs to one iteration of the loop; iterations inside that run at once would share it.
-- burin product
-- sched
stage c.update(0)
  io, ii = split(i, 8)
  jo, ji = split(j, 8)
  reorder(io, jo, ii, ji, r)
  parallel(ii)
  cache_write(jo, Stack)
-- instead sched
stage c.update(0)
  io, ii = split(i, 8)
  jo, ji = split(j, 8)
  reorder(io, jo, ii, ji, r)
  parallel(io)
  cache_write(jo, Stack)

== cache-write-twice
A stage's update has one tile of its own.
-- burin product
-- sched
stage c.update(0)
  io, ii = split(i, 8)
  jo, ji = split(j, 8)
  reorder(io, jo, r, ii, ji)
  cache_write(jo, Stack)
  cache_write(r, Stack)
-- instead sched
stage c.update(0)
  io, ii = split(i, 8)
  jo, ji = split(j, 8)
  reorder(io, jo, r, ii, ji)
  cache_write(jo, Stack)

== too-many-copies
A Func with updates that is inline is copied for each stage that reads it, and what it reads is copied again for each copy. More than a thousand copies are not
meant: some of the stages in between need a place of their own.

== stage-name-taken
A new stage has a name that nothing else in the pipeline has.
-- burin product
-- sched
a = cache_read(b, [c])
-- instead sched
bp = cache_read(b, [c])

== reader-does-not-read
Only who reads a stage can read its copy instead.
-- burin edges
-- sched
copy = cache_read(in, [g])
-- instead sched
copy = cache_read(in, [f])

== clone-leaves-none
A clone is for some of the readers. If all of them read it, the original is computed for nobody.
-- burin edges
-- sched
f2 = clone_in(f, [g, out])
-- instead sched
f2 = clone_in(f, [g])

== input-is-no-stage
An input is given, not computed. What can be scheduled is a copy of it.
-- burin blur
-- sched
stage in
  parallel(y)
-- instead sched
copy = cache_read(in, [rows])
stage copy
  compute_root()
  parallel(d0)
stage rows
  compute_root()

== edit-in-stage
Edits make stages, so they come first: a stage's lines are about what there is.
-- burin product
-- sched
stage c
  bp = cache_read(b, [c])
-- instead sched
bp = cache_read(b, [c])
stage c
  parallel(i)

== rfactor-no-update
rfactor divides a reduction into parts, and this Func has none.
-- burin blur
-- sched
part = rfactor(out, x, 8, inner, u, in_order)
-- instead burin product
-- instead sched
part = rfactor(c.update(0), r, 8, inner, u, in_order)

== rfactor-no-operator
The parts of a reduction are put together by its operator. A plain assignment has none.
-- burin
pipeline last(t: f32[n]) -> s[n]
s(i) = 0.0
s(i) = t(r) for r: 0..n
-- sched
part = rfactor(s.update(0), r, 8, inner, u, in_order)
-- instead burin
pipeline total(t: f32[n]) -> s[n]
s(i) += t(r) for r: 0..n

== rfactor-parts
The number of parts is written in the schedule, never the machine's: so the bits are the same everywhere.
-- burin product
-- sched
part = rfactor(c.update(0), r, 0, inner, u, in_order)
-- instead sched
part = rfactor(c.update(0), r, 8, inner, u, in_order)

== rfactor-self-read
Each part starts at nothing. An update that reads what it has summed up so far needs the parts before it.
-- burin
pipeline p(t: f32[n]) -> s[n]
s(i) += t(r) * s(i) for r: 0..n
-- sched
part = rfactor(s.update(0), r, 8, inner, u, in_order)
-- instead burin
pipeline p(t: f32[n]) -> s[n]
s(i) += t(r) for r: 0..n

== strict-order
A strict pipeline keeps every sum in its written order; rfactor would state another one.
-- burin
pipeline p(t: f32[n]) -> s[n] strict
s(i) += t(r) for r: 0..n
-- sched
part = rfactor(s.update(0), r, 8, inner, u, in_order)
-- instead burin
pipeline p(t: f32[n]) -> s[n]
s(i) += t(r) for r: 0..n

== unknown-stage
The lines of a schedule are about stages of its pipeline: each Func, and f.update(0), f.update(1), ...
-- burin blur
-- sched
stage row
  compute_root()
-- instead sched
stage rows
  compute_root()

== unknown-loop
A stage has the loops of its coordinates and RVars, and what split, fuse and tile have made of them.
-- burin blur
-- sched
stage out
  parallel(z)
-- instead sched
stage out
  parallel(y)

== unknown-coordinate
bound speaks of a coordinate of the Func, as in its definition.
-- burin blur
-- sched
stage out
  bound(z, 0, 8)
-- instead sched
stage out
  bound(x, 0, 8)

== unknown-directive
There is no line of that name.
-- burin blur
-- sched
stage out
  paralel(y)
-- instead sched
stage out
  parallel(y)

== unknown-word
An option of a line, such as a tail or a kind of memory, is one of a few words.
-- burin blur
-- sched
stage out
  xo, xi = split(x, 8, gard)
-- instead sched
stage out
  xo, xi = split(x, 8, guard)

== unknown-size
A factor is made of numbers, the pipeline's sizes and its integer parameters.
-- burin blur
-- sched
stage out
  xo, xi = split(x, hh)
-- instead sched
stage out
  xo, xi = split(x, h)

== directive-arguments
A line takes what its help lists, in that order.
-- burin blur
-- sched
stage out
  xo, xi = split(x)
-- instead sched
stage out
  xo, xi = split(x, 8)

== directive-results
On the left of = stands a name for each loop that the line makes.
-- burin blur
-- sched
stage out
  xo = split(x, 8)
-- instead sched
stage out
  xo, xi = split(x, 8)

== stage-twice
A stage's lines count in their order, so they stand together.
-- burin blur
-- sched
stage out
  parallel(y)
stage out
  vectorize(x, 8)
-- instead sched
stage out
  parallel(y)
  vectorize(x, 8)

== schedule-version
The first line of a schedule says in which version of its language it is written. This library reads version 1.
-- burin blur
-- sched
schedule 2 for blur
-- instead sched
schedule 1 for blur

== schedule-for-another
The first line of a schedule names its pipeline.
-- burin blur
-- sched
schedule 1 for edges
-- instead sched
schedule 1 for blur

== stale-schedule
The hash in the first line tells that the algorithm has changed since, and some lines do not fit it any more.
-- burin blur
-- sched
schedule 1 for blur 00000000000000000000000000000001
stage rowz
  compute_root()
-- instead sched
schedule 1 for blur 00000000000000000000000000000001
stage rows
  compute_root()

== other-pipeline
A Schedule belongs to the pipeline it was made for.
-- c++
f(x) = in(x);
g(x) = in(x) + 1;
Pipeline p("p", {in}, {f({n})}), q("q", {in}, {g({n})});
compile(p, Schedule(q));
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
compile(p, Schedule(p));

== stage-of-other-pipeline
A Func of that name is in the pipeline, but it is another one.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Schedule s(p);
Func other("f");
other(x) = in(x) + 1;
s[other].parallel(x);
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Schedule s(p);
s[f].parallel(x);

== loop-of-other-stage
A loop belongs to the stage that it was made in.
-- c++
f(x) = in(x);
g(x) = f(x);
Pipeline p("p", {in}, {g({n})});
Schedule s(p);
auto [xo, xi] = s[g].split(x, 8);
s[f].compute_root().parallel(xo);
-- instead c++
f(x) = in(x);
g(x) = f(x);
Pipeline p("p", {in}, {g({n})});
Schedule s(p);
auto [xo, xi] = s[g].split(x, 8);
s[g].parallel(xo);

== loop-of-domain
A domain of several variables is several loops.
-- c++
RDom r({4, 4}, "r");
f(x) += in(r[0] + r[1]);
Pipeline p("p", {in}, {f({n})});
Schedule s(p);
s[f.update(0)].serial(r);
-- instead c++
RDom r({4, 4}, "r");
f(x) += in(r[0] + r[1]);
Pipeline p("p", {in}, {f({n})});
Schedule s(p);
s[f.update(0)].serial(r[0]);
)";

}  // namespace burin
