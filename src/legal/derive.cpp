// derive.cpp - the edits of a schedule: the algorithm that it asks for.
#include <fmt/format.h>

#include <algorithm>

#include "arith/simplify.h"
#include "base/nearest.h"
#include "func/draft.h"
#include "func/text.h"
#include "ir/build.h"
#include "legal/dependences.h"
#include "legal/names.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace burin {
namespace {

Expr read_of(Symbol func, int element, std::vector<Expr> args, Type type) {
    return make(Read{func, element, std::move(args), {}, {}}, type);
}

std::vector<Expr> as_exprs(const std::vector<Symbol>& vars) {
    std::vector<Expr> e;
    for (Symbol v : vars) e.push_back(var(v));
    return e;
}

void redirect(Definition& d, Symbol from, Symbol to) {
    rewrite_all(d, [=](const Read& r, auto& self) -> Expr {
        if (r.func != from) return self.descend(r);
        return make(Read{to, r.element, self(r.args), self(r.predicate), {}}, box(r).type);
    });
}

// One edit, applied to an algorithm under change.
class Edit {
public:
    Edit(Algorithm& a, const Directive& d) : a_(a), d_(d) {}

    void apply() {
        if (d_.verb == "cache_read") return copy(true);
        if (d_.verb == "clone_in") return copy(false);
        if (d_.verb == "rfactor") return rfactor();
        throw refusal("unknown-directive",
                      fmt::format("there is no edit {}{}", d_.verb,
                                  did_you_mean(d_.verb, {"cache_read", "clone_in", "rfactor"})));
    }

private:
    void need_arguments(size_t n, const char* usage) const {
        if (d_.args.size() != n || d_.results.size() != 1)
            throw refusal("directive-arguments",
                          fmt::format("{} takes {} arguments and makes one stage", d_.verb, n))
                .help(usage);
    }
    std::string word(int i, std::initializer_list<const char*> allowed) const {
        auto* e = std::get_if<Expr>(&d_.args[i].v);
        std::string s = e ? known_name(*e) : "";
        std::vector<std::string> known(allowed.begin(), allowed.end());
        if (s.empty() || (!known.empty() && std::ranges::find(known, s) == known.end()))
            throw refusal("directive-arguments",
                          fmt::format("argument {} of {} must be {}", i + 1, d_.verb,
                                      known.empty() ? "a name" : "one of " + listed(known)));
        return s;
    }

    Symbol new_stage() const {
        Symbol s = stage_name(d_.results[0], d_.where);
        auto* p = a_.param(s);
        if (a_.func(s) || (p && p->kind == Parameter::Input))
            throw refusal(
                "stage-name-taken",
                fmt::format("{} cannot be the name of a new stage: it is taken", s.hint()));
        return s;
    }
    // The wish, numbered if it is the name of a size, a parameter or one of `others`.
    Symbol free_variable(const std::string& wish, const std::vector<Symbol>& others) const {
        for (int n = 0;; ++n) {
            Symbol s = Symbol::named(n ? wish + std::to_string(n) : wish);
            if (!is_bare_name(s) && std::ranges::find(others, s) == others.end()) return s;
        }
    }
    bool is_bare_name(Symbol s) const {
        auto* p = a_.param(s);
        return std::ranges::find(a_.sizes, s) != a_.sizes.end() ||
               (p && p->kind != Parameter::Input);
    }
    Where place() const { return {d_.where.file, d_.where.line}; }

    // The definitions meant by [c, d.update(0)], all of which read f.
    std::vector<StageOf> readers(const DirectiveArg& list, Symbol f) const {
        std::vector<StageOf> found;
        auto* stages = std::get_if<std::vector<DirectiveArg>>(&list.v);
        if (!stages || stages->empty())
            throw refusal("directive-arguments", "the readers stand in a list")
                .help(fmt::format("{}({}, [reader])", d_.verb, f.hint()));
        auto all = readers_of(a_, f);
        for (auto& arg : *stages) {
            StageName s = stage_of(arg);
            int func = find_func(a_, s.func);
            int def = find_def(a_.funcs[func], s);
            size_t before = found.size();
            for (auto& r : all)
                if (r.func == func && (s.update < 0 || r.def == def)) found.push_back(r);
            if (found.size() > before) continue;
            std::vector<std::string> names;
            for (auto& r : all) names.push_back(name_of(a_.funcs[r.func], r.def));
            throw refusal("reader-does-not-read",
                          fmt::format("{} does not read {}", to_string(s), f.hint()))
                .help(names.empty() ? "no stage does" : "its readers: " + listed(names));
        }
        return found;
    }

