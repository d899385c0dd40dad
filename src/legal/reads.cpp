#include "legal/reads.h"

#include <unordered_map>

#include "base/deep.h"
#include "ir/build.h"
#include "ir/walk.h"

namespace burin {

Expr all_of(const std::vector<Expr>& conditions) {
    Expr all;
    for (auto& c : conditions) all = all.defined() ? all && c : c;
    return all;
}

void add_conditions(const Expr& c, bool holds, std::vector<Expr>& out) {
    if (auto* op = c.as<Not>()) return add_conditions(op->a, !holds, out);
    if (auto* op = c.as<And>(); op && holds) {
        add_conditions(op->a, true, out);
        return add_conditions(op->b, true, out);
    }
    if (auto* op = c.as<Or>(); op && !holds) {
        add_conditions(op->a, false, out);
        return add_conditions(op->b, false, out);
    }
    if (auto* op = c.as<Call>(); op && is_hint(op->fn))
        return add_conditions(op->args[0], holds, out);
    auto add = [&](const Expr& a, const Expr& b, const Expr& yes, const Expr& no) {
        if (a.type().is_index() && b.type().is_index() && (holds ? yes : no).defined())
            out.push_back(holds ? yes : no);
    };
    if (auto* op = c.as<Lt>())
        add(op->a, op->b, c, op->a.type().is_index() ? op->b <= op->a : Expr());
    if (auto* op = c.as<Le>())
        add(op->a, op->b, c, op->a.type().is_index() ? op->b < op->a : Expr());
    if (auto* op = c.as<Eq>()) add(op->a, op->b, c, {});
    if (auto* op = c.as<Ne>(); op && !holds && op->a.type().is_index())
        out.push_back(op->a == op->b);
}

namespace {

using Conditions = std::vector<Expr>;

// Both stand under the conditions that their lists begin with alike.
void meet(Conditions& a, const Conditions& b) {
    size_t n = 0;
    while (n < a.size() && n < b.size() && equal(a[n], b[n])) ++n;
    a.resize(n);
}

class Collector {
public:
    std::vector<Use> run(const std::vector<Expr>& values, const Conditions& conditions) {
        for (auto& v : values) order(v);
        for (auto& v : values) reach(v, conditions);
        for (size_t i = 0; i < order_.size(); ++i) step(order_[order_.size() - 1 - i]);
        return std::move(uses_);
    }

private:
    // Children before parents; walked backwards, every node comes after all that lead to it.
    void order(const Expr& e) {
        run_deep(e.node()->depth, [&] { order_deep(e); });
    }
    void order_deep(const Expr& e) {
        if (!seen_.insert(e.node()).second) return;
        visit_children(
            e.node(),
            {this, [](void* s, const Expr& c) { static_cast<Collector*>(s)->order_deep(c); },
             [](void*, const Stmt&) {}});
        order_.push_back(e);
    }

    void reach(const Expr& e, const Conditions& c) {
        auto [it, is_new] = context_.try_emplace(e.node(), c);
        if (!is_new) meet(it->second, c);
    }
    static Conditions with(const Conditions& c, const Expr& condition, bool holds) {
        Conditions all = c;
        add_conditions(condition, holds, all);
        return all;
    }

    void step(const Expr& e) {
        Conditions c = context_.at(e.node());
        if (auto* op = e.as<Select>()) {
            reach(op->cond, c);
            reach(op->yes, with(c, op->cond, true));
            reach(op->no, with(c, op->cond, false));
        } else if (auto* op = e.as<And>(); op && e.type().is_bool()) {
            reach(op->a, c);
            reach(op->b, with(c, op->a, true));
        } else if (auto* op = e.as<Or>(); op && e.type().is_bool()) {
            reach(op->a, c);
            reach(op->b, with(c, op->a, false));
        } else {
            if (auto* op = e.as<Read>()) use(e, *op, c);
            std::pair<Collector*, const Conditions*> data{this, &c};
            visit_children(e.node(), {&data,
                                      [](void* s, const Expr& child) {
                                          auto& [self, conditions] =
                                              *static_cast<decltype(data)*>(s);
                                          self->reach(child, *conditions);
                                      },
                                      [](void*, const Stmt&) {}});
        }
    }

    void use(const Expr& e, const Read& op, const Conditions& c) {
        auto [it, is_new] = index_.try_emplace(e, uses_.size());
        if (is_new) uses_.push_back({op.func, op.args, c, e});
        else meet(uses_[it->second].conditions, c);
    }

    std::unordered_set<const Node*> seen_;
    std::vector<Expr> order_;
    std::unordered_map<const Node*, Conditions> context_;
    std::unordered_map<Expr, size_t, ExprHash, ExprEqual> index_;
    std::vector<Use> uses_;
};

}  // namespace

std::vector<Use> reads_of(const std::vector<Expr>& values, const std::vector<Expr>& conditions) {
    return Collector().run(values, conditions);
}

}  // namespace burin
