// The pages about algorithms: names, types, coordinates, definitions. pages.h says how they are written.
namespace burin {

extern const char* const algorithm_pages = R"(
== syntax
The text is no sentence of the language at the place that is shown. A newline ends a definition unless a bracket is open.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)

== unknown-name
A name is a coordinate, an RVar, a size or a parameter where it stands bare; a stage, an input or a function before parentheses.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = inn(x)
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)

== same-name
One name has one meaning: stages and inputs share a set of names, and coordinates, RVars, sizes and parameters another.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) += in(x) for n: 0..3
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) += in(x) for r: 0..3

== bad-name
A name is a letter or _, then letters, digits and _, so that it can be written in a text.
-- c++
Func bad("f.update");
-- instead c++
Func good("f_update");

== reserved-name
Functions, types and the words of the language keep their meaning.
-- burin
pipeline p(in: f32[n]) -> f[n]
exp(x) = in(x)
f(x) = exp(x)
-- instead burin
pipeline p(in: f32[n]) -> f[n]
exp_(x) = in(x)
f(x) = exp_(x)

== mixed-types
No number changes its type unasked: a cast says which type is meant.
-- burin
pipeline p(in: f32[n], v: u8[n]) -> f[n]
f(x) = in(x) + v(x)
-- instead burin
pipeline p(in: f32[n], v: u8[n]) -> f[n]
f(x) = in(x) + f32(v(x))

== literal-range
A literal takes the type of the other side, and must fit it.
-- burin
pipeline p(v: u8[n]) -> f[n]
f(x) = v(x) + 300
-- instead burin
pipeline p(v: u8[n]) -> f[n]
f(x) = u16(v(x)) + 300

== literal-type
A number cannot be a value of that type: a bool is true or false.
-- burin
pipeline p(b: bool[n]) -> f[n]
f(x) = b(x) && 1
-- instead burin
pipeline p(b: bool[n]) -> f[n]
f(x) = b(x) && true

== operand-type
The operator or function is not defined for values of that type.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x) & in(x)
-- instead burin
pipeline p(in: i32[n]) -> f[n]
f(x) = in(x) & in(x)

== condition-type
The where of a domain is a bool.
-- burin
pipeline p(v: i32[n]) -> f[n]
f(x) += v(r) for r: 0..n where v(r)
-- instead burin
pipeline p(v: i32[n]) -> f[n]
f(x) += v(r) for r: 0..n where v(r) != 0

== argument-count
A function takes as many arguments as it has.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = exp(in(x), in(x))
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = exp(in(x))

== empty-mux
mux chooses one of its values, so there is at least one.
-- c++
f(x) = mux(x, {});
-- instead c++
f(x) = mux(x, {1.0f, 2.0f});

== undefined-expression
An Expr that nothing was assigned to has no value to compute with.
-- c++
Expr nothing;
f(x) = in(x) + nothing;
-- instead c++
Expr one = 1.0f;
f(x) = in(x) + one;

== expression-too-deep
So many operations are nested in each other that no pass could walk them. Sums in a C++ loop do this; a reduction or a Func in between does not.
-- c++
Expr sum = in(0);
for (int i = 0; i < 10'000'000; ++i) sum = sum + in(i);
-- instead c++
RDom r(10'000'000, "r");
f(x) += in(r);

== too-deep
A text nests its brackets deeper than any pass could walk. A program wrote it: let it name its parts as stages.

== text-too-long
A text of an algorithm may have 16 MiB, one of a schedule 1 MiB, one of a statement 64 MiB: what is longer was not meant to be one.

== coordinate-count
A Func or an input is read with one coordinate for each dimension.
-- burin
pipeline p(in: f32[h, w]) -> f[h]
f(x) = in(x)
-- instead burin
pipeline p(in: f32[h, w]) -> f[h]
f(x) = in(x, 0)

== coordinate-type
A coordinate is an index: made of coordinates, sizes and whole literals. Data becomes one by index().
-- burin
pipeline p(in: f32[n], v: u8[n]) -> f[n]
f(x) = in(v(x))
-- instead burin
pipeline p(in: f32[n], v: u8[n]) -> f[n]
f(x) = in(index(v(x)))

== unbounded-index
An index made of data has a finite range, or nobody could say which part of the input a call needs. Types of up to 16 bits have one; a clamp gives one.
-- burin
pipeline p(in: f32[n], v: i64[n]) -> f[n]
f(x) = in(index(v(x)))
-- instead burin
pipeline p(in: f32[n], v: i64[n]) -> f[n]
f(x) = in(index(clamp(v(x), 0, 99)))

== not-known-at-entry
The bounds of a domain and the extents of shapes are computed before anything else is: of sizes, parameters and numbers.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) += in(r) for r: 0..x
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) += in(r) for r: 0..n where r < x

