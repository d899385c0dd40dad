// Reading the text of an algorithm: drafts are written as the C++ language writes them, then frozen.
#include "func/text.h"

#include <burin/pipeline.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/nearest.h"
#include "func/border.h"
#include "ir/build.h"
#include "ir/expr_parser.h"

namespace burin {
namespace {

constexpr int64_t longest_text = 16 << 20;

class AlgorithmParser {
public:
    explicit AlgorithmParser(Tokens& tokens) : tokens_(tokens) {}

    std::shared_ptr<const Algorithm> run() {
        header();
        while (!tokens_.done()) {
            definition();
            tokens_.end_line();
        }
        for (auto& o : outputs_) {
            auto f = funcs_.find(o.name.text);
            if (f == funcs_.end()) unknown("stage", o.name, stages());
            outline_.outputs.push_back({f->second, std::move(o.shape)});
        }
        return freeze(outline_);
    }

private:
    [[noreturn]] void unknown(const char* what, const Token& name,
                              const std::vector<std::string>& known) {
        throw Error(
            ErrorKind::Type, "unknown-name",
            fmt::format("there is no {} {}{}", what, name.text, did_you_mean(name.text, known)))
            .at(tokens_.where(name));
    }
    std::vector<std::string> stages() const {
        std::vector<std::string> names;
        for (auto& [name, d] : inputs_) names.emplace_back(name);
        for (auto& [name, f] : funcs_) names.emplace_back(name);
        return names;
    }
    Token name(const char* what) { return tokens_.expect(Token::Name, what); }

    // ---- pipeline name(param, ...) -> output, ... ----
    void header() {
        outline_.where = tokens_.where();
        tokens_.expect("pipeline");
        outline_.name = name("the name of the pipeline").text;
        declare_scalars();
        tokens_.expect("(");
        if (!tokens_.accept(")")) {
            do param();
            while (tokens_.accept(","));
            tokens_.expect(")");
        }
        tokens_.expect("->");
        do {
            Token f = name("the name of an output");
            tokens_.expect("[");
            outputs_.push_back({f, exprs_.exprs("]")});
        } while (tokens_.accept(","));
        if (tokens_.accept("strict")) outline_.numerics = Numerics::Strict;
        else if (tokens_.accept("relaxed")) outline_.numerics = Numerics::Relaxed;
        tokens_.end_line();
        in_header_ = false;
    }

    // Sizes and parameters first: the shapes of inputs before them may use them.
    void declare_scalars() {
        int open = 0;
        for (int i = 0;; ++i) {
            const Token& t = tokens_.peek(i);
            if (t.kind == Token::End || t.kind == Token::Newline) return;
            if (t.text == "(" || t.text == "[") ++open;
            if ((t.text == ")" || t.text == "]") && --open == 0) return;
            if (open != 1 || t.kind != Token::Name || !tokens_.sees(":", i + 1) ||
                (tokens_.sees("[", i + 3) && !tokens_.sees("size", i + 2)))
                continue;
            std::string_view type = tokens_.peek(i + 2).text;
            if (type == "size")
                bare_.emplace(t.text,
                              declare(Declaration::Size, t.text, IndexType, tokens_.where(t)));
            else if (auto scalar = type_named(type))
                bare_.emplace(t.text,
                              declare(Declaration::Scalar, t.text, *scalar, tokens_.where(t)));
        }
    }

    void param() {
        Token n = name("the name of an input");
        tokens_.expect(":");
        Token type_name = name("a type or size");
        auto type = type_named(type_name.text);
        bool is_size = type_name.text == "size";
        if (!is_size && (!type || type->is_index())) tokens_.fail(type_name, "a type or size");
        if (is_size || !tokens_.sees("["))
            return outline_.params.push_back(bare_.find(n.text)->second);
        tokens_.expect("[");
        std::vector<Expr> shape;
        if (!tokens_.accept("]")) {
            do shape.push_back(tokens_.accept("_") ? Expr() : exprs_.expr());
            while (tokens_.accept(","));
            tokens_.expect("]");
        }
        auto d = declare_input(n.text, *type, std::move(shape), tokens_.where(n));
        outline_.params.push_back(d);
        inputs_.emplace(n.text, d);
    }

    // ---- name(args) op value for domain let { ... } ----
    void definition() {
        Token f = name("the name of a stage");
        Written w;
        w.source = tokens_.where(f);
        DraftPtr draft = stage(f);
        scope_.clear();
        for (auto v : exprs_.domain_names()) scope_[v] = variable_of(v, f);
        tokens_.expect("(");
        declare_coordinates();
        w.args = exprs_.exprs(")");
        w.op = assignment();
        size_t value_at = tokens_.position();
        size_t end = lets();
        tokens_.seek(value_at);
        values(f.text, w);
        if (tokens_.sees("for")) w.domain = domain_of(exprs_.domain(), f);
        if (tokens_.sees("let")) tokens_.seek(end);
        exprs_.placed(f, [&] { define(draft, std::move(w)); });
        std::erase(outline_.order, draft);
        outline_.order.push_back(draft);
    }

