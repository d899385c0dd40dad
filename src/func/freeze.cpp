// From drafts to a frozen Algorithm: stages in order, inline reductions as stages of their own, every name settled.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "func/draft.h"
#include "func/text.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/equal.h"
#include "ir/print.h"

namespace burin {
namespace {

[[noreturn]] void fail(ErrorKind kind, const char* id, std::string message, const Where& where,
                       std::string note = {}, const Where& other = {}) {
    Error e(kind, id, std::move(message));
    e.at(where);
    if (!note.empty()) e.note(std::move(note), other);
    throw e;
}

// The Funcs that the outputs read, producers first; readers' reads in reading order.
std::vector<const FuncDraft*> producers_first(const Outline& outline) {
    struct Visit {
        const FuncDraft* func;
        std::vector<const FuncDraft*> callees;
        size_t next = 0;
    };
    std::vector<const FuncDraft*> order;
    std::unordered_set<const FuncDraft*> seen;
    std::vector<Visit> stack;
    auto enter = [&](const FuncDraft* f) {
        if (!seen.insert(f).second) return;
        Visit v{f, {}};
        for (auto& d : f->defs)
            visit_all(d, [&](const Read& r, auto& self) {
                if (auto* callee = draft_of(r)) v.callees.push_back(callee);
                self.descend(r);
            });
        stack.push_back(std::move(v));
    };
    for (auto& o : outline.outputs) {
        enter(o.func.get());
        while (!stack.empty()) {
            Visit& v = stack.back();
            if (v.next < v.callees.size()) {
                enter(v.callees[v.next++]);
            } else {
                order.push_back(v.func);
                stack.pop_back();
            }
        }
    }
    if (outline.order.empty()) return order;
    std::vector<const FuncDraft*> given;
    for (auto& f : outline.order)
        if (seen.contains(f.get())) given.push_back(f.get());
    return given;
}

class Freezing {
public:
    explicit Freezing(const Outline& o) : o_(o) {}

    std::shared_ptr<const Algorithm> run() {
        a_.name = bare_name(o_.name, o_.where).hint();
        a_.numerics = o_.numerics;
        take_params();
        if (o_.outputs.empty())
            fail(ErrorKind::Type, "no-output", fmt::format("{} has no output", a_.name), o_.where);
        for (auto& o : o_.outputs) take_output(o);
        auto drafts = producers_first(o_);
        for (auto* f : drafts)
            if (!f->numbered) take_stage_name(f->name, f->where);
        for (auto* f : drafts) {
            Symbol name = f->numbered ? numbered(f->name) : f->name;
            FuncDef def = freeze_func(*f, name);
            if (f->numbered && merge(*f, def)) {
                stages_.erase(name);
                continue;
            }
            names_[f] = name;
            a_.funcs.push_back(std::move(def));
        }
        for (size_t i = 0; i < o_.outputs.size(); ++i)
            a_.outputs[i].func = names_.at(o_.outputs[i].func.get());
        check_sizes();
        check_bare_names();
        finish(a_);
        return std::make_shared<const Algorithm>(std::move(a_));
    }

private:
    void take_stage_name(Symbol name, const Where& where) {
        auto [at, is_new] = stages_.emplace(name, where);
        if (!is_new)
            fail(ErrorKind::Type, "same-name",
                 fmt::format("two stages or inputs of {} are named {}", a_.name, name.hint()),
                 where, "the other one", at->second);
    }
    Symbol numbered(Symbol wish) {
        for (int n = 0;; ++n) {
            Symbol s = n ? Symbol::named(wish.hint() + std::to_string(n)) : wish;
            if (stages_.emplace(s, o_.where).second) return s;
        }
    }

    void take_params() {
        std::map<Symbol, Where> bare;
        for (auto& d : o_.params) {
            if (d->kind == Declaration::Input) {
                take_stage_name(d->name, d->where);
                inputs_.insert(d.get());
            } else if (auto [at, is_new] = bare.emplace(d->name, d->where); !is_new) {
                fail(ErrorKind::Type, "same-name",
                     fmt::format("two parameters of {} are named {}", a_.name, d->name.hint()),
                     d->where, "the other one", at->second);
            }
            auto kind = d->kind == Declaration::Input    ? Parameter::Input
                        : d->kind == Declaration::Scalar ? Parameter::Scalar
                                                         : Parameter::Size;
            if (kind == Parameter::Scalar) scalars_.emplace(d->name, d->type);
            a_.params.push_back(
                {d->name, kind, kind == Parameter::Size ? IndexType : d->type, {}, d->where});
        }
        // Shapes after all names: they may use parameters that stand later.
        for (size_t i = 0; i < o_.params.size(); ++i) {
            if (o_.params[i]->kind == Declaration::Size) know_size(o_.params[i]->name);
            for (auto& e : o_.params[i]->shape)
                a_.params[i].shape.push_back(frozen(e, o_.params[i]->where));
        }
    }

