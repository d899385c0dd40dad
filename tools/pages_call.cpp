// The pages about calls: arguments, buffers, bounds, targets. pages.h says how they are written.
namespace burin {

extern const char* const call_pages = R"(
== input-too-small
Which part of an input a call needs follows from the algorithm and the size of the output alone. This buffer does not hold it.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x) + in(x + 2)
-- call
--size n=8
-- instead burin
pipeline p(in: f32[n]) -> f[n - 2]
f(x) = in(x) + in(x + 2)

== read-outside-input
Direct evaluation met a read outside the buffer that it was given.
-- c++
f(x) = in(x + 1);
Pipeline p("p", {in}, {f({n})});
evaluate(p, {Buffer<float>({4})});
-- instead c++
f(x) = in(x + 1);
Pipeline p("p", {in}, {f({n - 1})});
evaluate(p, {Buffer<float>({4})});

== negative-extent
The sizes of this call make an extent below 0; 0 is an empty result, less is none.
-- burin
pipeline p(in: f32[n]) -> f[n - 2]
f(x) = in(x) + in(x + 2)
-- call
--size n=1
-- instead call
--size n=2

== index-overflow
A coordinate or an extent of this call does not fit 64 bits.
-- burin
pipeline p(in: f32[n], k: i64) -> f[n]
f(x) = in(x)
-- sched
stage f
  xo, xi = split(x, k, guard)
-- call
--size n=5 --set k=9223372036854775807
-- instead call
--size n=5 --set k=3

== broken-promise
bound() promised which points there would be, and this call asks for others.
-- burin
pipeline p(in: f32[n]) -> f[n]
f(x) = in(x)
-- sched
stage f
  bound(x, 0, 8)
-- call
--size n=9
-- instead call
--size n=8

== wrong-argument-count
A call gives the inputs in the pipeline's order, then all outputs or none.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p);
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<float>({4}));

== wrong-argument-type
Numbers are given for numbers, buffers for buffers.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, 3);
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<float>({4}));

== wrong-element-type
The elements of a buffer are those of the input: nothing is converted unasked.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<double>({4}));
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<float>({4}));

== wrong-rank
A buffer has as many dimensions as the input.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<float>({4, 4}));
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
run(p, Buffer<float>({4}));

== size-mismatch
One Size is one number in a call: wherever a shape names it, the buffers have that extent.
-- c++
Input<float> more("more", {n});
f(x) = in(x) + more(x);
Pipeline p("p", {in, more}, {f({n})});
run(p, Buffer<float>({4}), Buffer<float>({5}));
-- instead c++
Input<float> more("more", {n});
f(x) = in(x) + more(x);
Pipeline p("p", {in, more}, {f({n})});
run(p, Buffer<float>({4}), Buffer<float>({4}));

== extent-mismatch
An extent that the shape computes from sizes, such as n + 2, is checked: the buffer has another.
-- c++
Input<float> more("more", {n + 2});
f(x) = in(x) + more(x);
Pipeline p("p", {in, more}, {f({n})});
run(p, Buffer<float>({4}), Buffer<float>({4}));
-- instead c++
Input<float> more("more", {n + 2});
f(x) = in(x) + more(x);
Pipeline p("p", {in, more}, {f({n})});
run(p, Buffer<float>({4}), Buffer<float>({6}));

== output-outside-shape
An output buffer is any part of the declared shape, and nothing beyond it.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Buffer<float> out({5});
run(p, Buffer<float>({4}), out);
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Buffer<float> out({4});
run(p, Buffer<float>({4}), out);

== overlapping-arguments
A kernel reads and writes in any order, so what it writes is not what it reads, nor another output.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Buffer<float> both({4});
run(p, both, both);
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Buffer<float> data({4}), out({4});
run(p, data, out);

== number-does-not-fit
A number is given for a parameter whose type cannot hold it.
-- burin
pipeline p(v: u8) -> f[1]
f(x) = v
-- call
--set v=300
-- instead call
--set v=30

== undefined-buffer
A Buffer that nothing was assigned to has no memory.
-- c++
Buffer<float> nothing;
nothing.fill(1);
-- instead c++
Buffer<float> some({4});
some.fill(1);

== several-outputs
A pipeline of several outputs gives Results, of which one is taken by number or name.
-- c++
f(x) = in(x);
g(x) = in(x) + 1;
Pipeline p("p", {in}, {f({n}), g({n})});
Buffer<float> one = run(p, Buffer<float>({4}));
-- instead c++
f(x) = in(x);
g(x) = in(x) + 1;
Pipeline p("p", {in}, {f({n}), g({n})});
Results both = run(p, Buffer<float>({4}));
Buffer<float> one = both["f"];

