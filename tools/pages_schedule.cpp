// The pages about edits and names in schedules; their programs are those of pages_place.cpp.
namespace burin {

extern const char* const schedule_pages = R"(
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
