#include "ir/parse.h"

#include <fmt/format.h>

#include <map>
#include <span>

#include "base/deep.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/equal.h"
#include "ir/expr_parser.h"
#include "ir/print.h"

namespace burin {
namespace {

// What a function's or buffer's name stands for; no types: not known.
struct Storage {
    Symbol symbol;
    std::vector<std::optional<Type>> types;
};

class Parser {
public:
    Parser(std::string text, std::string file)
        : tokens_(std::move(text), std::move(file), TextForm::Ir) {}

    template <class R>
    R read(R (Parser::*body)()) {
        return run_deep(tokens_.nesting(), [&] {
            while ((tokens_.sees("func") || tokens_.sees("buffer") || tokens_.sees("scalar")) &&
                   tokens_.peek(1).kind == Token::Name)
                declaration();
            R r = (this->*body)();
            if (!tokens_.done()) tokens_.fail("the end of the text");
            return r;
        });
    }

    Stmt sequence() {
        struct Step {
            Symbol name;  // of a let
            Expr value;
            Stmt stmt;
        };
        std::vector<Step> steps;
        Scope scope(*this);
        if (tokens_.peek().kind == Token::Newline) tokens_.next();
        while (!tokens_.done() && !tokens_.sees("}")) {
            if (tokens_.sees("let") && tokens_.peek(1).kind == Token::Name) {
                tokens_.next();
                Token name = tokens_.next();
                tokens_.expect("=");
                Expr value = this->value();
                steps.push_back({bind(variables_, name, value.type()), value, {}});
            } else {
                steps.push_back({{}, {}, statement()});
            }
            tokens_.end_line();
        }
        std::vector<Stmt> after;  // in reverse
        auto joined = [&] {
            if (after.size() == 1) return after[0];
            return make(Block{{after.rbegin(), after.rend()}});
        };
        for (; !steps.empty(); steps.pop_back()) {
            Step& s = steps.back();
            if (s.name.defined()) after = {make(Let{s.name, s.value, joined()})};
            else after.push_back(s.stmt);
        }
        return joined();
    }

    Expr value() {
        Token t = tokens_.peek();
        return expr_.placed(t, [&] { return typed(expr_.expr()); });
    }

private:
    template <class T>
    struct Bindings {
        std::map<std::string, T, std::less<>> now;
        std::vector<std::pair<std::string, std::optional<T>>> before;  // to be restored
    };
    struct Variable {
        Symbol symbol;
        Type type;
    };
    // What is bound while it lives is unbound at its end.
    struct Scope {
        Parser& p;
        size_t variables = p.variables_.before.size(), storage = p.storage_.before.size();
        explicit Scope(Parser& p) : p(p) {}
        ~Scope() {
            restore(p.variables_, variables);
            restore(p.storage_, storage);
        }
        template <class T>
        static void restore(Bindings<T>& b, size_t size) {
            for (; b.before.size() > size; b.before.pop_back()) {
                auto& [name, old] = b.before.back();
                if (old) b.now[name] = *old;
                else b.now.erase(name);
            }
        }
    };
    template <class T, class Info>
    Symbol bind(Bindings<T>& b, const Token& name, Info info) {
        auto at = b.now.find(name.text);
        b.before.emplace_back(name.text,
                              at == b.now.end() ? std::nullopt : std::optional(at->second));
        Symbol fresh = Symbol::fresh(name.text);
        b.now[std::string(name.text)] = T{fresh, std::move(info)};
        return fresh;
    }

    Symbol symbol(const Token& name) const {
        auto at = storage_.now.find(name.text);
        return at == storage_.now.end() ? Symbol::named(name.text) : at->second.symbol;
    }
    Token name() { return tokens_.expect(Token::Name, "a name"); }
    Type type() {
        Token t = name();
        if (auto type = type_named(t.text)) return *type;
        tokens_.fail(t, "a type");
    }
    std::vector<std::optional<Type>> types() {
        std::vector<std::optional<Type>> list;
        bool is_tuple = tokens_.accept("{");
        do {
            if (tokens_.accept("_")) list.emplace_back();
            else list.push_back(type());
        } while (is_tuple && tokens_.accept(","));
        if (is_tuple) tokens_.expect("}");
        return list;
    }
    void declaration() {
        bool is_scalar = tokens_.next().text == "scalar";
        std::string name(this->name().text);
        tokens_.expect(":");
        if (is_scalar) variables_.now[name] = {Symbol::named(name), type()};
        else storage_.now[name] = {Symbol::named(name), types()};
        tokens_.end_line();
    }