== no-such-output
The outputs are called as the Funcs are, and count from 0.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Results r = run(p, Buffer<float>({4}));
r["g"];
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
Results r = run(p, Buffer<float>({4}));
r["f"];

== box-count
evaluate wants a box of coordinates for each output.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
evaluate(p, {Buffer<float>({4})}, {});
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
evaluate(p, {Buffer<float>({4})}, {{{0, 2, 1}}});

== thread-count
A call runs on one thread or more; 0 means all there are.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
compile(p, Schedule(p)).call({Buffer<float>({4})}, {-1});
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
compile(p, Schedule(p)).call({Buffer<float>({4})}, {1});

== unknown-target
A target is host, or a processor and its features as LLVM names them.
-- c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
compile(p, Schedule(p), Target::parse("hots"));
-- instead c++
f(x) = in(x);
Pipeline p("p", {in}, {f({n})});
compile(p, Schedule(p), Target::parse("host"));

== target-not-here
Code for that target cannot run in this process: it is for another kind of processor.
-- command
run blur3x3 --target i386
-- instead command
run blur3x3 --target host --size h=8,w=8

== buffer-too-large
So many elements have no addresses in 64 bits.
-- c++
Buffer<float> huge({int64_t(1) << 62});
-- instead c++
Buffer<float> small({1 << 10});

== out-of-memory
The system has no memory for a buffer or for the intermediates of a call. A tile instead of a whole intermediate (compute_at), or smaller sizes, need less.
-- c++
Buffer<float> huge({int64_t(1) << 50});
-- instead c++
Buffer<float> small({1 << 10});

== coordinate-overflow
The coordinates of a buffer, its minimum and its extent, do not fit 64 bits.
-- c++
Buffer<float>({4}).translated({INT64_MAX});
-- instead c++
Buffer<float>({4}).translated({100});

== not-an-element-type
Buffers hold numbers and bools: an Index, or a vector, is nothing that lies in memory.
-- c++
AnyBuffer b(IndexType, {4});
-- instead c++
AnyBuffer b(i64, {4});

== null-buffer
Memory is given by its address, and there is none.
-- c++
Buffer<float>::view(nullptr, {{0, 4, 1}});
-- instead c++
float memory[4];
Buffer<float>::view(memory, {{0, 4, 1}});

== misaligned-buffer
An element lies at a multiple of its own size.
-- c++
float memory[5];
AnyBuffer b(f32, reinterpret_cast<char*>(memory) + 1, {{0, 4, 1}});
-- instead c++
float memory[5];
AnyBuffer b(f32, memory + 1, {{0, 4, 1}});

== crop-outside
A part of a buffer lies inside it.
-- c++
Buffer<float>({4}).crop(0, 2, 3);
-- instead c++
Buffer<float>({4}).crop(0, 2, 2);

== not-a-permutation
transpose lists every dimension once.
-- c++
Buffer<float>({4, 5}).transpose({0, 0});
-- instead c++
Buffer<float>({4, 5}).transpose({1, 0});

== buffer-type
The buffer holds elements of another type than it is taken for.
-- c++
AnyBuffer b = Buffer<float>({4});
Buffer<double> d = b;
-- instead c++
AnyBuffer b = Buffer<float>({4});
Buffer<float> d = b;

== buffer-rank
An element is named by one coordinate for each dimension.
-- c++
Buffer<float> b({4, 4});
b(1) = 2;
-- instead c++
Buffer<float> b({4, 4});
b(1, 0) = 2;

== outside-buffer
There is no element at that coordinate.
-- c++
Buffer<float> b({4});
b(4) = 1;
-- instead c++
Buffer<float> b({4});
b(3) = 1;

== not-comparable
Buffers are compared point by point: they have the same type, and the same coordinates.
-- c++
first_difference(Buffer<float>({4}), Buffer<float>({5}));
-- instead c++
first_difference(Buffer<float>({4}), Buffer<float>({4}));

== dlpack-type
The tensor's elements are of a type that Burin has not: complex numbers, say, or four bits.
-- c++
dlpack::ManagedTensor t{};
t.dl_tensor.device = {dlpack::CPU, 0};
t.dl_tensor.dtype = {5, 64, 1};
AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(&t));

== dlpack-tensor
The tensor contradicts itself: it has dimensions and no shape, or elements and no memory.
-- c++
dlpack::ManagedTensor t{};
t.dl_tensor.device = {dlpack::CPU, 0};
t.dl_tensor.dtype = {2, 32, 1};
t.dl_tensor.ndim = 2;
AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(&t));

== dlpack-device
The tensor lies in the memory of another device. Its owner can copy it to the CPU.
-- c++
dlpack::ManagedTensor t{};
t.dl_tensor.device = {2, 0};
t.dl_tensor.dtype = {2, 32, 1};
AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(&t));
)";

}  // namespace burin
