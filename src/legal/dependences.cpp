#include "legal/dependences.h"

#include <fmt/format.h>

#include <algorithm>

#include "arith/linear.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

std::vector<std::vector<Expr>> self_reads(const FuncDef& f, const Definition& d) {
    std::vector<std::vector<Expr>> found;
    auto collect = [&](const Expr& e) {
        if (!e.defined()) return;
        visit(e, [&](const Read& r, auto& self) {
            if (r.func == f.name) found.push_back(r.args);
            self.descend(r);
        });
    };
    for (auto& e : d.values) collect(e);
    for (auto& e : d.args) collect(e);
    collect(d.where);
    return found;
}

// The constant a - b, if it is one.
std::optional<int64_t> apart(const Expr& a, const Expr& b) {
    auto d = difference(a, b);
    return d && d->is_constant() ? std::optional(d->constant) : std::nullopt;
}

// Does the coordinate left = c * v + g, g free of what is `open`, tell iterations with different v
// apart, and do self-reads there stay away from what other iterations write?
bool separates(const Expr& left, int dim, const RangeOf& v, const std::set<Symbol>& open,
               const Dependences& known) {
    auto step = coefficient(left, v.name);
    if (!step || *step == 0) return false;
    for (Symbol s : open)
        if (s != v.name && uses(left, s)) return false;
    for (auto& args : known.self_reads) {
        auto d = apart(args[dim], left), extent = apart(v.hi, v.lo);
        constexpr int64_t far = int64_t(1) << 62;
        if (!d || *d < -far || *d > far) return false;
        bool never = *d == 0 || *d % *step != 0 || (extent && std::abs(*d / *step) >= *extent);
        if (!never) return false;
    }
    return true;
}

std::string call_text(const FuncDef& f, const std::vector<Expr>& args) {
    std::string s = f.name.hint() + "(";
    for (size_t i = 0; i < args.size(); ++i) s += (i ? ", " : "") + to_string(args[i], IndexType);
    return s + ")";
}

std::string plus(const Expr& e, int64_t n) {
    if (auto c = const_int(e)) return std::to_string(*c + n);
    return n ? fmt::format("{} + {}", to_string(e, IndexType), n) : to_string(e, IndexType);
}

}  // namespace

Dependences dependences(const FuncDef& f, int def) {
    const Definition& d = f.defs[def];
    Dependences r;
    r.self_reads = self_reads(f, d);
    std::set<Symbol> open;
    for (auto& v : d.domain) open.insert(v.name);
    for (int i = 0; i < f.rank(); ++i)
        if (f.is_bare(d.args, i)) r.independent.insert(f.vars[i]);
    // One variable after the other: a coordinate may lean on those already told apart.
    for (bool found = true; found;) {
        found = false;
        for (auto& v : d.domain)
            for (int i = 0; i < f.rank() && open.contains(v.name); ++i)
                if (separates(d.args[i], i, v, open, r)) {
                    open.erase(v.name);
                    r.independent.insert(v.name);
                    found = true;
                }
    }
    for (auto& v : d.domain)
        if (open.contains(v.name)) r.ordered.push_back(v.name);
    r.exact = d.op && r.self_reads.empty();
    for (Type t : f.types) r.exact = r.exact && is_exact(*d.op, t);
    return r;
}

Collision collision(const FuncDef& f, int def, Symbol v) {
    const Definition& d = f.defs[def];
    const RangeOf& range = *std::ranges::find(d.domain, v, &RangeOf::name);
    std::string name = v.hint(), left = call_text(f, d.args);
    auto iteration = [&](int64_t n) { return fmt::format("{} = {}", name, plus(range.lo, n)); };
    bool used = false;
    for (auto& e : d.args) used |= uses(e, v);
    if (!used)
        return {fmt::format("iterations {} and {} both {} {}", iteration(0), iteration(1),
                            d.op ? "update" : "write", left)};
    for (auto& args : self_reads(f, d))
        for (int i = 0; i < f.rank(); ++i) {
            auto step = coefficient(d.args[i], v), distance = apart(args[i], d.args[i]);
            if (!step || *step == 0 || !distance || *distance == 0 || *distance % *step != 0)
                continue;
            int64_t steps = *distance / *step;  // iteration v reads what iteration v + steps writes
            return {fmt::format("iteration {} reads {}, which iteration {} writes",
                                iteration(std::max<int64_t>(-steps, 0)), call_text(f, args),
                                iteration(std::max<int64_t>(steps, 0)))};
        }
    return {fmt::format("iterations {} and {} may both touch {}", iteration(0), iteration(1), left),
            false};
}

}  // namespace burin
