#include "legal/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arith/linear.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"

namespace burin {
namespace {

constexpr int64_t nowhere = int64_t(1) << 40;  // beyond every coordinate, and far from overflow

Expr both(const Expr& a, const Expr& b) {
    if (!a.defined()) return b;
    return b.defined() ? simplify(a && b) : a;
}

// What a comparison says: each of these is >= 0 where it holds.
std::vector<Expr> slacks(const Expr& condition) {
    if (auto* op = condition.as<Lt>()) return {op->b - op->a - 1};
    if (auto* op = condition.as<Le>()) return {op->b - op->a};
    if (auto* op = condition.as<Eq>()) return {op->b - op->a, op->a - op->b};
    return {};
}

// Whether the ends of e over empty ranges may lie outside its ends over wider ones: it neither only grows nor only falls.
bool is_loose(const Expr& e, const Bounds& ranges, const std::set<Symbol>& loose) {
    auto varies = [&](const Expr& x) {
        return std::ranges::any_of(ranges, [&](auto& r) { return uses(x, r.name); });
    };
    auto is_positive = [](const Expr& x) {
        auto c = const_int(x);
        return c && *c > 0;
    };
    bool found = false;
    visit(
        e, [&](const Var& v, auto&) { found |= loose.contains(v.name); },
        [&](const Mod& op, auto& self) {
            found |= varies(op.a);
            self.descend(op);
        },
        [&](const Div& op, auto& self) {
            found |= varies(op.a) && !is_positive(op.b);
            self.descend(op);
        },
        [&](const Mul& op, auto& self) {
            found |= !const_int(op.a) && !const_int(op.b) && varies(handle(op));
            self.descend(op);
        });
    return found;
}

// v of one coordinate is kept to where `condition` can hold.
void shrink(Bounds& ranges, std::set<Symbol>& loose, const Expr& condition) {
    for (auto& e : slacks(condition)) {
        Linear slack = linear(e);
        for (auto& [v, range] : ranges) {
            int64_t c = slack.of(var(v));
            if (c == 0) continue;
            std::optional<Linear> rest = add(slack, linear(var(v)), -c);
            if (!rest || uses(to_expr(*rest), v)) continue;
            Expr r = to_expr(*rest);
            if (is_loose(r, ranges, loose)) loose.insert(v);
            if (c > 0) {  // v >= -rest / c
                Expr bound = interval_of(-r, ranges).lo;
                if (bound.defined()) bound = simplify((bound + (c - 1)) / c);
                if (bound.defined())
                    range.lo = range.lo.defined() ? simplify(max(range.lo, bound)) : bound;
            } else {  // v <= rest / -c
                Expr bound = interval_of(r, ranges).hi;
                if (bound.defined()) bound = simplify(bound / -c);
                if (bound.defined())
                    range.hi = range.hi.defined() ? simplify(min(range.hi, bound)) : bound;
            }
        }
    }
}

// The same for an index that is the sum a condition is about: with ro * 4 + u < n, the read at ro * 4 + u is below n.
void clip(Interval& i, const Expr& index, const Expr& condition, const Bounds& ranges) {
    auto is_known = [&](const Expr& e) {
        return std::ranges::none_of(ranges, [&](auto& r) { return uses(e, r.name); });
    };
    if (is_known(index)) return;
    for (auto& slack : slacks(condition)) {
        auto above = add(expanded(index), expanded(slack), 1),
             below = add(expanded(index), expanded(slack), -1);
        if (above && is_known(to_expr(*above))) i.hi = simplify(min(i.hi, to_expr(*above)));
        if (below && is_known(to_expr(*below))) i.lo = simplify(max(i.lo, to_expr(*below)));
    }
}

}  // namespace

bool is_short(const Expr& e) {
    Linear l = linear(e);
    if (l.terms.size() > 3) return false;
    auto is_small = [](const Expr& e) { return e.node()->depth <= 3 && is_short(e); };
    for (auto& t : l.terms) {
        auto* lesser = t.atom.as<Min>();
        auto* greater = t.atom.as<Max>();
        if (lesser && is_small(lesser->a) && is_small(lesser->b)) continue;
        if (greater && is_small(greater->a) && is_small(greater->b)) continue;
        if (!t.atom.as<Var>() && !t.atom.as<Meta>()) return false;
    }
    return true;
}

Regions::Regions(const Plan& plan, const LoopNests& nests)
    : plan_(plan), algorithm_(plan.pipeline.algorithm()), nests_(nests) {
    for (size_t f = 0; f < algorithm_.funcs.size(); ++f) {
        scans_.push_back(scan_of(algorithm_.funcs[f]));
        if (is_inlined(plan, int(f))) continue;
        auto& func = algorithm_.funcs[f];
        for (size_t d = 0; d < func.defs.size(); ++d) {
            auto& def = func.defs[d];
            Stage stage{int(f), int(d), {}, {}, {}};
            std::vector<Expr> where;
            if (def.where.defined()) add_conditions(def.where, true, where);
            std::vector<Expr> values = written_out(algorithm_, func, def);
            values.insert(values.end(), def.args.begin(), def.args.end());
            stage.values = values;
            if (def.where.defined()) stage.values.push_back(def.where);
            std::vector<Use> all = reads_of(values, where);
            if (def.where.defined())
                for (auto& u : reads_of({def.where})) all.push_back(u);
            for (auto& u : all) (u.target == func.name ? stage.own : stage.uses).push_back(u);
            if (d > 0) stage.own.push_back({func.name, def.args, where, {}});
            stages_.push_back(std::move(stage));
        }
    }
}

const Demand& Regions::of(int func, Spot spot) {
    auto key = std::pair(func, spot);
    if (auto it = memo_.find(key); it != memo_.end()) return it->second;
    Demand d = compute(func, spot);
    return memo_[key] = std::move(d);
}

std::vector<Interval> Regions::box(int func, Spot spot) {
    std::vector<Interval> box = of(func, spot).box;
    if (spot.is_root())
        for (auto& b : plan_.funcs[func].bounds) {
            auto [it, is_new] = bounds_.try_emplace({func, b.dim});
            if (is_new)
                it->second = {
                    name_if_long(b.min, Symbol::fresh("bound.lo")),
                    name_if_long(simplify(b.min + b.extent - 1), Symbol::fresh("bound.hi"))};
            box[b.dim] = it->second;
        }
    return box;
}

Regions::Context Regions::context(const Stage& stage, Spot spot) {
    auto& func = algorithm_.funcs[stage.func];
    auto& def = func.defs[stage.def];
    auto& nest = nests_.nests[stage.func][stage.def];
    Context c;
    if (spot.func == stage.func && spot.def == stage.def) {
        auto inner = inner_ranges(nest, spot.depth);
        auto add = [&](Symbol v) {
            Interval i = interval_of(nest.coordinates.at(v), inner);
            auto& [lo, hi] = nest.range.at(v);
            bool clip = nest.overrun.contains(v);
            i.lo = !i.lo.defined() ? lo : clip ? simplify(max(i.lo, lo)) : i.lo;
            i.hi = !i.hi.defined() ? hi : clip ? simplify(min(i.hi, hi)) : i.hi;
            c.ranges.push_back({v, i});
        };
        for (Symbol v : func.vars)
            if (nest.range.contains(v)) add(v);
        for (auto& r : def.domain) {
            add(r.name);
            auto& [lo, hi] = nest.range.at(r.name);
            if (prove(lo <= hi, {})) continue;
            // inside a loop that an empty domain leaves without iterations it is not empty
            Facts empty;
            empty.assume(hi < lo);
            bool is_inside = false;
            for (int i = 0; i <= spot.depth; ++i)
                is_inside = is_inside || (uses(nest.coordinates.at(r.name), nest.loops[i]) &&
                                          prove(nest.extents[i] <= 0, empty));
            if (!is_inside) c.nonempty = both(c.nonempty, lo <= hi);
        }
        return c;
    }
    Spot place = spot_of(plan_, plan_.funcs[stage.func].compute);
    const Demand& region = of(stage.func, spot);
    bool has_names = place == spot && !spot.is_root() && !hidden_.contains(stage.func);
    auto& s = nests_.regions[stage.func];
    std::vector<Interval> box = region.box;
    for (size_t d = 0; d < box.size(); ++d) {
        if (has_names) box[d] = {var(s.lo[d]), var(s.hi[d])};
        c.ranges.push_back({func.vars[d], box[d]});
        if (region.loose[d]) c.loose.insert(func.vars[d]);
    }
    c.nonempty = region.nonempty;
    for (auto& r : def.domain) {
        Interval i = range_in(scans_[stage.func], r, box);
        if (!prove(i.lo <= i.hi, {})) c.nonempty = both(c.nonempty, i.lo <= i.hi);
        c.ranges.push_back({r.name, i});
        if (scans_[stage.func] && std::ranges::find(region.loose, true) != region.loose.end())
            c.loose.insert(r.name);
    }
    return c;
}

Demand Regions::box_of(const Use& use, const Context& context) {
    auto ranges = context.ranges;
    auto loose = context.loose;
    for (auto& c : use.conditions) shrink(ranges, loose, c);
    Demand d{{}, context.nonempty};
    for (auto& a : use.args) {
        Interval i = interval_of(a, ranges);
        if (!i.lo.defined() || !i.hi.defined())
            throw Error(
                ErrorKind::Bounds, "unbounded-index",
                fmt::format("the index {} of {} has no bounds", to_string(a), use.target.hint()))
                .help("clamp(index, lo, hi)");
        i = {simplify(i.lo), simplify(i.hi)};
        for (auto& c : use.conditions) clip(i, a, c, context.ranges);
        d.box.push_back(i);
        d.loose.push_back(is_loose(a, ranges, loose));
    }
    return d;
}

namespace {
void join(std::vector<Interval>& a, const std::vector<Interval>& b) {
    for (size_t d = 0; d < a.size(); ++d)
        a[d] = {simplify(min(a[d].lo, b[d].lo)), simplify(max(a[d].hi, b[d].hi))};
}
void join(Demand& a, const Demand& b) {
    join(a.box, b.box);
    for (size_t d = 0; d < a.loose.size(); ++d) a.loose[d] = a.loose[d] || b.loose[d];
}
}  // namespace

Demand Regions::compute(int f, Spot spot) {
    auto& func = algorithm_.funcs[f];
    std::vector<Demand> parts;
    if (spot.is_root() && algorithm_.is_output(func.name)) {
        Demand d;
        for (int i = 0; i < func.rank(); ++i) {
            Expr lo = make(Meta{func.name, MetaKind::Min, i}, IndexType),
                 n = make(Meta{func.name, MetaKind::Extent, i}, IndexType);
            d.box.push_back({lo, simplify(lo + n - 1)});
            d.loose.push_back(false);
            // Of one empty output alone nothing is ever run; of several, each speaks for itself.
            if (algorithm_.outputs.size() > 1) d.nonempty = both(d.nonempty, 0 < n);
        }
        parts.push_back(std::move(d));
    }
    for (auto& stage : stages_) {
        if (stage.func == f) continue;
        std::vector<const Use*> uses;
        for (auto& u : stage.uses)
            if (u.target == func.name) uses.push_back(&u);
        if (uses.empty()) continue;
        Context c = context(stage, spot);
        Demand d = box_of(*uses[0], c);
        for (size_t u = 1; u < uses.size(); ++u) join(d, box_of(*uses[u], c));
        parts.push_back(std::move(d));
    }
    if (parts.empty())  // its readers were simplified away
        parts.push_back({std::vector<Interval>(func.rank(), {index_imm(0), index_imm(-1)}),
                         bool_imm(false),
                         {},
                         std::vector<bool>(func.rank(), false)});
    for (auto& p : parts)
        if (p.nonempty.defined()) p.nonempty = simplify(p.nonempty);
    bool alike = true;
    for (auto& p : parts) alike = alike && equal(p.nonempty, parts[0].nonempty);
    // Where a part needs nothing its ends are those of one that needs something anywhere, or change no hull.
    auto needed = std::ranges::find_if(parts, [](auto& p) { return !p.nonempty.defined(); });
    auto end = [&](const Expr& nonempty, const Expr& some, size_t d, Expr Interval::* side,
                   int64_t beyond) {
        return select(nonempty, some,
                      needed != parts.end() ? needed->box[d].*side : index_imm(beyond));
    };
    Demand all;
    bool always = false;
    for (auto& p : parts) {
        for (size_t d = 0; d < p.box.size() && p.nonempty.defined() && !alike; ++d) {
            auto& [lo, hi] = p.box[d];
            lo = end(p.nonempty, lo, d, &Interval::lo, nowhere);
            hi = end(p.nonempty, hi, d, &Interval::hi, -nowhere);
        }
        if (all.box.empty()) all.box = p.box, all.loose = p.loose;
        else join(all, p);
        always = always || !p.nonempty.defined();
        if (!always)
            all.nonempty = !all.nonempty.defined() || equal(all.nonempty, p.nonempty)
                               ? p.nonempty
                               : simplify(all.nonempty || p.nonempty);
    }
    if (always) all.nonempty = {};
    if (!alike && !always)  // small, also where it is multiplied: storage is sized by it
        for (auto& i : all.box)
            i = {simplify(select(all.nonempty, i.lo, 0)), simplify(select(all.nonempty, i.hi, -1))};
    keep_inside(f, spot, all);
    all.read = all.box;
    grow_by_updates(f, all);
    keep_inside(f, spot, all);
    for (int d = 0; d < func.rank() && spot.is_root(); ++d) {
        auto& names = nests_.regions[f];
        all.box[d].lo = name_if_long(all.box[d].lo, names.all_lo[d]);
        all.box[d].hi = name_if_long(all.box[d].hi, names.all_hi[d]);
    }
    return all;
}

// At its place: to what it is stored over, else to what is needed of it at all.
void Regions::keep_inside(int f, Spot spot, Demand& d) {
    if (spot.is_root() || std::ranges::find(d.loose, true) == d.loose.end()) return;
    auto& s = nests_.regions[f];
    bool has_store = s.has_own_store && spot_of(plan_, plan_.funcs[f].compute) == spot;
    for (size_t k = 0; k < d.box.size(); ++k) {
        if (!d.loose[k]) continue;
        auto [lo, hi] =
            has_store ? Interval{var(s.store_lo[k]), var(s.store_hi[k])} : of(f, {}).box[k];
        d.box[k] = {simplify(max(d.box[k].lo, lo)), simplify(min(d.box[k].hi, hi))};
    }
}

// An update touches points of its own beside those that are wanted.
void Regions::grow_by_updates(int f, Demand& demand) {
    auto& box = demand.box;
    auto& func = algorithm_.funcs[f];
    if (auto& s = scans_[f]) {
        if (s->reach == 0) return;
        auto& [lo, hi] = box[s->dim];
        (s->step > 0 ? lo : hi) = s->step > 0 ? simplify(min(lo, s->start - s->reach))
                                              : simplify(max(hi, s->start + s->reach));
        return;
    }
    std::vector<Interval> wanted = box;
    std::vector<bool> loose = demand.loose;
    for (auto& stage : stages_) {
        if (stage.func != f || stage.def == 0) continue;
        Context c;
        for (int d = 0; d < func.rank(); ++d) {
            c.ranges.push_back({func.vars[d], wanted[d]});
            if (loose[d]) c.loose.insert(func.vars[d]);
        }
        for (auto& r : func.defs[stage.def].domain)
            c.ranges.push_back({r.name, {r.lo, simplify(r.hi - 1)}});
        for (auto& u : stage.own) {
            Demand touched = box_of(u, c);
            for (int d = 0; d < func.rank(); ++d) {
                if (func.is_bare(u.args, d)) continue;
                box[d] = {simplify(min(box[d].lo, touched.box[d].lo)),
                          simplify(max(box[d].hi, touched.box[d].hi))};
                demand.loose[d] = demand.loose[d] || touched.loose[d];
            }
        }
    }
}

std::vector<Demand> Regions::of_input(Symbol input) {
    std::vector<Demand> all;
    for (auto& stage : stages_) {
        std::optional<Context> c;
        for (auto& u : stage.uses) {
            if (u.target != input) continue;
            if (!c) c = context(stage, {});
            all.push_back(box_of(u, *c));
        }
    }
    return all;
}

bool Regions::is_inside(const Stage& stage, Spot spot) const {
    Spot at{stage.func, stage.def, std::numeric_limits<int>::max()};
    while (!at.is_root() && (at.func != spot.func || at.def != spot.def))
        at = spot_of(plan_, plan_.funcs[at.func].compute);
    return !at.is_root() && at.depth >= spot.depth;
}

std::vector<Demand> Regions::of_reads(Symbol target, Spot spot) {
    std::vector<Demand> all;
    for (auto& stage : stages_) {
        if (!is_inside(stage, spot)) continue;
        std::optional<Context> c;
        Demand d;
        for (auto* uses : {&stage.uses, &stage.own})
            for (auto& u : *uses) {
                if (u.target != target) continue;
                if (c) {
                    join(d, box_of(u, *c));
                    continue;
                }
                c = context(stage, spot);
                d = box_of(u, *c);
            }
        if (c) all.push_back(std::move(d));
    }
    return all;
}

std::vector<Demand> Regions::index_values() {
    std::vector<Demand> all;
    for (auto& stage : stages_) {
        std::vector<Expr> found;
        for (auto& v : stage.values) {
            visit(
                v,
                [&](const Mul& op, auto& self) {
                    if (handle(op).type().is_index()) found.push_back(handle(op));
                    self.descend(op);
                },
                [&](const Cast& op, auto& self) {
                    if (op.value.type().is_index()) found.push_back(op.value);
                    if (handle(op).type().is_index()) found.push_back(handle(op));
                    self.descend(op);
                });
        }
        if (found.empty()) continue;
        Context c = context(stage, {});
        for (auto& e : found) {
            Interval i = interval_of(e, c.ranges);
            auto end = [](const Expr& x, int64_t beyond) {
                return x.defined() ? x : index_imm(beyond);
            };
            all.push_back({{{end(i.lo, -nowhere), end(i.hi, nowhere)}}, c.nonempty});
        }
    }
    return all;
}

Expr Regions::name_if_long(const Expr& e, Symbol name) {
    if (is_short(e)) return e;
    entry_lets.push_back({name, e});
    return var(name);
}

}  // namespace burin
