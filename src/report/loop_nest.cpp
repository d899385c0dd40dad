#include "report/loop_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arith/simplify.h"
#include "func/text.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

class NestPrinter {
public:
    explicit NestPrinter(const State& s) : algorithm_(s.algorithm()) {
        for (auto& size : algorithm_.sizes) facts_.assume(1 <= var(size));
    }

    std::string print(const Stmt& s) {
        Stmt declared =
            rewrite(s, [&](const Meta& m, auto&) -> Expr { return declared_extent(m); });
        line(simplify(declared, facts_), 0);
        return std::move(text_);
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
        text_ +=
            fmt::format("{:{}}{}\n", "", 2 * depth, fmt::format(format, std::forward<A>(args)...));
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
            line(f->body, depth + 1);
        } else if (auto* l = s.as<Let>()) {
            put(depth, "{} = {}", l->name.hint(), to_string(l->value, IndexType));
            line(l->body, depth);
        } else if (auto* i = s.as<If>()) {
            auto* call = i->cond.as<Call>();
            bool tail = call && call->fn == Fn::Likely && !i->no.defined();
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
            line(r->body, depth);
        } else if (auto* v = s.as<Provide>()) {
            definition(*v, box(*v).origin, depth);
        }
    }

    void definition(const Provide& p, uint32_t packed, int depth) {
        auto origin = origin_of(packed);
        auto* f = algorithm_.func(p.func);
        auto* copied = p.values[0].as<Read>();
        if (f && origin && !(copied && copied->func.hint() == p.func.hint() + ".tile")) {
            put(depth, "{}", f->defs[size_t(origin->def)].source.text);
        } else if (copied && copied->func != p.func) {
            put(depth, "{} = {}", p.func.hint(), copied->func.hint());
        } else {
            put(depth, "{}  in {}",
                origin
                    ? algorithm_.funcs[size_t(origin->func)].defs[size_t(origin->def)].source.text
                    : brief(handle(p)),
                p.func.hint());
        }
    }

    const Algorithm& algorithm_;
    Facts facts_;
    std::string text_;
};

}  // namespace

std::string loop_nest(const State& s) { return NestPrinter(s).print(s.stmt); }

}  // namespace burin
