// Says what every region is: the box that the consumers inside the same loop need. Adds the checks that a call has to
// pass, and gives output Funcs their buffers.
//
// before:
//   pipeline p(n: size, a: i32[_]) -> g[n]
//   f(x) = a(x) * 2
//   g(x) = f(x) + f(x + 1)
//   schedule 1 for p
//   stage f
//     compute_at(g, x)
// after:
//   produce g {
//     for g.x in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
//       realize f: i32[g.x: 2] {
//         produce f {
//           for f.x in g.x .. g.x + 2 { f(f.x) = a(f.x) * 2 }
//         }
//         g(g.x) = f(g.x) + f(g.x + 1)
//       }
//     }
//   }
//
// Correct because boxes are found by interval arithmetic over what consumers run over, clipped where their loops
// overrun: no needed point is left out, and by induction no box leaves the one that the entry checks were made for.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/storage.h"
#include "lower/fresh_copy.h"
#include "lower/passes.h"

namespace burin {
namespace {

Expr meta(Symbol buffer, MetaKind what, int dim) {
    return make(Meta{buffer, what, dim}, IndexType);
}

class BoundsMaker {
public:
    explicit BoundsMaker(State& s)
        : s_(s), algorithm_(s.algorithm()), nests_(*s.nests), regions_(*s.plan, nests_) {}

    void run() {
        s_.windows = find_windows(*s_.plan, nests_, regions_);
        lets_at({});  // short ones go into short_, long ones were named at entry
        s_.stmt = rewrite(
            s_.stmt,
            [this](const For& op, auto& self) -> Stmt {
                auto spot = nests_.spots.find(op.name);
                if (spot == nests_.spots.end()) return self.descend(op);  // of a prefetch
                auto lets = lets_at(spot->second);
                For loop = *self.descend(op).template as<For>();
                loop.body = inside_bases(loop.body, [&](Stmt body) {
                    for (size_t i = lets.size(); i-- > 0;)
                        body = make(Let{lets[i].first, lets[i].second, body});
                    return body;
                });
                return make(std::move(loop), {}, box(op).origin);
            },
            [this](const Produce& op, auto& self) -> Stmt {
                Stmt p = self.descend(op);
                int f = algorithm_.func_index(op.func);
                Expr needed = regions_.of(f, spot_of(*s_.plan, s_.plan->funcs[f].compute)).nonempty;
                return needed.defined() ? make(If{needed, p, {}}) : p;
            },
            [this](const Realize& op, auto& self) -> Stmt {
                Realize r = *self.descend(op).template as<Realize>();
                if (is_automatic(op.memory))
                    r.extents = storage_extents(*s_.plan, nests_, regions_, s_.windows,
                                                algorithm_.func_index(op.func));
                return make(std::move(r), {}, box(op).origin);
            });
        outputs();
        s_.stmt = substitute(s_.stmt, short_);
        inputs();
        promises();
        required();
        for (auto& f : s_.windows)
            for (auto& w : f)
                for (Expr* end : {&w.lo, &w.hi})
                    if (end->defined()) *end = known(*end);
        s_.entry_lets = std::move(regions_.entry_lets);
    }

private:
    Expr known(const Expr& e) { return simplify(substitute(e, short_)); }

    // Values of the region symbols that are defined at a spot, consumers first. What is short is written out, unless
    // slide_window is to change it.
    std::vector<std::pair<Symbol, Expr>> lets_at(Spot spot) {
        std::vector<std::pair<Symbol, Expr>> lets;
        auto define = [&](Symbol s, const Expr& e, bool slides = false) {
            Expr value = known(e);
            if (!slides && (is_short(value) || value.as<Var>())) short_[s] = value;
            else lets.push_back({s, value});
        };
        for (size_t f = algorithm_.funcs.size(); f-- > 0;) {
            if (is_inlined(*s_.plan, int(f))) continue;
            auto& plan = s_.plan->funcs[f];
            auto& region = nests_.regions[f];
            bool computed = spot_of(*s_.plan, plan.compute) == spot;
            bool stored = region.has_own_store && spot_of(*s_.plan, plan.store) == spot;
            if (!computed && !stored) continue;
            auto box = regions_.box(int(f), spot);
            for (size_t d = 0; d < box.size(); ++d) {
                auto& [lo, hi] = box[d];
                auto& w = s_.windows[f][d];
                if (computed)
                    define(region.lo[d], lo, w.lo.defined() || w.stepwise),
                        define(region.hi[d], hi, w.hi.defined() || w.stepwise);
                if (stored) define(region.store_lo[d], lo), define(region.store_hi[d], hi);
            }
        }
        return lets;
    }

