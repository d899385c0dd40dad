// The pages about files, the command, and what should not happen. pages.h says how they are written.
namespace burin {

extern const char* const other_pages = R"(
== cannot-read
The file is missing, is a folder, or may not be read by who runs this.
-- command
run missing.burin

== cannot-write
The file or its folder may not be written, or there is no space left. What was there before is still there.
-- command
run blur3x3 --size h=8,w=8 --out blur_y=no/such/folder.npy

== file-too-large
A file of that size was not meant to be read as this.
-- c++
std::string huge(size_t(17) << 20, '#');
std::string path = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/burin_huge.burin";
std::ofstream(path) << huge;
struct Gone { std::string path; ~Gone() { std::remove(path.c_str()); } } gone{path};
load_pipeline(path);

== file-kind
Data is read from and written to .npy and .png files; the ending tells which.
-- command
run blur3x3 --out blur_y=a.txt

== bad-npy
The file is no .npy file, or it is cut short.

== npy-type
The .npy file's elements are of a type that Burin has not, or the other way round: the format has no bf16.
-- c++
save_npy("unwritten.npy", AnyBuffer(bf16, {4}));
-- instead c++
AnyBuffer(f32, {4});

== bad-png
The file is no PNG, or it is damaged or cut short.

== picture-too-large
Half a milliard pixels is the limit: a file of a few bytes can claim any size.

== not-a-picture
A picture is grey, [h, w], or has three planes, [3, h, w], and it has a pixel.
-- c++
save_png("unwritten.png", Buffer<uint8_t>({2, 4, 4}));
-- instead c++
Buffer<uint8_t>({3, 4, 4});

== cannot-encode
The PNG library could not write the picture: a side is longer than the format allows, or memory ran out.

== unknown-pipeline
No pipeline of that name is offered here; `burin list` shows those that are. A file is given by its path.
-- command
run blur3x4
-- instead command
run blur3x3 --size h=8,w=8

== unknown-schedule
The pipeline has no schedule of that name; `burin list` shows those it has.
-- command
run blur3x3 --schedule row
-- instead command
run blur3x3 --schedule rows --size h=8,w=8

== unknown-view
`burin show --what` shows the loops, the IR, a pass's result, LLVM's text or the assembly.
-- command
show blur3x3 --what nst
-- instead command
show blur3x3 --what nest

== unknown-pass
There is no pass of that name. The passes are named in src/README.md, and by this error's help.
-- command
show blur3x3 --what pass:vectorise_loops
-- instead command
show blur3x3 --what pass:vectorize_loops

== target-unused
The loops and the IR are the same for every target.
-- command
show blur3x3 --target x86-64-v3
-- instead command
show blur3x3 --target x86-64-v3 --what asm

== size-unused
Sizes give the loop nest its figures; the other views are the same for all of them.
-- command
show blur3x3 --what asm --size h=8
-- instead command
show blur3x3 --what nest --size h=8,w=8

== nothing-to-watch
A pipeline of the library under one of its own schedules is in no file, so no save could change it.
-- command
watch blur3x3
-- instead command
watch blur3x3 --once --size h=8,w=8

== unknown-error
No error has that id. It stands in brackets at the end of an error's first line.
-- command
explain compute-at-vectorised
-- instead command
explain compute-at-vectorized

== text-kind
What a file holds is told by its ending: .burin is an algorithm, .sched a schedule.
-- command
fmt a.txt

== bad-number
The value of a size or a parameter is a number of its type.
-- command
run blur3x3 --size h=4.5
-- instead command
run blur3x3 --size h=8,w=8

== bad-bool
A bool is true or false.
-- burin
pipeline p(b: bool) -> f[1]
f(x) = select(b, 1, 2)
-- call
--set b=yes
-- instead call
--set b=true

== negative-size
A size is 0 or more.
-- command
run blur3x3 --size h=-3
-- instead command
run blur3x3 --size h=8,w=8

== bad-assignment
An option such as --size takes NAME=VALUE.
-- command
run blur3x3 --size h
-- instead command
run blur3x3 --size h=8,w=8

== given-twice
The option gives one name two values.
-- command
run blur3x3 --size h=3,h=4
-- instead command
run blur3x3 --size h=8,w=8

== sizes-disagree
A file's shape and --size, or two files, give one size two values.

== output-over-output
Two outputs would be written into one file.
-- burin
pipeline two(in: f32[n]) -> a[n], b[n]
a(x) = in(x)
b(x) = in(x)
-- command
run p.burin --out a=o.npy --out b=./o.npy
-- instead command
run p.burin --size n=3 --out a=o.npy --out b=p.npy

== picture-unused
Matrices are made up: the part of the demo that multiplies them takes no picture.
-- command
demo a.png --only dense_gelu

== rival-differs rival-failed no-process no-pipe
The other system of `burin bench` gave other values, answered with an error, or could not be started. The row says so, and its times are left out.

== null-argument not-a-handle
The C API was given NULL, or a handle of another kind, where it needs a handle, a text or a place for a result.

== unknown-argument not-an-output
An argument of a call in the C API is named as in the algorithm; burin_pipeline_arguments lists them, outputs last.

== argument-not-set not-run
A call in the C API needs all of its inputs and numbers, and all outputs or none, before it is run; it has outputs after that.

== not-of-the-library
burin_schedule_library has schedules for the pipelines of burin_pipeline_library. Another algorithm may have the name of
one; burin_schedule_auto and burin_schedule_parse take any.

== no-stack
There is no memory for the stack on which deeply nested expressions are walked.

== codegen jit verify rule vectorize no-such-operation no-such-function no-result-type no-value no-variant no-update unknown-buffer out-of-bounds
Burin contradicts itself: that is a fault of Burin's, not of your program. Please report it with the algorithm and the
schedule. Until it is mended, `burin verify` tells whether another schedule is right.
)";

}  // namespace burin
