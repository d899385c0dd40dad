// reverse.cpp - reverse_compute_at: a stage takes the outer loops of a Func that it reads, which is computed in them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arith/linear.h"
#include "base/nearest.h"
#include "func/draft.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"
#include "legal/uses.h"

namespace burin {
namespace {

const char* why_not_taken(const StagePlan& p, const LoopPlan& loop) {
    if (loop.is_reduction) return "it is a loop of a reduction";
    if (loop.kind == LoopKind::Vectorized) return "it is vectorised";
    if (loop.kind == LoopKind::Unrolled) return "it is unrolled";
    for (auto& x : p.splits)
        if (x.kind == LoopSplit::Fuse && made_of(p, x.from).contains(loop.name))
            return "it was fused";
    return nullptr;
}

// The coordinate of the reading stage that is coordinate `dim` in each of its reads, but for a constant.
std::string followed(const FuncDef& reader, int def, const std::vector<const Read*>& reads,
                     int dim) {
    for (int i = 0; i < reader.rank(); ++i) {
        const Expr& v = reader.defs[def].args[i];
        auto* bare = v.as<Var>();
        if (!bare || bare->name != reader.vars[i]) continue;
        if (std::ranges::all_of(reads, [&](auto* r) {
                auto apart = difference(r->args[dim], v);
                return apart && apart->is_constant();
            }))
            return bare->name.hint();
    }
    return {};
}

}  // namespace

void apply_reverse_compute_at(Line& l) {
    const Algorithm& a = l.algorithm();
    StageName name = stage_of(l.directive.args[0]);
    int from = find_func(a, name.func);
    const FuncDef& func = a.funcs[from];
    StagePlan& p = l.plan.funcs[from].stages[find_def(func, name, true)];
    std::string stage = l.stage_text();
    int depth = p.depth(find_loop(a, p, l.name(1)).name);

    std::vector<const Read*> reads;
    visit_all(l.func_def().defs[l.def], [&](const Read& r, auto& self) {
        if (r.func == func.name) reads.push_back(&r);
        self.descend(r);
    });
    if (reads.empty() || from == l.func) {
        std::vector<std::string> readers;
        for (auto& r : readers_of(a, func.name)) readers.push_back(name_of(a.funcs[r.func], r.def));
        Error e = refusal(
            "reverse-not-read",
            fmt::format("{} takes no loops of {}: it does not read it", stage, func.name.hint()));
        throw e.help(readers.empty() ? "no stage does" : "its readers: " + listed(readers));
    }

    std::map<std::string, std::string> here;  // what p's loops are called in this stage
    for (int i = 0; i <= depth; ++i) {
        const LoopPlan& loop = p.loops[i];
        auto refuse = [&](const char* id, const std::string& why) {
            return refusal(id, fmt::format("{} cannot take the loop {}.{}: {}", stage,
                                           name_of(func, p.def), loop.name, why));
        };
        if (auto* why = why_not_taken(p, loop))
            throw refuse("reverse-loop", why)
                .help(fmt::format("split {} itself, and compute_at places {}", stage,
                                  func.name.hint()));
        std::string root = *roots_of(p, loop.name).begin();
        int dim = int(std::ranges::find(func.vars, Symbol::named(root)) - func.vars.begin());
        std::string own = followed(l.func_def(), l.def, reads, dim);
        if (own.empty()) {
            Error e = refuse("reverse-no-match",
                             fmt::format("{} of {} is not one of its coordinates, but for a "
                                         "constant, in all that it reads",
                                         root, func.name.hint()));
            for (auto* r : reads)
                e.note(fmt::format("it reads {} at {}", func.name.hint(),
                                   to_string(r->args[dim], IndexType)));
            throw e.help(
                fmt::format("split {} itself, and compute_at places {}", stage, func.name.hint()));
        }
        here[root] = own;
    }

    auto is_outside = [&](const std::string& loop) { return p.depth(loop) <= depth; };
    for (auto& x : p.splits) {
        if (x.kind == LoopSplit::Fuse || std::ranges::none_of(made_of(p, x.from), is_outside))
            continue;
        here[x.outer] = l.new_loop(x.outer);
        here[x.inner] = l.new_loop(x.inner);
        split_loop(l, here.at(x.from), x.factor, x.tail, x.outer, x.inner);
    }
    std::vector<std::string> order;
    for (int i = 0; i <= depth; ++i) order.push_back(here.at(p.loops[i].name));
    for (auto& loop : l.stage().loops)
        if (std::ranges::find(order, loop.name) == order.end()) order.push_back(loop.name);
    reorder_loops(l, order);
    for (int i = 0; i <= depth; ++i)
        if (p.loops[i].kind == LoopKind::Parallel) {
            Directive parallel{"parallel", {{var(Symbol::named(order[i])), {}}}, {}, {}};
            Line line{l.plan, l.func, l.def, parallel, l.index};
            apply_parallel(line);
            p.loops[i].kind = LoopKind::Serial;
            p.loops[i].directive = -1;
        }
    set_computed(l, from, {Place::At, l.func, l.def, order[depth], {}});
}

}  // namespace burin
