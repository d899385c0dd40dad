// codegen.h - from the last State of lowering to an LLVM module with one entry of type BodyFn (abi.h).
#pragma once
#include "codegen/llvm.h"
#include "lower/lower.h"

namespace burin {

struct Generated {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    // Meta and Var leaves the body uses: CallContext::scalars, in this order
    std::vector<Expr> scalars;
    bool scans = false;  // some loop may read what its iteration before has stored
};

// Straight from the statement, not optimised. `entry` names the function. Bits are those of ir/value.h; no fast-math flag.
Generated generate(const State& state, const std::string& entry,
                   const llvm::TargetMachine& machine);

// A short list of scalar passes: loops are vectorised and unrolled already.
void optimize(Generated& generated, llvm::TargetMachine& machine);

}  // namespace burin
