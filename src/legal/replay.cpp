#include "legal/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "legal/line.h"
#include "legal/reads.h"
#include "legal/uses.h"
#include "legal/variants.h"

namespace burin {
namespace {

struct Verb {
    const char* name;
    const char* usage;
    int least, most;  // arguments
    int results;
    void (*apply)(Line&);
    bool of_loops = true;  // meaningless for a Func without loops
};

constexpr int any = 1000;
constexpr Verb verbs[] = {
    {"split", "loop, factor[, tail]", 2, 3, 2, apply_split},
    {"fuse", "outer, inner", 2, 2, 1, apply_fuse},
    {"reorder", "loop, loop, ...", 1, any, 0, apply_reorder},
    {"tile", "loop, ..., factor, ...[, tail]", 2, any, any, apply_tile},
    {"serial", "loop[, factor[, tail]]", 1, 3, 0, apply_serial},
    {"parallel", "loop[, factor[, tail]]", 1, 3, 0, apply_parallel},
    {"vectorize", "loop[, factor[, tail]]", 1, 3, 0, apply_vectorize},
    {"unroll", "loop[, factor[, tail]]", 1, 3, 0, apply_unroll},
    {"cache_write", "loop, memory", 2, 2, 0, apply_cache_write},
    {"partition", "loop, auto | never | always", 2, 2, 0, apply_partition},
    {"prefetch", "input or stage, loop, distance", 3, 3, 0, apply_prefetch},
    {"compute_inline", "", 0, 0, 0, apply_compute_inline, false},
    {"compute_root", "", 0, 0, 0, apply_compute_root, false},
    {"compute_at", "stage, loop", 2, 2, 0, apply_compute_at, false},
    {"reverse_compute_at", "stage, loop", 2, 2, 0, apply_reverse_compute_at},
    {"compute_with", "stage, loop", 2, 2, 0, apply_compute_with},
    {"store_root", "", 0, 0, 0, apply_store_root, false},
    {"store_at", "stage, loop", 2, 2, 0, apply_store_at, false},
    {"store_in", "memory", 1, 1, 0, apply_store_in},
    {"stream_stores", "", 0, 0, 0, apply_stream_stores},
    {"bound", "coordinate, min, extent", 3, 3, 0, apply_bound},
    {"transform_layout", "[coordinate, ...] -> [expression, ...][, pad]", 1, 2, 0,
     apply_transform_layout},
    {"fold_storage", "coordinate, factor", 2, 2, 0, apply_fold_storage},
};

const Verb& find_verb(const std::string& name) {
    std::vector<std::string> known;
    for (auto& v : verbs) {
        if (name == v.name) return v;
        known.push_back(v.name);
    }
    if (name == "cache_read" || name == "clone_in" || name == "rfactor")
        throw refusal("edit-in-stage",
                      fmt::format("{} is an edit: it stands before the stages", name));
    throw refusal("unknown-directive",
                  fmt::format("there is no directive {}{}", name, did_you_mean(name, known)));
}

void apply(Line& line) {
    const Verb& v = find_verb(line.directive.verb);
    if (line.count() < v.least || line.count() > v.most)
        throw refusal("directive-arguments",
                      fmt::format("{} does not take {} argument{}", v.name, line.count(),
                                  line.count() == 1 ? "" : "s"))
            .help(fmt::format("{}({})", v.name, v.usage));
    int results = int(line.directive.results.size());
    if (results > v.results || (results != v.results && results && v.results != any))
        throw refusal("directive-results",
                      fmt::format("{} makes {} loop{}, not {}", v.name, v.results,
                                  v.results == 1 ? "" : "s", results));
    v.apply(line);
}

StagePlan default_loops(const FuncDef& f, int func, int def) {
    StagePlan s;
    s.func = func;
    s.def = def;
    const Definition& d = f.defs[def];
    for (int i = 0; i < f.rank(); ++i)
        if (f.is_bare(d.args, i)) s.roots.push_back(f.vars[i].hint());
    for (auto& r : s.roots) s.loops.push_back({r, LoopKind::Serial, false, -1});
    for (auto& r : d.domain) {
        s.roots.push_back(r.name.hint());
        s.loops.push_back({r.name.hint(), LoopKind::Serial, true, -1});
    }
    return s;
}

bool reads_input(const Algorithm& a, const Definition& d) {
    bool found = false;
    for (auto& e : d.values)
        visit(e, [&](const Read& r, auto& self) {
            found |= a.param(r.func) != nullptr;
            self.descend(r);
        });
    return found;
}

using Loops = std::set<std::tuple<int, int, std::string>>;  // of (func, definition)

// The loops between a Func's storage and its computation: windows slide along them.
Loops sliding_loops(const Plan& plan) {
    Loops found;
    for (auto& f : plan.funcs) try {
            if (f.store == f.compute) continue;
            auto around = loops_around(plan, f.compute);
            for (size_t i = loops_around(plan, f.store).size(); i < around.size(); ++i)
                found.insert({around[i].func, around[i].def, around[i].loop->name});
        } catch (const Error&) {  // check() says why that is no place
        }
    return found;
}

Tail resolved(const Plan& plan, const StagePlan& s, const LoopSplit& x, const Loops& sliding) {
    const Algorithm& a = plan.pipeline.algorithm();
    const FuncDef& f = a.funcs[s.func];
    if (x.kind == LoopSplit::Fuse || x.tail != Tail::Auto) return x.tail;
    if (s.def > 0 || !const_int(x.factor)) return Tail::Guard;
    for (auto& loop : made_of(s, x.outer))  // a tile that shifts inwards would step back
        if (sliding.contains({s.func, s.def, loop})) return Tail::Guard;
    bool is_root = std::find(s.roots.begin(), s.roots.end(), x.from) != s.roots.end();
    bool is_free = plan.funcs[s.func].bounds.empty() && !a.is_output(f.name);
    return is_root && is_free && !reads_input(a, f.defs[0]) ? Tail::RoundUp : Tail::ShiftInwards;
}

// A line about loops or storage says nothing of a Func that has neither.
void need_no_line_lost(const Plan& plan, int func) {
    const FuncDef& f = plan.pipeline.algorithm().funcs[func];
    if (plan.funcs[func].compute.kind != Place::Inline || f.has_updates()) return;
    if (plan.funcs[func].store.kind != Place::Inline)
        throw refusal("store-without-compute",
                      fmt::format("{} has a store_at but is computed inline", f.name.hint()))
            .at(plan.funcs[func].store.where)
            .help("compute_at says where");
    for (auto& s : plan.directives.stages)
        for (auto& l : s.lines)
            if (s.stage.func == f.name.hint() && find_verb(l.verb).of_loops)
                throw refusal(
                    "inline-has-no-loops",
                    fmt::format(
                        "{} is computed inline and has no loops or storage: {} would be lost",
                        f.name.hint(), to_string(l)))
                    .at(l.where)
                    .help(fmt::format("compute_root() or compute_at(...) in stage {}",
                                      f.name.hint()));
}

void resolve_loop(const Plan& plan, const FuncDef& f, const Place& p) {
    if (p.kind != Place::At) return;
    try {
        find_loop(plan.pipeline.algorithm(), plan.funcs[p.func].stages[p.def], p.loop);
    } catch (Error& e) {
        e.at(p.where).note(fmt::format("{} is placed there", f.name.hint()));
        throw;
    }
}

void resolve(Plan& plan, StagePlan& s) {
    const Algorithm& a = plan.pipeline.algorithm();
    const FuncDef& f = a.funcs[s.func];
    const LoopPlan* vector = nullptr;
    for (auto& l : s.loops) {
        if (vector && l.kind == LoopKind::Parallel)
            throw refusal("parallel-in-vector",
                          fmt::format("{}: the parallel loop {} is inside the vectorised loop {}",
                                      name_of(f, s.def), l.name, vector->name))
                .at(where_of(plan, s, l.directive))
                .help("reorder puts it outside");
        if (l.kind == LoopKind::Vectorized) vector = &l;
        bool is_loop = l.kind == LoopKind::Serial || l.kind == LoopKind::Parallel;
        if (l.partition != Partition::Auto && !is_loop)
            throw refusal("partition-no-loop",
                          fmt::format("{}.{} cannot be partitioned: no loop is left of it once it "
                                      "is {}",
                                      name_of(f, s.def), l.name,
                                      l.kind == LoopKind::Unrolled ? "unrolled" : "vectorised"))
                .at(where_of(plan, s, l.partition_directive))
                .help("a line for the loop around it");
    }
    auto at_line = [&](auto& x, auto check) {
        try {
            check(plan, s, x);
        } catch (Error& e) {
            e.at(where_of(plan, s, x.directive));
            throw;
        }
    };
    if (s.pair)
        at_line(*s.pair, [](const Plan& whole, const StagePlan&, const PairWith& p) {
            find_loop(whole.pipeline.algorithm(), whole.funcs[p.func].stages[p.def], p.loop);
        });
    for (auto& c : s.cache_writes) at_line(c, check_cache_write);
    for (auto& p : s.prefetches) at_line(p, check_prefetch_loop);
}

// The lists of stages as they are applied: as written, but who takes the loops of another Func comes after all of that.
std::vector<const StageDirectives*> in_order(const Algorithm& a, const Directives& d) {
    std::set<std::string> takers;
    std::vector<const StageDirectives*> order, late;
    for (auto& s : d.stages)
        for (auto& l : s.lines)
            if (l.verb == "reverse_compute_at") takers.insert(s.stage.func);
    for (auto& s : d.stages) (takers.contains(s.stage.func) ? late : order).push_back(&s);
    std::ranges::stable_sort(late, {}, [&](auto* s) {  // producers before readers
        return a.func_index(Symbol::named(s->stage.func));
    });
    order.insert(order.end(), late.begin(), late.end());
    return order;
}

}  // namespace

bool is_stale(const Pipeline& p, const Directives& d) {
    if (d.pipeline != p.name())
        throw refusal("schedule-for-another",
                      fmt::format("the schedule is for {}, not for {}", d.pipeline, p.name()));
    return d.hash && *d.hash != p.algorithm().hash;
}

Plan replay_lines(const Pipeline& derived, const Directives& d, bool stale) {
    const Algorithm& a = derived.algorithm();
    Plan plan{derived, d, {}, {}};
    for (int i = 0; i < int(a.funcs.size()); ++i) {
        FuncPlan f;
        bool root = a.is_output(a.funcs[i].name) || a.funcs[i].has_updates();
        f.compute.kind = root ? Place::Root : Place::Inline;
        for (int k = 0; k < int(a.funcs[i].defs.size()); ++k)
            f.stages.push_back(default_loops(a.funcs[i], i, k));
        plan.funcs.push_back(std::move(f));
    }
    size_t lines = 0;
    std::vector<Error> misfits;
    for (auto* stage : in_order(a, d)) {
        auto& s = *stage;
        if (s.lines.empty()) find_def(a.funcs[find_func(a, s.stage.func)], s.stage);
        for (int i = 0; i < int(s.lines.size()); ++i, ++lines) try {
                int func = find_func(a, s.stage.func);
                Line line{plan, func, find_def(a.funcs[func], s.stage), s.lines[i], i};
                apply(line);
            } catch (Error& e) {
                e.at(s.lines[i].where);
                if (!stale) throw;
                misfits.push_back(e);
            }
    }
    if (misfits.empty()) return plan;
    Error report = refusal(
        "stale-schedule",
        fmt::format(
            "the schedule was written for another version of {}: {} of its {} lines do not fit it",
            a.name, misfits.size(), lines));
    report.at(misfits[0].where());
    for (auto& e : misfits) report.note(e.message(), e.where());
    throw report.help("the other lines resolve; its hash line is for " + to_hex(*d.hash) +
                      ", this one is " + to_hex(a.hash));
}

namespace {

Plan replay_variant(const Pipeline& derived, Variant v, bool stale) {
    Pipeline copied = with_private_copies(derived, v.lines);
    Plan plan = replay_lines(with_constants(copied, v.holds), v.lines, stale);
    if (!v.holds.empty()) plan.general = copied;
    plan.given = v.holds;
    plan.when = v.text();
    const Algorithm& a = plan.pipeline.algorithm();
    int n = int(plan.funcs.size());
    for (int i = 0; i < n; ++i) need_no_line_lost(plan, i);
    for (auto& f : plan.funcs)
        for (auto& s : f.stages) resolve(plan, s);
    for (int i = n - 1; i >= 0; --i) place_private_copy(plan, i);  // readers before what they read
    for (int i = 0; i < n; ++i) {
        FuncPlan& f = plan.funcs[i];
        resolve_loop(plan, a.funcs[i], f.compute);
        resolve_loop(plan, a.funcs[i], f.store);
        if (!f.store.where.known()) f.store = f.compute;
        settle_stream(plan, i);
    }
    Loops sliding = sliding_loops(plan);
    for (auto& f : plan.funcs)
        for (auto& s : f.stages)
            for (auto& x : s.splits) x.tail = resolved(plan, s, x, sliding);
    return plan;
}

}  // namespace

void check_lines(const Pipeline& derived, const Directives& d, bool stale) {
    for (auto& v : variants_of(derived, d))
        in_variant(v.text(),
                   [&] { replay_lines(with_constants(derived, v.holds), v.lines, stale); });
}

Plan replay(const Pipeline& p, const Directives& d) {
    bool stale = is_stale(p, d);
    Pipeline derived = derive(p, d);
    std::vector<Plan> plans;
    std::vector<PlanCase> cases;
    for (auto& v : variants_of(derived, d)) {
        if (!v.refusal)
            in_variant(v.text(), [&] { plans.push_back(replay_variant(derived, v, stale)); });
        cases.push_back({all_of(v.holds), plans.size(), v.refusal});
    }
    Plan plan = std::move(plans.back());
    plans.pop_back();
    for (auto& c : cases)
        if (c.variant > plans.size()) c.variant = 0;
    plan.variants = std::move(plans);
    if (cases.size() > 1) plan.cases = std::move(cases);
    if (stale)
        plan.warnings.push_back(
            {fmt::format(
                 "the schedule was written for another version of {}; all of it fits this one",
                 p.name()),
             {}});
    return plan;
}

}  // namespace burin
