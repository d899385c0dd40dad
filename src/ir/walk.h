// walk.h - going over a DAG: visit() to look, rewrite() to change.
//
//   Expr e2 = rewrite(e, [&](const Var& op, auto& self) { return op.name == x ? y : self.descend(op); });
//   visit(s, [&](const Load& op, auto& self) { ...; self.descend(op); });
//
// A handler takes a node's data and the walker; nodes without a handler are descended into. `self(child)` goes on,
// `self.descend(op)` goes on into all children of op. rewrite returns the same node where nothing changed. Both see a
// shared node once: what a handler does must depend on the node alone. A handler that carries facts down (a binding, a
// loop, a condition) wraps the walk below it in self.scoped([&] { ... }), which starts a new memory of nodes seen.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "base/deep.h"
#include "ir/nodes.h"

namespace burin {

template <class... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

// Two plain function pointers, so that the traversal itself is compiled once (walk.cpp).
struct ChildMap {
    void* self;
    Expr (*expr)(void*, const Expr&);
    Stmt (*stmt)(void*, const Stmt&);
};
const Node* map_children(const Node* n,
                         const ChildMap& m);  // n itself if nothing changed; a new node else

struct ChildVisit {
    void* self;
    void (*expr)(void*, const Expr&);
    void (*stmt)(void*, const Stmt&);
};
void visit_children(const Node* n, const ChildVisit& v);

template <class F>
class Rewriter {
public:
    explicit Rewriter(F& f) : f_(f) {}
    Expr operator()(const Expr& e) { return e.defined() ? go(e) : e; }
    Stmt operator()(const Stmt& s) { return s.defined() ? go(s) : s; }
    std::vector<Expr> operator()(const std::vector<Expr>& v) {
        std::vector<Expr> out;
        for (auto& e : v) out.push_back((*this)(e));
        return out;
    }
    template <class T>
    HandleOf<T> descend(const T& op) {
        return HandleOf<T>(map(&box(op)));
    }
    template <class G>
    auto scoped(G&& g) {
        struct Restore {
            Memo& memo;
            Memo saved;
            ~Restore() { memo = std::move(saved); }
        } restore{memo_, std::exchange(memo_, {})};
        return g();
    }

private:
    struct Seen {
        Ref<void> key;  // keeps the address from being used again
        Expr expr;
        Stmt stmt;
    };
    using Memo = std::unordered_map<const Node*, Seen>;
    using Handler = void (*)(Rewriter&, const Node*, void* out);

    template <class T>
    static constexpr Handler handler() {
        if constexpr (std::is_invocable_v<F&, const T&, Rewriter&>) {
            return [](Rewriter& r, const Node* n, void* out) {
                *static_cast<HandleOf<T>*>(out) =
                    r.f_(static_cast<const T&>(*static_cast<const Box<T>*>(n)), r);
            };
        } else {
            return nullptr;
        }
    }
    template <class L>
    struct Table;
    template <class... Ts>
    struct Table<List<Ts...>> {
        static constexpr Handler at[] = {handler<Ts>()...};
    };

    template <class R>
    R go(const R& r) {
        const Node* n = r.node();
        bool shared = n->refs.load(std::memory_order_relaxed) > 1;
        auto slot = [](Seen& s) -> R& {
            if constexpr (std::is_same_v<R, Expr>) return s.expr;
            else return s.stmt;
        };
        if (shared) {
            if (auto it = memo_.find(n); it != memo_.end()) return slot(it->second);
        }
        R out;
        if (Handler h = Table<Nodes>::at[n->kind]) h(*this, n, &out);
        else out = R(map(n));
        if (shared) {
            Seen& s = memo_[n];
            s.key = Ref<void>(n);
            slot(s) = out;
        }
        return out;
    }
    const Node* map(const Node* n) {
        return map_children(
            n, {this, [](void* s, const Expr& e) { return (*static_cast<Rewriter*>(s))(e); },
                [](void* s, const Stmt& e) { return (*static_cast<Rewriter*>(s))(e); }});
    }

