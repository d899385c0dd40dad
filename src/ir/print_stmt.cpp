// The text of statements. Its form is in print.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/build.h"
#include "ir/operators.h"
#include "ir/print.h"
#include "ir/printer.h"
#include "ir/walk.h"

namespace burin {
namespace {

constexpr std::string_view memories[] = {"Auto", "Heap", "Stack", "Register"};
constexpr std::string_view loop_kinds[] = {"serial", "parallel", "vectorized", "unrolled"};

std::string tuple(const std::vector<std::string>& types) {
    return types.size() == 1 ? types[0] : fmt::format("{{{}}}", fmt::join(types, ", "));
}

// The first lines: types of free names that nothing else in the text tells.
class Header {
public:
    explicit Header(const Stmt& s) {
        visit(
            s,
            [&](const Var& op, auto&) {
                variables_.try_emplace(op.name, handle(op).type().element());
            },
            [&](const Let& op, auto& self) {
                bound_.insert(op.name);
                self.descend(op);
            },
            [&](const For& op, auto& self) {
                bound_.insert(op.name);
                self.descend(op);
            },
            [&](const Read& op, auto& self) {
                auto& types = functions_[op.func];
                types.resize(std::max(types.size(), size_t(op.element) + 1), "_");
                types[op.element] = to_string(handle(op).type().element());
                self.descend(op);
            },
            [&](const Load& op, auto& self) {
                buffers_.try_emplace(op.buffer, handle(op).type().element());
                self.descend(op);
            },
            [&](const Realize& op, auto& self) {
                stored_.insert(op.func);
                self.descend(op);
            },
            [&](const Allocate& op, auto& self) {
                stored_.insert(op.buffer);
                self.descend(op);
            });
    }
    void print(Printer& p) const {
        for (auto& [f, types] : functions_)
            if (!stored_.contains(f))
                p.put(fmt::format("func {}: {}\n", p.function(f), tuple(types)));
        for (auto& [b, type] : buffers_)
            if (!stored_.contains(b))
                p.put(fmt::format("buffer {}: {}\n", p.function(b), to_string(type)));
        for (auto& [v, type] : variables_)
            if (!bound_.contains(v) && !type.is_index())
                p.put(fmt::format("scalar {}: {}\n", p.variable(v), to_string(type)));
    }

private:
    std::map<Symbol, std::vector<std::string>> functions_;
    std::map<Symbol, Type> buffers_, variables_;
    std::unordered_set<Symbol> bound_, stored_;
};

class StmtPrinter {
public:
    explicit StmtPrinter(Printer& p) : p_(p) {}

    void sequence(Stmt s) {
        while (auto* let = s.as<Let>()) {
            start("let ");
            put(p_.variable(let->name), " = ");
            p_.expr(let->value);
            put("\n");
            s = Stmt(let->body);
        }
        auto* b = s.as<Block>();
        if (!b) return one(s);
        for (size_t i = 0; i < b->stmts.size(); ++i) {
            const Stmt& child = b->stmts[i];
            bool is_last = i + 1 == b->stmts.size();
            if (child.as<Block>() || (child.as<Let>() && !is_last)) {
                start("");
                body(child);
                put("\n");
            } else {
                sequence(child);
            }
        }
    }

private:
    template <class... T>
    void put(T... text) {
        (p_.put(text), ...);
    }
    void start(std::string_view text) {
        put(std::string(2 * std::min(indent_, 40), ' '),
            text);  // a very deep nest would be all spaces
    }
    void body(const Stmt& s) {
        put("{\n");
        ++indent_;
        sequence(s);
        --indent_;
        start("}");
    }
    void list(const char* open, const std::vector<Expr>& v, Type expected, const char* close) {
        put(open);
        p_.exprs(v, expected);
        put(close);
    }
    void in(Memory m) { put(m == Memory::Auto ? " " : fmt::format(" in {} ", name(m))); }

    void one(const Stmt& s) {
        if (!s.defined()) return;
        start("");
        dispatch(s, [&](const auto& op) { node(op); });
        put("\n");
    }
    void node(const Let&) {}  // sequence() prints these two
    void node(const Block&) {}
    void node(const For& op) {
        if (op.kind != LoopKind::Serial) put(name(op.kind), " ");
        put("for ", p_.variable(op.name), " in ");
        p_.expr(op.min, IndexType);
        put(" .. ");
        Type t = op.min.type();
        if (is_int(op.min, 0)) {
            p_.expr(op.extent, IndexType);
        } else if (auto min = const_int(op.min), extent = const_int(op.extent); min && extent) {
            p_.expr(imm(t, int64_t(uint64_t(*min) + uint64_t(*extent))), IndexType);
        } else {
            p_.pair(op.min, " + ", op.extent, IndexType, level_of("+"), level_of("+") + 1);
        }
        put(" ");
        body(op.body);
    }
    void node(const If& op) {
        put("if ");
        p_.expr(op.cond);
        put(" ");
        body(op.yes);
        if (!op.no.defined()) return;
        put(" else ");
        body(op.no);
    }
    void node(const Produce& op) {
        put("produce ", p_.function(op.func), " ");
        body(op.body);
    }
    void node(const Realize& op) {
        std::vector<std::string> types;
        for (Type t : op.types) types.push_back(to_string(t));
        put("realize ", p_.function(op.func), ": ", tuple(types), "[");
        for (size_t i = 0; i < op.mins.size(); ++i) {
            if (i) put(", ");
            p_.expr(op.mins[i], IndexType);
            put(": ");
            p_.expr(i < op.extents.size() ? op.extents[i] : Expr(), IndexType);
        }
        put("]");
        in(op.memory);
        body(op.body);
    }
    void node(const Provide& op) {
        put(p_.function(op.func));
        list("(", op.args, IndexType, ") = ");
        if (op.values.size() == 1) p_.expr(op.values[0]);
        else list("{", op.values, i32, "}");
    }
    void node(const Allocate& op) {
        put("allocate ", p_.function(op.buffer), ": ", to_string(op.element));
        list("[", op.extents, IndexType, "]");
        in(op.memory);
        body(op.body);
    }
    void node(const Store& op) {
        if (op.streamed) put("stream ");
        put(p_.function(op.buffer), "[");
        p_.expr(op.index, IndexType);
        put("] = ");
        p_.expr(op.value);
        if (!op.predicate.defined()) return;
        put(" if ");
        p_.expr(op.predicate);
    }
    void node(const Prefetch& op) {
        put("prefetch ");
        p_.expr(op.what);
    }
    void node(const Count& op) {
        put(fmt::format("count {} += ", op.counter));
        p_.expr(op.amount, IndexType);
    }

    Printer& p_;
    int indent_ = 0;
};

}  // namespace

std::string_view name(Memory m) { return memories[int(m)]; }
std::string_view name(LoopKind k) { return loop_kinds[int(k)]; }

std::optional<Memory> memory_named(std::string_view name) {
    auto at = std::ranges::find(memories, name);
    return at == std::end(memories) ? std::nullopt : std::optional(Memory(at - memories));
}

std::string to_string(const Stmt& s) {
    if (!s.defined()) return {};
    return printed(s.node()->depth, [&](Printer& p) {
        p.is_statement = true;
        Header(s).print(p);
        StmtPrinter(p).sequence(s);
    });
}

std::string brief(const Stmt& s) {
    if (!s.defined()) return "undefined";
    return cut(s.node()->depth, [&](Printer& p) { StmtPrinter(p).sequence(s); });
}

}  // namespace burin
