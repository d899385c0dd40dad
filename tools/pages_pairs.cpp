// The pages about stages that are computed with each other. pages.h says how they are written.
namespace burin {

extern const char* const pair_pages = R"(
== program sweeps
pipeline sweeps(a: i32[m, n]) -> low[m], high[m], spread[m]
low(y) = min(low(y), a(y, x)) for x: 0..n
high(y) = max(high(y), a(y, x)) for x: 0..n
spread(y) = high(y) - low(y)
== program stages
pipeline stages(a: i32[h, w]) -> out[h, w]
f(y, x) = a(y, x) * 2
g(y, x) = a(y, x) + 1
out(y, x) = f(y, x) * g(y, x)

== with-dependent
Stages in one loop take turns: an iteration of one follows an iteration of the other. That is right for any two stages of which neither needs the other, itself
or through others. A stage that reads another has a better place for it: compute_at, inside its own loops.
-- burin sweeps
-- sched
stage spread
  compute_with(high.update(0), y)
-- instead sched
stage high.update(0)
  compute_with(low.update(0), x)

== with-elsewhere
Only what would run one after the other at the same place can share its loops.
-- burin stages
-- sched
stage f
  compute_root()
stage g
  compute_at(out, y)
  compute_with(f, y)
-- instead sched
stage f
  compute_at(out, y)
stage g
  compute_at(out, y)
  compute_with(f, x)

== with-loops
Loops are paired by their position: the outermost of both, then the next, down to the one that is named. Each stage must have so many.
-- burin sweeps
-- sched
stage high
  compute_with(low.update(0), x)
-- instead sched
stage high.update(0)
  compute_with(low.update(0), x)

== with-kinds
Two loops become one, which is serial, parallel, vectorised by some number or unrolled, and partitioned or not: what the lines say of both has to be the same.
-- burin sweeps
-- sched
stage low.update(0)
  parallel(y)
stage high.update(0)
  compute_with(low.update(0), y)
-- instead sched
stage low.update(0)
  parallel(y)
stage high.update(0)
  parallel(y)
  compute_with(low.update(0), y)

== with-twice
A stage has one line that says what it is computed with. Of three stages, the second names the first and the third names the first or the second.
-- burin sweeps
-- sched
stage high
  compute_with(low, y)
  compute_with(low, y)
-- instead sched
stage high
  compute_with(low, y)

== with-order
What one of the paired stages needs comes before all of them. Two pairs of which each has to come first have no order.
-- burin sweeps
-- sched
stage high
  compute_with(low.update(0), y)
stage low
  compute_with(high.update(0), y)
-- instead sched
stage high
  compute_with(low, y)
stage high.update(0)
  compute_with(low.update(0), y)

== with-steps
Of a scan whose storage is folded along its direction, the start value and the update take turns at each step. There is no loop of one of them that another
stage could share.
-- burin
pipeline steps(a: i32[n]) -> out[n]
e(x) = 0
e(r) = e(r - 1) + a(r) for r: 1..n
f(x) = a(x) * 2
out(x) = e(x) + e(x - 1) + f(x)
-- sched
stage e
  store_root()
  compute_at(out, x)
  fold_storage(x, 2)
stage f
  compute_at(out, x)
  compute_with(e, x)
-- instead sched
stage e
  compute_root()
stage f
  compute_root()
  compute_with(e, x)
)";

}  // namespace burin
