// inlining.cpp - which Funcs are worth no storage: what computing them again costs, against keeping them.
#include "author/parts.h"
#include "ir/walk.h"
#include "legal/reads.h"

namespace burin {
namespace {

constexpr double cheap = 2;           // operations that are never worth storage
constexpr double worth_storing = 12;  // operations that are done again, from which on storage pays
constexpr double per_function = 10;   // exp, log, ...
constexpr int reused = 16;  // reads of a point by loops that do not move it, or where data says

// Operations for one point, those of inlined producers left out; each node of a shared expression once.
double own_cost(const std::vector<Expr>& values) {
    double cost = 0;
    std::set<const Node*> seen;
    for (auto& value : values)
        visit(value, [&](const auto& op, auto& self) {
            using T = std::decay_t<decltype(op)>;
            if constexpr (is_expr_node<T>) {
                if (!seen.insert(&box(op)).second) return;
                if constexpr (std::is_same_v<T, Read>)
                    return;  // counted as a use; coordinates are for free
                if (handle(op).type().is_index()) return;
                if constexpr (std::is_same_v<T, Call>) cost += op.fn >= Fn::Exp ? per_function : 1;
                else if constexpr (!std::is_same_v<T, IntImm> && !std::is_same_v<T, FloatImm> &&
                                   !std::is_same_v<T, Var> && !std::is_same_v<T, Cast>)
                    ++cost;
            }
            self.descend(op);
        });
    return cost;
}

}  // namespace

std::vector<bool> inlined_funcs(const Algorithm& a) {
    std::vector<bool> is_inline(a.funcs.size());
    std::vector<double> cost(a.funcs.size()), reads(a.funcs.size());
    for (auto& f : a.funcs)
        for (auto& def : f.defs) {
            std::vector<Symbol> loops;
            for (int d = 0; d < f.rank(); ++d)
                if (f.is_bare(def.args, d)) loops.push_back(f.vars[d]);
            for (auto& r : def.domain) loops.push_back(r.name);
            for (auto& use : reads_of(expressions_of(def))) {
                int g = a.func_index(use.target);
                if (g < 0 || use.target == f.name) continue;
                bool moves_with_all = std::ranges::all_of(loops, [&](Symbol v) {
                    return std::ranges::any_of(
                        use.args, [&](auto& at) { return uses(at, v) && reads_of({at}).empty(); });
                });
                reads[g] += moves_with_all ? 1 : reused;
            }
        }
    for (size_t f = 0; f < a.funcs.size(); ++f) {
        auto& func = a.funcs[f];
        std::vector<Expr> values = expressions_of(func.defs[0]);
        cost[f] = own_cost(values);
        for (auto& use : reads_of(values)) {
            int g = a.func_index(use.target);
            cost[f] += g >= 0 && is_inline[g] ? cost[g] : 1;
        }
        is_inline[f] = !func.has_updates() && !a.is_output(func.name) &&
                       (cost[f] <= cheap || (reads[f] - 1) * cost[f] <= worth_storing);
    }
    return is_inline;
}

}  // namespace burin
