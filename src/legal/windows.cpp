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
    for (size_t i = 1; i < f.defs.size(); ++i) {
        if (!f.is_bare(f.defs[i].args, d)) return false;
        for (auto& args : dependences(f, int(i)).self_reads)
            if (!f.is_bare(args, d)) return false;
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
    struct Case {  // where the loop is past its start, new coordinates begin (or end) at `edge`
        const Loop* loop;
        Step step;
        Expr edge;
    };
    using Levels = std::vector<size_t>;  // positions in loops_, outermost first

    void find(int f) {
        enter(f);
        auto& windows = all_[f];
        const FuncDef& func = algorithm_.funcs[f];
        auto scan = scan_of(func);
        size_t slid_from = loops_.size();  // the outermost loop that something slides along
        for (size_t d = 0; d < windows.size(); ++d) {
            std::vector<Case> cases;
            bool walks = scan && scan->dim == int(d);
            if (walks || is_slice(func, int(d))) cases = slide(windows[d], d);
            for (auto& c : cases) slid_from = std::min(slid_from, size_t(c.loop - loops_.data()));
            slid_.push_back(std::move(cases));
        }
        for (size_t d = 0; d < windows.size(); ++d)
            fold(f, d, slid_from,
                 scan && scan->dim == int(d) && scan->reach > 0 ? &*scan : nullptr);
        if (!std::ranges::all_of(windows,
                                 [](auto& w) { return w.way == Window::Still || w.always_new; }))
            regions_.hide_names(f);
        bool slides = slid_from < loops_.size();
        for (size_t d = 0; d < windows.size(); ++d) {
            auto& w = windows[d];
            auto settle = [&](Expr& end, const Expr& read, Symbol name) {
                if (slides && !end.defined() && uses_partial(read)) end = written(read, {});
                if (end.defined()) run_[name] = end;
            };
            settle(w.lo, demand_.box[d].lo, nests_.regions[f].lo[d]);
            settle(w.hi, demand_.box[d].hi, nests_.regions[f].hi[d]);
        }
    }
    bool uses_partial(const Expr& e) {
        return std::ranges::any_of(partial_, [&](Symbol s) { return uses(e, s); });
    }

    // Sets out the loops and the needed box of f, and what its being computed at all depends on.
    void enter(int f) {
        auto around = loops_around(plan_, plan_.funcs[f].compute);
        size_t outside = loops_around(plan_, plan_.funcs[f].store).size();
        loops_.clear();
        needed_.clear();
        partial_.clear();
        slid_.clear();
        facts_ = {};
        when_ = {};
        // What is named inside the storage: by what is needed, and by what is run.
        Spot place = spot_of(plan_, plan_.funcs[f].compute);
        std::set<Spot> inside;
        for (size_t i = outside; i < around.size(); ++i) {
            auto& l = around[i];
            inside.insert({l.func, l.def, plan_.funcs[l.func].stages[l.def].depth(l.loop->name)});
            for (auto& b : nests_.nests[l.func][l.def].bases) needed_[b.name] = b.value;
        }
        Substitution run = needed_;
        for (int g = f; g < int(all_.size()); ++g) {
            if (is_inlined(plan_, g)) continue;
            Spot spot = spot_of(plan_, plan_.funcs[g].compute);
            if (!inside.contains(spot)) continue;
            const Demand& d = regions_.of(g, spot);
            bool holds_f = std::ranges::any_of(around, [&](auto& l) { return l.func == g; });
            if ((g == f || holds_f) && d.nonempty.defined())
                when_ = when_.defined() ? when_ && d.nonempty : d.nonempty;
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
        Substitution full;
        for (auto& [symbol, value] : needed_) {
            full[symbol] = expanded(value, needed_);
            if (!equal(full[symbol], expanded(var(symbol), run))) partial_.insert(symbol);
        }
        needed_ = std::move(full);
        demand_ = regions_.of(f, place);
        auto boxes = [&](const std::vector<Interval>& raw) {
            std::vector<Interval> out;
            for (auto& i : raw)
                out.push_back(
                    {simplify(substitute(i.lo, needed_)), simplify(substitute(i.hi, needed_))});
            return out;
        };
        box_ = boxes(demand_.box);
        read_ = boxes(demand_.read);
    }

    // e with all names that mean something else in what is needed, or when loops have moved; others keep their names.
    Expr written(const Expr& e, const Substitution& moved) {
        Substitution by = moved;
        for (auto& [symbol, value] : needed_) {
            bool differs = partial_.contains(symbol);
            for (auto& [loop, to] : moved) differs = differs || uses(value, loop);
            if (differs) by[symbol] = substitute(value, moved);
        }
        return substitute(e, by);
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

    // Returns the loops it slides along, innermost first.
    std::vector<Case> slide(Window& w, size_t d) {
        Levels levels = moving(box_[d]);
        for (Window::Way way : {Window::Up, Window::Down}) {
            bool up = way == Window::Up;
            const Expr &old = up ? box_[d].hi : box_[d].lo, &end = up ? box_[d].lo : box_[d].hi,
                       &named_old = up ? demand_.box[d].hi : demand_.box[d].lo,
                       &named_end = up ? demand_.box[d].lo : demand_.box[d].hi;
            int64_t one = up ? 1 : -1;
            std::vector<Case> cases;
            std::vector<Expr> edges;
            w.always_new = true;
            for (size_t n = levels.size(); n-- > 0;) {
                auto s = step(levels, n);
                if (!s || !moves(*s, box_[d], way) || !holds_others(*s, d)) break;
                Expr reached = simplify(substitute(old, s->before) + one, s->facts);
                auto is_past = [&](const Expr& a, const Expr& b) {
                    return is_at_most(up ? a : b, up ? b : a, s->facts);
                };
                Expr now = substitute(reached, s->now);
                if (is_past(now, substitute(end, s->now))) break;  // nothing is left out
                w.always_new = w.always_new && is_past(now, substitute(old, s->now));
                Expr edge = simplify(written(named_old, s->before) + one, s->facts);
                if (!is_past(end, reached)) {
                    Expr all = written(named_end, {});
                    edge = up ? max(all, edge) : min(all, edge);
                }
                edges.push_back(edge);
                cases.push_back({&loops_[levels[n]], std::move(*s), reached});
            }
            if (cases.empty()) continue;
            Expr all = simplify(written(named_end, {})), edge = all;
            for (size_t i = cases.size(); i-- > 0;) {
                Expr ran =
                    when_.defined()
                        ? simplify(substitute(substitute(when_, needed_), cases[i].step.before))
                        : bool_imm(true);
                edge = select(cases[i].loop->min < var(cases[i].loop->name),
                              is_true(ran) ? edges[i] : select(ran, edges[i], all), edge);
            }
            w.way = way;
            (up ? w.lo : w.hi) = edge;
            return cases;
        }
        return {};
    }
    // The other coordinates of what is left out were needed then, too.
    bool holds_others(const Step& s, size_t d) {
        for (size_t e = 0; e < box_.size(); ++e)
            if (e != d && !(rises(s, box_[e].lo) && falls(s, box_[e].hi))) return false;
        return true;
    }

    // Two points share a cell only if they are `fold` apart, and both stand in some box between the iteration that
    // needed the one and the iteration that needs it again: boxes in between lie in one direction. A scan needs only
    // what others read and what it looks back to, if it takes one step after the other.
    void fold(int f, size_t d, size_t slid_from, const Scan* scan) {
        Window& w = all_[f][d];
        const Interval& box = scan ? read_[d] : box_[d];
        int64_t least = scan ? scan->reach + 1 : 1;
        auto needs = [&](const Expr& lo, const Expr& hi, const Facts& facts) {
            Expr extent = simplify(hi - lo + 1, facts);
            auto most = upper_bound(extent, facts);
            if (most) least = std::max(least, *most);
            else
                w.why_not = fmt::format(
                    "unproved that the extent {} which one iteration needs is "
                    "bounded by a constant",
                    to_string(extent, IndexType));
            return most.has_value();
        };
        if (!needs(box.lo, box.hi, facts_)) return;
        Levels levels = moving(box);
        std::erase_if(levels, [&](size_t k) { return k < slid_from; });
        for (size_t k = slid_from; k < loops_.size() && !levels.empty(); ++k)
            if (std::ranges::find(levels, k) == levels.end() && k < levels.back()) {
                w.why_not = fmt::format("{} runs all of {} again while values are kept",
                                        loops_[k].text, loops_[levels.back()].text);
                return;
            }
        bool up = !scan || scan->step > 0, down = !scan || scan->step < 0;
        for (size_t n = 0; n < levels.size(); ++n) {
            auto s = step(levels, n);
            up = up && s && moves(*s, box, Window::Up);
            down = down && s && moves(*s, box, Window::Down);
            if (!up && !down) {
                w.why_not = fmt::format("unproved that {} .. {} moves {} along {}",
                                        to_string(box.lo, IndexType), to_string(box.hi, IndexType),
                                        !scan            ? "one way"
                                        : scan->step > 0 ? "up, as its scan does,"
                                                         : "down, as its scan does,",
                                        loops_[levels[n]].text);
                return;
            }
        }
        if (scan) {
            if (w.way != Window::Still && (w.way == Window::Up) != (scan->step > 0)) {
                w.why_not = "its window slides against its scan";
                return;
            }
            for (auto& c : slid_[d]) {
                auto now = [&](const Expr& e) { return substitute(e, c.step.now); };
                if (!(scan->step > 0 ? needs(now(c.edge) - scan->reach, now(box.hi), c.step.facts)
                                     : needs(now(box.lo), now(c.edge) + scan->reach, c.step.facts)))
                    return;
            }
        }
        w.least_fold = least;
        choose_fold(f, d);
        if (scan && w.fold > 0) w.stepwise = scan->step;
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
    Substitution needed_;                  // what the names in it stand for, by what is needed
    std::set<Symbol> partial_;             // names that stand for less, as windows have slid
    Demand demand_;                        // by the names that are bound around it
    std::vector<Interval> box_, read_;     // of loops
    Expr when_;                            // undefined: it is computed in every iteration
    std::vector<std::vector<Case>> slid_;  // of each coordinate
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
