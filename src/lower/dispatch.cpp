#include "lower/dispatch.h"

#include <algorithm>

#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {

CallProgram::CallProgram(std::vector<Expr> roots, const Binder& binder) {
    std::vector<Expr> leaves;
    auto leaf = [&](const auto& op, auto&) {
        Expr e = handle(op);
        if (std::any_of(leaves.begin(), leaves.end(), [&](const Expr& l) { return equal(l, e); }))
            return;
        leaves.push_back(e);
        leaves_.push_back(binder.find(e));
    };
    for (auto& r : roots)
        visit(
            r, [&](const Var& op, auto& self) { leaf(op, self); },
            [&](const Meta& op, auto& self) { leaf(op, self); });
    program_ = IndexProgram(std::move(roots), leaves);
}

void CallProgram::run(const Binding& call, std::span<IndexValue> results) const {
    int64_t few[64];
    std::vector<int64_t> many(leaves_.size() > 64 ? leaves_.size() : 0);
    std::span<int64_t> inputs(many.empty() ? few : many.data(), leaves_.size());
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = Binder::read(call, leaves_[i]);
    program_.run(inputs, results);
}

Dispatch::Dispatch(const Plan& plan, const Binder& binder) : cases_(plan.cases) {
    std::vector<Expr> conditions;
    for (auto& c : cases_) conditions.push_back(c.when.defined() ? c.when : bool_imm(true));
    conditions_ = CallProgram(std::move(conditions), binder);
}

size_t Dispatch::find(const Binding& call) const {
    std::vector<IndexValue> holds(cases_.size());
    conditions_.run(call, holds);
    for (size_t i = 0; i < cases_.size(); ++i) {
        if (holds[i].overflow) throw index_overflow(conditions_.roots()[i]);
        if (holds[i].value) return i;
    }
    throw Error(ErrorKind::Internal, "no-variant", "no variant of the schedule takes the call");
}

size_t Dispatch::choose(const Binding& call) const {
    if (cases_.empty()) return 0;
    const PlanCase& c = cases_[find(call)];
    if (!c.refusal) return c.variant;
    throw Error(ErrorKind::Value, "specialize-fail", c.refusal->message).at(c.refusal->where);
}

}  // namespace burin
