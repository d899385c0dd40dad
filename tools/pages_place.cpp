// The pages about places and storage. pages.h says how they are written.
namespace burin {

extern const char* const place_pages = R"(
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

== reverse-not-read
reverse_compute_at stands in the stage that reads: it takes the loops of what it reads, and that is computed in them.
-- burin blur
-- sched
stage rows
  reverse_compute_at(out, y)
-- instead sched
stage out
  reverse_compute_at(rows, y)

== reverse-loop
A stage takes loops over coordinates that are serial or parallel, whole or split. Fused loops, lanes, copies and loops of a reduction stay with their stage.
-- burin blur
-- sched
stage rows
  vectorize(x, 8)
stage out
  reverse_compute_at(rows, xi)
-- instead sched
stage rows
  vectorize(x, 8)
stage out
  reverse_compute_at(rows, xo)

== reverse-no-match
A loop over a coordinate of the Func becomes one over the coordinate that the reader uses there. Every read has to use the same one, plus a constant; else
the reader's tiles are its own, and compute_at puts the Func into them.
-- burin
pipeline half(in: f32[h]) -> out[h]
f(x) = in(x) * 2.0
out(x) = f(x / 2)
-- sched
stage f
  split(x, 8)
stage out
  reverse_compute_at(f, xo)
-- instead sched
stage f
  compute_at(out, xo)
stage out
  split(x, 16)

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
  yo, xo, yi, xi = tile(y, x, 1024, 1024)
stage rows
  compute_at(out, xo)
  store_in(Stack)
-- instead sched
stage out
  yo, xo, yi, xi = tile(y, x, 1024, 1024)
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

== inline-too-large
An inline stage stands wherever it is read, and what it reads stands there as often again. A chain of stages that each read a few points grows beyond what could be
compiled; a place of its own for one of them, compute_root() or compute_at(...), cuts the chain.

== too-many-copies
A Func with updates that is inline is copied for each stage that reads it, and what it reads is copied again for each copy. More than a thousand copies are not
meant: some of the stages in between need a place of their own.

== program window
pipeline window(in: f32[h + 2, w]) -> g[h, w]
f(y, x) = in(y, x) * 2.0
g(y, x) = f(y, x) + f(y + 1, x) + f(y + 2, x)

== fold-too-small
A folded dimension holds as many elements as are in use at once: here three rows, those that one row of g reads.
-- burin window
-- sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 2)
-- instead sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 3)

== fold-unproved
Elements that are kept for later would be overwritten, or nobody can prove that they are not.
-- burin window
-- sched
stage f
  store_root()
  compute_at(g, x)
  fold_storage(x, 4)
-- instead sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 4)

== fold-without-store-at
Storage is folded where it outlives the loop that fills it. What is stored where it is computed is gone by the next iteration.
-- burin window
-- sched
stage f
  compute_at(g, y)
  fold_storage(y, 4)
-- instead sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 4)

== fold-twice
A dimension is folded once.
-- burin window
-- sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 3)
  fold_storage(y, 4)
-- instead sched
stage f
  store_root()
  compute_at(g, y)
  fold_storage(y, 4)
)";

}  // namespace burin
