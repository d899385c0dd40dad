// dispatch.h - which variant of a plan a call takes.
#pragma once
#include "func/bind.h"
#include "legal/plan.h"

namespace burin {

// Index expressions over what is known at a call: shapes, sizes and parameters.
class CallProgram {
public:
    CallProgram() = default;
    CallProgram(std::vector<Expr> roots, const Binder& binder);
    void run(const Binding& call, std::span<IndexValue> results) const;  // one for each root
    const std::vector<Expr>& roots() const { return program_.roots(); }

private:
    std::vector<Binder::Leaf> leaves_;
    IndexProgram program_;
};

class Dispatch {
public:
    Dispatch(const Plan& plan, const Binder& binder);
    // Its place in Plan::all(). E-value where specialize_fail says so.
    size_t choose(const Binding& call) const;
    size_t find(const Binding& call) const;  // in Plan::cases, of which there are some

private:
    std::vector<PlanCase> cases_;
    CallProgram conditions_;
};

}  // namespace burin
