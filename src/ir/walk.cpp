#include "ir/walk.h"

#include <fmt/format.h>

namespace burin {

void check_depth(uint32_t depth) {
    throw Error(ErrorKind::Resource, "expression-too-deep",
                fmt::format("an expression of {} nested operations is deeper than the limit of {}",
                            depth, max_depth))
        .help("break it up with a Func");
}

void release(const Node* node) noexcept {
    if (node->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // Freeing a node gives up its children, which lands here again: they wait in a list, so depth costs no stack.
    static thread_local std::vector<const Node*>* waiting = nullptr;
    if (waiting) {
        waiting->push_back(node);
        return;
    }
    std::vector<const Node*> list{node};
    waiting = &list;
    while (!list.empty()) {
        const Node* n = list.back();
        list.pop_back();
        dispatch_in(n, []<class T>(const T& op) { delete &box(op); }, Nodes{});
    }
    waiting = nullptr;
}

namespace {

template <class X>
constexpr bool is_handle = std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>;
template <class X>
constexpr bool is_handles =
    std::is_same_v<X, std::vector<Expr>> || std::is_same_v<X, std::vector<Stmt>>;

}  // namespace

const Node* map_children(const Node* n, const ChildMap& m) {
    return dispatch_in(
        n,
        [&]<class T>(const T& op) -> const Node* {
            bool changed = false;
            auto one = [&](auto& y) {
                using Y = std::remove_cvref_t<decltype(y)>;
                if (!y.defined()) return;
                Y z;
                if constexpr (std::is_same_v<Y, Expr>) z = m.expr(m.self, y);
                else z = m.stmt(m.self, y);
                if (z.same_as(y)) return;
                changed = true;
                y = std::move(z);
            };
            auto child = [&](auto& x) {
                using X = std::remove_cvref_t<decltype(x)>;
                if constexpr (is_handle<X>) {
                    one(x);
                } else if constexpr (is_handles<X>) {
                    for (auto& e : x) one(e);
                }
            };
            T copy = op;
            std::apply([&](auto&... x) { (child(x), ...); }, fields(copy));
            if (!changed) return &box(op);
            auto made = make(std::move(copy), box(op).type, box(op).origin);
            // Hand the only reference over: the caller wraps the pointer in a handle at once.
            const Node* p = made.node();
            p->refs.fetch_add(1, std::memory_order_relaxed);
            made = {};
            p->refs.fetch_sub(1, std::memory_order_relaxed);
            return p;
        },
        Nodes{});
}

void visit_children(const Node* n, const ChildVisit& v) {
    dispatch_in(
        n,
        [&](const auto& op) {
            auto one = [&](const auto& y) {
                if (!y.defined()) return;
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(y)>, Expr>)
                    v.expr(v.self, y);
                else v.stmt(v.self, y);
            };
            auto child = [&](const auto& x) {
                using X = std::remove_cvref_t<decltype(x)>;
                if constexpr (is_handle<X>) {
                    one(x);
                } else if constexpr (is_handles<X>) {
                    for (auto& e : x) one(e);
                }
            };
            std::apply([&](auto&... x) { (child(x), ...); }, fields(op));
        },
        Nodes{});
}

namespace {
template <class R>
R substitute_in(const R& r, const Substitution& by) {
    if (by.empty()) return r;
    return rewrite(r, [&](const Var& op, auto& self) {
        auto it = by.find(op.name);
        return it == by.end() ? self.descend(op) : it->second;
    });
}
template <class R>
bool uses_in(const R& r, Symbol v) {
    bool found = false;
    visit(r, [&](const Var& op, auto&) { found = found || op.name == v; });
    return found;
}
}  // namespace

Expr substitute(const Expr& e, const Substitution& by) { return substitute_in(e, by); }
Stmt substitute(const Stmt& s, const Substitution& by) { return substitute_in(s, by); }
Expr substitute(const Expr& e, Symbol v, const Expr& by) { return substitute_in(e, {{v, by}}); }
Stmt substitute(const Stmt& s, Symbol v, const Expr& by) { return substitute_in(s, {{v, by}}); }
bool uses(const Expr& e, Symbol v) { return uses_in(e, v); }
bool uses(const Stmt& s, Symbol v) { return uses_in(s, v); }

}  // namespace burin
