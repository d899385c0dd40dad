// The pages about variants, prefetches, streamed stores and partitions. pages.h says how they are written.
namespace burin {

extern const char* const variant_pages = R"(
== program rows
pipeline rows(in: f32[h, w], q: f32) -> out[h, w]
half(y, x) = in(y, x) * q
out(y, x) = half(y, x) + 1.0
== program powers
pipeline powers(in: i32[w]) -> out[w]
out(x) = select(x * x < w, in(x), 0)
== program totals
pipeline totals(a: f32[m, k]) -> c[k]
c(j) += a(r, j) for r: 0..m

== stream-update
A streamed store goes past the caches to memory. An update reads and writes its points again and again, and would wait for memory each time.
-- burin totals
-- sched
stage c
  vectorize(j, 16)
  stream_stores()
-- instead sched
stage c
  vectorize(j, 16)

== stream-not-heap
What lies on the stack or in registers is read again at once: there is nothing to gain from memory, and registers have none.
-- burin rows
-- sched
stage out
  split(x, 8)
stage half
  compute_at(out, xo)
  vectorize(x, 8)
  store_in(Stack)
  stream_stores()
-- instead sched
stage out
  split(x, 8)
stage half
  compute_at(out, xo)
  vectorize(x, 8)
  store_in(Stack)

== stream-without-vectors
The machine streams whole vectors of 16, 32 or 64 bytes, so the coordinate that lies innermost in storage has to be vectorised by such a width.
-- burin rows
-- sched
stage out
  stream_stores()
-- instead sched
stage out
  vectorize(x, 16)
  stream_stores()

== partition-no-loop
A loop that is vectorised or unrolled is no loop any more when loops are split into edges and a middle. The loop around it can be.
-- burin rows
-- sched
stage out
  vectorize(x, 8)
  partition(xi, always)
-- instead sched
stage out
  vectorize(x, 8)
  partition(xo, never)

== partition-impossible
A loop is split where one of its conditions turns, which has to be linear in the loop and the same for all that is inside.
-- burin powers
-- sched
stage out
  partition(x, always)
-- instead sched
stage out
  partition(x, auto)

== prefetch-twice
One distance for each thing that is read in a loop: the second line would only fetch what the first has fetched.
-- burin rows
-- sched
stage out
  prefetch(in, y, 1)
  prefetch(in, y, 2)
-- instead sched
stage out
  prefetch(in, y, 2)

== prefetch-without-order
A prefetch asks for what a later iteration reads. Parallel and vectorised loops have no later one.
-- burin rows
-- sched
stage out
  parallel(y)
  prefetch(in, y, 1)
-- instead sched
stage out
  parallel(y)
  prefetch(in, x, 8)

== prefetch-inline
A stage that is computed where it is read has no storage to fetch from. What it reads itself can be fetched.
-- burin rows
-- sched
stage out
  prefetch(half, y, 1)
-- instead sched
stage out
  prefetch(in, y, 1)

== prefetch-inside
What an iteration computes for itself is not in memory before it runs.
-- burin rows
-- sched
stage out
  prefetch(half, y, 1)
stage half
  compute_at(out, x)
-- instead sched
stage out
  prefetch(half, y, 1)
stage half
  compute_root()

== prefetch-not-read
Nothing in the loop reads it: what would be fetched is unknown.
-- burin rows
-- sched
stage out
  prefetch(in, y, 1)
stage half
  compute_root()
-- instead sched
stage half
  compute_root()
  prefetch(in, y, 1)

== specialize-condition
Which variant a call takes is decided before anything runs, from sizes, whole numbers among the parameters, and shapes of buffers.
-- burin rows
-- sched
stage out
  specialize(w * 0 == 0) {
    vectorize(x, 8)
  }
-- instead sched
stage out
  specialize(w % 8 == 0) {
    vectorize(x, 8)
  }

== every-call-fails
A schedule in which specialize_fail stands before every other way leaves nothing to run.
-- burin rows
-- sched
stage out
  specialize_fail("no width is right")
-- instead sched
stage out
  specialize(w >= 8) {
    vectorize(x, 8)
  }
  specialize_fail("w is 8 or more")

== line-after-fail
Lines after specialize_fail are for the calls that are left, and none is.
-- burin rows
-- sched
stage out
  specialize(w >= 8) {
    vectorize(x, 8)
  }
  specialize_fail("w is 8 or more")
  parallel(y)
-- instead sched
stage out
  specialize(w >= 8) {
    vectorize(x, 8)
  }
  parallel(y)

== specialize-fail
The call fits none of the schedule's variants, and the schedule says that such a call fails. Nothing was written.
-- burin rows
-- sched
stage out
  specialize(w >= 8) {
    vectorize(x, 8)
  }
  specialize_fail("w is 8 or more")
-- call
--size h=4,w=5
-- instead call
--size h=4,w=16

== too-many-variants
Stages with conditions of their own multiply: each combination is a kernel. Thirty-two are the most; stages that ask the same share them.

== message-text
The message of specialize_fail is a text of one line without quotes, so that the schedule's text can hold it. Only C++ can give another.
)";

}  // namespace burin
