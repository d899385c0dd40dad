#include "report/loop_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arith/simplify.h"
#include "func/text.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "legal/names.h"
#include "legal/storage.h"

namespace burin {
namespace {

// "rows.sched:3", or nothing.
std::string line_number(const Where& w) {
    std::string file = w.file.substr(w.file.find_last_of('/') + 1);
    return file.empty() || w.line == 0 ? "" : fmt::format("{}:{}", file, w.line);
}

class NestPrinter {
public:
    explicit NestPrinter(const State& s) : plan_(*s.plan), algorithm_(s.algorithm()) {
        for (auto& size : algorithm_.sizes) facts_.assume(1 <= var(size));
    }

    std::vector<NestLine> print(const Stmt& s) {
        Stmt declared =
            rewrite(s, [&](const Meta& m, auto&) -> Expr { return declared_extent(m); });
        line(simplify(declared, facts_), 0);
        return std::move(lines_);
    }

private:
    // What the pipeline says of an output's box, and an input's if it says something.
    Expr declared_extent(const Meta& m) const {
        if (m.what == MetaKind::Min) return index_imm(0);
        if (m.what == MetaKind::Extent) {
            for (auto& o : algorithm_.outputs)
                if (o.func.hint() == m.buffer.hint()) return o.shape[size_t(m.dim)];
            if (auto* p = algorithm_.param(m.buffer); p && p->shape[size_t(m.dim)].defined())
                return p->shape[size_t(m.dim)];
        }
        return handle(m);
    }

    template <class... A>
    void put(int depth, fmt::format_string<A...> format, A&&... args) {
        lines_.push_back(
            {fmt::format("{:{}}{}", "", 2 * depth, fmt::format(format, std::forward<A>(args)...)),
             ""});
    }
    void because(const std::string& reason) {
        std::string& all = lines_.back().why;
        if (reason.empty() || all.find(reason) != all.npos) return;
        all += (all.empty() ? "" : "; ") + reason;
    }
    static std::string reason(const Directive& d) {
        std::string at = line_number(d.where);
        return to_string(d) + (at.empty() ? "" : fmt::format(" ({})", at));
    }

    // The lines that a schedule has for a definition.
    const std::vector<Directive>* directives_of(int func, int def) const {
        auto& f = algorithm_.funcs[size_t(func)];
        for (auto& s : plan_.directives.stages)
            if (s.stage.func == f.name.hint() && find_def(f, s.stage) == def) return &s.lines;
        return nullptr;
    }
    // What made the loop, and what marked it.
    void explain_loop(const For& loop, std::optional<Origin> origin) {
        if (!origin) return;
        auto* list = directives_of(origin->func, origin->def);
        auto& stages = plan_.funcs[size_t(origin->func)].stages;
        if (size_t(origin->def) >= stages.size()) return;
        auto add = [&](int directive) {
            if (list && directive >= 0 && size_t(directive) < list->size())
                because(reason((*list)[size_t(directive)]));
        };
        const std::string& hint = loop.name.hint();
        std::string name = hint.substr(hint.find_last_of('.') + 1);
        for (auto& made : stages[size_t(origin->def)].splits)
            if (made.kind == LoopSplit::Split ? made.outer == name || made.inner == name
                                              : made.from == name)
                add(made.directive);
        add(origin->directive);
        explain_pairs(*origin, name);
    }
    // The lines that have other stages in this loop.
    void explain_pairs(const Origin& origin, const std::string& loop) {
        for (auto& f : plan_.funcs)
            for (auto& s : f.stages) {
                if (!s.pair) continue;
                auto& t = plan_.funcs[size_t(s.pair->func)].stages[size_t(s.pair->def)];
                bool here = (s.func == origin.func && s.def == origin.def) ||
                            (t.func == origin.func && t.def == origin.def);
                auto& own = plan_.funcs[size_t(origin.func)].stages[size_t(origin.def)];
                auto* list = directives_of(s.func, s.def);
                if (here && list && s.pair->directive >= 0 &&
                    own.depth(loop) <= t.depth(s.pair->loop))
                    because(reason((*list)[size_t(s.pair->directive)]));
            }
    }
    void explain_storage(const Realize& r, std::optional<Origin> origin) {
        for (auto& t : r.types) {
            auto bytes = constant_bytes(r.extents, t);
            because(to_string(t) + (bytes ? fmt::format(", {} bytes", *bytes) : ""));
        }
        if (!origin || size_t(origin->func) >= plan_.funcs.size()) return;
        auto& plan = plan_.funcs[size_t(origin->func)];
        if (r.func != algorithm_.funcs[size_t(origin->func)].name) {  // cache_write's tile
            auto* list = directives_of(origin->func, origin->def);
            for (auto& c : plan.stages[size_t(origin->def)].cache_writes)
                if (list && c.directive >= 0) because(reason((*list)[size_t(c.directive)]));
            return;
        }
        for (auto& place : {plan.store, plan.compute}) {
            std::string at = line_number(place.where);
            because(place.where.text.empty() || at.empty()
                        ? place.where.text
                        : fmt::format("{} ({})", place.where.text, at));
        }
    }