    DraftPtr stage(const Token& f) {
        auto& draft = funcs_[f.text];
        if (inputs_.contains(f.text))
            throw Error(ErrorKind::Type, "same-name",
                        fmt::format("{} is an input and cannot be defined", f.text))
                .at(tokens_.where(f))
                .note("it is declared here", inputs_.at(f.text)->where);
        if (!draft) draft = declare_func(f.text, false, tokens_.where(f));
        return draft;
    }

    Expr variable_of(std::string_view v, const Token& f) {
        if (bare_.contains(v))
            throw Error(ErrorKind::Type, "same-name",
                        fmt::format("{} is a variable of {} and a size or parameter", v, f.text))
                .at(tokens_.where(f));
        return burin::variable(declare(Declaration::RVar, v, IndexType, tokens_.where(f)));
    }

    // A bare new name among the arguments is a coordinate of the Func.
    void declare_coordinates() {
        int open = 0;
        for (int i = 0;; ++i) {
            const Token& t = tokens_.peek(i);
            if (t.kind == Token::End || t.kind == Token::Newline) return;
            bool starts = open == 0 && (i == 0 || tokens_.sees(",", i - 1)),
                 ends = tokens_.sees(",", i + 1) || tokens_.sees(")", i + 1);
            if (t.kind == Token::Name && starts && ends && !bare_.contains(t.text))
                scope_.try_emplace(t.text, Var(bare_name(t.text, tokens_.where(t)), {}));
            if (t.text == "(" || t.text == "[") ++open;
            if ((t.text == ")" || t.text == "]") && open-- == 0) return;
        }
    }

    std::string assignment() {
        for (auto op : {"=", "+=", "-=", "*=", "&=", "|=", "^="})
            if (tokens_.accept(op)) return op;
        tokens_.fail("'=' or one of += -= *= &= |= ^=");
    }

    void values(std::string_view f, Written& w) {
        if (tokens_.accept("{")) return void(w.values = exprs_.exprs("}"));
        if (auto op = argument_update(f)) {  // argmin(f(x), {key, coordinates...})
            tokens_.next();
            tokens_.expect("(");
            Expr old = exprs_.expr();
            auto* read = old.as<Read>();
            tokens_.expect(",");
            Token open = tokens_.expect("{");
            w.values = exprs_.exprs("}");
            tokens_.expect(")");
            if (!read || read->func.hint() != f) tokens_.fail(open, "the Func itself before it");
            w.reduce = op;
            return;
        }
        Expr e = exprs_.expr();
        auto* r = e.as<Reduction>();
        if (!r || r->element >= 0) return w.values.push_back(e);
        for (int i = 0; i <= int(r->vars.size()); ++i) {  // the whole of an argmin
            Reduction part = *r;
            part.element = i;
            w.values.push_back(make(std::move(part), i ? i64 : r->value.type()));
        }
    }
    std::optional<ReduceOp> argument_update(std::string_view) const {
        if (!tokens_.sees("argmin") && !tokens_.sees("argmax")) return {};
        int open = 0;
        for (int i = 1;; ++i) {
            const Token& t = tokens_.peek(i);
            if (t.kind == Token::End || t.kind == Token::Newline) return {};
            if (open == 1 && t.text == "," && tokens_.sees("{", i + 1))
                return tokens_.sees("argmin") ? ReduceOp::ArgMin : ReduceOp::ArgMax;
            if (t.text == "(" || t.text == "[" || t.text == "{") ++open;
            if ((t.text == ")" || t.text == "]" || t.text == "}") && --open <= 0) return {};
        }
    }

    Domain domain_of(DomainText d, const Token& at) {
        Domain out;
        for (size_t i = 0; i < d.vars.size(); ++i) {
            auto bound = [&](const Expr& e) {
                return known_at_entry(e, tokens_.where(at), "a bound of " + d.vars[i].hint());
            };
            out.ranges.push_back({d.vars[i], bound(d.lo[i]), bound(d.hi[i])});
        }
        out.where = d.where;
        return out;
    }

    // let { e0 = ..., e1 = ... }: names for what the definition repeats. Reads them ahead; returns the place after them.
    size_t lets() {
        int open = 0;
        while (open > 0 || !tokens_.sees("let")) {
            const Token& t = tokens_.peek();
            if (t.kind == Token::End || (t.kind == Token::Newline && open == 0))
                return tokens_.position();
            if (t.text == "(" || t.text == "[" || t.text == "{") ++open;
            if (t.text == ")" || t.text == "]" || t.text == "}") --open;
            tokens_.next();
        }
        tokens_.next();
        tokens_.expect("{");
        do {
            Token n = name("a name");
            tokens_.expect("=");
            Expr e = exprs_.expr();
            exprs_.placed(n, [&] { e = typed(e); });
            if (bare_.contains(n.text) || !scope_.emplace(n.text, e).second)
                throw Error(ErrorKind::Type, "same-name",
                            fmt::format("{} has a meaning already", n.text))
                    .at(tokens_.where(n));
        } while (tokens_.accept(","));
        tokens_.expect("}");
        return tokens_.position();
    }

