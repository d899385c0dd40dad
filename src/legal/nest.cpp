#include "legal/nest.h"

#include <algorithm>

#include "arith/simplify.h"
#include "ir/build.h"
#include "legal/line.h"
#include "legal/scans.h"

namespace burin {

bool is_inlined(const Plan& plan, int func) {
    return plan.funcs[func].compute.kind == Place::Inline;
}

Spot spot_of(const Plan& plan, const Place& p) {
    if (p.kind != Place::At) return {};
    return {p.func, p.def, plan.funcs[p.func].stages[p.def].depth(p.loop)};
}

namespace {

// The loops of one stage while they are worked out: extents go from the roots down, values from the loops up.
class NestMaker {
public:
    NestMaker(const Plan& plan, const StagePlan& stage, const FuncRegion& region)
        : stage_(stage),
          func_(plan.pipeline.algorithm().funcs[stage.func]),
          def_(func_.defs[stage.def]),
          may_overrun_(!plan.pipeline.algorithm().is_output(func_.name) && !region.has_own_store) {
        std::vector<Interval> box;
        for (size_t d = 0; d < func_.vars.size(); ++d)
            box.push_back({var(region.lo[d]), var(region.hi[d])});
        auto scan = scan_of(func_);
        bool all = stage.def > 0 || keeps_pure_points(plan, scan);
        for (int d = 0; d < func_.rank(); ++d) {
            if (!func_.is_bare(def_.args, d)) continue;
            auto [lo, hi] = all ? box[d] : pure_range(func_, scan, d, box[d]);
            // So many lanes or copies are enough for what is read; a region may be more.
            if (is_counted(plan, func_.vars[d].hint())) {
                Interval kept = kept_between(plan, stage.func, d);
                if (kept.lo.defined()) lo = max(lo, kept.lo);
                if (kept.hi.defined()) hi = min(hi, kept.hi);
            }
            add_root(func_.vars[d], lo, hi);
        }
        for (auto& r : def_.domain) {
            auto [lo, hi] = range_in(scan, r, box);
            add_root(r.name, lo, hi);
        }
    }

    StageNest make() {
        for (auto& l : stage_.loops)
            nest_.loops.push_back(Symbol::fresh(func_.name.hint() + "." + l.name));
        for (auto& s : stage_.splits) {
            if (s.kind == LoopSplit::Split) {
                extent_[s.outer] = simplify((extent_.at(s.from) + s.factor - 1) / s.factor);
                extent_[s.inner] = s.factor;
            } else {
                Expr zero = index_imm(0);  // the extents of empty ranges may be negative
                extent_[s.from] =
                    simplify(max(extent_.at(s.outer), zero) * max(extent_.at(s.inner), zero));
            }
        }
        for (auto& l : stage_.loops) {
            nest_.mins.push_back(index_imm(0));
            nest_.extents.push_back(extent_.at(l.name));
        }
        // Values: a loop's own Symbol; of what was split, from its parts, the latest split first.
        for (size_t i = 0; i < stage_.loops.size(); ++i)
            value_[stage_.loops[i].name] = var(nest_.loops[i]);
        for (auto s = stage_.splits.rbegin(); s != stage_.splits.rend(); ++s) {
            if (s->kind == LoopSplit::Split) undo_split(*s);
            else undo_fuse(*s);
        }
        for (auto& [name, range] : roots_) {
            int leaf = stage_.depth(name.hint());
            if (leaf >= 0) {  // never split: the loop runs over the coordinate itself
                nest_.mins[leaf] = range.first;
                nest_.coordinates[name] = var(nest_.loops[leaf]);
            } else {
                nest_.coordinates[name] = simplify(range.first + value_.at(name.hint()));
            }
            nest_.range[name] = range;
        }
        for (size_t i = 0; i < stage_.loops.size(); ++i) make_constant(i);
        return std::move(nest_);
    }

private:
    // Whether lanes or copies are as many as all readers leave of a coordinate: no factor, domain or bound says it.
    bool is_counted(const Plan& plan, const std::string& coordinate) const {
        return std::ranges::any_of(stage_.loops, [&](auto& l) {
            return l.copies > 0 &&
                   !constant_extent(plan, stage_.func, stage_.def, l.name, /*exactly=*/true) &&
                   roots_of(stage_, l.name).contains(coordinate);
        });
    }
    // Tiles of a scan are filled with what is there, and blocks of round_up fit the storage if they begin where it does.
    bool keeps_pure_points(const Plan& plan, const std::optional<Scan>& scan) const {
        auto rounds_up = [](const LoopSplit& s) { return s.tail == Tail::RoundUp; };
        return scan && (!plan.funcs[stage_.func].stages[1].cache_writes.empty() ||
                        (scan->step < 0 && std::ranges::any_of(stage_.splits, rounds_up)));
    }

