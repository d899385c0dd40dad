// pairs.cpp - compute_with: the loops of stages at the same place, paired by position from outside in.
#include "legal/pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "legal/line.h"
#include "legal/replay.h"
#include "legal/windows.h"

namespace burin {

void apply_compute_with(Line& l) {
    const Algorithm& a = l.algorithm();
    StageName name = stage_of(l.directive.args[0]);
    int func = find_func(a, name.func), def = find_def(a.funcs[func], name);
    if (func == l.func)
        throw refusal("with-dependent",
                      fmt::format("{} cannot be computed with {}: {}", l.stage_text(),
                                  name_of(a.funcs[func], def),
                                  def == l.def ? "it is that stage itself"
                                               : "stages of one Func run one after the other"));
    if (l.stage().pair)
        throw refusal("with-twice",
                      fmt::format("another line says what {} is computed with", l.stage_text()))
            .help("of three stages, two may name the third, or the next one");
    l.stage().pair = PairWith{func, def, l.name(1), l.index};
}

std::vector<Pair> pairs_of(const Plan& plan) {
    std::vector<Pair> pairs;
    for (auto& f : plan.funcs)
        for (auto& s : f.stages)
            if (auto& p = s.pair)
                pairs.push_back({{s.func, s.def},
                                 {p->func, p->def},
                                 plan.funcs[p->func].stages[p->def].depth(p->loop)});
    return pairs;
}

std::vector<std::vector<size_t>> together_at(const std::vector<Pair>& pairs,
                                             const std::vector<StageOf>& stages, int depth) {
    std::vector<std::vector<size_t>> groups;
    std::vector<bool> taken(stages.size());
    for (size_t i = 0; i < stages.size(); ++i) {
        if (taken[i]) continue;
        std::vector<size_t> group{i};
        taken[i] = true;
        for (size_t k = 0; k < group.size(); ++k)
            for (size_t j = 0; j < stages.size(); ++j)
                if (!taken[j] && std::ranges::any_of(pairs, [&](const Pair& p) {
                        const StageOf &x = stages[group[k]], &y = stages[j];
                        return p.depth >= depth &&
                               ((p.stage == x && p.with == y) || (p.stage == y && p.with == x));
                    })) {
                    taken[j] = true;
                    group.push_back(j);
                }
        std::ranges::sort(group);
        groups.push_back(std::move(group));
    }
    return groups;
}

namespace {

// What each stage needs to be complete before it runs, itself or through others.
class Needs {
public:
    explicit Needs(const Plan& plan) : algorithm_(plan.pipeline.algorithm()) {
        for (auto& f : algorithm_.funcs) {
            first_.push_back(count_);
            count_ += f.defs.size();
        }
        reads_.resize(count_);
        for (int f = 0; f < int(algorithm_.funcs.size()); ++f)
            for (auto& r : readers_of(algorithm_, algorithm_.funcs[f].name))
                reads_[index({r.func, r.def})].push_back(last({f, 0}));
    }

    // Of a stage: all that it needs, each with the one through which it was found.
    const std::map<size_t, size_t>& of(size_t stage) {
        auto [it, is_new] = memo_.try_emplace(stage);
        if (is_new) {
            std::vector<size_t> waiting{stage};
            while (!waiting.empty()) {
                size_t s = waiting.back();
                waiting.pop_back();
                auto add = [&](size_t t) {
                    if (it->second.emplace(t, s).second) waiting.push_back(t);
                };
                if (stage_of(s).def > 0) add(s - 1);
                for (size_t t : reads_[s]) add(t);
            }
        }
        return it->second;
    }
    bool needs(const StageOf& x, const StageOf& y) { return of(index(x)).contains(index(y)); }
    // "sums reads blurred, blurred reads in"
    std::string path(const StageOf& x, const StageOf& y) {
        std::vector<size_t> way{index(y)};
        while (way.back() != index(x)) way.push_back(of(index(x)).at(way.back()));
        std::string text;
        for (size_t i = way.size(); i-- > 1;) {
            StageOf from = stage_of(way[i]), to = stage_of(way[i - 1]);
            if (from.func == to.func && text.size()) continue;
            text += fmt::format(
                "{}{} {} {}", text.empty() ? "" : ", which ", text.empty() ? name(from) : "",
                from.func == to.func ? "comes after" : "reads",
                from.func == to.func ? name(to) : algorithm_.funcs[to.func].name.hint());
        }
        return text;
    }
    std::string name(const StageOf& s) const { return name_of(algorithm_.funcs[s.func], s.def); }

private:
    size_t index(const StageOf& s) const { return first_[s.func] + size_t(s.def); }
    size_t last(const StageOf& s) const {
        return first_[s.func] + algorithm_.funcs[s.func].defs.size() - 1;
    }
    StageOf stage_of(size_t i) const {
        auto f = std::ranges::upper_bound(first_, i) - first_.begin() - 1;
        return {int(f), int(i - first_[size_t(f)])};
    }

