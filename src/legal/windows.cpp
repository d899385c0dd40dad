// windows.cpp - the proofs behind sliding windows and folded storage.
//
// A Func f is computed in the innermost of the loops between its storage and its computation. Its needed box is a
// function of these loops. An iteration may leave out a point if an earlier one, that surely ran, needed it: by
// induction it is in store then. Everything here is about needed boxes, never about what is left of them, so that the
// windows of several Funcs do not depend on each other.
#include "legal/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"
#include "legal/uses.h"

namespace burin {
namespace {

// A coordinate by itself in every update and self-read: what is at one value of it depends on no other.
bool is_slice(const FuncDef& f, int d) {
    auto bare = [&](const std::vector<Expr>& args) {
        auto* v = args[d].as<Var>();
        return v && v->name == f.vars[d];
    };
    for (size_t i = 1; i < f.defs.size(); ++i) {
        if (!bare(f.defs[i].args)) return false;
        for (auto& args : dependences(f, int(i)).self_reads)
            if (!bare(args)) return false;
    }
    return true;
}

// a <= b, where b often is a with other variables in it.
bool is_at_most(const Expr& a, const Expr& b, const Facts& facts) {
    if (a.same_as(b) || prove(simplify(a <= b, facts), facts)) return true;
    auto both = [&]<class T>(const T* x) {
        auto* y = b.as<T>();
        return x && y && is_at_most(x->a, y->a, facts) && is_at_most(x->b, y->b, facts);
    };
    return both(a.as<Min>()) || both(a.as<Max>());
}

class Finder {
public:
    Finder(const Plan& plan, const LoopNests& nests, Regions& regions)
        : plan_(plan),
          algorithm_(plan.pipeline.algorithm()),
          nests_(nests),
          regions_(regions),
          all_(plan.funcs.size()) {}

    Windows run() {
        for (int f = int(all_.size()); f-- > 0;) {  // consumers first
            all_[f].resize(algorithm_.funcs[f].vars.size());
            if (!is_inlined(plan_, f) && nests_.regions[f].has_own_store) find(f);
        }
        return std::move(all_);
    }

private:
    struct Loop {
        Symbol name;
        std::string text;
        Expr first, last;  // of what stands outside of it
        Expr min;          // the same as `first`, by the names that are bound around it
    };
    // Iteration `before` stands for: some loop one step back, those inside it that move with it at their end, where
    // they are at their start now.
    struct Step {
        Substitution now, before;
        Facts facts;
    };
    using Levels = std::vector<size_t>;  // positions in loops_, outermost first

    void find(int f) {
        auto& windows = all_[f];
        bool always = enter(f);
        size_t slid_from = loops_.size();  // the outermost loop that something slides along
        for (size_t d = 0; d < windows.size() && always; ++d)
            if (is_slice(algorithm_.funcs[f], int(d)))
                slid_from = std::min(slid_from, slide(windows, d));
        for (size_t d = 0; d < windows.size(); ++d) fold(f, d, slid_from);
        if (!std::ranges::all_of(windows,
                                 [](auto& w) { return !w.edge.defined() || w.always_new; }))
            regions_.hide_names(f);
        for (size_t d = 0; d < windows.size(); ++d) {
            auto& w = windows[d];
            if (w.edge.defined())
                run_[w.way == Window::Up ? nests_.regions[f].lo[d] : nests_.regions[f].hi[d]] =
                    w.edge;
        }
    }

    // Sets out the loops and the needed box of f. False if some iterations do not compute f at all.
    bool enter(int f) {
        auto around = loops_around(plan_, plan_.funcs[f].compute);
        size_t outside = loops_around(plan_, plan_.funcs[f].store).size();
        loops_.clear();
        needed_.clear();
        facts_ = {};
        // What is named inside the storage, but for what is run.
        Spot place = spot_of(plan_, plan_.funcs[f].compute);
        std::set<Spot> inside;
        for (size_t i = outside; i < around.size(); ++i) {
            auto& l = around[i];
            inside.insert({l.func, l.def, plan_.funcs[l.func].stages[l.def].depth(l.loop->name)});
            for (auto& b : nests_.nests[l.func][l.def].bases) needed_[b.name] = b.value;
        }
        Substitution run = needed_;
        Expr sometimes;
        for (int g = 0; g < int(all_.size()); ++g) {
            if (is_inlined(plan_, g)) continue;
            Spot spot = spot_of(plan_, plan_.funcs[g].compute);
            if (!inside.contains(spot) || g < f) continue;
            const Demand& d = regions_.of(g, spot);
            bool holds_f = std::ranges::any_of(around, [&](auto& l) { return l.func == g; });
            if (g == f || holds_f)
                if (d.nonempty.defined())
                    sometimes = sometimes.defined() ? sometimes && d.nonempty : d.nonempty;
            if (g == f) continue;
            auto& region = nests_.regions[g];
            for (size_t i = 0; i < d.box.size(); ++i) {
                for (auto& [symbol, end] :
                     {std::pair(region.lo[i], d.box[i].lo), std::pair(region.hi[i], d.box[i].hi)}) {
                    needed_[symbol] = end;
                    auto it = run_.find(symbol);
                    run[symbol] = it == run_.end() ? end : it->second;
                }
            }
        }
        for (size_t i = outside; i < around.size(); ++i) {
            auto& l = around[i];
            auto& nest = nests_.nests[l.func][l.def];
            size_t k = size_t(plan_.funcs[l.func].stages[l.def].depth(l.loop->name));
            Expr first = expanded(nest.mins[k], run),
                 last = expanded(nest.mins[k] + nest.extents[k] - 1, run);
            loops_.push_back({nest.loops[k],
                              name_of(algorithm_.funcs[l.func], l.def) + "." + l.loop->name, first,
                              last, nest.mins[k]});
            facts_.bound(nest.loops[k], first, last);
        }
        box_.clear();
        for (auto& i : regions_.of(f, place).box)
            box_.push_back({expanded(i.lo, needed_), expanded(i.hi, needed_)});
        if (!sometimes.defined()) return true;
        sometimes = expanded(sometimes, needed_);
        return std::ranges::none_of(loops_, [&](auto& l) { return uses(sometimes, l.name); });
    }