    void add_root(Symbol name, Expr lo, Expr hi) {
        roots_.emplace_back(name, std::pair(lo, hi));
        extent_[name.hint()] = simplify(hi - lo + 1);
    }

    // Only guards, masks or surplus keep the coordinates that a loop was made of inside their range.
    void overrun(const std::string& loop) {
        auto names = roots_of(stage_, loop);
        for (auto& [name, range] : roots_)
            if (names.contains(name.hint())) nest_.overrun.insert(name);
    }

    void undo_split(const LoopSplit& s) {
        Expr extent = extent_.at(s.from), outer = value_.at(s.outer), inner = value_.at(s.inner);
        Expr base = simplify(outer * s.factor);
        bool exact = is_int(simplify(extent % s.factor), 0);
        if (exact) {
            value_[s.from] = simplify(base + inner);
            return;
        }
        bool at_least_one = prove(s.factor <= extent, {});
        if (s.tail == Tail::ShiftInwards) {
            base = min(base, extent - s.factor);
            if (!at_least_one) base = max(base, index_imm(0));
            base = named(s.from, base);
        }
        value_[s.from] = base + inner;
        if (s.tail == Tail::ShiftInwards && at_least_one) return;
        bool whole = s.tail == Tail::RoundUp || s.tail == Tail::Predicate;
        if (!whole && tighten(s, base, extent)) return;
        overrun(s.from);
        Expr inside = s.tail == Tail::ShiftInwards ? inner < extent : base + inner < extent;
        auto& conditions = s.tail == Tail::Predicate                 ? nest_.masks
                           : s.tail == Tail::RoundUp && may_overrun_ ? nest_.surplus
                                                                     : nest_.guards;
        conditions.push_back(inside);
    }

    // Lanes and copies are so many, whatever the region: those beyond it do nothing.
    void make_constant(size_t loop) {
        const LoopPlan& l = stage_.loops[loop];
        Expr& extent = nest_.extents[loop];
        if (l.copies == 0 || const_int(extent)) return;
        nest_.guards.push_back(var(nest_.loops[loop]) - nest_.mins[loop] < extent);
        overrun(l.name);
        extent = index_imm(l.copies);
    }

    Expr named(const std::string& from, const Expr& base) {
        int depth = -1;
        for (size_t i = 0; i < nest_.loops.size(); ++i)
            if (uses(base, nest_.loops[i])) depth = int(i);
        if (depth < 0) return base;
        for (auto& b : nest_.bases)
            if (uses(base, b.name)) depth = std::max(depth, b.depth);
        nest_.bases.push_back(
            {depth, Symbol::fresh(func_.name.hint() + "." + from + ".base"), base});
        return var(nest_.bases.back().name);
    }

