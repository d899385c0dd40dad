#include "func/directives.h"

#include <fmt/format.h>

#include "arith/fold.h"
#include "base/deep.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/expr_parser.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

constexpr size_t longest_text = 1 << 20;

std::string list_text(const std::vector<DirectiveArg>& args);

std::string to_string(const DirectiveArg& a) {
    std::string s = std::visit(
        overloaded{[](const Expr& e) { return to_string(e, IndexType); },
                   [](const StageName& n) { return to_string(n); },
                   [](const std::vector<DirectiveArg>& l) { return "[" + list_text(l) + "]"; },
                   [](const std::string& t) { return "\"" + t + "\""; }},
        a.v);
    return a.arrow.empty() ? s : s + " -> [" + list_text(a.arrow) + "]";
}

std::string list_text(const std::vector<DirectiveArg>& args) {
    std::string s;
    for (auto& a : args) s += (s.empty() ? "" : ", ") + to_string(a);
    return s;
}

bool same(const std::vector<DirectiveArg>& a, const std::vector<DirectiveArg>& b);

bool same(const DirectiveArg& a, const DirectiveArg& b) {
    if (a.v.index() != b.v.index() || !same(a.arrow, b.arrow)) return false;
    if (auto* e = std::get_if<Expr>(&a.v)) return equal(*e, std::get<Expr>(b.v));
    if (auto* l = std::get_if<std::vector<DirectiveArg>>(&a.v))
        return same(*l, std::get<std::vector<DirectiveArg>>(b.v));
    if (auto* n = std::get_if<StageName>(&a.v)) return *n == std::get<StageName>(b.v);
    return std::get<std::string>(a.v) == std::get<std::string>(b.v);
}

template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](auto& x, auto& y) { return same(x, y); });
}
bool same(const std::vector<DirectiveArg>& a, const std::vector<DirectiveArg>& b) {
    return same_all(a, b);
}

class Parser {
public:
    explicit Parser(Tokens& tokens) : tokens_(tokens), exprs_(tokens, names_) {
        names_.variable = [](const Token& t) { return var(Symbol::named(t.text)); };
        names_.meta = [](const Token& t, MetaKind what, int dim) {
            return make(Meta{Symbol::named(t.text), what, dim}, IndexType);
        };
    }

    Directives schedule() {
        Directives d;
        tokens_.expect("schedule");
        Token version = tokens_.expect(Token::Number, "the version 1");
        if (version.text != "1")
            throw Error(ErrorKind::Schedule, "schedule-version",
                        fmt::format("a schedule of version {} cannot be read: this is version 1",
                                    version.text))
                .at(tokens_.where(version));
        tokens_.expect("for");
        d.pipeline = name();
        if (tokens_.peek().kind == Token::Hash) d.hash = from_hex(tokens_.next().text);
        tokens_.end_line();
        while (!tokens_.done() && !at_stage()) d.edits.push_back(line());
        while (!tokens_.done()) d.stages.push_back(stage(d));
        return d;
    }

    std::pair<StageName, Directive> on_stage() {
        bool is_edit = tokens_.sees("=", 1) || tokens_.sees("(", 1);
        StageName s;
        if (!is_edit) {
            s = stage_name();
            tokens_.expect(".");
        }
        return {s, line()};
    }

private:
    bool at_stage() const { return tokens_.sees("stage") && tokens_.peek(1).kind == Token::Name; }
    std::string name() { return std::string(tokens_.expect(Token::Name, "a name").text); }

    StageDirectives stage(const Directives& before) {
        tokens_.expect("stage");
        Token at = tokens_.peek();
        StageDirectives s{stage_name(), {}};
        for (auto& other : before.stages)
            if (other.stage == s.stage)
                throw Error(ErrorKind::Schedule, "stage-twice",
                            fmt::format("stage {} appears twice", to_string(s.stage)))
                    .at(tokens_.where(at))
                    .help("put its lines together");
        tokens_.end_line();
        while (!tokens_.done() && !at_stage()) s.lines.push_back(line());
        return s;
    }

    StageName stage_name() {
        StageName s{name(), -1};
        if (!tokens_.sees(".") || !tokens_.sees("update", 1)) return s;
        tokens_.next();
        tokens_.next();
        Token open = tokens_.expect("(");
        s.update = tokens_.integer("the number of an update");
        tokens_.close(")", open);
        return s;
    }

    Directive line() {
        Directive d;
        d.where = tokens_.where();
        if (tokens_.sees(",", 1) || tokens_.sees("=", 1)) {
            do d.results.push_back(name());
            while (tokens_.accept(","));
            tokens_.expect("=");
        }
        d.verb = name();
        Token open = tokens_.expect("(");
        d.args = args(")");
        tokens_.close(")", open);
        if (d.verb == "specialize") {
            Token brace = tokens_.expect("{");
            tokens_.end_line();
            while (!tokens_.done() && !tokens_.sees("}")) d.lines.push_back(line());
            tokens_.close("}", brace);
        }
        tokens_.end_line();
        return d;
    }

