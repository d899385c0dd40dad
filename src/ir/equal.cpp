#include "ir/equal.h"

#include <bit>
#include <set>

#include "base/deep.h"

namespace burin {
namespace {

constexpr uint64_t mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
    h *= 0xBF58476D1CE4E5B9ull;
    return h ^ (h >> 29);
}

uint64_t hash_node(const Node* n);

template <class X>
uint64_t hash_field(const X& x) {
    if constexpr (std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>) {
        return x.defined() ? hash_node(x.node()) : 1;
    } else if constexpr (requires { x.begin(); }) {
        uint64_t h = x.size();
        for (auto& e : x) h = mix(h, hash_field(e));
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
    uint64_t h = mix(n->kind, hash_field(n->type));
    dispatch_in(
        n, [&](const auto& op) { std::apply([&](auto&... x) { ((h = mix(h, hash_field(x))), ...); }, fields(op)); }, Nodes{});
    h += h == 0;
    n->hash.store(h, std::memory_order_relaxed);
    return h;
}

class Comparison {
public:
    bool nodes(const Node* a, const Node* b) {
        if (a == b) return true;
        if (!a || !b || a->kind != b->kind || a->type != b->type || hash_node(a) != hash_node(b)) return false;
        bool shared = a->refs.load(std::memory_order_relaxed) > 1;
        if (shared && known_.contains({a, b})) return true;
        bool same = dispatch_in(
            a,
            [&]<class T>(const T& x) {
                const T& y = static_cast<const T&>(*static_cast<const Box<T>*>(b));
                return fieldwise(fields(x), fields(y), std::make_index_sequence<std::tuple_size_v<decltype(fields(x))>>{});
            },
            Nodes{});
        if (same && shared) known_.insert({a, b});
        return same;
    }

private:
    template <class A, class B, size_t... I>
    bool fieldwise(const A& a, const B& b, std::index_sequence<I...>) {
        return (field(std::get<I>(a), std::get<I>(b)) && ...);
    }
    template <class X>
    bool field(const X& a, const X& b) {
        if constexpr (std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>) {
            return nodes(a.node(), b.node());
        } else if constexpr (std::is_same_v<X, std::vector<Expr>> || std::is_same_v<X, std::vector<Stmt>>) {
            if (a.size() != b.size()) return false;
            for (size_t i = 0; i < a.size(); ++i)
                if (!nodes(a[i].node(), b[i].node())) return false;
            return true;
        } else if constexpr (std::is_same_v<X, double>) {
            return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
        } else {
            return a == b;
        }
    }
    std::set<std::pair<const Node*, const Node*>> known_;
};

bool equal_nodes(const Node* a, const Node* b) {
    if (a == b) return true;
    if (!a || !b) return false;
    return run_deep(std::max(a->depth, b->depth), [&] { return Comparison().nodes(a, b); });
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
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) { return equal(x, y); });
}
uint64_t hash_of(const Expr& e) { return hash_root(e.node()); }
uint64_t hash_of(const Stmt& s) { return hash_root(s.node()); }

}  // namespace burin
