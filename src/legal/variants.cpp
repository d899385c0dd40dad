#include "legal/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arith/simplify.h"
#include "base/nearest.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/names.h"

namespace burin {
namespace {

constexpr size_t most_variants = 32;

// One way through the lines of a stage.
struct Choice {
    std::vector<Expr> holds, fails;
    std::vector<std::string> texts;
    std::vector<Directive> lines;
    std::optional<Note> refusal;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

class Condition {
public:
    Condition(const Algorithm& a, const Directive& line) : a_(a), line_(line) {}

    // On sizes, parameters and shapes, each with its own type. A size is that of a whole output too: where an output is
    // computed in part, no condition about its size holds.
    Expr read() {
        auto* written = line_.args.size() == 1 ? std::get_if<Expr>(&line_.args[0].v) : nullptr;
        if (!written || !written->type().is_bool()) throw refuse("it is no condition");
        Expr c = simplify(rewrite(
            *written, [this](const Var& v, auto&) -> Expr { return number(v.name); },
            [this](const Meta& m, auto&) -> Expr { return shape(m); },
            [this](const Ne& op, auto& self) -> Expr {  // flag != 0
                auto* v = op.a.template as<Var>();
                auto* p = v && is_int(op.b, 0) ? a_.param(v->name) : nullptr;
                bool is_flag = p && p->kind == Parameter::Scalar && p->type.is_bool();
                return is_flag ? var(v->name, Bool) : self.descend(op);
            },
            [this]<class T>(const T& op, auto& self) -> Expr
                requires is_expr_node<T>
            {
                Type t = box(op).type;
                if (t != IndexType && !t.is_bool())
                    throw refuse(fmt::format("{} is no whole number", to_string(handle(op))));
                return self.descend(op);
            }));
        if (is_const(c)) throw refuse("it is the same for every call");
        for (auto& out : a_.outputs)
            for (size_t d = 0; d < out.shape.size(); ++d)
                if (std::ranges::any_of(sizes_, [&](Symbol s) { return uses(out.shape[d], s); }))
                    c = c &&
                        make(Meta{out.func, MetaKind::Extent, int(d)}, IndexType) == out.shape[d];
        return c;
    }

private:
    Error refuse(const std::string& why) const {
        return refusal("specialize-condition",
                       fmt::format(
                           "{} cannot be a condition of specialize: {}",
                           line_.args.size() == 1 && std::holds_alternative<Expr>(line_.args[0].v)
                               ? to_string(std::get<Expr>(line_.args[0].v), IndexType)
                               : to_string(line_),
                           why))
            .help(
                "a comparison of sizes, whole parameters and extent(f, 0), origin(f, 0), "
                "stride(f, 0): specialize(w % 16 == 0) { ... }");
    }
    Expr number(Symbol name) {
        if (std::ranges::find(a_.sizes, name) != a_.sizes.end()) {
            sizes_.push_back(name);
            return var(name);
        }
        auto* p = a_.param(name);
        if (p && p->kind == Parameter::Size) {
            sizes_.push_back(name);
            return var(name);
        }
        if (p && p->kind == Parameter::Scalar && p->type.is_integer())
            return cast(IndexType, At(var(name, p->type)));
        if (p && p->kind == Parameter::Scalar && p->type.is_bool())
            return select(var(name, Bool), index_imm(1), index_imm(0));
        if (p) throw refuse(fmt::format("{} is no whole number", name.hint()));
        std::vector<std::string> known;
        for (Symbol s : a_.sizes) known.push_back(s.hint());
        for (auto& q : a_.params)
            if (q.kind != Parameter::Input) known.push_back(q.name.hint());
        throw refusal("unknown-size", fmt::format("{} has no size or parameter {}{}", a_.name,
                                                  name.hint(), did_you_mean(name.hint(), known)));
    }
    Expr shape(const Meta& m) {
        auto* p = a_.param(m.buffer);
        int rank = p && p->kind == Parameter::Input ? p->rank() : -1;
        if (a_.is_output(m.buffer)) rank = a_.func(m.buffer)->rank();
        if (rank < 0) throw refuse(fmt::format("{} is no input and no output", m.buffer.hint()));
        if (m.dim >= rank)
            throw refuse(
                fmt::format("{} has {} dimension{}", m.buffer.hint(), rank, rank == 1 ? "" : "s"));
        return handle(m);
    }

