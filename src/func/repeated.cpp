#include "func/repeated.h"

#include <fmt/format.h>

#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {
namespace {

constexpr double short_text = 2000;  // nodes, repeated ones each time
constexpr double small = 8;          // too small to be worth a name

class Repeated {
public:
    explicit Repeated(const std::vector<Symbol>& taken) {
        for (Symbol s : taken) names_.insert(s.hint());
    }

    double measure(const Expr& e) {
        auto [at, is_new] = seen_.try_emplace(e);
        if (!is_new) {
            at->second.is_repeated = true;
            return at->second.size;
        }
        double size = 1;
        each_child(e, [&](const Expr& c) { size += measure(c); });
        return seen_[e].size = size;
    }

    Expr named(const Expr& e) {
        Entry& entry = seen_.at(e);
        if (entry.name.defined()) return entry.name;
        auto descend = [](void* self, const Expr& c) {
            return static_cast<Repeated*>(self)->named(c);
        };
        Expr out(map_children(e.node(), {this, descend, [](void*, const Stmt& s) { return s; }}));
        if (!entry.is_repeated || entry.size < small) return out;
        Symbol s = fresh();
        lets.emplace_back(s, out);
        return entry.name = make(Var{s, {}}, e.type());
    }

    std::vector<std::pair<Symbol, Expr>> lets;

private:
    struct Entry {
        double size = 0;
        bool is_repeated = false;
        Expr name;
    };
    template <class F>
    static void each_child(const Expr& e, F f) {
        visit_children(e.node(), {&f, [](void* g, const Expr& c) { (*static_cast<F*>(g))(c); },
                                  [](void*, const Stmt&) {}});
    }
    Symbol fresh() {
        for (;; ++last_) {
            std::string name = fmt::format("e{}", last_);
            if (names_.insert(name).second) return Symbol::named(name);
        }
    }

    std::unordered_map<Expr, Entry, ExprHash, ExprEqual> seen_;
    std::unordered_set<std::string> names_;  // in use
    int last_ = 0;
};

}  // namespace

WithLets name_repeated(const Definition& d, const std::vector<Symbol>& taken) {
    Repeated r(taken);
    WithLets out{{}, d};
    uint32_t depth = 0;
    for_each_expr(d, [&](const Expr& e) { depth = std::max(depth, depth_of(e)); });
    run_deep(depth, [&] {
        double size = 0;
        for_each_expr(d, [&](const Expr& e) { size += r.measure(e); });
        if (size <= short_text) return;
        for (auto& v : out.body.values) v = r.named(v);
        if (out.body.where.defined()) out.body.where = r.named(out.body.where);
    });
    out.lets = std::move(r.lets);
    return out;
}

}  // namespace burin
