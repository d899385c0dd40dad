// Reading the rules for a type, finding those that can match a node, and building what they say.
#include <array>
#include <memory>
#include <mutex>

#include "arith/fold.h"
#include "arith/rules.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/expr_parser.h"
#include "ir/walk.h"

namespace burin {
namespace {

constexpr std::string_view wild_names[] = {"x", "y", "z", "v", "p", "q", "c0", "c1", "c2"};
constexpr size_t wilds = std::size(wild_names);

bool fits(size_t k, const Expr& e) {
    return wild_names[k][0] == 'c' ? is_const(e) : wild_names[k][0] == 'v' ? !is_const(e) : true;
}
bool is_bool_wild(size_t k) { return wild_names[k] == "p" || wild_names[k] == "q"; }

// Which wildcard a variable of a pattern is.
size_t wild_of(const Var& v) {
    static const std::array<Symbol, wilds> symbols = [] {
        std::array<Symbol, wilds> s;
        for (size_t k = 0; k < wilds; ++k) s[k] = Symbol::named(wild_names[k]);
        return s;
    }();
    return size_t(std::find(symbols.begin(), symbols.end(), v.name) - symbols.begin());
}

using Binding = std::array<Expr, wilds>;

bool match(const Expr& pattern, const Expr& e, Binding& b);

template <class T>
bool match_fields(const T& p, const T& e, Binding& b) {
    auto one = [&](const auto& x, const auto& y) {
        using X = std::remove_cvref_t<decltype(x)>;
        if constexpr (std::is_same_v<X, Expr>) {
            return x.defined() == y.defined() && (!x.defined() || match(x, y, b));
        } else if constexpr (std::is_same_v<X, std::vector<Expr>>) {
            if (x.size() != y.size()) return false;
            for (size_t k = 0; k < x.size(); ++k)
                if (!match(x[k], y[k], b)) return false;
            return true;
        } else if constexpr (requires { x == y; }) {
            return x == y;
        } else {
            return false;
        }
    };
    auto pf = fields(p), ef = fields(e);
    return [&]<size_t... I>(std::index_sequence<I...>) {
        return (one(std::get<I>(pf), std::get<I>(ef)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(pf)>>{});
}

bool match(const Expr& pattern, const Expr& e, Binding& b) {
    if (auto* v = pattern.as<Var>()) {
        size_t k = wild_of(*v);
        if (pattern.type() != e.type().element() || !fits(k, e)) return false;
        if (b[k].defined()) return equal(b[k], e);
        b[k] = e;
        return true;
    }
    if (pattern.as<IntImm>() || pattern.as<FloatImm>()) {
        auto* r = e.as<Broadcast>();
        return equal(pattern, r && r->value.type().is_scalar() ? r->value : e);
    }
    if (pattern.node()->kind != e.node()->kind) return false;
    return dispatch(pattern, [&]<class T>(const T& p) { return match_fields(p, *e.as<T>(), b); });
}

Expr built(const Expr& pattern, const Binding& b, int lanes) {
    if (auto* v = pattern.as<Var>()) return b[wild_of(*v)];
    if (is_const(pattern)) return broadcast(pattern, lanes);
    return dispatch(pattern, [&]<class T>(const T& p) -> Expr {
        if constexpr (!is_expr_node<T>) {
            return {};
        } else {
            T copy = p;
            auto one = [&](auto& x) {
                using X = std::remove_cvref_t<decltype(x)>;
                if constexpr (std::is_same_v<X, Expr>) {
                    if (x.defined()) x = built(x, b, lanes);
                } else if constexpr (std::is_same_v<X, std::vector<Expr>>) {
                    for (auto& y : x) y = built(y, b, lanes);
                }
            };
            std::apply([&](auto&... x) { (one(x), ...); }, fields(copy));
            return make(std::move(copy), pattern.type().with_lanes(lanes));
        }
    });
}

// The value of a condition over constants; what is not constant must be provable.
bool condition_holds(const Expr& when, const Binding& b, int lanes, const Facts& facts) {
    if (!when.defined()) return true;
    Expr c = rewrite(built(when, b, lanes), [](const auto& op, auto& self) {
        using T = std::remove_cvref_t<decltype(op)>;
        auto e = self.descend(op);
        if constexpr (is_expr_node<T>)
            if (Expr f = fold_constants(e); f.defined()) return f;
        return e;
    });
    return is_true(c) || prove(c, facts);
}

Expr parsed(const char* text, Type type) {
    Names names;
    names.variable = [&](const Token& t) {
        size_t k = size_t(std::find(std::begin(wild_names), std::end(wild_names), t.text) -
                          std::begin(wild_names));
        if (k == wilds)
            throw Error(ErrorKind::Internal, "rule", "no such wildcard: " + std::string(t.text));
        return var(Symbol::named(wild_names[k]), is_bool_wild(k) ? Bool : type);
    };
    Tokens tokens(text, "rules.cpp", TextForm::Algorithm);
    return ExprParser(tokens, names).expr();
}

bool is_commutative(const Expr& e) {
    if (auto* c = e.as<Call>()) return c->fn == Fn::Fma;
    switch (e.node()->kind) {
        case kind_of<Add>:
        case kind_of<Mul>:
        case kind_of<Min>:
        case kind_of<Max>:
        case kind_of<And>:
        case kind_of<Or>:
        case kind_of<Xor>:
        case kind_of<Eq>:
        case kind_of<Ne>:  return true;
        default:           return false;
    }
}

// Every way to write a pattern with the operands of its commutative operators exchanged.
std::vector<Expr> orders_of(const Expr& e) {
    std::vector<Expr> done;
    auto add = [&](const Expr& x) {
        for (auto& d : done)
            if (equal(d, x)) return;
        done.push_back(x);
    };
    dispatch(e, [&]<class T>(const T& op) {
        std::vector<T> copies{op};
        auto child = [&](auto get) {
            std::vector<T> next;
            for (auto& c : copies)
                for (auto& o : orders_of(get(c))) {
                    next.push_back(c);
                    get(next.back()) = o;
                }
            copies = std::move(next);
        };
        if constexpr (std::is_same_v<T, Call>) {
            for (size_t k = 0; k < op.args.size(); ++k)
                child([k](auto& c) -> auto& { return c.args[k]; });
        } else if constexpr (std::is_same_v<T, Select>) {
            child([](auto& c) -> auto& { return c.cond; });
            child([](auto& c) -> auto& { return c.yes; });
            child([](auto& c) -> auto& { return c.no; });
        } else if constexpr (requires { op.a; }) {
            child([](auto& c) -> auto& { return c.a; });
            if constexpr (requires { op.b; }) child([](auto& c) -> auto& { return c.b; });
        }
        for (auto& c : copies) {
            if constexpr (is_expr_node<T>) {
                add(make(T(c), e.type()));
                if constexpr (std::is_same_v<T, Call>) {
                    if (is_commutative(e))
                        std::swap(c.args[0], c.args[1]), add(make(T(c), e.type()));
                } else if constexpr (requires { c.b; }) {
                    if (is_commutative(e)) std::swap(c.a, c.b), add(make(T(c), e.type()));
                }
            }
        }
    });
    return done;
}

// The kinds of an operator's first two operands. A pattern's wildcard takes any, and a constant also a broadcast.
constexpr int any_kind = -1;
using Operands = std::array<int, 2>;
Operands operands_of(const Expr& e, bool is_pattern) {
    struct Search {
        Operands found{any_kind, any_kind};
        size_t n = 0;
        bool is_pattern;
    } search{.is_pattern = is_pattern};
    visit_children(e.node(), {&search,
                              [](void* p, const Expr& c) {
                                  auto& s = *static_cast<Search*>(p);
                                  if (s.n == 2) return;
                                  bool any = s.is_pattern && (c.as<Var>() || is_const(c));
                                  s.found[s.n++] = any ? any_kind : int(c.node()->kind);
                              },
                              [](void*, const Stmt&) {}});
    return search.found;
}

struct Table {
    struct Order : TypedRule {
        Operands operands;
    };
    std::vector<TypedRule> rules;
    std::array<std::vector<Order>, kind_of<Combine> + 1> by_kind;  // with all orders

    explicit Table(Type type) {
        for (auto& r : burin::rules()) {
            if (!holds_for(r, type)) continue;
            TypedRule t{&r, parsed(r.from, type), {}, {}};
            t.to = literal_as(parsed(r.to, type), t.from.type());
            if (*r.when) t.when = parsed(r.when, type);
            rules.push_back(t);
            for (auto& order : orders_of(t.from))
                by_kind[order.node()->kind].push_back(
                    {{t.rule, order, t.to, t.when}, operands_of(order, true)});
        }
    }
};

const Table& table_of(Type element) {
    // by code and log2 of the bits
    static std::array<std::array<std::unique_ptr<Table>, 5>, 6> tables;
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    int size = element.bits == 8 ? 0 : element.bits == 16 ? 1 : element.bits == 32 ? 2 : 3;
    auto& t = tables[element.code][size_t(size)];
    if (!t) t = std::make_unique<Table>(element);
    return *t;
}

// The type whose rules are asked: of the operands where a comparison hides it.
Type type_of_rule(const Expr& e) {
    auto of = [](const auto* op) { return op ? op->a.type() : Type{Type::Int, 0, 0}; };
    for (Type t : {of(e.as<Eq>()), of(e.as<Ne>()), of(e.as<Lt>()), of(e.as<Le>())})
        if (t.bits) return t.element();
    if (auto* n = e.as<Not>(); n && e.type().is_bool()) return type_of_rule(n->a);
    if (auto* c = e.as<Call>()) return c->args[0].type().element();
    return e.type().element();
}

Expr apply_rules_of(Type type, const Expr& e, const Facts& facts, uint8_t allowed) {
    auto& orders = table_of(type).by_kind[e.node()->kind];
    if (orders.empty()) return {};
    Operands operands = operands_of(e, false);
    auto fit = [](int pattern, int operand) { return pattern == any_kind || pattern == operand; };
    for (auto& r : orders) {
        if (!fit(r.operands[0], operands[0]) || !fit(r.operands[1], operands[1]) ||
            (r.rule->labels & allowed) != r.rule->labels)
            continue;
        Binding b;
        int lanes = e.type().lanes;
        if (match(r.from, e, b) && condition_holds(r.when, b, lanes, facts))
            return built(r.to, b, lanes);
    }
    return {};
}

}  // namespace

bool holds_for(const Rule& rule, Type t) {
    uint8_t domain = t.is_index()   ? OnIndex
                     : t.is_bool()  ? OnBool
                     : t.is_float() ? OnFloat
                     : t.is_int()   ? OnSigned
                                    : OnUnsigned;
    return rule.domains & domain;
}

const std::vector<TypedRule>& rules_for(Type element) { return table_of(element).rules; }

Expr apply_rules(const Expr& e, const Facts& facts, uint8_t allowed) {
    if (e.node()->kind > kind_of<Combine>) return {};
    Type type = type_of_rule(e);
    Expr r = apply_rules_of(type, e, facts, allowed);
    if (!r.defined() && e.type().is_bool() && !type.is_bool())
        r = apply_rules_of(Bool, e, facts, allowed);
    return r;
}

}  // namespace burin