    // A serial inner loop just stops at the end, provided all that its start depends on is outside of it. Where it was
    // split again the loop over its parts stops after the last one that has any point, which leaves that one's to guard.
    bool tighten(const LoopSplit& s, const Expr& base, const Expr& extent) {
        std::string inner = s.inner;
        Expr part = index_imm(1);
        for (auto& later : stage_.splits)
            if (later.from == inner && later.kind == LoopSplit::Split) {
                inner = later.outer;
                part = simplify(part * later.factor);
            }
        int at = stage_.depth(inner);
        if (at < 0) return false;
        LoopKind kind = stage_.loops[at].kind;
        if (kind != LoopKind::Serial && kind != LoopKind::Parallel) return false;
        Expr start = base;  // in terms of loops alone
        for (size_t b = nest_.bases.size(); b-- > 0;)
            start = substitute(start, nest_.bases[b].name, nest_.bases[b].value);
        for (int i = 0; i < int(stage_.loops.size()); ++i)  // lanes cannot stop at different times
            if (uses(start, nest_.loops[i]) &&
                (i >= at || stage_.loops[i].kind == LoopKind::Vectorized))
                return false;
        Expr rest = s.tail == Tail::ShiftInwards ? extent : extent - base;
        if (s.tail == Tail::ShiftInwards && inner != s.inner) return false;  // one tile at most
        if (inner == s.inner) nest_.extents[at] = min(s.factor, rest);
        else nest_.extents[at] = min(nest_.extents[at], simplify((rest + part - 1) / part));
        return inner == s.inner;
    }

    void undo_fuse(const LoopSplit& s) {
        Expr fused = value_.at(s.from), inner = extent_.at(s.inner);
        value_[s.outer] = simplify(fused / inner);
        value_[s.inner] = simplify(fused % inner);
    }

    const StagePlan& stage_;
    const FuncDef& func_;
    const Definition& def_;
    bool may_overrun_;  // storage is made for this region alone
    std::vector<std::pair<Symbol, std::pair<Expr, Expr>>> roots_;
    std::map<std::string, Expr> extent_, value_;  // values count from 0
    StageNest nest_;
};

}  // namespace

StageNest make_nest(const Plan& plan, const StagePlan& stage, const FuncRegion& region) {
    return NestMaker(plan, stage, region).make();
}

FuncRegion make_region(const Plan& plan, int func) {
    const FuncPlan& p = plan.funcs[func];
    const FuncDef& f = plan.pipeline.algorithm().funcs[func];
    FuncRegion r;
    r.has_own_store = !(p.store == p.compute) && p.store.kind != Place::Inline;
    for (Symbol v : f.vars) {
        auto fresh = [&](const char* end) {
            return Symbol::fresh(f.name.hint() + "." + v.hint() + end);
        };
        r.lo.push_back(fresh(".lo"));
        r.hi.push_back(fresh(".hi"));
        r.store_lo.push_back(r.has_own_store ? fresh(".store_lo") : r.lo.back());
        r.store_hi.push_back(r.has_own_store ? fresh(".store_hi") : r.hi.back());
        r.all_lo.push_back(fresh(".lo"));
        r.all_hi.push_back(fresh(".hi"));
    }
    return r;
}

LoopNests make_nests(const Plan& plan) {
    LoopNests all;
    all.nests.resize(plan.funcs.size());
    for (int f = 0; f < int(plan.funcs.size()); ++f) {
        all.regions.push_back(make_region(plan, f));
        if (is_inlined(plan, f)) continue;
        for (auto& stage : plan.funcs[f].stages) {
            StageNest nest = make_nest(plan, stage, all.regions[f]);
            for (size_t i = 0; i < nest.loops.size(); ++i)
                all.spots[nest.loops[i]] = {f, stage.def, int(i)};
            all.nests[f].push_back(std::move(nest));
        }
    }
    return all;
}

Bounds inner_ranges(const StageNest& nest, int depth) {
    Bounds ranges;
    for (int i = depth + 1; i < int(nest.loops.size()); ++i) {
        ranges.push_back({nest.loops[i], {nest.mins[i], nest.mins[i] + nest.extents[i] - 1}});
        for (auto& b : nest.bases)
            if (b.depth == i) ranges.push_back({b.name, Interval::point(b.value)});
    }
    return ranges;
}

}  // namespace burin