    static Expr expanded(const Expr& e, const Substitution& by) {
        for (Expr now = e;;) {
            Expr next = substitute(now, by);
            if (next.same_as(now)) return simplify(now);
            now = next;
        }
    }

    // The loops with which [lo, hi] moves, and those on which their ends depend.
    Levels moving(const Interval& i) {
        Levels found;
        std::vector<Expr> about{i.lo, i.hi};
        for (size_t k = loops_.size(); k-- > 0;) {
            if (std::ranges::none_of(about, [&](auto& e) { return uses(e, loops_[k].name); }))
                continue;
            found.insert(found.begin(), k);
            about.push_back(loops_[k].first);
            about.push_back(loops_[k].last);
        }
        return found;
    }

    // One step back in loop levels[n]; nothing where the iteration before is not known to have run.
    std::optional<Step> step(const Levels& levels, size_t n) {
        Step s{{}, {}, facts_};
        const Loop& l = loops_[levels[n]];
        s.facts.assume(l.first + 1 <= var(l.name));
        s.before[l.name] = var(l.name) - 1;
        for (size_t k = levels[n] + 1; k < loops_.size(); ++k) {
            const Loop& inner = loops_[k];
            Expr first = substitute(inner.first, s.before), last = substitute(inner.last, s.before);
            if (std::find(levels.begin() + n, levels.end(), k) != levels.end()) {
                if (!prove(first <= last, s.facts)) return {};
                s.now[inner.name] = substitute(inner.first, s.now);
                s.before[inner.name] = last;
            } else if (Expr v = var(inner.name); !prove(first <= v && v <= last, s.facts)) {
                return {};
            }
        }
        return s;
    }
    // e is no larger (or smaller) in the iteration before.
    static bool rises(const Step& s, const Expr& e) {
        return is_at_most(substitute(e, s.before), substitute(e, s.now), s.facts);
    }
    static bool falls(const Step& s, const Expr& e) {
        return is_at_most(substitute(e, s.now), substitute(e, s.before), s.facts);
    }
    static bool moves(const Step& s, const Interval& i, Window::Way way) {
        return way == Window::Up ? rises(s, i.lo) && rises(s, i.hi)
                                 : falls(s, i.lo) && falls(s, i.hi);
    }

    // Returns the outermost loop it slides along.
    size_t slide(std::vector<Window>& windows, size_t d) {
        Levels levels = moving(box_[d]);
        size_t outermost = loops_.size();
        for (Window::Way way : {Window::Up, Window::Down}) {
            std::vector<std::pair<Expr, Expr>> cases;  // innermost loop first: when, and the edge
            bool always_new = true;
            for (size_t n = levels.size(); n-- > 0;) {
                auto s = step(levels, n);
                if (!s || !moves(*s, box_[d], way) || !holds_others(*s, d)) break;
                auto& [lo, hi] = box_[d];
                Expr reached = simplify(substitute(way == Window::Up ? hi + 1 : lo - 1, s->before),
                                        s->facts),
                     edge = way == Window::Up ? simplify(max(lo, reached), s->facts)
                                              : simplify(min(hi, reached), s->facts);
                if (equal(edge, way == Window::Up ? lo : hi)) break;  // nothing is left out
                const Loop& l = loops_[levels[n]];
                cases.push_back({l.min < var(l.name), edge});
                outermost = levels[n];
                Expr start = substitute(lo, s->now), end = substitute(hi, s->now);
                reached = substitute(reached, s->now);
                always_new = always_new &&
                             prove(way == Window::Up ? reached <= end : start <= reached, s->facts);
            }
            if (cases.empty()) continue;
            Expr edge = way == Window::Up ? box_[d].lo : box_[d].hi;
            for (size_t i = cases.size(); i-- > 0;)
                edge = select(cases[i].first, cases[i].second, edge);
            windows[d].way = way;
            windows[d].edge = edge;
            windows[d].always_new = always_new;
            break;
        }
        return outermost;
    }
    // The other coordinates of what is left out were needed then, too.
    bool holds_others(const Step& s, size_t d) {
        for (size_t e = 0; e < box_.size(); ++e)
            if (e != d && !(rises(s, box_[e].lo) && falls(s, box_[e].hi))) return false;
        return true;
    }