    std::vector<DirectiveArg> args(std::string_view closing) {
        std::vector<DirectiveArg> list;
        if (tokens_.sees(closing)) return list;
        do list.push_back(arg());
        while (tokens_.accept(","));
        return list;
    }

    std::vector<DirectiveArg> bracketed() {
        Token open = tokens_.expect("[");
        if (++lists_ > 8)
            throw Error(ErrorKind::Resource, "too-deep", "lists are nested deeper than 8")
                .at(tokens_.where(open));
        auto list = args("]");
        --lists_;
        tokens_.close("]", open);
        return list;
    }

    DirectiveArg arg() {
        if (tokens_.sees("[")) {
            DirectiveArg a{bracketed(), {}};
            if (tokens_.accept("->")) a.arrow = bracketed();
            return a;
        }
        if (tokens_.peek().kind == Token::String) return {std::string(tokens_.next().text), {}};
        if (tokens_.peek().kind == Token::Name && tokens_.sees(".", 1)) return {stage_name(), {}};
        return {as_index_text(exprs_.expr()), {}};
    }

    Tokens& tokens_;
    Names names_;
    ExprParser exprs_;
    int lists_ = 0;  // open ones
};

}  // namespace

Expr as_index_text(const Expr& e) {
    auto* l = e.as<Literal>();
    if (l && l->natural.is_float()) return typed(e);
    auto binary = []<class T>(const T& op, auto& self) -> Expr
        requires requires {
            op.a;
            op.b;
        }
    {
        Expr whole = make(T{self(op.a), self(op.b)}, box(op).type.is_bool() ? Bool : IndexType);
        Expr folded = fold_constants(whole);
        return folded.defined() ? folded : whole;
    };
    return rewrite(
        literal_as(e, IndexType), binary,
        [](const Neg& n, auto& self) -> Expr { return make(Neg{self(n.a)}, IndexType); },
        [](const Var& v, auto&) -> Expr {  // of a bool, by itself a condition
            return box(v).type.is_bool() ? var(v.name) != 0 : var(v.name);
        },
        [](const Cast& c, auto& self) -> Expr { return self(c.value); },
        [](const IntImm& i, auto&) -> Expr { return index_imm(i.value); });
}

std::string to_string(const StageName& s) {
    return s.update < 0 ? s.func : fmt::format("{}.update({})", s.func, s.update);
}

std::string to_string(const Directive& d) {
    std::string results;
    for (auto& r : d.results) results += (results.empty() ? "" : ", ") + r;
    return (results.empty() ? "" : results + " = ") + d.verb + "(" + list_text(d.args) + ")";
}

bool same(const Directive& a, const Directive& b) {
    return a.verb == b.verb && a.results == b.results && same_all(a.args, b.args) &&
           same_all(a.lines, b.lines);
}

namespace {
std::string lines_text(const std::vector<Directive>& lines, const std::string& indent) {
    std::string s;
    for (auto& l : lines) {
        s += indent + to_string(l);
        if (l.verb == "specialize") s += " {\n" + lines_text(l.lines, indent + "  ") + indent + "}";
        s += "\n";
    }
    return s;
}
}  // namespace

std::string to_string(const Directives& d) {
    std::string s = "schedule 1 for " + d.pipeline + (d.hash ? " " + to_hex(*d.hash) : "") + "\n";
    for (auto& e : d.edits) s += to_string(e) + "\n";
    for (auto& stage : d.stages) {
        s += "stage " + to_string(stage.stage) + "\n";
        s += lines_text(stage.lines, "  ");
    }
    return s;
}

Directives parse_directives(std::string_view text, const std::string& file) {
    if (text.size() > longest_text)
        throw Error(ErrorKind::Resource, "text-too-long",
                    fmt::format("a schedule of {} bytes is longer than the limit of {}",
                                text.size(), longest_text))
            .at(Where(file, 0));
    Tokens tokens(std::string(text), file, TextForm::Schedule);
    return run_deep(tokens.nesting(), [&] { return Parser(tokens).schedule(); });
}

std::pair<StageName, Directive> parse_on_stage(std::string_view text) {
    Tokens tokens(std::string(text), "", TextForm::Schedule);
    return run_deep(tokens.nesting(), [&] { return Parser(tokens).on_stage(); });
}

bool same(const Directives& a, const Directives& b) {
    // A stage without lines says nothing.
    auto covers = [](const Directives& x, const Directives& y) {
        for (auto& s : x.stages) {
            auto it = std::find_if(y.stages.begin(), y.stages.end(),
                                   [&](auto& t) { return t.stage == s.stage; });
            if (it == y.stages.end() ? !s.lines.empty() : !same_all(s.lines, it->lines))
                return false;
        }
        return true;
    };
    return a.pipeline == b.pipeline && same_all(a.edits, b.edits) && covers(a, b) && covers(b, a);
}

}  // namespace burin