    void check(EntryCheck c) {
        if (c.lo.defined()) c.lo = known(c.lo);
        if (c.hi.defined()) c.hi = known(c.hi);
        s_.checks.push_back(std::move(c));
    }

    // A Func that is an output computes into the buffer itself if it needs no point beyond it; else beside it, and is
    // copied at the end. The narrow body takes it for granted if it is so for whole outputs: a scan needs all that
    // lies before a part.
    void outputs() {
        std::vector<Stmt> copies;
        for (size_t o = 0; o < algorithm_.outputs.size(); ++o) {
            Symbol name = algorithm_.outputs[o].func;
            int f = algorithm_.func_index(name);
            auto& func = algorithm_.funcs[f];
            for (size_t e = 0; e < func.types.size(); ++e) {
                Symbol buffer = e == 0 ? name : Symbol::named(fmt::format("{}.{}", name.hint(), e));
                s_.buffers.push_back({buffer, func.types[e], func.rank(), -1, int(o), int(e)});
            }
            std::vector<Interval> whole = regions_.of(f, {}).box, own;
            for (auto& i : whole) i = {known(i.lo), known(i.hi)};
            for (int d = 0; d < func.rank(); ++d) {
                Expr lo = meta(name, MetaKind::Min, d);
                own.push_back({lo, simplify(lo + meta(name, MetaKind::Extent, d) - 1)});
            }
            bool direct = equal_boxes(whole, own);
            if (!direct && s_.narrow && direct_if_whole(whole, own)) {
                for (int d = 0; d < func.rank(); ++d) {
                    check({EntryCheck::Usual, name, d, own[d].lo, whole[d].lo, {}, "", {}});
                    check({EntryCheck::Usual, name, d, own[d].hi, whole[d].hi, {}, "", {}});
                }
                direct = true;
            }
            if (direct) {
                s_.stmt = rewrite(s_.stmt, [&](const Realize& op, auto& self) {
                    return op.func == name ? self(op.body) : self.descend(op);
                });
            } else {
                Symbol full = Symbol::fresh(name.hint() + ".full");
                s_.stmt = renamed(s_.stmt, name, full);
                copies.push_back(copy_nest(func, full));
                s_.stmt = rewrite(s_.stmt, [&](const Realize& op, auto& self) -> Stmt {
                    if (op.func != full) return self.descend(op);
                    Realize r = op;
                    r.body = block({op.body, copies.back()});
                    return make(std::move(r), {}, box(op).origin);
                });
            }
        }
    }

    static bool equal_boxes(const std::vector<Interval>& a, const std::vector<Interval>& b) {
        return std::ranges::equal(a, b, [](const Interval& x, const Interval& y) {
            return equal(x.lo, y.lo) && equal(x.hi, y.hi);
        });
    }

    // Where a call asks for whole outputs.
    bool direct_if_whole(std::vector<Interval> whole, std::vector<Interval> own) {
        auto of_whole = [&](const Expr& e) {
            return simplify(rewrite(e, [&](const Meta& m, auto&) -> Expr {
                for (auto& out : algorithm_.outputs)
                    if (out.func == m.buffer && m.what == MetaKind::Min) return index_imm(0);
                    else if (out.func == m.buffer && m.what == MetaKind::Extent)
                        return out.shape[size_t(m.dim)];
                return handle(m);
            }));
        };
        for (auto* box : {&whole, &own})
            for (auto& i : *box) i = {of_whole(i.lo), of_whole(i.hi)};
        return equal_boxes(whole, own);
    }