    void copy(bool reads_the_original) {
        need_arguments(2, "name = cache_read(f, [reader, ...])");
        std::string from = to_string(stage_of(d_.args[0]));
        Symbol old = Symbol::named(from), made = new_stage();
        auto* in = a_.param(old);
        FuncDef f;
        if (in && in->kind == Parameter::Input && reads_the_original) {
            f.types = {in->type};
            for (int i = 0; i < in->rank(); ++i)
                f.vars.push_back(free_variable("d" + std::to_string(i), {}));
        } else {
            f = a_.funcs[find_func(a_, from)];
        }
        auto users = readers(d_.args[1], old);
        if (reads_the_original) {
            Definition d;
            d.args = as_exprs(f.vars);
            for (size_t i = 0; i < f.types.size(); ++i)
                d.values.push_back(read_of(old, int(i), d.args, f.types[i]));
            d.source = place();
            f.defs = {d};
        } else {
            for (auto& d : f.defs) redirect(d, old, made);
        }
        f.name = made;
        f.where = place();
        int first = int(a_.funcs.size());
        for (auto& u : users) {
            redirect(a_.funcs[u.func].defs[u.def], old, made);
            first = std::min(first, u.func);
        }
        a_.funcs.insert(a_.funcs.begin() + first, std::move(f));
        if (!reads_the_original && !a_.is_output(old) && readers_of(a_, old).empty())
            throw refusal("clone-leaves-none", fmt::format("nobody would read {} any more", from))
                .help(fmt::format("place {} itself, or leave a reader to it", from));
    }

    void rfactor();
    Definition part_of(const Definition& whole, const RangeOf& r, Symbol u, int64_t n, bool inner,
                       std::vector<Expr> args, const std::vector<Symbol>& taken) const;