    // Two points share a cell only if they are `fold` apart, and both stand in some box between the iteration that
    // needed the one and the iteration that needs it again: boxes in between lie in one direction.
    void fold(int f, size_t d, size_t slid_from) {
        Window& w = all_[f][d];
        Expr extent = simplify(box_[d].hi - box_[d].lo + 1, facts_);
        auto most = upper_bound(extent, facts_);
        if (!most) {
            w.why_not = fmt::format(
                "unproved that the extent {} which one iteration needs is "
                "bounded by a constant",
                to_string(extent, IndexType));
            return;
        }
        Levels levels = moving(box_[d]);
        std::erase_if(levels, [&](size_t k) { return k < slid_from; });
        for (size_t k = slid_from; k < loops_.size() && !levels.empty(); ++k)
            if (std::ranges::find(levels, k) == levels.end() && k < levels.back()) {
                w.why_not = fmt::format("{} runs all of {} again while values are kept",
                                        loops_[k].text, loops_[levels.back()].text);
                return;
            }
        bool up = true, down = true;
        for (size_t n = 0; n < levels.size(); ++n) {
            auto s = step(levels, n);
            up = up && s && moves(*s, box_[d], Window::Up);
            down = down && s && moves(*s, box_[d], Window::Down);
            if (!up && !down) {
                w.why_not = fmt::format("unproved that {} .. {} moves one way along {}",
                                        to_string(box_[d].lo, IndexType),
                                        to_string(box_[d].hi, IndexType), loops_[levels[n]].text);
                return;
            }
        }
        w.least_fold = std::max<int64_t>(*most, 1);
        choose_fold(f, d);
    }

    void choose_fold(int f, size_t d) {
        Window& w = all_[f][d];
        const FuncPlan& p = plan_.funcs[f];
        for (auto& x : p.folds)
            if (x.dim == int(d)) {
                w.fold = x.factor >= w.least_fold ? x.factor : 0;
                return;
            }
        bool wanted = !p.layout && d + 1 < all_[f].size() && !moving(box_[d]).empty() &&
                      w.least_fold <= largest_automatic_fold;
        for (auto& s : p.stages)
            for (auto& l : s.loops)
                if (l.kind == LoopKind::Vectorized &&
                    roots_of(s, l.name).contains(algorithm_.funcs[f].vars[d].hint()))
                    wanted = false;
        if (wanted) w.fold = int64_t(std::bit_ceil(uint64_t(w.least_fold)));
    }
    static constexpr int64_t largest_automatic_fold = 1024;

    const Plan& plan_;
    const Algorithm& algorithm_;
    const LoopNests& nests_;
    Regions& regions_;
    Windows all_;
    Substitution run_;  // what regions begin and end with that slide

    // Of the Func at hand:
    std::vector<Loop> loops_;
    Substitution needed_;
    std::vector<Interval> box_;
    Facts facts_;
};

}  // namespace

Windows find_windows(const Plan& plan, const LoopNests& nests, Regions& regions) {
    return Finder(plan, nests, regions).run();
}

void check_folds(const Plan& plan, const Windows& windows) {
    for (size_t f = 0; f < windows.size(); ++f) {
        const FuncDef& func = plan.pipeline.algorithm().funcs[f];
        for (auto& x : plan.funcs[f].folds) {
            const Window& w = windows[f][x.dim];
            if (w.fold == x.factor) continue;
            std::string name = func.name.hint(), v = func.vars[x.dim].hint();
            Where where = where_of(plan, plan.funcs[f].stages[0], x.directive);
            if (plan.funcs[f].store == plan.funcs[f].compute)
                throw refusal(
                    "fold-without-store-at",
                    fmt::format("the storage of {} cannot be folded: it is stored where "
                                "it is computed, and nothing is kept for the next iteration",
                                name))
                    .at(where)
                    .help("store_at(...) further out, or no fold_storage");
            Error e =
                w.least_fold == 0
                    ? refusal("fold-unproved", fmt::format("the storage of {} cannot be folded "
                                                           "along {}: {}",
                                                           name, v, w.why_not))
                    : refusal("fold-too-small",
                              fmt::format("{} elements of {} along {} are too few: {} are in use "
                                          "at once",
                                          x.factor, name, v, w.least_fold))
                          .help(fmt::format("fold_storage({}, {})", v, w.least_fold));
            throw e.at(where);
        }
    }
}

}  // namespace burin
