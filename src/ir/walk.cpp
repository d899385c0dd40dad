#include "ir/walk.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace burin {

void check_depth(uint32_t depth) {
    throw Error(ErrorKind::Resource, "expression-too-deep",
                fmt::format("an expression of {} nested operations is deeper than the limit of {}",
                            depth, max_depth))
        .help("break it up with a Func");
}

namespace {
// Nodes to be freed; the first ones take no allocation.
class Waiting {
public:
    bool empty() const { return n_ == 0; }
    void push(const Node* node) {
        if (n_ < few_.size()) few_[n_] = node;
        else more_.push_back(node);
        ++n_;
    }
    const Node* pop() {
        if (--n_ < few_.size()) return few_[n_];
        const Node* last = more_.back();
        more_.pop_back();
        return last;
    }

private:
    std::array<const Node*, 32> few_;
    size_t n_ = 0;
    std::vector<const Node*> more_;
};
}  // namespace

void release(const Node* node) noexcept {
    if (node->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // Freeing a node gives up its children, which lands here again: they wait in a list, so depth costs no stack.
    static thread_local Waiting* waiting = nullptr;
    if (waiting) return waiting->push(node);
    Waiting list;
    list.push(node);
    waiting = &list;
    while (!list.empty())
        dispatch_in(list.pop(), []<class T>(const T& op) { delete &box(op); }, Nodes{});
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
            std::optional<T> copy;  // from the first change on
            auto one = [&](const auto& y, auto place) {
                using Y = std::remove_cvref_t<decltype(y)>;
                if (!y.defined()) return;
                Y z;
                if constexpr (std::is_same_v<Y, Expr>) z = m.expr(m.self, y);
                else z = m.stmt(m.self, y);
                if (z.same_as(y)) return;
                if (!copy) copy = op;
                place(fields(*copy)) = std::move(z);
            };
            auto child = [&]<size_t i>(std::integral_constant<size_t, i>) {
                const auto& x = std::get<i>(fields(op));
                using X = std::remove_cvref_t<decltype(x)>;
                if constexpr (is_handle<X>) {
                    one(x, [](auto all) -> X& { return std::get<i>(all); });
                } else if constexpr (is_handles<X>) {
                    for (size_t k = 0; k < x.size(); ++k)
                        one(x[k], [k](auto all) -> auto& { return std::get<i>(all)[k]; });
                }
            };
            [&]<size_t... i>(std::index_sequence<i...>) {
                (child(std::integral_constant<size_t, i>{}), ...);
            }(std::make_index_sequence<std::tuple_size_v<decltype(fields(op))>>{});
            if (!copy) return &box(op);
            auto made = make(std::move(*copy), box(op).type, box(op).origin);
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
    visit(
        r,
        [&](const auto& op, auto& self) {
            if (!found) self.descend(op);
        },
        [&](const Var& op, auto&) { found = found || op.name == v; });
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