    F& f_;
    Memo memo_;
};

template <class F>
class Visitor {
public:
    explicit Visitor(F& f) : f_(f) {}
    void operator()(const Expr& e) { go(e); }
    void operator()(const Stmt& s) { go(s); }
    void operator()(const std::vector<Expr>& v) {
        for (auto& e : v) go(e);
    }
    template <class T>
    void descend(const T& op) {
        children(&box(op));
    }
    template <class G>
    auto scoped(G&& g) {
        struct Restore {
            Seen& seen;
            Seen saved;
            ~Restore() { seen = std::move(saved); }
        } restore{seen_, std::exchange(seen_, {})};
        return g();
    }

private:
    using Seen = std::unordered_set<const Node*>;
    using Handler = void (*)(Visitor&, const Node*);

    template <class T>
    static constexpr Handler handler() {
        if constexpr (std::is_invocable_v<F&, const T&, Visitor&>) {
            return [](Visitor& v, const Node* n) {
                v.f_(static_cast<const T&>(*static_cast<const Box<T>*>(n)), v);
            };
        } else {
            return nullptr;
        }
    }
    template <class L>
    struct Table;
    template <class... Ts>
    struct Table<List<Ts...>> {
        static constexpr Handler at[] = {handler<Ts>()...};
    };

    template <class R>
    void go(const R& r) {
        if (!r.defined()) return;
        const Node* n = r.node();
        if (n->refs.load(std::memory_order_relaxed) > 1 && !seen_.insert(n).second) return;
        if (Handler h = Table<Nodes>::at[n->kind]) h(*this, n);
        else children(n);
    }
    void children(const Node* n) {
        visit_children(n, {this, [](void* s, const Expr& e) { (*static_cast<Visitor*>(s))(e); },
                           [](void* s, const Stmt& e) { (*static_cast<Visitor*>(s))(e); }});
    }

    F& f_;
    Seen seen_;
};

template <class F, template <class> class W, class... Ts>
consteval bool handles_any(List<Ts...>) {
    return (std::is_invocable_v<F&, const Ts&, W<F>&> || ...);
}

template <class R, class F>
R rewrite_with(const R& r, F f) {
    static_assert(handles_any<F, Rewriter>(Nodes{}),
                  "this handler matches no IR node (is the parameter const T&?)");
    if (!r.defined()) return r;
    return run_deep(r.node()->depth, [&] { return Rewriter<F>(f)(r); });
}
template <class F, class... Fs>
Expr rewrite(const Expr& e, F f, Fs... fs) {
    return rewrite_with(e, overloaded<F, Fs...>{std::move(f), std::move(fs)...});
}
template <class F, class... Fs>
Stmt rewrite(const Stmt& s, F f, Fs... fs) {
    return rewrite_with(s, overloaded<F, Fs...>{std::move(f), std::move(fs)...});
}

template <class R, class F>
void visit_with(const R& r, F f) {
    static_assert(handles_any<F, Visitor>(Nodes{}),
                  "this handler matches no IR node (is the parameter const T&?)");
    if (!r.defined()) return;
    run_deep(r.node()->depth, [&] { Visitor<F>{f}(r); });
}
template <class F, class... Fs>
void visit(const Expr& e, F f, Fs... fs) {
    visit_with(e, overloaded<F, Fs...>{std::move(f), std::move(fs)...});
}
template <class F, class... Fs>
void visit(const Stmt& s, F f, Fs... fs) {
    visit_with(s, overloaded<F, Fs...>{std::move(f), std::move(fs)...});
}

// Replaces free occurrences of variables; each Symbol is bound at most once, so nothing can be captured.
using Substitution = std::unordered_map<Symbol, Expr>;
Expr substitute(const Expr& e, const Substitution& by);
Stmt substitute(const Stmt& s, const Substitution& by);
Expr substitute(const Expr& e, Symbol v, const Expr& by);
Stmt substitute(const Stmt& s, Symbol v, const Expr& by);

bool uses(const Expr& e, Symbol variable);
bool uses(const Stmt& s, Symbol variable);

}  // namespace burin
