#include "ir/equal.h"

#include <bit>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/deep.h"
#include "base/hash.h"

namespace burin {
namespace {

uint64_t hash_node(const Node* n);

template <class X>
uint64_t hash_field(const X& x) {
    if constexpr (std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>) {
        return x.defined() ? hash_node(x.node()) : 1;
    } else if constexpr (requires { x.begin(); }) {
        uint64_t h = x.size();
        for (auto& e : x) h = hash_combine(h, hash_field(e));
        return h;
    } else if constexpr (std::is_same_v<X, double>) {
        return std::bit_cast<uint64_t>(x);
    } else if constexpr (std::is_same_v<X, Symbol>) {
        return x.id();
    } else if constexpr (std::is_same_v<X, Type>) {
        return uint64_t(x.code) << 32 | uint64_t(x.bits) << 16 | x.lanes;
    } else if constexpr (std::is_same_v<X, Owner>) {
        return 0;
    } else {
        return uint64_t(x);
    }
}

uint64_t hash_node(const Node* n) {
    if (uint64_t h = n->hash.load(std::memory_order_relaxed)) return h;
    uint64_t h = hash_combine(n->kind, hash_field(n->type));
    dispatch_in(
        n,
        [&](const auto& op) {
            std::apply([&](auto&... x) { ((h = hash_combine(h, hash_field(x))), ...); },
                       fields(op));
        },
        Nodes{});
    h += h == 0;
    n->hash.store(h, std::memory_order_relaxed);
    return h;
}

// A one-to-one renaming, found on the way. Bare names, and those of functions and buffers, are two namespaces.
class Renaming {
public:
    template <class T>
    bool matches(Symbol a, Symbol b) {
        constexpr bool is_variable = std::is_same_v<T, Var> || std::is_same_v<T, Let> ||
                                     std::is_same_v<T, For> || std::is_same_v<T, Reduction>;
        auto& m = maps_[is_variable];
        return m.there.try_emplace(a, b).first->second == b &&
               m.back.try_emplace(b, a).first->second == a;
    }

private:
    struct Map {
        std::unordered_map<Symbol, Symbol> there, back;
    };
    Map maps_[2];
};

class Comparison {
public:
    explicit Comparison(bool with_renaming) {
        if (with_renaming) renaming_.emplace();
    }
    bool nodes(const Node* a, const Node* b) {
        if (a == b && !renaming_) return true;
        if (!a || !b || a->kind != b->kind || a->type != b->type) return a == b;
        if (!renaming_ && hash_node(a) != hash_node(b)) return false;
        bool shared = a->refs.load(std::memory_order_relaxed) > 1;
        if (shared && known_.contains({a, b})) return true;
        bool same = dispatch_in(
            a,
            [&]<class T>(const T& x) {
                const T& y = static_cast<const T&>(*static_cast<const Box<T>*>(b));
                return fieldwise<T>(
                    fields(x), fields(y),
                    std::make_index_sequence<std::tuple_size_v<decltype(fields(x))>>{});
            },
            Nodes{});
        if (same && shared) known_.insert({a, b});
        return same;
    }

private:
    template <class T, class A, class B, size_t... I>
    bool fieldwise(const A& a, const B& b, std::index_sequence<I...>) {
        return (field<T>(std::get<I>(a), std::get<I>(b)) && ...);
    }
    template <class T, class X>
    bool field(const X& a, const X& b) {
        if constexpr (std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>) {
            return nodes(a.node(), b.node());
        } else if constexpr (std::is_same_v<X, std::vector<Expr>> ||
                             std::is_same_v<X, std::vector<Stmt>>) {
            if (a.size() != b.size()) return false;
            for (size_t i = 0; i < a.size(); ++i)
                if (!nodes(a[i].node(), b[i].node())) return false;
            return true;
        } else if constexpr (std::is_same_v<X, std::vector<Symbol>>) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                              [&](Symbol x, Symbol y) { return field<T>(x, y); });
        } else if constexpr (std::is_same_v<X, Symbol>) {
            return renaming_ ? renaming_->matches<T>(a, b) : a == b;
        } else if constexpr (std::is_same_v<X, double>) {
            return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
        } else {
            return a == b;
        }
    }
    std::set<std::pair<const Node*, const Node*>> known_;
    std::optional<Renaming> renaming_;
};

bool equal_nodes(const Node* a, const Node* b, bool with_renaming = false) {
    if (!a || !b) return a == b;
    return run_deep(std::max(a->depth, b->depth),
                    [&] { return Comparison(with_renaming).nodes(a, b); });
}
uint64_t hash_root(const Node* n) {
    if (!n) return 1;
    if (uint64_t h = n->hash.load(std::memory_order_relaxed)) return h;
    return run_deep(n->depth, [&] { return hash_node(n); });
}

}  // namespace

bool equal(const Expr& a, const Expr& b) { return equal_nodes(a.node(), b.node()); }
bool equal(const Stmt& a, const Stmt& b) { return equal_nodes(a.node(), b.node()); }
bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) { return equal(x, y); });
}
bool equal_up_to_names(const Expr& a, const Expr& b) {
    return equal_nodes(a.node(), b.node(), true);
}
bool equal_up_to_names(const Stmt& a, const Stmt& b) {
    return equal_nodes(a.node(), b.node(), true);
}
uint64_t hash_of(const Expr& e) { return hash_root(e.node()); }
uint64_t hash_of(const Stmt& s) { return hash_root(s.node()); }

}  // namespace burin
