// print.h - the text of the IR. It can be read back (parse.h): every dump is an input.
//
// Expressions print as a user would write them, with the fewest parentheses; the rest as calls:
//   ramp(base, stride, 8)  broadcast(x, 8)  shuffle(a, b)[0, 2, 1]  combine_sum(x, 1)  saturating_cast_u8(x)
//   f(y, x)[1]  f(y, x if p)  f[i]  f[i if p]  origin(f, 0)  extent(f, 0)  stride(f, 0)
// Two Symbols with one hint are told apart by a number: x, x_1. Statements, two spaces a level:
//   func in: f32                 a free function that is read; {f32, i64} for a tuple
//   buffer t: u8                 a free buffer that is loaded from
//   scalar p: f32                a free name that is no Index
//   let n = extent(in, 0)        its body is the rest of the block
//   parallel for y in 0 .. n {   or vectorized, unrolled; m .. m + e: from m on, e of them
//   if y < 3 {
//   } else {
//   produce f {
//   realize f: f32[min: extent, ...] in Stack {
//   f(y, x) = v                  {v, w} for a tuple
//   allocate t: f32[n, 8] in Heap {
//   t[i] = v if p                stream t[i] = v: past the caches
//   prefetch f(y, x)             or f[i]
//   count 3 += n
//   {                            a block in a block
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ir/nodes.h"

namespace burin {

// A constant is bare where its sibling, or `expected`, or its default type (i32, f32) gives its type,
// else typed: u8(3). A float always shows that it is one: 1.0, f32(nan). E-resource: the text would
// exceed 64 MiB.
std::string to_string(const Expr& e, Type expected = i32);
std::string to_string(const Stmt& s);

// For messages: cut to about 200 characters.
std::string brief(const Expr& e);
std::string brief(const Stmt& s);

std::string_view name(Memory memory);  // "Auto", "Heap", ...
std::optional<Memory> memory_named(std::string_view name);
std::string_view name(LoopKind kind);  // "serial", "parallel", ...

}  // namespace burin
