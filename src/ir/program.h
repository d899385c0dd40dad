// program.h - expressions flattened for a stack machine: what evaluate() and interpret() run. Nothing recurses while it
// runs, a shared node is computed once however often it is used, and an execution can be stopped at a leaf and go on.
#pragma once
#include <functional>
#include <variant>

#include "ir/value.h"

namespace burin {

struct Step {
    enum Op : uint8_t {
        Constant,  // pushes constants[at ...]
        Variable,  // pushes variables[at ...]
        Apply,     // a pure scalar node, lane by lane
        Ramp,
        Broadcast,
        Shuffle,
        Combine,
        Leaf,     // Read, Load: the client's; its operands are on the stack
        Branch,   // pops a bool; on to `target` if it is false
        AndThen,  // pops a true bool; a false one stays: on to `target`
        OrElse,
        Jump,
        Shared,  // pushes shared[at ...], first computed by the steps at `target`
        Return,  // keeps the top in shared[at ...], which Shared then pushes
        Stop,
    } op;
    uint8_t operands = 0;
    uint16_t lanes = 1;  // pushed
    int32_t popped = 0;  // values that the operands take
    int32_t at = 0, target = 0;
    const Node* node = nullptr;
};

// What a Var, Meta, Read or Load is to the client: a constant, or its number. A Var's or Meta's number is the place of
// its first lane among the variables.
using Meaning = std::variant<Value, int>;

struct Program {
    std::vector<Step> steps;
    std::vector<Value> constants;
    std::vector<Expr> roots;   // keep the nodes
    int shared = 0, most = 0;  // values: of shared nodes; ever on the stack
};

// A program that leaves the values of the roots on the stack, in order. lazy: Select of a scalar condition computes
// the arm it takes alone, and && and || the right side where it decides; else everything is computed.
Program flatten(std::vector<Expr> roots, bool lazy,
                const std::function<Meaning(const Expr&)>& meaning);

// One execution; may be used again for any program.
class Execution {
public:
    void start(const Program& p);

    // Runs until the end: true; or until leaf(step, operands) says false: false, and the next call of run begins with
    // that leaf. A leaf reads its operands and writes its lanes over them.
    template <class F>
    bool run(const Value* variables, F leaf) {
        for (;;) {
            const Step& s = *pc_;
            if (s.op == Step::Stop) return true;
            if (s.op == Step::Leaf) {
                Value* operands = top_ - s.popped;
                if (!leaf(s, operands)) return false;
                top_ = operands + s.lanes;
                ++pc_;
            } else {
                step(s, variables);
            }
        }
    }
    const Value* results() const { return stack_.data(); }
    int64_t operations() const {
        return operations_;
    }  // on data, not on coordinates; since this object was made

private:
    void step(const Step& s, const Value* variables);

    const Program* program_ = nullptr;
    const Step* pc_ = nullptr;
    Value* top_ = nullptr;
    std::vector<Value> stack_, shared_;
    std::vector<bool> known_;
    std::vector<const Step*> returns_;
    int64_t operations_ = 0;
};

}  // namespace burin