    // ---- statements
    Stmt block() {
        Token open = tokens_.expect("{");
        Stmt s = sequence();
        tokens_.close("}", open);
        return s;
    }
    Stmt statement() {
        if (tokens_.sees("{")) return block();
        Token first = name();
        auto is = [&](std::string_view keyword) {
            return first.text == keyword && !tokens_.sees("(") && !tokens_.sees("[");
        };
        if (is("parallel")) return loop(LoopKind::Parallel);
        if (is("vectorized")) return loop(LoopKind::Vectorized);
        if (is("unrolled")) return loop(LoopKind::Unrolled);
        if (is("for")) return loop(LoopKind::Serial);
        if (is("realize")) return realize();
        if (is("allocate")) return allocate();
        if (is("if") || (first.text == "if" && tokens_.sees("("))) return condition();
        if (is("produce")) {
            Symbol f = symbol(name());
            return make(Produce{f, block()});
        }
        if (is("prefetch")) return make(Prefetch{value()});
        if (is("stream")) {
            Token buffer = name();
            tokens_.expect("[");
            return store(buffer, true);
        }
        if (is("count")) {
            int counter = tokens_.integer("the number of a counter");
            tokens_.expect("+=");
            return make(Count{counter, expr_.coordinate()});
        }
        if (tokens_.accept("(")) return provide(first);
        if (tokens_.accept("[")) return store(first);
        tokens_.fail(first, "a statement");
    }
    Stmt loop(LoopKind kind) {
        if (kind != LoopKind::Serial) tokens_.expect("for");
        Token name = this->name();
        tokens_.expect("in");
        Expr min = expr_.coordinate();
        tokens_.expect("..");
        Token at = tokens_.peek();
        Expr end = literal_as(expr_.expr(), min.type().element());
        Expr extent = expr_.placed(at, [&] { return distance(min, end); });
        Scope scope(*this);
        Symbol v = bind(variables_, name, min.type());
        return make(For{v, min, extent, kind, block()});
    }
    static Expr distance(const Expr& min, const Expr& end) {
        if (is_int(min, 0)) return end;
        if (auto* sum = end.as<Add>(); sum && equal(sum->a, min)) return sum->b;
        if (auto a = const_int(min), b = const_int(end); a && b)
            return imm(min.type(), int64_t(uint64_t(*b) - uint64_t(*a)));
        return At(end, Where()) - At(min, Where());
    }
    Stmt condition() {
        Expr cond = expr_.condition();
        Stmt yes = block(), no;
        if (tokens_.accept("else")) no = block();
        return make(If{cond, yes, no});
    }
    Memory memory() {
        if (!tokens_.accept("in")) return Memory::Auto;
        Token t = name();
        auto m = memory_named(t.text);
        if (!m) tokens_.fail(t, "Auto, Heap, Stack or Register");
        return *m;
    }
    Stmt realize() {
        Token name = this->name();
        tokens_.expect(":");
        Realize r;
        std::vector<std::optional<Type>> known = types();
        for (auto& t : known) r.types.push_back(t.value_or(i32));
        Token open = tokens_.expect("[");
        while (!tokens_.sees("]")) {
            r.mins.push_back(expr_.coordinate());
            tokens_.expect(":");
            r.extents.push_back(expr_.coordinate());
            if (!tokens_.accept(",")) break;
        }
        tokens_.close("]", open);
        r.memory = memory();
        Scope scope(*this);
        r.func = bind(storage_, name, known);
        r.body = block();
        return make(std::move(r));
    }
    Stmt allocate() {
        Token name = this->name();
        tokens_.expect(":");
        Allocate a;
        a.element = type();
        tokens_.expect("[");
        a.extents = coordinates("]");
        a.memory = memory();
        Scope scope(*this);
        a.buffer = bind(storage_, name, std::vector<std::optional<Type>>{a.element});
        a.body = block();
        return make(std::move(a));
    }
    Stmt provide(const Token& func) {
        Provide p;
        p.func = symbol(func);
        p.args = coordinates(")");
        tokens_.expect("=");
        bool is_tuple = tokens_.accept("{");
        do p.values.push_back(value());
        while (is_tuple && tokens_.accept(","));
        if (is_tuple) tokens_.expect("}");
        return make(std::move(p));
    }
    Stmt store(const Token& buffer, bool streamed = false) {
        Store s;
        s.streamed = streamed;
        s.buffer = symbol(buffer);
        s.index = expr_.coordinate();
        tokens_.expect("]");
        tokens_.expect("=");
        s.value = value();
        if (tokens_.accept("if")) s.predicate = expr_.condition();
        return make(std::move(s));
    }

    // ---- expressions
    std::vector<Expr> coordinates(std::string_view closing) {
        Token t = tokens_.peek();
        std::vector<Expr> v = expr_.exprs(closing);
        expr_.placed(t, [&] {
            for (auto& e : v) e = literal_as(e, IndexType);
        });
        return v;
    }
    Expr variable(const Token& name) const {
        auto at = variables_.now.find(name.text);
        return at == variables_.now.end() ? var(Symbol::named(name.text))
                                          : var(at->second.symbol, at->second.type);
    }
    Type type_of(const Token& name, int element, int lanes) {
        auto at = storage_.now.find(name.text);
        if (at != storage_.now.end() && element < int(at->second.types.size()) &&
            at->second.types[element])
            return at->second.types[element]->with_lanes(lanes);
        throw Error(ErrorKind::Value, "syntax",
                    fmt::format("the type of {} is not known", name.text))
            .at(tokens_.where(name))
            .help(fmt::format("a first line: {} {}: f32", tokens_.sees("[") ? "buffer" : "func",
                              name.text));
    }
    Expr predicate() { return tokens_.accept("if") ? expr_.condition() : Expr(); }

