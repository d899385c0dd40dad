// storage.h - how much storage a Func has at its place, and whether that is what the schedule asks for.
#pragma once
#include "legal/windows.h"

namespace burin {

constexpr int64_t largest_stack = 1 << 20;  // bytes of one stage
constexpr bool is_automatic(Memory m) { return m == Memory::Stack || m == Memory::Register; }

// What is stored of func, in its region's symbols: round_up writes beyond the region.
std::vector<Interval> stored_box(const FuncDef& f, const LoopNests& nests, int func);
// How much that is each way, as lowering allocates it: constants where there is a constant bound.
std::vector<Expr> storage_extents(const Plan& plan, const LoopNests& nests, Regions& regions,
                                  const Windows& windows, int func);
// To a constant, if it has a small bound: constant strides are worth a few elements.
Expr rounded_up(const Expr& extent);
// All of one storage; not those, from outside, that would make it large.
std::vector<Expr> rounded_up(std::vector<Expr> extents);
std::vector<Expr> laid_out_extents(const Layout& layout, const std::vector<Expr>& extents);
std::optional<int64_t> constant_bytes(const std::vector<Expr>& extents, Type type);

// Throws unless storage on the stack or in registers has a constant size, layouts without pad fill their blocks, and
// folds are sound.
// The places are legal.
void check_storage(const Plan& plan);

}  // namespace burin