    const Algorithm& a_;
    const Directive& line_;
    std::vector<Symbol> sizes_;
};

Note fail_of(const Directive& line) {
    auto* message = line.args.size() == 1 ? std::get_if<std::string>(&line.args[0].v) : nullptr;
    if (!message)
        throw refusal("directive-arguments",
                      fmt::format("{}: its argument is a message", to_string(line)))
            .help("specialize_fail(\"w is a multiple of 16\")");
    return {*message, line.where};
}

std::vector<Choice> choices(const Algorithm& a, const std::vector<Directive>& lines) {
    std::vector<Choice> all;
    Choice rest;
    for (auto& line : lines) try {
            if (rest.refusal)
                throw refusal("line-after-fail", fmt::format("{} would never be: all calls that "
                                                             "come as far fail",
                                                             to_string(line)))
                    .note("here", rest.refusal->where);
            if (line.verb == "specialize_fail") {
                rest.refusal = fail_of(line);
            } else if (line.verb == "specialize") {
                Expr c = Condition(a, line).read();
                for (Choice& inner : choices(a, line.lines)) {
                    Choice one = rest;
                    one.holds.push_back(c);
                    one.texts.push_back(to_string(std::get<Expr>(line.args[0].v), IndexType));
                    append(one.holds, inner.holds);
                    append(one.fails, inner.fails);
                    append(one.texts, inner.texts);
                    append(one.lines, inner.lines);
                    one.refusal = inner.refusal;
                    all.push_back(std::move(one));
                }
                rest.fails.push_back(c);
            } else {
                rest.lines.push_back(line);
            }
        } catch (Error& e) {
            if (e.kind() == ErrorKind::Schedule || e.kind() == ErrorKind::Type) e.at(line.where);
            throw;
        }
    all.push_back(std::move(rest));
    return all;
}

bool is_possible(const Variant& v) {
    Facts facts;
    for (auto& c : parts_of(v.holds)) {
        if (prove(!c, facts)) return false;
        facts.assume(c);
    }
    return std::ranges::none_of(v.fails, [&](auto& c) {
        return std::ranges::all_of(parts_of({c}), [&](auto& part) { return prove(part, facts); });
    });
}

}  // namespace

std::string Variant::text() const { return fmt::format("{}", fmt::join(texts, " && ")); }

bool has_variants(const Directives& d) {
    return std::ranges::any_of(d.stages, [](auto& s) {
        return std::ranges::any_of(s.lines,
                                   [](auto& l) { return l.verb.starts_with("specialize"); });
    });
}

std::vector<Expr> parts_of(const std::vector<Expr>& conditions) {
    std::vector<Expr> parts = conditions;
    for (size_t i = 0; i < parts.size(); ++i)
        while (auto* both = parts[i].as<And>()) {
            Expr a = both->a, b = both->b;
            parts[i] = a;
            parts.push_back(b);
        }
    return parts;
}

std::vector<Variant> variants_of(const Pipeline& derived, const Directives& d) {
    std::vector<Variant> all{{d, {}, {}, {}, {}}};
    all[0].lines.stages.clear();
    std::vector<std::string> specialised;
    for (auto& stage : d.stages) {
        auto ways = choices(derived.algorithm(), stage.lines);
        if (ways.size() > 1) specialised.push_back(to_string(stage.stage));
        std::vector<Variant> next;
        for (auto& v : all)
            for (auto& way : ways) {
                Variant one = v;
                one.lines.stages.push_back({stage.stage, way.lines});
                append(one.holds, way.holds);
                append(one.fails, way.fails);
                for (auto& t : way.texts)
                    if (std::ranges::find(one.texts, t) == one.texts.end()) one.texts.push_back(t);
                if (!one.refusal) one.refusal = way.refusal;
                if (!one.holds.empty() && !is_possible(one)) continue;
                next.push_back(std::move(one));
                if (next.size() > most_variants)
                    throw Error(ErrorKind::Resource, "too-many-variants",
                                fmt::format("the conditions of {} come to more than {} variants",
                                            listed(specialised), most_variants))
                        .help("fewer conditions, or the same one in several stages");
            }
        all = std::move(next);
    }
    if (std::ranges::all_of(all, [](auto& v) { return v.refusal.has_value(); }))
        throw refusal("every-call-fails", "the schedule leaves no call that does not fail")
            .at(all.back().refusal->where);
    return all;
}

Substitution constants_of(const std::vector<Expr>& holds) {
    Substitution constants;
    for (auto& c : parts_of(holds)) {
        auto* equal = c.as<Eq>();
        auto value = equal ? const_int(equal->b) : std::nullopt;
        if (auto* flag = c.as<Var>()) constants[flag->name] = bool_imm(true);
        if (!value) continue;
        Expr name = equal->a;
        if (auto* widened = name.as<Cast>()) name = widened->value;
        if (auto* v = name.as<Var>()) constants[v->name] = imm(name.type(), *value);
    }
    return constants;
}

Pipeline with_constants(const Pipeline& p, const std::vector<Expr>& holds) {
    Substitution constants = constants_of(holds);
    if (constants.empty()) return p;
    auto a = std::make_shared<Algorithm>(p.algorithm());
    a->text.clear();  // of another algorithm
    a->hash = {};
    for (auto& f : a->funcs) {
        Substitution here = constants;
        for (Symbol v : f.vars) here.erase(v);  // a coordinate may have the name of a size
        auto known = [&](Expr& e) {
            if (e.defined()) e = simplify(substitute(e, here));
        };
        for (auto& def : f.defs) {
            for (auto& e : def.args) known(e);
            for (auto& e : def.values) known(e);
            known(def.where);
            for (auto& r : def.domain) known(r.lo), known(r.hi);
        }
    }
    return Pipeline(std::move(a));
}

}  // namespace burin
