// Puts the definition of every inlined Func where it is read.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
// after:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = a(x) * 2 + a(x + 1) * 2
//
// Correct because a pure definition without updates is its value at every point, and rounding at the Func's boundary is
// kept: the value has the Func's type already.
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"
#include "lower/nest.h"
#include "lower/passes.h"

namespace burin {
namespace {

// The same read at the same (simplified) coordinates is expanded once, so a chain of stencils costs a polynomial, not
// an exponential.
class Inliner {
public:
    explicit Inliner(const Plan& plan) : plan_(plan), algorithm_(plan.pipeline.algorithm()) {}

    Expr operator()(const Expr& e) {
        return rewrite(e, [this](const Read& op, auto& self) -> Expr {
            Expr read = self.descend(op);
            int f = algorithm_.func_index(op.func);
            if (f < 0 || !is_inlined(plan_, f)) return read;
            Read key = *read.as<Read>();
            for (auto& a : key.args) a = simplify(a);
            key.owner = {};
            Expr k = make(key, op_type(f, op.element));
            if (auto it = done_.find(k); it != done_.end()) return it->second;
            Substitution by;
            auto& func = algorithm_.funcs[f];
            for (size_t d = 0; d < func.vars.size(); ++d) by[func.vars[d]] = key.args[d];
            Expr value = (*this)(substitute(func.defs[0].values[op.element], by));
            return done_[k] = value;
        });
    }

private:
    Type op_type(int f, int element) const { return algorithm_.funcs[f].types[element]; }
    const Plan& plan_;
    const Algorithm& algorithm_;
    std::unordered_map<Expr, Expr, ExprHash, ExprEqual> done_;
};

}  // namespace

State inline_funcs(State s) {
    Inliner inlined(*s.plan);
    auto algorithm = std::make_shared<Algorithm>(s.algorithm());
    auto needed = needed_elements(*algorithm);  // the region that a call needs is that of the outputs, whatever is inline
    for (size_t f = 0; f < algorithm->funcs.size(); ++f) {
        if (is_inlined(*s.plan, int(f))) continue;
        for (auto& def : algorithm->funcs[f].defs) {
            for (auto& a : def.args) a = inlined(a);
            for (size_t e = 0; e < def.values.size(); ++e)
                def.values[e] = needed[f][e] ? inlined(def.values[e]) : constant(algorithm->funcs[f].types[e], 0);
            if (def.where.defined()) def.where = inlined(def.where);
        }
    }
    auto plan = std::make_shared<Plan>(*s.plan);
    plan->pipeline = Pipeline(std::move(algorithm));
    s.plan = std::move(plan);
    return s;
}

}  // namespace burin