    Algorithm& a_;
    const Directive& d_;
};

// The update for part u alone: r runs over every n-th point from u on, or over the u-th of n
// blocks.
Definition Edit::part_of(const Definition& whole, const RangeOf& r, Symbol u, int64_t n, bool inner,
                         std::vector<Expr> args, const std::vector<Symbol>& taken) const {
    Symbol step = free_variable(r.name.hint() + (inner ? "o" : "i"), taken);
    Expr extent = simplify(r.hi - r.lo), count = simplify((extent + (n - 1)) / n);
    Expr position = inner ? var(step) * n + var(u) : var(u) * count + var(step);
    Definition d = whole;
    d.args = std::move(args);
    auto same_r = std::ranges::find(d.domain, r.name, &RangeOf::name);
    *same_r = {step, index_imm(0), count};
    rewrite_all(
        d,
        [&, at = is_int(r.lo, 0) ? position : r.lo + position](const Var& v, auto& self) -> Expr {
            return v.name == r.name ? at : self.descend(v);
        });
    auto whole_parts = const_int(extent);
    if (!whole_parts || *whole_parts % n != 0) {
        Expr inside = position < extent;
        d.where = d.where.defined() ? inside && d.where : inside;
    }
    return d;
}

void Edit::rfactor() {
    need_arguments(6, "part = rfactor(f.update(0), r, 16, inner, u, in_order)");
    StageName stage = stage_of(d_.args[0]);
    int func = find_func(a_, stage.func), def = find_def(a_.funcs[func], stage, true);
    FuncDef& f = a_.funcs[func];
    Definition whole = f.defs[def];
    std::string name = name_of(f, def), r_name = word(1, {});
    auto* factor = std::get_if<Expr>(&d_.args[2].v);
    int64_t n = factor ? const_int(simplify(*factor)).value_or(0) : 0;
    bool inner = word(3, {"inner", "outer"}) == "inner",
         tree = word(5, {"in_order", "tree"}) == "tree";
    Symbol u = bare_name(word(4, {}), d_.where), made = new_stage();

    if (def == 0)
        throw refusal("rfactor-no-update",
                      fmt::format("{} has no update and no reduction", f.name.hint()));
    if (!whole.op)
        throw refusal(
            "rfactor-no-operator",
            fmt::format("{} is a plain assignment: its parts could not be combined", name))
            .note("its definition", whole.source)
            .help("rfactor takes updates by + * min max & | ^, argmin and argmax");
    std::vector<std::string> vars;
    for (auto& r : whole.domain) vars.push_back(r.name.hint());
    auto range = std::ranges::find(whole.domain, Symbol::named(r_name), &RangeOf::name);
    if (range == whole.domain.end())
        throw refusal("unknown-loop", fmt::format("{} has no reduction variable {}{}", name, r_name,
                                                  did_you_mean(r_name, vars)))
            .help(vars.empty() ? "it has none" : "its variables: " + listed(vars));
    RangeOf r = *range;
    if (n < 1 || n > 1 << 20)
        throw refusal("rfactor-parts", "the number of parts must be a constant from 1 to 1048576");
    if (!dependences(f, def).self_reads.empty())
        throw refusal("rfactor-self-read",
                      fmt::format("{} reads {} in its value: its parts are not independent", name,
                                  f.name.hint()))
            .note("its definition", whole.source);
    bool exact = true;
    for (Type t : f.types) exact = exact && is_exact(*whole.op, t);
    if (a_.numerics == Numerics::Strict && !exact)
        throw refusal(
            "strict-order",
            fmt::format("{} is strict, and rfactor changes the order of an inexact reduction",
                        a_.name));

    // The coordinates of a part: those of the pure Vars where the left side has no RVar, else all
    // of f's.
    std::set<Symbol> rvars;
    for (auto& v : whole.domain) rvars.insert(v.name);
    bool keeps_left = true;
    std::vector<Symbol> pure;
    for (int i = 0; i < f.rank(); ++i) {
        if (f.is_bare(whole.args, i)) pure.push_back(f.vars[i]);
        visit(whole.args[i],
              overloaded{[&](const Var& v, auto&) { keeps_left &= !rvars.contains(v.name); },
                         [&](const Read&, auto&) { keeps_left = false; }});
    }
    std::vector<Symbol> taken = f.vars;
    for (Symbol v : rvars) taken.push_back(v);
    if (is_bare_name(u) || std::ranges::find(taken, u) != taken.end())
        throw refusal(
            "loop-name-taken",
            fmt::format("{} cannot be the coordinate of the parts: the name is taken", u.hint()));
    taken.push_back(u);
    auto with_u = [&](std::vector<Expr> at, const Expr& part) {
        at.insert(inner ? at.end() : at.begin(), part);
        return at;
    };
    const std::vector<Symbol>& kept = keeps_left ? pure : f.vars;

    FuncDef part;
    part.name = made;
    part.vars = kept;
    part.vars.insert(inner ? part.vars.end() : part.vars.begin(), u);
    part.types = f.types;
    part.where = place();
    Definition start;
    start.args = as_exprs(part.vars);
    for (size_t i = 0; i < f.types.size(); ++i) {
        Type t = f.types[i];
        bool is_position =
            i > 0 && (*whole.op == ReduceOp::ArgMin || *whole.op == ReduceOp::ArgMax);
        if (is_position) start.values.push_back(imm(t, -1));
        else if (*whole.op == ReduceOp::Sum && t.is_float())
            start.values.push_back(float_imm(t, -0.0));  // x + -0 is x
        else start.values.push_back(identity_of(*whole.op, t));
    }
    start.source = place();
    part.defs = {start, part_of(whole, r, u, n, inner,
                                with_u(keeps_left ? as_exprs(pure) : whole.args, var(u)), taken)};
    part.defs[1].source = place();

    Definition merge;
    merge.op = whole.op;
    merge.source = place();
    auto values = [&](const Expr& which) {
        std::vector<Expr> v;
        for (size_t i = 0; i < f.types.size(); ++i)
            v.push_back(read_of(made, int(i), with_u(as_exprs(kept), which), f.types[i]));
        return v;
    };
    if (tree) {
        Symbol t = free_variable(u.hint() + "t", taken);
        for (int64_t k = n; k > 1; k = (k + 1) / 2) {
            merge.args = with_u(as_exprs(kept), var(t));
            merge.values = values(var(t) + (k + 1) / 2);
            merge.domain = {{t, index_imm(0), index_imm(k / 2)}};
            part.defs.push_back(merge);
        }
        merge.domain = {};
        merge.values = values(index_imm(0));
    } else {
        merge.domain = {{u, index_imm(0), index_imm(n)}};
        merge.values = values(var(u));
    }
    merge.args = keeps_left ? whole.args : as_exprs(f.vars);
    f.defs[def] = merge;
    a_.funcs.insert(a_.funcs.begin() + func, std::move(part));
}

}  // namespace

Pipeline derive(const Pipeline& p, const Directives& d) {
    if (d.edits.empty()) return p;
    auto a = std::make_shared<Algorithm>(p.algorithm());
    for (auto& edit : d.edits) try {
            Edit(*a, edit).apply();
        } catch (Error& e) {
            e.at(edit.where);
            if (is_stale(p, d))
                e.note("the schedule was written for another version of " + p.name());
            throw;
        }
    finish(*a);
    return Pipeline(std::move(a));
}

}  // namespace burin