    Expr special(const Token& name) {
        if (tokens_.sees("[")) return load(name);
        if (!tokens_.sees("(")) return {};
        if (name.text == "ramp") return ramp();
        if (name.text == "broadcast") {
            Expr e = first_argument();
            int n = last_lanes(e.type().lanes);
            return make(Broadcast{e, n}, e.type().with_lanes(e.type().lanes * n));
        }
        if (name.text == "shuffle") return shuffle();
        if (name.text == "times_power") {
            Expr a = first_argument();
            tokens_.expect(",");
            Expr n = value();
            tokens_.expect(")");
            return call(Fn::TimesPower, a.type(), {a, n});
        }
        if (name.text.starts_with("combine_")) {
            if (auto op = reduce_op_named(name.text.substr(8))) {
                Expr e = first_argument();
                int n = last_lanes(1);
                return make(Combine{*op, e}, e.type().with_lanes(n));
            }
        }
        return is_reserved_name(name.text) ? Expr() : read_of(name);
    }
    Expr first_argument() {
        tokens_.expect("(");
        return value();
    }
    int last_lanes(int times) {
        tokens_.expect(",");
        Token t = tokens_.peek();
        int n = tokens_.integer("a number of lanes");
        if (n < 1 || n > 65535 / times) tokens_.fail(t, "a number of lanes in 1 .. 65535");
        tokens_.expect(")");
        return n;
    }
    Expr load(const Token& name) {
        Token open = tokens_.next();
        Expr index = expr_.coordinate(), p = predicate();
        tokens_.close("]", open);
        return make(Load{symbol(name), index, p}, type_of(name, 0, index.type().lanes));
    }
    Expr read_of(const Token& name) {
        Token open = tokens_.next();
        std::vector<Expr> args;
        while (!tokens_.sees(")") && !tokens_.sees("if")) {
            args.push_back(expr_.coordinate());
            if (!tokens_.accept(",")) break;
        }
        Expr p = predicate();
        tokens_.close(")", open);
        int element = 0, lanes = p.defined() ? p.type().lanes : 1;
        if (tokens_.accept("[")) {
            element = tokens_.integer("the number of a tuple's element");
            tokens_.expect("]");
        }
        for (auto& a : args) lanes = std::max<int>(lanes, a.type().lanes);
        return make(Read{symbol(name), element, std::move(args), p, {}},
                    type_of(name, element, lanes));
    }
    Expr ramp() {
        tokens_.expect("(");
        Expr base = expr_.expr();
        tokens_.expect(",");
        Expr stride = expr_.expr();
        base = literal_as(base, is_literal(stride) ? IndexType : stride.type().element());
        stride = literal_as(stride, base.type().element());
        int lanes = std::max(base.type().lanes, stride.type().lanes), n = last_lanes(lanes);
        return make(Ramp{broadcast(base, lanes), broadcast(stride, lanes), n},
                    base.type().with_lanes(lanes * n));
    }
    Expr shuffle() {
        tokens_.expect("(");
        Shuffle s{expr_.exprs(")"), {}};
        for (auto& e : s.vectors) e = typed(e);
        if (s.vectors.empty()) tokens_.fail("vectors to shuffle");
        Token open = tokens_.expect("[");
        do s.lanes.push_back(tokens_.integer("the number of a lane"));
        while (tokens_.accept(","));
        if (s.lanes.size() > 65535) tokens_.fail(open, "at most 65535 lanes");
        tokens_.close("]", open);
        Type t = s.vectors[0].type().with_lanes(int(s.lanes.size()));
        return make(std::move(s), t);
    }

    Tokens tokens_;
    Bindings<Variable> variables_;
    Bindings<Storage> storage_;
    Names names_{[this](const Token& t) { return variable(t); },
                 {},
                 {},
                 [this](const Token& t, MetaKind what, int dim) {
                     return make(Meta{symbol(t), what, dim}, IndexType);
                 },
                 [this](const Token& t, ExprParser&) { return special(t); }};
    ExprParser expr_{tokens_, names_};
};

}  // namespace

Stmt parse_stmt(std::string text, std::string file) {
    return Parser(std::move(text), std::move(file)).read(&Parser::sequence);
}
Expr parse_expr(std::string text, std::string file) {
    return Parser(std::move(text), std::move(file)).read(&Parser::value);
}

}  // namespace burin