    static std::string end_of(const Expr& min, const Expr& extent) {
        return to_string(simplify(min + extent), IndexType);
    }

    void line(const Stmt& s, int depth) {
        if (!s.defined()) return;
        if (auto* b = s.as<Block>()) {
            for (auto& one : b->stmts) line(one, depth);
        } else if (auto* f = s.as<For>()) {
            std::string kind = f->kind == LoopKind::Serial ? "" : fmt::format("{} ", name(f->kind));
            put(depth, "{}for {} in {} .. {}:", kind, f->name.hint(), to_string(f->min, IndexType),
                end_of(f->min, f->extent));
            explain_loop(*f, origin_of(box(*f).origin));
            line(f->body, depth + 1);
        } else if (auto* l = s.as<Let>()) {
            put(depth, "{} = {}", l->name.hint(), to_string(l->value, IndexType));
            line(l->body, depth);
        } else if (auto* i = s.as<If>()) {
            auto* call = i->cond.as<Call>();
            bool tail = call && is_hint(call->fn) && !i->no.defined();
            if (!tail) put(depth, "if {}:", brief(i->cond));
            line(i->yes, depth + !tail);
            if (i->no.defined()) put(depth, "else:");
            line(i->no, depth + 1);
        } else if (auto* p = s.as<Produce>()) {
            line(p->body, depth);
        } else if (auto* r = s.as<Realize>()) {
            std::vector<std::string> extents;
            for (auto& e : r->extents) extents.push_back(to_string(e, IndexType));
            std::string where =
                r->memory == Memory::Auto ? "" : fmt::format(" in {}", name(r->memory));
            put(depth, "{}: [{}]{}", r->func.hint(), fmt::join(extents, ", "), where);
            explain_storage(*r, origin_of(box(*r).origin));
            line(r->body, depth);
        } else if (auto* p = s.as<Prefetch>()) {
            put(depth, "prefetch {}", brief(p->what));
        } else if (auto* v = s.as<Provide>()) {
            definition(*v, box(*v).origin, depth);
        }
    }

    // As it was written, for a start value that nobody wrote as it could have been; with the name where others have it.
    static std::string text_of(const Definition& d, const std::string& name) {
        std::string text = d.source.text, call = name + "(";
        if (text.empty()) {
            std::vector<std::string> args, values;
            for (auto& e : d.args) args.push_back(to_string(e, IndexType));
            for (auto& e : d.values) values.push_back(to_string(e));
            bool one = values.size() == 1;
            text = fmt::format("{}{}) = {}{}{}", call, fmt::join(args, ", "), one ? "" : "{",
                               fmt::join(values, ", "), one ? "" : "}");
        }
        return text + (text.starts_with(call) ? "" : "  in " + name);
    }
    void definition(const Provide& p, uint32_t packed, int depth) {
        auto origin = origin_of(packed);
        auto* f = algorithm_.func(p.func);
        auto* copied = p.values[0].as<Read>();
        if (copied && copied->func != p.func &&
            (!f || copied->func.hint() == p.func.hint() + ".tile")) {
            put(depth, "{} = {}", p.func.hint(), copied->func.hint());
        } else if (origin) {
            auto& d = algorithm_.funcs[size_t(origin->func)].defs[size_t(origin->def)];
            put(depth, "{}", text_of(d, p.func.hint()));
            because(line_number(d.source));
        } else {
            put(depth, "{}  in {}", brief(handle(p)), p.func.hint());
        }
    }

    const Plan& plan_;
    const Algorithm& algorithm_;
    Facts facts_;
    std::vector<NestLine> lines_;
};

}  // namespace

std::vector<NestLine> nest_lines(const State& s) { return NestPrinter(s).print(s.stmt); }

std::string loop_nest(const State& s) {
    std::string text;
    for (auto& line : nest_lines(s)) text += line.text + "\n";
    return text;
}

}  // namespace burin
