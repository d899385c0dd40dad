// extents.cpp - which loops have a constant number of iterations.
#include <algorithm>
#include <map>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "func/draft.h"
#include "ir/build.h"
#include "legal/line.h"
#include "legal/scans.h"

namespace burin {
namespace {

// Between what a coordinate stays, whoever reads its Func: constants for the u of rfactor's parts.
class Ranges {
public:
    explicit Ranges(const Algorithm& a) : a_(a) {}

    const Interval& of(int func, int dim) {
        auto [it, is_new] = known_.try_emplace({func, dim});
        if (is_new && !a_.is_output(a_.funcs[func].name)) it->second = found(func, dim);
        return it->second;
    }

private:
    Interval found(int func, int dim) {
        const FuncDef& f = a_.funcs[func];
        std::optional<Interval> all;
        for (int g = 0; g < int(a_.funcs.size()); ++g)
            for (auto& d : a_.funcs[g].defs) {
                auto touch = [&](const Expr& at) {
                    auto* v = at.as<Var>();
                    if (g == func && v && v->name == f.vars[dim]) return;  // its own coordinate
                    Interval i = interval_of(at, scope(g, d, at));
                    all = all ? hull(*all, i) : i;
                };
                if (g == func) touch(d.args[dim]);
                visit_all(d, [&](const Read& r, auto& self) {
                    if (r.func == f.name) touch(r.args[dim]);
                    self.descend(r);
                });
            }
        return all.value_or(Interval{});
    }

    // What the variables of an expression in a definition of func run over.
    Bounds scope(int func, const Definition& d, const Expr& e) {
        Bounds scope;
        for (auto& r : d.domain) scope.push_back({r.name, {r.lo, simplify(r.hi - 1)}});
        auto& vars = a_.funcs[func].vars;
        for (size_t i = 0; i < vars.size(); ++i)
            if (uses(e, vars[i])) scope.push_back({vars[i], of(func, int(i))});
        return scope;
    }

    const Algorithm& a_;
    std::map<std::pair<int, int>, Interval> known_;
};

std::optional<ConstantExtent> constant(const Expr& lo, const Expr& hi, bool exact) {
    auto least = lo.defined() ? const_int(lo) : std::nullopt,
         most = hi.defined() ? const_int(hi) : std::nullopt;
    int64_t n;
    if (!least || !most || __builtin_sub_overflow(*most, *least, &n)) return {};
    return ConstantExtent{std::max<int64_t>(n, -1) + 1, exact};
}

}  // namespace

std::optional<ConstantExtent> constant_extent(const Plan& plan, int func, int def,
                                              const std::string& loop, bool exactly) {
    const FuncPlan& f = plan.funcs[func];
    auto of = [&](const std::string& part) {
        return constant_extent(plan, func, def, part, exactly);
    };
    for (auto& x : f.stages[def].splits) {
        if (x.kind == LoopSplit::Fuse && x.from == loop) {
            auto a = of(x.outer), b = of(x.inner);
            int64_t n;
            if (!a || !b || __builtin_mul_overflow(a->most, b->most, &n)) return {};
            return ConstantExtent{n, a->exact && b->exact};
        }
        if (x.kind == LoopSplit::Fuse || (x.outer != loop && x.inner != loop)) continue;
        auto n = const_int(x.factor);
        if (!n) return {};
        if (x.inner == loop) return ConstantExtent{*n, true};
        auto whole = of(x.from);
        if (whole) whole->most = whole->most / *n + (whole->most % *n != 0);
        return whole;
    }
    const FuncDef& d = plan.pipeline.algorithm().funcs[func];
    for (auto& r : d.defs[def].domain)
        if (r.name.hint() == loop) return constant(r.lo, simplify(r.hi - 1), !scan_of(d));
    int dim = int(std::ranges::find(d.vars, Symbol::named(loop)) - d.vars.begin());
    for (auto& b : f.bounds)
        if (auto n = const_int(b.extent); n && b.dim == dim) {
            auto scan = scan_of(d);
            bool is_cut = def == 0 && scan && scan->overwrites_along(dim);
            return ConstantExtent{*n, plan.pipeline.algorithm().is_output(d.name) && !is_cut};
        }
    if (exactly) return {};
    Interval range = kept_between(plan, func, dim);
    return constant(range.lo, range.hi, false);
}

Interval kept_between(const Plan& plan, int func, int dim) {
    Interval range = Ranges(plan.pipeline.algorithm()).of(func, dim);
    auto if_constant = [](const Expr& e) { return e.defined() && const_int(e) ? e : Expr(); };
    return {if_constant(range.lo), if_constant(range.hi)};
}

}  // namespace burin
