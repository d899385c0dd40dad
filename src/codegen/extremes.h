// extremes.h - trees of maxima and minima of floats, where each would test its operands for NaN.
#pragma once
#include "codegen/llvm.h"

namespace burin {

// For a function whose tiles are in registers already.
void join_extremes(llvm::Function& f);

}  // namespace burin