    const Algorithm& algorithm_;
    std::vector<size_t> first_;  // of each Func: the number of its first stage
    size_t count_ = 0;
    std::vector<std::vector<size_t>> reads_;
    std::map<size_t, std::map<size_t, size_t>> memo_;
};

std::vector<Unit> ordered(const Plan& plan, const std::vector<Pair>& pairs, Spot spot,
                          Needs& needs) {
    std::vector<StageOf> stages;
    std::set<int> split;  // Funcs whose stages do not stay together
    for (auto& p : pairs) split.insert({p.stage.func, p.with.func});
    std::vector<Unit> waiting, done;
    for (int f = 0; f < int(plan.funcs.size()); ++f) {
        if (is_inlined(plan, f) || spot_of(plan, plan.funcs[f].compute) != spot) continue;
        Unit whole;
        for (auto& s : plan.funcs[f].stages)
            (split.contains(f) ? stages : whole).push_back({f, s.def});
        if (!whole.empty()) waiting.push_back(whole);
    }
    for (auto& group : together_at(pairs, stages, 0)) {
        Unit unit;
        for (size_t i : group) unit.push_back(stages[i]);
        waiting.push_back(unit);
    }
    std::ranges::sort(waiting, {}, [](const Unit& u) { return std::pair(u[0].func, u[0].def); });
    auto needs_any = [&](const Unit& x, const Unit& y) {
        return std::ranges::any_of(x, [&](auto& s) {
            return std::ranges::any_of(y, [&](auto& t) { return needs.needs(s, t); });
        });
    };
    while (!waiting.empty()) {
        auto next = std::ranges::find_if(waiting, [&](const Unit& u) {
            return std::ranges::none_of(waiting,
                                        [&](const Unit& v) { return &u != &v && needs_any(u, v); });
        });
        if (next == waiting.end()) {  // no group needs itself: several are in each other's way
            std::string blocked;
            for (auto& u : waiting)
                if (u[0].func != u.back().func && blocked.empty()) blocked = needs.name(u[0]);
            throw refusal("with-order",
                          fmt::format("no order is left in which {} and what it is computed with "
                                      "could run: other paired stages come before one of them and "
                                      "after another",
                                      blocked));
        }
        done.push_back(std::move(*next));
        waiting.erase(next);
    }
    return done;
}

const char* word(LoopKind k) {
    static constexpr const char* text[] = {"serial", "parallel", "vectorised", "unrolled"};
    return text[int(k)];
}
const char* word(Partition p) {
    return p == Partition::Never ? "never" : p == Partition::Always ? "always" : "auto";
}

void check_pair(const Plan& plan, const Pair& p) {
    const Algorithm& a = plan.pipeline.algorithm();
    const StagePlan &s = plan.funcs[p.stage.func].stages[p.stage.def],
                    &t = plan.funcs[p.with.func].stages[p.with.def];
    const FuncDef &f = a.funcs[s.func], &g = a.funcs[t.func];
    std::string name = name_of(f, s.def), with = name_of(g, t.def);
    auto refuse = [&](const char* id, const std::string& why) {
        return refusal(
            id, fmt::format("{} cannot be computed with {}.{}: {}", name, with, s.pair->loop, why));
    };
    const Place &here = plan.funcs[s.func].compute, &there = plan.funcs[t.func].compute;
    if (is_inlined(plan, s.func) || is_inlined(plan, t.func) || !(here == there))
        throw refuse(
            "with-elsewhere",
            fmt::format("{} is computed {}{}, {} {}{}", f.name.hint(),
                        here.kind == Place::At ? "at " : "", to_string(plan, here), g.name.hint(),
                        there.kind == Place::At ? "at " : "", to_string(plan, there)))
            .help("stages that are computed with each other are at one place");
    if (int(s.loops.size()) <= p.depth) {
        Error e =
            refuse("with-loops", fmt::format("that is loop {} of {} from outside, and {} has {}",
                                             p.depth + 1, with, name, s.loops.size()));
        if (s.def == 0 && f.has_updates())
            e.help(fmt::format("the loops of its last update: stage {}",
                               name_of(f, int(f.defs.size()) - 1)));
        throw e.note(fmt::format("the loops of {}: {}", with, listed(loop_names(t))));
    }
    for (int i = 0; i <= p.depth; ++i) {
        const LoopPlan &x = s.loops[size_t(i)], &y = t.loops[size_t(i)];
        auto differ = [&](const std::string& mine, const std::string& its) {
            return refuse("with-kinds", fmt::format("{}.{} is {}, {}.{}, its counterpart, {}", name,
                                                    x.name, mine, with, y.name, its))
                .help("paired loops are loops of one kind");
        };
        if (x.kind != y.kind) throw differ(word(x.kind), word(y.kind));
        if (x.kind == LoopKind::Vectorized && x.copies != y.copies)
            throw differ(fmt::format("vectorised by {}", x.copies), fmt::format("by {}", y.copies));
        if (x.partition != y.partition)
            throw differ(fmt::format("partitioned {}", word(x.partition)), word(y.partition));
    }
}

// A line that would help where one of the stages reads the other.
std::string inside_instead(const Plan& plan, const Pair& p, bool first_reads) {
    const Algorithm& a = plan.pipeline.algorithm();
    const StageOf &reader = first_reads ? p.stage : p.with, &read = first_reads ? p.with : p.stage;
    const FuncDef& f = a.funcs[read.func];
    auto& loops = plan.funcs[reader.func].stages[reader.def].loops;
    auto direct = readers_of(a, f.name);
    if (std::ranges::find(direct, reader) == direct.end() || a.is_output(f.name) || loops.empty())
        return "";
    return fmt::format(
        "stage {}: compute_at({}, {}), where each iteration finds what it reads; "
        "store_at further out keeps it for the next ones",
        f.name.hint(), name_of(a.funcs[reader.func], reader.def),
        loops[std::min(size_t(p.depth), loops.size() - 1)].name);
}

}  // namespace

std::vector<Unit> units_at(const Plan& plan, const std::vector<Pair>& pairs, Spot spot) {
    Needs needs(plan);
    return ordered(plan, pairs, spot, needs);
}

void check_pairs(const Plan& plan) {
    auto pairs = pairs_of(plan);
    if (pairs.empty()) return;
    const Algorithm& a = plan.pipeline.algorithm();
    auto at_line = [&](const Pair& p, auto check) {
        try {
            check();
        } catch (Error& e) {
            const StagePlan& s = plan.funcs[p.stage.func].stages[p.stage.def];
            e.at(where_of(plan, s, s.pair->directive));
            throw;
        }
    };
    Needs needs(plan);
    std::vector<StageOf> all;
    for (auto& p : pairs)
        for (auto& s : {p.stage, p.with})
            if (std::ranges::find(all, s) == all.end()) all.push_back(s);
    auto groups = together_at(pairs, all, 0);
    auto refuse_dependence = [&](const Pair& p, const StageOf& x, const StageOf& y) {
        Error e = refusal(
            "with-dependent",
            fmt::format("{} cannot be computed with {}.{}: {}", needs.name(p.stage),
                        needs.name(p.with), plan.funcs[p.stage.func].stages[p.stage.def].pair->loop,
                        needs.path(x, y)));
        if ((x == p.stage && y == p.with) || (x == p.with && y == p.stage))
            if (auto line = inside_instead(plan, p, x == p.stage); !line.empty()) e.help(line);
        throw e;
    };
    for (auto& p : pairs)
        at_line(p, [&] {
            if (needs.needs(p.stage, p.with)) refuse_dependence(p, p.stage, p.with);
            if (needs.needs(p.with, p.stage)) refuse_dependence(p, p.with, p.stage);
            check_pair(plan, p);
        });
    for (auto& p : pairs)
        at_line(p, [&] {  // those that are in one loop through others
            for (auto& group : groups)
                for (size_t i : group)
                    for (size_t k : group)
                        if (all[i] == p.stage && needs.needs(all[i], all[k]))
                            refuse_dependence(p, all[i], all[k]);
                        else if (all[i] == p.stage && needs.needs(all[k], all[i]))
                            refuse_dependence(p, all[k], all[i]);
        });
    std::set<Spot> spots;
    for (auto& p : pairs)
        if (spots.insert(spot_of(plan, plan.funcs[p.stage.func].compute)).second)
            at_line(p, [&] { ordered(plan, pairs, *spots.rbegin(), needs); });
    if (std::ranges::none_of(pairs, [&](const Pair& p) {
            return !(plan.funcs[p.stage.func].store == plan.funcs[p.stage.func].compute) ||
                   !(plan.funcs[p.with.func].store == plan.funcs[p.with.func].compute);
        }))
        return;
    Plan q = plan;
    q.pipeline = inlined(plan);
    LoopNests nests = make_nests(q);
    Regions regions(q, nests);
    Windows windows = find_windows(q, nests, regions);
    for (auto& p : pairs)
        for (auto& s : {p.stage, p.with})
            for (size_t d = 0; d < windows[size_t(s.func)].size(); ++d)
                if (windows[size_t(s.func)][d].stepwise)
                    at_line(p, [&] {
                        const FuncDef& f = a.funcs[s.func];
                        throw refusal("with-steps",
                                      fmt::format("{} cannot be computed with {}: what is kept of "
                                                  "{} folds along {}, and its stages take turns "
                                                  "at each step there",
                                                  needs.name(p.stage), needs.name(p.with),
                                                  f.name.hint(), f.vars[d].hint()))
                            .help("store_at where it is computed");
                    });
}

}  // namespace burin
