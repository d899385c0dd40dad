// verify.h - what holds of every statement between two passes.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/nodes.h"

namespace burin {

enum class Level : uint8_t { Nest, Flat, Device, Emit };

struct FreeNames {
    std::vector<Symbol> variables, buffers;  // functions are among the buffers
};

// At every level:
//   every operand is defined                             (an else, a predicate may be missing)
//   no bare number, reduction, owner or untyped read is left
//   a constant fits its type
//   operands agree in type and lanes
//   an operator takes operands of this type              (+ no bool, % no float, << integers ...)
//   the result has the type of the operation
//   a condition is a bool
//   a coordinate is an Index                             (from Flat on: or i32)
//   a function has its arguments
//   lanes exist and agree
//   a tuple has this element
//   a stage has as many coordinates as dimensions
//   an access has the element type of its storage
//   a counter counts whole numbers
//   what is prefetched is a read
//   a name has one type
//   a name is bound once
//   a name is used in its scope
//   a free name is declared                              (if the free names are given)
//   shapes are those of the call's buffers               (Meta: not of storage made here)
// At Nest:
//   no flat access at this level                         (Load, Store, Allocate)
// From Flat on:
//   no call of a stage at this level                     (Read, Provide, Realize)
// At Emit:
//   no vectorised or unrolled loop at this level
//   no function above the primitives at this level
//
// Throws E-internal "verify" naming the line above and the text that breaks it. Linear in the DAG.
void verify(const Stmt& s, Level level, const FreeNames* free = nullptr);

}  // namespace burin
