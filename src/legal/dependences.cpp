#include "legal/dependences.h"

#include <fmt/format.h>

#include <map>

#include "ir/build.h"
#include "ir/equal.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

// sum of coefficient * variable + constant
struct Affine {
    std::map<Symbol, int64_t> terms;
    int64_t constant = 0;
};
using MaybeAffine = std::optional<Affine>;

MaybeAffine combine(const MaybeAffine& a, const MaybeAffine& b, int64_t times) {
    if (!a || !b) return {};
    Affine r = *a;
    auto add = [&](int64_t& to, int64_t by) {
        int64_t p;
        return !__builtin_mul_overflow(by, times, &p) && !__builtin_add_overflow(to, p, &to);
    };
    if (!add(r.constant, b->constant)) return {};
    for (auto& [v, c] : b->terms)
        if (!add(r.terms[v], c)) return {};
    std::erase_if(r.terms, [](auto& t) { return t.second == 0; });
    return r;
}

MaybeAffine affine(const Expr& e) {
    if (e.type() != IndexType) return {};
    if (auto c = const_int(e)) return Affine{{}, *c};
    if (auto* v = e.as<Var>()) return Affine{{{v->name, 1}}, 0};
    if (auto* n = e.as<Neg>()) return combine(Affine{}, affine(n->a), -1);
    if (auto* n = e.as<Add>()) return combine(affine(n->a), affine(n->b), 1);
    if (auto* n = e.as<Sub>()) return combine(affine(n->a), affine(n->b), -1);
    if (auto* n = e.as<Mul>()) {
        if (auto c = const_int(n->b)) return combine(Affine{}, affine(n->a), *c);
        if (auto c = const_int(n->a)) return combine(Affine{}, affine(n->b), *c);
    }
    return {};
}

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

std::optional<int64_t> extent_of(const RangeOf& r) {
    auto size = combine(affine(r.hi), affine(r.lo), -1);
    if (!size || !size->terms.empty()) return {};
    return size->constant;
}

// Does coordinate `left` = c * v + g, g made of what is not `open`, tell iterations with different v apart, and do
// self-reads there stay away from what other iterations write?
bool separates(const Expr& left, int dim, const RangeOf& v, const std::set<Symbol>& open,
               const std::vector<std::vector<Expr>>& reads_of_self) {
    auto form = affine(left);
    if (!form || !form->terms.contains(v.name)) return false;
    for (auto& [s, c] : form->terms)
        if (s != v.name && open.contains(s)) return false;
    int64_t step = form->terms.at(v.name);
    for (auto& args : reads_of_self) {
        auto apart = combine(affine(args[dim]), form, -1);
        if (!apart || !apart->terms.empty()) return false;
        int64_t d = apart->constant;
        auto extent = extent_of(v);
        constexpr int64_t far = int64_t(1) << 62;
        if (d < -far || d > far) return false;
        bool never = d == 0 || d % step != 0 || (extent && std::abs(d / step) >= *extent);
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
    auto mine = self_reads(f, d);
    r.reads_itself = d.op.has_value() || !mine.empty();
    for (int i = 0; i < f.rank(); ++i)
        if (auto* v = d.args[i].as<Var>(); v && v->name == f.vars[i]) r.independent.insert(v->name);
    std::set<Symbol> open;
    for (auto& v : d.domain) open.insert(v.name);
    // One variable after the other: a coordinate may lean on those already told apart.
    for (bool found = true; found;) {
        found = false;
        for (auto& v : d.domain) {
            if (!open.contains(v.name)) continue;
            for (int i = 0; i < f.rank() && !found; ++i) found = separates(d.args[i], i, v, open, mine);
            if (!found) continue;
            open.erase(v.name);
            r.independent.insert(v.name);
            break;
        }
    }
    for (auto& v : d.domain)
        if (open.contains(v.name)) r.ordered.push_back(v.name);
    r.exact = d.op && mine.empty();
    for (Type t : f.types) r.exact = r.exact && is_exact(*d.op, t);
    return r;
}

Collision collision(const FuncDef& f, int def, Symbol v) {
    const Definition& d = f.defs[def];
    auto range = std::find_if(d.domain.begin(), d.domain.end(), [&](auto& r) { return r.name == v; });
    std::string name = v.hint(), left = call_text(f, d.args);
    std::string first = plus(range->lo, 0), second = plus(range->lo, 1);
    bool used = false;
    for (auto& e : d.args) used |= uses(e, v);
    if (!used)
        return {fmt::format("iterations {} = {} and {} = {} both {} {}", name, first, name, second,
                            d.op ? "update" : "write", left)};
    for (auto& args : self_reads(f, d))
        for (int i = 0; i < f.rank(); ++i) {
            auto form = affine(d.args[i]);
            auto apart = combine(affine(args[i]), form, -1);
            if (!apart || !apart->terms.empty() || !form->terms.contains(v) || apart->constant == 0) continue;
            int64_t step = form->terms.at(v);
            if (apart->constant % step != 0) continue;
            int64_t steps = apart->constant / step;  // iteration v touches what iteration v + steps writes
            return {fmt::format("iteration {} = {} reads {}, which iteration {} = {} writes", name,
                                plus(range->lo, std::max<int64_t>(-steps, 0)), call_text(f, args), name,
                                plus(range->lo, std::max<int64_t>(steps, 0)))};
        }
    return {fmt::format("iterations {} = {} and {} = {} may both touch {}", name, first, name, second, left), false};
}

}  // namespace burin