== no-such-dimension
Dimensions count from 0.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = extent(in, 1)
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = extent(in, 0)

== negative-rank
A buffer has 0 dimensions or more.
-- c++
Input<float> bad("bad", Rank(-1));
-- instead c++
Input<float> good("good", Rank(1));

== no-start-value
An assignment to some points leaves the others without a value. The pure definition comes first, and gives each point one.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(r) = in(r) for r: 0..n
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = 0.0
f(r) = in(r) for r: 0..n

== defined-after-read
Who has read a Func has read all of it: it gets no definition afterwards.
-- burin
pipeline p(in: f32[n]) -> g[n]
f(x) = in(x)
g(x) = f(x)
f(r) += 1.0 for r: 0..n
-- instead burin
pipeline p(in: f32[n]) -> g[n]
f(x) = in(x)
f(r) += 1.0 for r: 0..n
g(x) = f(x)

== read-before-definition
A Func is read after it is defined, for only then its coordinates and its type are known.
-- c++
g(x) = f(x);
-- instead c++
f(x) = in(x);
g(x) = f(x);

== self-read
The where of a domain, and a reduction inside an update, cannot read the Func that is being updated: they would see it half done.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)
f(r) = 1.0 for r: 0..n where f(r) > 0.0
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)
f(r) = select(f(r) > 0.0, 1.0, f(r)) for r: 0..n

== self-read-position
An update of the points of a coordinate x may read the Func at the same x only: then the points of x are independent of each other.
-- burin
pipeline p(in: f32[n]) -> f[n, n]
f(x, y) = in(x)
f(x, 0) = f(x + 1, 0)
-- instead burin
pipeline p(in: f32[n]) -> f[n, n]
f(x, y) = in(x)
f(x, 0) = f(x, 1)

== variable-not-bare
A coordinate of an update stands alone in its own place, so that the update says for which points it is. Other places are what RDoms are for.
-- burin
pipeline p(in: f32[n]) -> f[n, n]
f(x, y) = 0.0
f(y, x) = in(x)
-- instead burin
pipeline p(in: f32[n]) -> f[n, n]
f(x, y) = 0.0
f(r1, r0) = in(r0) for r0: 0..n, r1: 0..n

== unknown-variable
A definition uses the coordinates on its left side and the RVars of its domain; nothing gives others a value.
-- c++
f(x) = in(y);
-- instead c++
f(x) = in(x);

== rdom-rank
A domain of several variables is no single coordinate.
-- c++
RDom r({4, 4}, "r");
f(x) += in(r);
-- instead c++
RDom r({4, 4}, "r");
f(x) += in(r[0] + r[1]);

== no-such-variable
The variables of a domain count from 0.
-- c++
RDom r(4, "r");
f(x) += in(r[1]);
-- instead c++
RDom r(4, "r");
f(x) += in(r[0]);

== empty-domain
A domain has a variable at least.
-- c++
RDom r(std::initializer_list<Extent>{}, "r");
-- instead c++
RDom r({4}, "r");

== negative-domain
argmin and argmax give the coordinate -1 where the domain is empty, so a coordinate below 0 could be taken for that.
-- burin
pipeline p(in: f32[n]) -> f[1]
f(x) = argmin(in(r + 3) for r: -3..3)[1]
-- instead burin
pipeline p(in: f32[n]) -> f[1]
f(x) = argmin(in(r) for r: 0..6)[1]

== tuple-arity
Each definition of a Func gives as many elements as the first.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)
f(r) = {in(r), 1.0} for r: 0..n
-- instead burin
pipeline p(in: f32[n]) -> f[n]
f(x) = {in(x), 0.0}
f(r) = {in(r), 1.0} for r: 0..n

== tuple-element
A Func of several elements is read one element at a time: f(x)[0].
-- burin
pipeline p(in: f32[n]) -> g[n]
f(x) = {in(x), 1.0}
g(x) = f(x) + 1.0
-- instead burin
pipeline p(in: f32[n]) -> g[n]
f(x) = {in(x), 1.0}
g(x) = f(x)[0] + 1.0

== empty-tuple
A value has an element at least.
-- c++
f(x) = Tuple{};
-- instead c++
f(x) = {in(x), 1.0f};

== no-output
A pipeline is there for what it puts out.
-- c++
Pipeline p("p", {in}, {});
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});

== not-an-input
What a pipeline reads from its caller stands among its inputs.
-- c++
f(x) = in(x);
Pipeline p("p", {}, {f({n})});
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});

== unbound-size
A size is known from the buffers of a call, or it is an input.
-- c++
f(x) = in(x);
Size k("k");
Pipeline p("p", {in}, {f({k - 1})});
-- instead c++
f(x) = in(x);
Size k("k");
Pipeline p("p", {in, k}, {f({k - 1})});
)";

}  // namespace burin
