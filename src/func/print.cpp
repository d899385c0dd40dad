// The canonical text of an algorithm.
#include <fmt/format.h>

#include "func/repeated.h"
#include "func/text.h"
#include "ir/printer.h"

namespace burin {
namespace {

std::string_view sign(const Definition& d) {
    if (!d.op) return "=";
    switch (*d.op) {
        case ReduceOp::Sum:     return "+=";
        case ReduceOp::Product: return "*=";
        case ReduceOp::And:     return "&=";
        case ReduceOp::Or:      return "|=";
        case ReduceOp::Xor:     return "^=";
        default:                return "=";  // f(x) = max(f(x), ...)
    }
}

// What stands before f(args) for operators without a sign; empty: they have one.
std::string_view call_of(const Definition& d) {
    if (!d.op) return {};
    switch (*d.op) {
        case ReduceOp::Min:    return "min";
        case ReduceOp::Max:    return "max";
        case ReduceOp::ArgMin: return "argmin";
        case ReduceOp::ArgMax: return "argmax";
        default:               return {};
    }
}

class AlgorithmPrinter {
public:
    AlgorithmPrinter(Printer& p, const Algorithm& a) : p_(p), a_(a) {
        for (auto& f : a.funcs)
            if (f.types.size() > 1) p.tuples.insert(f.name);
    }

    void header() {
        p_.put("pipeline " + a_.name + "(");
        for (auto& param : a_.params) {
            if (&param != &a_.params[0]) p_.put(", ");
            p_.put(param.name.hint());
            p_.put(": ");
            p_.put(param.kind == Parameter::Size ? "size" : to_string(param.type));
            if (param.kind == Parameter::Input) shape(param.shape);
        }
        p_.put(") -> ");
        for (auto& o : a_.outputs) {
            if (&o != &a_.outputs[0]) p_.put(", ");
            p_.put(o.func.hint());
            shape(o.shape);
        }
        if (a_.numerics != Numerics::Default)
            p_.put(a_.numerics == Numerics::Strict ? " strict" : " relaxed");
        p_.put("\n");
    }

    void definition(const FuncDef& f, const Definition& whole) {
        is_first_ = &whole == &f.defs[f.defs[0].implicit];
        auto [lets, d] = name_repeated(whole, bare_names(f, whole));
        call(f, d);
        p_.put(" ");
        p_.put(sign(d));
        p_.put(" ");
        values(f, d);
        for (auto& r : d.domain) {
            p_.put(&r == &d.domain[0] ? " for " : ", ");
            p_.put(r.name.hint());
            p_.put(": ");
            p_.expr(r.lo, IndexType);
            p_.put("..");
            p_.expr(r.hi, IndexType);
        }
        if (d.where.defined()) {
            p_.put(" where ");
            p_.expr(d.where, Bool);
        }
        for (auto& [name, value] : lets) {
            p_.put(name == lets[0].first ? " let {\n  " : ",\n  ");
            p_.put(name.hint());
            p_.put(" = ");
            p_.expr(value);
        }
        if (!lets.empty()) p_.put("\n}");
    }

private:
    void shape(const std::vector<Expr>& dims) {
        for (auto& e : dims) {
            p_.put(&e == &dims[0] ? "[" : ", ");
            if (e.defined()) p_.expr(e, IndexType);
            else p_.put("_");
        }
        p_.put(dims.empty() ? "[]" : "]");
    }
    void call(const FuncDef& f, const Definition& d) {
        p_.put(f.name.hint());
        p_.put("(");
        p_.exprs(d.args, IndexType);
        p_.put(")");
    }
    void tuple(const FuncDef& f, const Definition& d) {
        p_.put("{");
        for (size_t i = 0; i < d.values.size(); ++i) {
            if (i) p_.put(", ");
            value(f, d, i);
        }
        p_.put("}");
    }
    void value(const FuncDef& f, const Definition& d, size_t i) {
        p_.expr(d.values[i], is_first_ ? i32 : f.types[i]);
    }

    void values(const FuncDef& f, const Definition& d) {
        std::string_view name = call_of(d);
        if (name.starts_with("arg")) {
            p_.put(name);
            p_.put("(");
            call(f, d);
            p_.put(", ");
            tuple(f, d);
            p_.put(")");
        } else if (!name.empty()) {
            if (d.values.size() > 1) p_.put("{");
            for (size_t i = 0; i < d.values.size(); ++i) {
                p_.put(i ? ", " : "");
                p_.put(name);
                p_.put("(");
                call(f, d);
                if (d.values.size() > 1) p_.put(fmt::format("[{}]", i));
                p_.put(", ");
                value(f, d, i);
                p_.put(")");
            }
            if (d.values.size() > 1) p_.put("}");
        } else if (d.values.size() > 1) {
            tuple(f, d);
        } else {
            value(f, d, 0);
        }
    }

    std::vector<Symbol> bare_names(const FuncDef& f, const Definition& d) const {
        std::vector<Symbol> names = a_.sizes;
        names.insert(names.end(), f.vars.begin(), f.vars.end());
        for (auto& p : a_.params) names.push_back(p.name);
        for (auto& r : d.domain) names.push_back(r.name);
        return names;
    }

    Printer& p_;
    const Algorithm& a_;
    // the first definition that is written: a reader does not know the type before it
    bool is_first_ = false;
};

// Calls each(from, to) with the place of every definition in the text.
template <class F>
std::string print(const Algorithm& a, F each) {
    uint32_t depth = 0;
    for (auto& f : a.funcs)
        for (auto& d : f.defs)
            for_each_expr(d, [&](const Expr& e) { depth = std::max(depth, depth_of(e)); });
    return printed(depth, [&](Printer& p) {
        AlgorithmPrinter out(p, a);
        out.header();
        for (auto& f : a.funcs)
            for (auto& d : f.defs) {
                if (d.implicit) continue;
                size_t from = p.text.size();
                out.definition(f, d);
                each(from, p.text.size());
                p.put("\n");
            }
    });
}

}  // namespace

std::string print_algorithm(const Algorithm& a) {
    return print(a, [](auto&&...) {});
}

void finish(Algorithm& a) {
    struct Place {
        size_t from, to;
    };
    std::vector<Place> places;
    a.text = print(a, [&](size_t from, size_t to) { places.push_back({from, to}); });
    a.hash = hash128(a.text);
    constexpr size_t longest = 200;  // of a line in a message
    size_t i = 0;
    for (auto& f : a.funcs)
        for (auto& d : f.defs) {
            if (d.implicit) continue;
            Place at = places[i++];
            if (!d.source.text.empty()) continue;
            d.source.text = a.text.substr(at.from, std::min(at.to - at.from, longest));
            if (at.to - at.from > longest) d.source.text += "...";
        }
}

}  // namespace burin