    Stmt copy_nest(const FuncDef& func, Symbol full) {
        constexpr int lanes = 16;
        int n = func.rank();
        std::vector<Expr> at, values;
        std::vector<Symbol> loops;
        for (int d = 0; d < n; ++d) {
            loops.push_back(Symbol::fresh(func.name.hint() + ".copy." + func.vars[d].hint()));
            at.push_back(var(loops[d]));
        }
        Symbol lane = Symbol::fresh(func.name.hint() + ".copy.lane");
        Expr extent, inside;
        if (n > 0) {
            extent = meta(func.name, MetaKind::Extent, n - 1);
            Expr i = var(loops[n - 1]) * lanes + var(lane);
            at[n - 1] = meta(func.name, MetaKind::Min, n - 1) + i;
            inside = likely(i < extent);
        }
        for (size_t e = 0; e < func.types.size(); ++e)
            values.push_back(make(Read{full, int(e), at, {}, {}}, func.types[e]));
        Stmt s = make(Provide{func.name, at, values});
        if (n == 0) return s;
        s = make(If{inside, s, {}});
        s = make(For{lane, index_imm(0), index_imm(lanes), LoopKind::Vectorized, s});
        s = make(
            For{loops[n - 1], index_imm(0), (extent + (lanes - 1)) / lanes, LoopKind::Serial, s});
        for (int d = n - 1; d-- > 0;)
            s = make(For{loops[d], meta(func.name, MetaKind::Min, d),
                         meta(func.name, MetaKind::Extent, d), LoopKind::Serial, s});
        return s;
    }

    void inputs() {
        for (size_t p = 0; p < algorithm_.params.size(); ++p) {
            auto& param = algorithm_.params[p];
            if (param.kind != Parameter::Input) continue;
            s_.buffers.push_back({param.name, param.type, param.rank(), int(p), -1, 0});
            for (auto& d : regions_.of_input(param.name))
                for (size_t i = 0; i < d.box.size(); ++i)
                    check({EntryCheck::Region, param.name, int(i), d.box[i].lo, d.box[i].hi,
                           d.nonempty.defined() ? known(d.nonempty) : Expr(), "", param.where});
        }
    }

    // What directives and shapes promise, and what narrow indices need.
    void promises() {
        for (size_t f = 0; f < algorithm_.funcs.size(); ++f) {
            if (is_inlined(*s_.plan, int(f))) continue;
            auto& func = algorithm_.funcs[f];
            const Demand& demand = regions_.of(int(f), {});
            for (auto& b : s_.plan->funcs[f].bounds) {
                std::string text = fmt::format("bound({}, {}, {}) of {}", func.vars[b.dim].hint(),
                                               to_string(b.min, IndexType),
                                               to_string(b.extent, IndexType), func.name.hint());
                check({EntryCheck::Equal, func.name, b.dim, demand.box[b.dim].lo, b.min,
                       demand.nonempty, text, func.where});
                check({EntryCheck::Equal, func.name, b.dim, demand.box[b.dim].hi,
                       b.min + b.extent - 1, demand.nonempty, text, func.where});
            }
            for (auto& i : demand.box)
                check({EntryCheck::Index32, func.name, 0, i.lo, i.hi, demand.nonempty, "",
                       func.where});
            for (auto& stage : s_.plan->funcs[f].stages) {
                for (auto& split : stage.splits) {
                    if (split.kind != LoopSplit::Split || const_int(split.factor)) continue;
                    check({EntryCheck::Positive,
                           func.name,
                           0,
                           split.factor,
                           {},
                           {},
                           fmt::format("the factor {} that splits {} of {}",
                                       to_string(split.factor, IndexType), split.from,
                                       func.name.hint()),
                           func.where});
                }
                for (auto& r : func.defs[stage.def].domain)
                    check({EntryCheck::Index32, func.name, 0, r.lo, r.hi, {}, "", func.where});
                reaches(func, stage, demand);
            }
        }
        for (auto& d : regions_.index_values())
            check({EntryCheck::Index64, {}, 0, d.box[0].lo, d.box[0].hi, d.nonempty, "", {}});
        for (Symbol n : algorithm_.sizes)
            check({EntryCheck::Index32, n, 0, var(n), var(n), {}, "", {}});
        for (auto& b :
             s_.buffers) {  // no element of a buffer is further than 2^30 elements from its corner
            Expr before = index_imm(0), after = index_imm(0);
            for (int d = 0; d < b.rank; ++d) {
                Expr reach =
                    meta(b.buffer, MetaKind::Stride, d) * meta(b.buffer, MetaKind::Extent, d);
                before = before + min(reach, 0);
                after = after + max(reach, 0);
                Expr lo = meta(b.buffer, MetaKind::Min, d);
                check({EntryCheck::Index32,
                       b.buffer,
                       d,
                       lo,
                       lo + meta(b.buffer, MetaKind::Extent, d),
                       {},
                       "",
                       {}});
            }
            if (b.rank > 0) check({EntryCheck::Index32, b.buffer, 0, before, after, {}, "", {}});
        }
    }

