// eval_index.h - the value of Index expressions (and of the bools, casts and data parameters inside them)
// once sizes, shapes and parameters are known. Index arithmetic is checked; data arithmetic is that of
// ir/value.h.
#pragma once
#include <functional>
#include <span>

#include "ir/nodes.h"

namespace burin {

struct IndexValue {
    int64_t value = 0;  // of floats: the bits of the double equal to it
    // a step on the way to it left 64 bits; an arm that a select drops does not count
    bool overflow = false;
};

// Several expressions compiled together into one list of steps, for evaluation at every call of a kernel.
class IndexProgram {
public:
    IndexProgram() = default;
    // Leaf k (a Var or a Meta) is inputs[k] in run(). Anything else that is not computed from its children is
    // E-internal.
    IndexProgram(std::vector<Expr> roots, const std::vector<Expr>& leaves);

    // inputs: one per leaf, its bits as in bits_of(Value) (f32 1.0 is 0x3f800000); results: one per root.
    void run(std::span<const int64_t> inputs, std::span<IndexValue> results) const;
    const std::vector<Expr>& roots() const { return roots_; }

private:
    friend class IndexCompiler;
    struct Step {
        const Node* node = nullptr;  // kept alive by roots_
        bool all_index = true;       // so are the operands: no Value is needed
        uint8_t arity = 0;
        Type types[3];  // of the operands
        uint32_t out = 0, in[3] = {};
    };
    std::vector<Expr> roots_;
    std::vector<Type> leaves_;
    std::vector<IndexValue> slots_;  // before the first step: inputs, constants, room for results
    std::vector<Step> steps_;
    std::vector<uint32_t> outputs_;
    static IndexValue compute(const Step& step, const IndexValue (&in)[3]);
};

// One expression, once; lookup gives the bits of a leaf. E-bounds "index-overflow" naming the expression.
int64_t eval_index(const Expr& e, const std::function<int64_t(const Expr& leaf)>& lookup);

Error index_overflow(const Expr& e);

}  // namespace burin
