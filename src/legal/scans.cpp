#include "legal/scans.h"

#include "arith/linear.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "legal/dependences.h"

namespace burin {

constexpr int64_t largest_reach = 1 << 20;

std::optional<Scan> scan_of(const FuncDef& f) {
    if (f.defs.size() != 2 || f.defs[1].domain.size() != 1) return {};
    const Definition& update = f.defs[1];
    const RangeOf& r = update.domain[0];
    Scan s;
    int others = 0;
    for (int d = 0; d < f.rank(); ++d)
        if (!f.is_bare(update.args, d)) {
            s.dim = d;
            ++others;
        }
    if (others != 1) return {};
    const Expr& left = update.args[s.dim];
    auto step = coefficient(left, r.name);
    if (!step || (*step != 1 && *step != -1)) return {};
    bool is_known = true;  // at entry, but for the variable
    visit(left, overloaded{[&](const Read&, auto&) { is_known = false; },
                           [&](const Var& v, auto&) {
                               for (Symbol own : f.vars) is_known = is_known && v.name != own;
                           }});
    if (!is_known) return {};
    s.var = r.name;
    s.step = int(*step);
    s.start = simplify(substitute(left, r.name, r.lo));
    s.overwrites = !update.op && !update.where.defined();
    for (auto& args : dependences(f, 1).self_reads) {
        for (int d = 0; d < f.rank(); ++d)
            if (d != s.dim && !f.is_bare(args, d)) return {};
        auto ahead = difference(args[s.dim], left);
        if (!ahead || !ahead->is_constant() || ahead->constant * s.step > 0 ||
            ahead->constant < -largest_reach || ahead->constant > largest_reach)
            return {};
        s.reach = std::max(s.reach, -ahead->constant * s.step);
        s.overwrites = s.overwrites && ahead->constant != 0;
    }
    return s;
}

Interval range_in(const std::optional<Scan>& s, const RangeOf& r,
                  const std::vector<Interval>& box) {
    Expr last = simplify(r.hi - 1);
    if (!s) return {r.lo, last};
    auto& [lo, hi] = box[s->dim];
    Expr from = s->step > 0 ? lo - s->start : s->start - hi,
         to = s->step > 0 ? hi - s->start : s->start - lo;
    return {simplify(max(r.lo, r.lo + from)), simplify(min(last, r.lo + to))};
}

Interval pure_range(const FuncDef& f, const std::optional<Scan>& s, int dim, const Interval& box) {
    if (!s || !s->overwrites_along(dim)) return box;
    auto& r = f.defs[1].domain[0];
    Expr last = s->start + (r.hi - 1 - r.lo) * s->step;
    if (s->step > 0)
        return {box.lo, simplify(select(last < box.hi, box.hi, min(box.hi, s->start - 1)))};
    return {simplify(select(box.lo < last, box.lo, max(box.lo, s->start + 1))), box.hi};
}

}  // namespace burin