    void take_output(const Outline::Output& o) {
        const FuncDraft& f = *o.func;
        const std::string& name = f.name.hint();
        if (f.defs.empty())
            fail(ErrorKind::Type, "read-before-definition",
                 fmt::format("{} is an output of {} but has no definition", name, a_.name),
                 o_.where);
        for (auto& other : o_.outputs)
            if (&other < &o && other.func == o.func)
                fail(ErrorKind::Type, "same-name",
                     fmt::format("{} is an output of {} twice", name, a_.name), o_.where);
        if (o.shape.size() != f.vars.size())
            fail(ErrorKind::Shape, "coordinate-count",
                 fmt::format("{} has {} coordinate{}, but its shape as an output has {}", name,
                             f.vars.size(), f.vars.size() == 1 ? "" : "s", o.shape.size()),
                 o_.where);
        OutputDecl out;
        for (auto& e : o.shape)
            out.shape.push_back(
                frozen(known_at_entry(e, o_.where, "an extent of output " + name), o_.where));
        a_.outputs.push_back(std::move(out));
        if (f.reader.empty()) {
            f.reader = "pipeline " + a_.name;
            f.read_at = o_.where;
        }
    }

    // ---- one Func ----
    FuncDef freeze_func(const FuncDraft& draft, Symbol name) {
        FuncDef f;
        f.name = name;
        f.types = draft.types;
        f.where = draft.where;
        f.vars = draft.vars;
        for (size_t i = 0; i < f.vars.size(); ++i)
            for (std::string wish = fmt::format("_{}", i); !f.vars[i].defined(); wish += '_')
                if (Symbol s = Symbol::named(wish); !std::ranges::count(f.vars, s)) f.vars[i] = s;
        f.defs = draft.defs;
        if (f.defs[0].implicit)
            for (Symbol v : f.vars) f.defs[0].args.push_back(var(v));
        std::vector<Hoisted> hoisted;
        for (auto& d : f.defs) {
            std::vector<Symbol> scope = f.vars;
            for (auto& r : d.domain) scope.push_back(r.name);
            rewrite_all(
                d, [&](const Var& v, auto&) { return settle(v, d.source); },
                [&](const Meta& m, auto& self) { return settle(m, d.source, self); },
                [&](const Read& r, auto& self) { return settle(r, name, d.source, self); },
                [&](const Reduction& r, auto&) {
                    return hoist(r, name, scope, d.source, hoisted);
                });
        }
        return f;
    }

    Expr frozen(const Expr& e, const Where& where) {
        return rewrite(
            e, [&](const Var& v, auto&) { return settle(v, where); },
            [&](const Meta& m, auto& self) { return settle(m, where, self); });
    }

    Expr settle(const Var& v, const Where& where) {
        auto* d = declaration(v.owner);
        if (!d) return handle(v);
        Type t = box(v).type;
        if (d->kind == Declaration::Size) know_size(v.name);
        if (d->kind == Declaration::Scalar) {
            auto at = scalars_.find(v.name);
            if (at == scalars_.end())
                fail(ErrorKind::Type, "not-an-input",
                     fmt::format("parameter {} is used but is not among the inputs of {}",
                                 v.name.hint(), a_.name),
                     where);
            if (at->second != t)
                fail(ErrorKind::Type, "same-name",
                     fmt::format("two parameters named {}: one is {}, the other {}", v.name.hint(),
                                 to_string(at->second), to_string(t)),
                     where);
        }
        return var(v.name, t);
    }
    template <class Self>
    Expr settle(const Meta& m, const Where& where, Self& self) {
        auto* p = a_.param(m.buffer);
        if (!p || p->kind != Parameter::Input)
            fail(ErrorKind::Type, "not-an-input",
                 fmt::format("the shape of {} is used, but it is not among the inputs of {}",
                             m.buffer.hint(), a_.name),
                 where);
        return self.descend(m);
    }
    template <class Self>
    Expr settle(const Read& r, Symbol reader, const Where& where, Self& self) {
        auto* d = declaration(r.owner);
        Read out = r;
        out.owner = {};
        if (!d) {
            out.func = reader;
        } else if (d->kind == Declaration::Func) {
            out.func = names_.at(d);
        } else if (!inputs_.contains(d)) {
            bool is_other = a_.param(d->name) != nullptr;
            fail(ErrorKind::Type, "not-an-input",
                 is_other ? fmt::format("{} reads another input named {} than {} has",
                                        reader.hint(), d->name.hint(), a_.name)
                          : fmt::format("{} reads input {}, which is not among the inputs of {}",
                                        reader.hint(), d->name.hint(), a_.name),
                 where, "it is declared here", d->where);
        }
        out.args = self(out.args);
        return make(std::move(out), box(r).type);
    }

