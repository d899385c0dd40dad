// inline.cpp - definitions of inlined Funcs where they are read.
#include <fmt/format.h>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "legal/nest.h"

namespace burin {
namespace {

constexpr size_t most_copies = 1 << 14;  // of definitions, in all of a pipeline

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
            if (done_.size() >= most_copies)
                throw Error(
                    ErrorKind::Resource, "inline-too-large",
                    fmt::format("inline stages would stand at more than {} points: {} is one "
                                "of them",
                                most_copies, op.func.hint()))
                    .help(fmt::format("stage {}: compute_root(), or compute_at(...)",
                                      op.func.hint()));
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

Pipeline inlined(const Plan& plan) {
    Inliner inlined(plan);
    auto algorithm = std::make_shared<Algorithm>(plan.pipeline.algorithm());
    algorithm->text.clear();  // of another algorithm
    algorithm->hash = {};
    // the region that a call needs is that of the outputs, whatever is inline
    auto needed = needed_elements(*algorithm);
    for (size_t f = 0; f < algorithm->funcs.size(); ++f) {
        if (is_inlined(plan, int(f))) continue;
        for (auto& def : algorithm->funcs[f].defs) {
            for (auto& a : def.args) a = inlined(a);
            for (size_t e = 0; e < def.values.size(); ++e)
                def.values[e] = needed[f][e] ? inlined(def.values[e])
                                             : constant(algorithm->funcs[f].types[e], 0);
            if (def.where.defined()) def.where = inlined(def.where);
        }
    }
    return Pipeline(std::move(algorithm));
}

}  // namespace burin
