#include "func/algorithm.h"

#include <algorithm>
#include <limits>

#include "ir/build.h"
#include "ir/walk.h"

namespace burin {

namespace {
template <class V, class Get>
auto* find_named(V& v, Symbol name, Get get) {
    for (auto& x : v)
        if (get(x) == name) return &x;
    return static_cast<decltype(&v[0])>(nullptr);
}
}  // namespace

bool FuncDef::is_bare(const std::vector<Expr>& args, int d) const {
    auto* v = args[d].as<Var>();
    return v && v->name == vars[d];
}
bool FuncDef::are_bare(const std::vector<Expr>& args) const {
    for (int d = 0; d < rank(); ++d)
        if (!is_bare(args, d)) return false;
    return true;
}

const FuncDef* Algorithm::func(Symbol name) const {
    return find_named(funcs, name, [](auto& f) { return f.name; });
}
const Parameter* Algorithm::param(Symbol name) const {
    return find_named(params, name, [](auto& p) { return p.name; });
}
int Algorithm::func_index(Symbol name) const {
    auto* f = func(name);
    return f ? int(f - funcs.data()) : -1;
}
bool Algorithm::is_output(Symbol func) const {
    return find_named(outputs, func, [](auto& o) { return o.func; }) != nullptr;
}

std::vector<std::vector<bool>> needed_elements(const Algorithm& a) {
    std::vector<std::vector<bool>> needed;
    for (auto& f : a.funcs) needed.emplace_back(f.types.size(), a.is_output(f.name));
    for (size_t i = a.funcs.size(); i-- > 0;) {  // readers first
        auto& f = a.funcs[i];
        bool any = std::find(needed[i].begin(), needed[i].end(), true) != needed[i].end();
        if (f.has_updates()) needed[i].assign(f.types.size(), any);
        auto need = [&](const Expr& e) {
            visit(e, [&](const Read& r, auto& self) {
                if (int g = a.func_index(r.func); g >= 0)
                    needed[size_t(g)][size_t(r.element)] = true;
                self.descend(r);
            });
        };
        for (auto& d : f.defs) {
            if (!any) continue;
            for (auto& e : d.args) need(e);
            for (size_t e = 0; e < d.values.size(); ++e)
                if (needed[i][e]) need(d.values[e]);
            if (d.where.defined()) need(d.where);
        }
    }
    return needed;
}

Expr identity_of(ReduceOp op, Type t) {
    auto lowest = [](Type t) {
        if (t.is_float()) return float_imm(t, -std::numeric_limits<double>::infinity());
        return imm(t, t.is_uint() || t.is_bool() ? 0 : INT64_MIN >> (64 - t.bits));
    };
    auto highest = [](Type t) {
        if (t.is_float()) return float_imm(t, std::numeric_limits<double>::infinity());
        return imm(t, t.is_uint() ? -1 : t.is_bool() ? 1 : INT64_MAX >> (64 - t.bits));
    };
    switch (op) {
        case ReduceOp::Product: return constant(t, 1);
        case ReduceOp::Min:
        case ReduceOp::ArgMin:  return highest(t);
        case ReduceOp::Max:
        case ReduceOp::ArgMax:  return lowest(t);
        case ReduceOp::And:     return imm(t, -1);
        default:                return constant(t, 0);
    }
}

bool is_exact(ReduceOp op, Type t) {
    return !t.is_float() || (op != ReduceOp::Sum && op != ReduceOp::Product);
}

// The new {key, coordinates...} wins if it has coordinates and the old one has none, or: NaN first, then the key, then
// the lower coordinates. Negative zero is equal to zero here, as for NumPy.
static Expr wins(ReduceOp op, const std::vector<Expr>& now, const std::vector<Expr>& old) {
    Expr lower = bool_imm(false);  // lexicographic
    for (size_t i = now.size(); i-- > 1;) lower = now[i] < old[i] || (now[i] == old[i] && lower);
    Expr better = op == ReduceOp::ArgMin ? now[0] < old[0] : old[0] < now[0],
         equal = now[0] == old[0];
    if (now[0].type().is_float()) {
        Expr a = is_nan(now[0]), b = is_nan(old[0]);
        better = (a && !b) || (!b && better);
        equal = equal || (a && b);
    }
    return now[1] != -1 && (old[1] == -1 || better || (equal && lower));
}

std::vector<Expr> written_out(const Algorithm& a, const FuncDef& f, const Definition& d) {
    if (!d.op) return d.values;
    std::vector<Expr> old, out;
    for (int i = 0; i < int(d.values.size()); ++i)
        old.push_back(make(Read{f.name, i, d.args, {}, {}}, f.types[i]));
    if (*d.op == ReduceOp::ArgMin || *d.op == ReduceOp::ArgMax) {
        Expr take = wins(*d.op, d.values, old);
        for (size_t i = 0; i < old.size(); ++i) out.push_back(select(take, d.values[i], old[i]));
        return out;
    }
    for (size_t i = 0; i < old.size(); ++i) {
        const Expr& v = d.values[i];
        auto* product = v.as<Mul>();
        switch (*d.op) {
            case ReduceOp::Sum:
                out.push_back(product && v.type().is_float() && a.numerics != Numerics::Strict
                                  ? fma(product->a, product->b, old[i])
                                  : old[i] + v);
                break;
            case ReduceOp::Product: out.push_back(old[i] * v); break;
            case ReduceOp::Min:     out.push_back(min(old[i], v)); break;
            case ReduceOp::Max:     out.push_back(max(old[i], v)); break;
            case ReduceOp::And:     out.push_back(make(And{old[i], v}, v.type())); break;
            case ReduceOp::Or:      out.push_back(make(Or{old[i], v}, v.type())); break;
            default:                out.push_back(make(Xor{old[i], v}, v.type()));
        }
    }
    return out;
}

}  // namespace burin