    // Blocks reach past the region, by less than the factors multiply to. Up to 2^24 there is room for that anyway.
    void reaches(const FuncDef& func, const StagePlan& stage, const Demand& demand) {
        auto& def = func.defs[stage.def];
        std::map<std::string, Expr> extents,
            units;  // of each loop: its iterations, what one of them is worth
        for (int d = 0; d < func.rank(); ++d)
            extents[func.vars[d].hint()] = demand.box[d].hi - demand.box[d].lo + 1;
        for (auto& r : def.domain) extents[r.name.hint()] = r.hi - r.lo;
        auto unit = [&](const std::string& loop) {
            return units.contains(loop) ? units[loop] : index_imm(1);
        };
        for (auto& s : stage.splits) {
            Expr reach;
            if (s.kind == LoopSplit::Fuse) {
                reach = extents[s.from] =
                    max(extents[s.outer], index_imm(0)) * max(extents[s.inner], index_imm(0));
            } else {
                units[s.inner] = unit(s.from);
                units[s.outer] = simplify(unit(s.from) * s.factor);
                extents[s.inner] = s.factor;
                extents[s.outer] = (extents[s.from] + s.factor - 1) / s.factor;
                auto n = const_int(units[s.outer]);
                if (n && *n > 0 && *n <= 1 << 24) continue;
                reach = extents[s.outer] * units[s.outer];
            }
            reach = known(reach);
            for (auto kind : {EntryCheck::Index32, EntryCheck::Index64})
                check({kind, func.name, 0, {}, reach, demand.nonempty, "", func.where});
        }
    }

    void required() {
        for (size_t f = 0; f < algorithm_.funcs.size(); ++f) {
            Expr total;
            auto& func = algorithm_.funcs[f];
            if (!is_inlined(*s_.plan, int(f))) {
                const Demand& demand = regions_.of(int(f), {});
                total = index_imm(0);
                auto scan = scan_of(func);
                for (auto& def : func.defs) {
                    Expr n = index_imm(1);
                    auto times = [&](const Interval& range) {
                        n = n * max(range.extent(), index_imm(0));
                    };
                    for (int d = 0; d < func.rank(); ++d)
                        if (func.is_bare(def.args, d))
                            times(&def == &func.defs[0] ? pure_range(func, scan, d, demand.box[d])
                                                        : demand.box[d]);
                    for (auto& r : def.domain) times(range_in(scan, r, demand.box));
                    total = total + n;
                }
                if (demand.nonempty.defined()) total = select(demand.nonempty, total, index_imm(0));
                total = known(total);
            }
            s_.required_points.push_back(total);
        }
    }

    State& s_;
    const Algorithm& algorithm_;
    const LoopNests& nests_;
    Regions regions_;
    Substitution short_;
};

}  // namespace

State infer_bounds(State s) {
    BoundsMaker(s).run();
    return s;
}

}  // namespace burin