    // ---- what names mean ----
    Expr variable(const Token& t) {
        if (auto v = scope_.find(t.text); v != scope_.end()) return v->second;
        auto d = bare_.find(t.text);
        if (d == bare_.end() && in_header_)
            d = bare_
                    .emplace(t.text,
                             declare(Declaration::Size, t.text, IndexType, tokens_.where(t)))
                    .first;
        if (d != bare_.end()) return burin::variable(d->second);
        std::vector<std::string> known;
        for (auto& [name, e] : scope_) known.emplace_back(name);
        for (auto& [name, e] : bare_) known.emplace_back(name);
        unknown("variable", t, known);
    }
    DeclarationPtr callee(const Token& t) {
        if (auto in = inputs_.find(t.text); in != inputs_.end()) return in->second;
        if (auto f = funcs_.find(t.text); f != funcs_.end()) return f->second;
        unknown("stage or input", t, stages());
    }
    Expr reduction(Reduction r) {
        DomainText d{std::move(r.vars), std::move(r.lo), std::move(r.hi), r.where};
        auto parts = reduce(r.op, domain_of(std::move(d), tokens_.peek()), r.value, r.as, {});
        if (r.element >= int(parts.size()))
            throw Error(ErrorKind::Type, "tuple-element",
                        fmt::format("this reduction has {} element{}: there is no [{}]",
                                    parts.size(), parts.size() == 1 ? "" : "s", r.element));
        if (r.element >= 0 || parts.size() == 1) return parts[std::max(r.element, 0)];
        Reduction whole = *parts[0].as<Reduction>();
        whole.element = -1;
        return make(std::move(whole), parts[0].type());
    }
    Expr meta(const Token& t, MetaKind what, int dim) {
        auto in = inputs_.find(t.text);
        if (in == inputs_.end()) unknown("input", t, stages());
        if (dim >= int(in->second->shape.size()))
            throw Error(ErrorKind::Shape, "no-such-dimension",
                        fmt::format("{} has {} dimensions: there is no dimension {}", t.text,
                                    in->second->shape.size(), dim));
        return make(Meta{in->second->name, what, dim}, IndexType);
    }
    // clamped(in(y, x - 1), 0, 1): an input with a border in those dimensions, or all; padded has its value second.
    Expr border(const Token& t, ExprParser& parser) {
        auto at = std::ranges::find(border_names, t.text);
        if (at == std::end(border_names) || !tokens_.accept("(")) return {};
        auto which = Border(at - border_names);
        Token source = tokens_.peek();
        Expr inside = parser.expr(), value;
        auto* read = inside.as<Read>();
        auto in = read ? inputs_.find(read->func.hint()) : inputs_.end();
        if (in == inputs_.end()) tokens_.fail(source, "an input with its coordinates");
        if (which == Border::Padded) {
            tokens_.expect(",");
            value = parser.expr();
        }
        std::vector<int> dims;
        while (tokens_.accept(",")) dims.push_back(tokens_.integer("the number of a dimension"));
        tokens_.expect(")");
        DraftPtr f =
            bordered(which, in->second, box_of(*in->second), dims, value, tokens_.where(t));
        outline_.order.push_back(f);
        return burin::read(f, read->args, -1, tokens_.where(t));
    }

    struct OutputText {
        Token name;
        std::vector<Expr> shape;
    };
    Tokens& tokens_;
    Names names_{[this](const Token& t) { return variable(t); },
                 [this](const Token& t, std::vector<Expr> args, std::optional<int> element) {
                     return burin::read(callee(t), args, element.value_or(-1), {});
                 },
                 [this](const Token&, Reduction r) { return reduction(std::move(r)); },
                 [this](const Token& t, MetaKind what, int dim) { return meta(t, what, dim); },
                 [this](const Token& t, ExprParser& parser) { return border(t, parser); }};
    ExprParser exprs_{tokens_, names_};
    Outline outline_;
    std::vector<OutputText> outputs_;
    bool in_header_ = true;
    // Names are views of the text, which outlives the parser.
    std::map<std::string_view, DeclarationPtr> bare_, inputs_;
    std::map<std::string_view, DraftPtr> funcs_;
    std::map<std::string_view, Expr> scope_;  // of one definition
};

}  // namespace

Pipeline parse_pipeline(std::string_view text, const std::string& file) {
    if (int64_t(text.size()) > longest_text)
        throw Error(ErrorKind::Resource, "text-too-long",
                    fmt::format("a text of {} bytes is longer than the {} that a pipeline may have",
                                text.size(), longest_text))
            .at({file, 0});
    Tokens tokens(std::string(text), file, TextForm::Algorithm);
    return Pipeline(AlgorithmParser(tokens).run());
}

Pipeline load_pipeline(const std::string& path) {
    return parse_pipeline(read_file(path, longest_text), path);
}

}  // namespace burin
