// check.cpp - the proof of every place.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "legal/names.h"
#include "legal/pairs.h"
#include "legal/replay.h"
#include "legal/storage.h"
#include "legal/uses.h"
#include "legal/variants.h"

namespace burin {
namespace {

bool same(const LoopOf& x, const LoopOf& y) {
    return x.func == y.func && x.def == y.def && x.loop == y.loop;
}

std::string text(const Plan& plan, const LoopOf& l) {
    return name_of(plan.pipeline.algorithm().funcs[l.func], l.def) + "." + l.loop->name;
}

// The loops around a use: those around its Func, then all its own.
std::vector<LoopOf> loops_around(const Plan& plan, const StageOf& s) {
    auto loops = loops_around(plan, plan.funcs[s.func].compute);
    for (auto& l : plan.funcs[s.func].stages[s.def].loops) loops.push_back({s.func, s.def, &l});
    return loops;
}

Where line_of(const Plan& plan, const StageOf& s) {
    const Place& p = plan.funcs[s.func].compute;
    return p.where.known() ? p.where : plan.pipeline.algorithm().funcs[s.func].defs[s.def].source;
}

std::string placed_text(const Plan& plan, const Place& p) {
    return p.kind == Place::At     ? "computed at " + to_string(plan, p)
           : p.kind == Place::Root ? "computed at root"
                                   : "computed inline";
}

// Why a Func cannot be where the plan has it.
void check_func(const Plan& plan, int func) {
    const Algorithm& a = plan.pipeline.algorithm();
    const FuncPlan& f = plan.funcs[func];
    const std::string& name = a.funcs[func].name.hint();
    if (f.compute.kind == Place::Inline) return;
    std::vector<LoopOf> around;
    try {
        around = loops_around(plan, f.compute);
    } catch (Error& e) {
        throw refusal(e.id(), fmt::format("{} cannot be computed at {}: {}", name,
                                          to_string(plan, f.compute), e.message()));
    }
    for (auto& l : around)
        if (l.loop->kind == LoopKind::Vectorized) {
            std::string place = to_string(plan, f.compute), vector = text(plan, l);
            Error e =
                refusal("compute-at-vectorized",
                        fmt::format("{} cannot be computed at {}: {} vectorised", name, place,
                                    vector == place ? "that loop is" : vector + ", around it, is"));
            throw e.note("the stage with that loop", a.funcs[l.func].defs[l.def].source);
        }
    if (!around.empty()) {
        bool inside = false;
        const StageOf* outside = nullptr;
        auto users = uses_of(plan, func);
        for (auto& u : users) {
            auto loops = loops_around(plan, u);
            bool encloses = loops.size() >= around.size() &&
                            std::equal(around.begin(), around.end(), loops.begin(), same);
            inside |= encloses;
            if (!encloses && !outside) outside = &u;
        }
        if (outside) {
            const std::string& reader = a.funcs[outside->func].name.hint();
            Error e = refusal(
                "compute-at-outside-use",
                fmt::format("{} cannot be computed at {}: {} reads it{}, outside that loop", name,
                            to_string(plan, f.compute),
                            name_of(a.funcs[outside->func], outside->def), inside ? " too" : ""));
            e.note(fmt::format("{} is {}", reader,
                               placed_text(plan, plan.funcs[outside->func].compute)),
                   line_of(plan, *outside));
            throw e.note(fmt::format("{} is defined here", name), a.funcs[func].where);
        }
    }
    auto stored = loops_around(plan, f.store);
    if (stored.size() > around.size() ||
        !std::equal(stored.begin(), stored.end(), around.begin(), same))
        throw refusal("store-inside-compute",
                      fmt::format("{} cannot be stored at {}: it is {}, outside that loop", name,
                                  to_string(plan, f.store), placed_text(plan, f.compute)))
            .at(f.store.where);
    for (size_t i = stored.size(); i < around.size(); ++i)
        if (around[i].loop->kind == LoopKind::Parallel)
            throw refusal("store-outside-parallel",
                          fmt::format("{} cannot be stored at {} and computed at {}: between them "
                                      "{} is parallel, and its iterations "
                                      "would write the same storage",
                                      name, to_string(plan, f.store), to_string(plan, f.compute),
                                      text(plan, around[i])))
                .at(f.store.where)
                .help(fmt::format("store_at({}, {}), or further in",
                                  name_of(a.funcs[around[i].func], around[i].def),
                                  around[i].loop->name));
}

bool is_legal(const Plan& plan) {
    try {
        for (int i = 0; i < int(plan.funcs.size()); ++i) check_func(plan, i);
        check_storage(plan);
        check_pairs(plan);
        return true;
    } catch (const Error& e) {
        if (e.kind() != ErrorKind::Schedule) throw;
        return false;
    }
}

}  // namespace

std::vector<Place> legal_places(const Plan& plan, int func) {
    const Algorithm& a = plan.pipeline.algorithm();
    std::vector<Place> candidates, legal;
    if (a.is_output(a.funcs[func].name)) return {{Place::Root, -1, -1, "", {}}};
    if (!a.funcs[func].has_updates()) candidates.push_back({});
    candidates.push_back({Place::Root, -1, -1, "", {}});
    for (int i = 0; i < int(plan.funcs.size()); ++i)
        if (i != func && plan.funcs[i].compute.kind != Place::Inline)
            for (auto& s : plan.funcs[i].stages)
                for (auto& l : s.loops) candidates.push_back({Place::At, i, s.def, l.name, {}});
    Plan moved = plan;
    moved.funcs[func].folds.clear();  // they are about storage that goes along
    for (auto& p : candidates) {
        moved.funcs[func].compute = moved.funcs[func].store = p;
        if (is_legal(moved)) legal.push_back(p);
    }
    return legal;
}

void check(const Plan& plan) {
    for (auto& v : plan.variants) in_variant(v.when, [&] { check(v); });
    for (int i = 0; i < int(plan.funcs.size()); ++i) try {
            check_func(plan, i);
        } catch (Error& e) {
            e.at(plan.funcs[i].compute.where);
            std::vector<std::string> places;
            for (auto& p : legal_places(plan, i)) places.push_back(to_string(plan, p));
            if (!places.empty())
                e.help(fmt::format("legal places for {}: {}",
                                   plan.pipeline.algorithm().funcs[i].name.hint(), listed(places)));
            throw;
        }
    check_storage(plan);
    check_prefetches(plan);
    check_pairs(plan);
}

}  // namespace burin