    // ---- inline reductions ----
    struct Hoisted {
        ReduceOp op;
        Symbol as;
        std::vector<Expr> parts;
        Symbol name;
        std::vector<Expr> args;
    };
    // A Read of the stage that computes it, made unless the same reduction of this reader has one already.
    Expr hoist(const Reduction& r, Symbol reader, const std::vector<Symbol>& scope,
               const Where& where, std::vector<Hoisted>& known) {
        Unbound u = unbind(r, where);
        std::vector<Expr> parts = u.values;
        for (auto& range : u.domain.ranges)
            parts.insert(parts.end(), {var(range.name), range.lo, range.hi});
        parts.push_back(u.domain.where);
        for (auto& h : known)
            if (h.op == r.op && h.as == r.as && equal(h.parts, parts))
                return make(Read{h.name, r.element, h.args, {}, {}}, box(r).type);

        FuncDraft draft;
        draft.kind = Declaration::Func;
        draft.where = where;
        Definition start, step;
        for (auto& p : parts) collect(p, u.domain, scope, draft.vars);
        std::ranges::sort(draft.vars, {}, [&](Symbol v) { return std::ranges::find(scope, v); });
        for (Symbol v : draft.vars) step.args.push_back(var(v));
        for (auto& v : u.values) {
            draft.types.push_back(v.type());
            start.values.push_back(&v == &u.values[0] ? identity_of(r.op, v.type())
                                                      : constant(v.type(), -1));
        }
        start.implicit = true;
        start.source = step.source = where;
        std::vector<Expr> args = step.args;
        step.op = r.op;
        step.values = std::move(u.values);
        step.domain = std::move(u.domain.ranges);
        step.where = std::move(u.domain.where);
        draft.defs = {std::move(start), std::move(step)};
        Symbol name = r.as;
        if (name.defined()) take_stage_name(name, where);
        else name = numbered(Symbol::named(fmt::format("{}_{}", reader.hint(), burin::name(r.op))));
        draft.name = name;
        a_.funcs.push_back(freeze_func(draft, name));
        known.push_back({r.op, r.as, std::move(parts), name, args});
        return make(Read{name, r.element, std::move(args), {}, {}}, box(r).type);
    }
    // The variables of the scope that e uses.
    static void collect(const Expr& e, const Domain& own, const std::vector<Symbol>& scope,
                        std::vector<Symbol>& out) {
        if (!e.defined()) return;
        visit(e, [&](const Var& v, auto&) {
            bool is_own =
                std::ranges::any_of(own.ranges, [&](auto& r) { return r.name == v.name; });
            if (!is_own && std::ranges::count(scope, v.name) && !std::ranges::count(out, v.name))
                out.push_back(v.name);
        });
    }

    // A numbered Func equal to one that is there already is that one.
    bool merge(const FuncDraft& draft, const FuncDef& f) {
        for (auto& other : a_.funcs) {
            if (!other.name.hint().starts_with(draft.name.hint()) || other.vars != f.vars ||
                other.types != f.types)
                continue;
            bool same = other.defs.size() == 1 && f.defs.size() == 1 &&
                        equal(other.defs[0].values, f.defs[0].values);
            if (same) {
                names_[&draft] = other.name;
                return true;
            }
        }
        return false;
    }

    // ---- sizes and bare names ----
    void know_size(Symbol s) {
        if (!std::ranges::count(a_.sizes, s)) a_.sizes.push_back(s);
    }

    void check_sizes() {
        std::set<Symbol> bound;
        auto bind = [&](const std::vector<Expr>& shape) {
            for (auto& e : shape)
                if (auto* v = e.defined() ? e.as<Var>() : nullptr) bound.insert(v->name);
        };
        for (auto& p : a_.params) {
            bind(p.shape);
            if (p.kind == Parameter::Size) bound.insert(p.name);
        }
        for (auto& o : a_.outputs) bind(o.shape);
        for (Symbol s : a_.sizes)
            if (!bound.contains(s))
                throw Error(
                    ErrorKind::Shape, "unbound-size",
                    fmt::format(
                        "nothing gives {} a value: no input or output of {} has it as an extent",
                        s.hint(), a_.name))
                    .at(o_.where)
                    .help(fmt::format("list {} among the inputs: it is then passed as an integer",
                                      s.hint()));
    }

    // In text a size, a parameter and a coordinate of one name could not be told apart.
    void check_bare_names() {
        for (auto& [name, type] : scalars_)
            if (std::ranges::count(a_.sizes, name))
                fail(ErrorKind::Type, "same-name",
                     fmt::format("{} is a parameter and a size of {}", name.hint(), a_.name),
                     o_.where);
        auto check = [&](Symbol v, const FuncDef& f, const Where& where) {
            bool is_size = std::ranges::count(a_.sizes, v);
            if (is_size || scalars_.contains(v))
                fail(ErrorKind::Type, "same-name",
                     fmt::format("{} is a variable of {} and a {} of {}", v.hint(), f.name.hint(),
                                 is_size ? "size" : "parameter", a_.name),
                     where);
        };
        for (auto& f : a_.funcs) {
            for (Symbol v : f.vars) check(v, f, f.defs[0].source);
            for (auto& d : f.defs)
                for (auto& r : d.domain) check(r.name, f, d.source);
        }
    }

    const Outline& o_;
    Algorithm a_;
    std::map<Symbol, Where> stages_;  // names of stages and inputs
    std::unordered_set<const Declaration*> inputs_;
    std::map<Symbol, Type> scalars_;
    std::unordered_map<const Declaration*, Symbol> names_;
};

}  // namespace

std::shared_ptr<const Algorithm> freeze(const Outline& outline) { return Freezing(outline).run(); }

}  // namespace burin
