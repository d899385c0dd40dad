// The walk: children first, then one step at the root until there is none; facts go down with it.
#include "arith/simplify.h"

#include "arith/fold.h"
#include "arith/rules.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {
namespace {

bool is_nothing(const Stmt& s) {
    auto* b = s.as<Block>();
    return b && b->stmts.empty();
}
Stmt nothing() { return make(Block{}); }

class Simplifier {
public:
    Simplifier(const Facts& facts, uint8_t allowed, SimplifyWork& work)
        : facts_(facts), allowed_(allowed), work_(work) {}

    template <class R>
    R run(const R& r) {
        return rewrite(
            r, [this](const auto& op, auto& self) { return other(op, self); },
            [this](const Var& op, auto& self) { return variable(op, self); },
            [this](const Select& op, auto& self) { return select(op, self); },
            [this](const Let& op, auto& self) { return let(op, self); },
            [this](const For& op, auto& self) { return loop(op, self); },
            [this](const If& op, auto& self) { return branch(op, self); },
            [this](const Block& op, auto& self) { return sequence(op, self); },
            [this](const Store& op, auto& self) { return store(op, self); });
    }

private:
    template <class T, class Self>
    HandleOf<T> other(const T& op, Self& self) {
        if constexpr (!is_expr_node<T>) {
            return self.descend(op);
        } else {
            Expr e = handle(op);
            if (Expr known = done(e); known.defined()) return known;
            ++work_.nodes;
            return settle(e, self.descend(op), self);
        }
    }

    // Steps at the root of `now`, which is e with its children settled.
    template <class Self>
    Expr settle(const Expr& e, const Expr& now, Self& self) {
        Expr r = step(now);
        if (!r.defined() || equal(r, now)) {
            r = now;
        } else {
            ++work_.rewrites;
            if (nesting_ < rewrite_limit) {
                ++nesting_;
                r = self(r);
                --nesting_;
            } else {
                work_.gave_up = true;
                r = now;
            }
        }
        auto& done = done_.back();
        done.emplace(e, r);
        if (r.same_as(now) && !now.same_as(e)) done.emplace(now, now);
        return r;
    }

    Expr step(const Expr& e) {
        if (Expr r = fold_constants(e); r.defined()) return r;
        if (Expr r = apply_rules(e, facts_, allowed_); r.defined()) return r;
        if (Expr r = fold_cast(e); r.defined()) return r;
        if (Expr r = fold_ranges(e); r.defined()) return r;
        if (!e.type().is_scalar()) return fold_lanes(e, facts_);
        if (is_of_index(e)) return fold_index(e, forms_, facts_);
        return fold_logic(e, facts_);
    }
    static bool is_of_index(const Expr& e) {
        auto compares = [](const auto* op) { return op && op->a.type() == IndexType; };
        return e.type().is_index() || compares(e.as<Lt>()) || compares(e.as<Le>()) ||
               compares(e.as<Eq>()) || compares(e.as<Ne>());
    }

    template <class Self>
    Expr variable(const Var& op, Self&) {
        if (auto it = values_.find(op.name); it != values_.end()) return it->second;
        Expr known = fold_logic(handle(op), facts_);
        return known.defined() ? known : handle(op);
    }

    template <class Self>
    Expr select(const Select& op, Self& self) {
        Expr e = handle(op);
        if (Expr known = done(e); known.defined()) return known;
        ++work_.nodes;
        Expr c = self(op.cond);
        if (is_true(c)) return self(op.yes);
        if (is_false(c)) return self(op.no);
        Expr yes = self(op.yes), no = self(op.no);
        // Under a condition everything is looked at anew, so only what is small is.
        if (is_small(yes)) yes = under(c, self, [&] { return self(yes); });
        if (is_small(no)) no = under(make(Not{c}, c.type()), self, [&] { return self(no); });
        if (equal(yes, no)) return yes;
        bool same = c.same_as(op.cond) && yes.same_as(op.yes) && no.same_as(op.no);
        return settle(e, same ? e : Expr(make(Select{c, yes, no}, box(op).type)), self);
    }

    template <class Self>
    Stmt let(const Let& op, Self& self) {
        Expr value = self(op.value);
        if (is_const(value) || value.as<Var>()) {
            values_[op.name] = value;
            return self(op.body);
        }
        auto mark = facts_.mark();
        if (value.type() == IndexType) facts_.equal_to(op.name, value);
        Stmt body = self(op.body);
        facts_.rewind(mark);
        if (value.same_as(op.value) && body.same_as(op.body)) return handle(op);
        return make(Let{op.name, value, body}, {}, box(op).origin);
    }

    template <class Self>
    Stmt loop(const For& op, Self& self) {
        Expr min = self(op.min), extent = self(op.extent);
        if (prove(extent <= 0, facts_)) return nothing();
        if (is_int(extent, 1))
            return self(Stmt(make(Let{op.name, min, op.body}, {}, box(op).origin)));
        Stmt body = self.scoped([&] {
            Scope scope(*this);
            facts_.bound(op.name, min, min + extent - 1);
            facts_.assume(extent >= 1);
            return self(op.body);
        });
        if (is_nothing(body)) return body;
        if (min.same_as(op.min) && extent.same_as(op.extent) && body.same_as(op.body))
            return handle(op);
        return make(For{op.name, min, extent, op.kind, body}, {}, box(op).origin);
    }

    template <class Self>
    Stmt branch(const If& op, Self& self) {
        Expr c = self(op.cond);
        if (is_true(c)) return self(op.yes);
        Expr opposite = make(Not{c}, c.type());
        auto otherwise = [&] { return op.no.defined() ? self(op.no) : op.no; };
        if (is_false(c)) return op.no.defined() ? otherwise() : nothing();
        Stmt yes = under(c, self, [&] { return self(op.yes); });
        Stmt no = under(opposite, self, otherwise);
        if (no.defined() && is_nothing(no)) no = {};
        if (is_nothing(yes)) {
            if (!no.defined()) return yes;
            return make(If{self(opposite), no, {}}, {}, box(op).origin);
        }
        if (c.same_as(op.cond) && yes.same_as(op.yes) && no.same_as(op.no)) return handle(op);
        return make(If{c, yes, no}, {}, box(op).origin);
    }

    template <class Self>
    Stmt sequence(const Block& op, Self& self) {
        std::vector<Stmt> stmts;
        bool changed = false;
        for (auto& s : op.stmts) {
            stmts.push_back(self(s));
            changed |= !stmts.back().same_as(s) || s.as<Block>();
        }
        return changed || stmts.size() == 1 ? block(std::move(stmts)) : handle(op);
    }

    template <class Self>
    Stmt store(const Store& op, Self& self) {
        Stmt s = self.descend(op);
        auto* now = s.as<Store>();
        if (!now->predicate.defined()) return s;
        if (is_false(now->predicate)) return nothing();
        if (is_true(now->predicate))
            return make(Store{now->buffer, now->index, now->value, {}, now->streamed}, {},
                        box(op).origin);
        return s;
    }

    template <class Self, class F>
    auto under(const Expr& condition, Self& self, F f) {
        return self.scoped([&] {
            Scope scope(*this);
            facts_.assume(condition);
            return f();
        });
    }
    struct Scope {
        Simplifier& s;
        Facts::Mark mark;
        explicit Scope(Simplifier& s) : s(s), mark(s.facts_.mark()) { s.done_.emplace_back(); }
        ~Scope() {
            s.facts_.rewind(mark);
            s.done_.pop_back();
        }
    };

    // Generated code computes both arms: a load's index and mask must be right where the arm is not taken, too.
    static bool is_small(const Expr& e) {
        constexpr int limit = 24;
        return tree_size(e, limit) <= limit;
    }
    static int tree_size(const Expr& e, int limit) {  // loads: too large
        if (e.as<Read>() || e.as<Load>()) return limit + 1;
        struct Count {
            int n, limit;
        } count{1, limit};
        visit_children(e.node(), {&count,
                                  [](void* p, const Expr& c) {
                                      auto& k = *static_cast<Count*>(p);
                                      if (k.n <= k.limit) k.n += tree_size(c, k.limit - k.n);
                                  },
                                  [](void*, const Stmt&) {}});
        return count.n;
    }

    // Comparing long chains at each of their steps would take the square of their length.
    struct Alike {
        bool operator()(const Expr& a, const Expr& b) const {
            return a.same_as(b) || (a.node()->depth <= 32 && equal(a, b));
        }
    };
    // What became of an expression, wherever it stands in the scope: copies of a loop's body have much in common, and
    // share it from then on. Undefined where that is not known.
    Expr done(const Expr& e) const {
        auto it = done_.back().find(e);
        if (it == done_.back().end()) return {};
        bool is_leaf = e.node()->depth == 1;  // not worth a new node for all that it is in
        return is_leaf && it->second.same_as(it->first) ? e : it->second;
    }

    Facts facts_;
    uint8_t allowed_;  // labels of rules
    SimplifyWork& work_;
    LinearForms forms_;
    std::unordered_map<Symbol, Expr> values_;                               // of lets that are gone
    std::vector<std::unordered_map<Expr, Expr, ExprHash, Alike>> done_{1};  // by scope
    int nesting_ = 0;
};

// Lets that nobody reads. A name is bound once, so one set of names does for the whole statement.
Stmt without_dead_lets(const Stmt& s) {
    std::unordered_set<Symbol> used;
    return rewrite(
        s,
        [&](const Let& op, auto& self) -> Stmt {
            Stmt body = self(op.body);
            if (!used.contains(op.name)) return body;
            Expr value = self(op.value);
            if (value.same_as(op.value) && body.same_as(op.body)) return handle(op);
            return make(Let{op.name, value, body}, {}, box(op).origin);
        },
        [&](const Var& op, auto&) {
            used.insert(op.name);
            return handle(op);
        });
}

template <class R>
R simplified(const R& r, const Facts& facts, const SimplifyOptions& options) {
    SimplifyWork unused;
    return Simplifier(facts, options.allowed, options.work ? *options.work : unused).run(r);
}

template <class R>
R without_hints(const R& r) {
    return rewrite(r, [](const Call& op, auto& self) {
        return is_hint(op.fn) ? self(op.args[0]) : self.descend(op);
    });
}

}  // namespace

Expr simplify(const Expr& e, const Facts& facts, const SimplifyOptions& options) {
    return simplified(e, facts, options);
}
Stmt simplify(const Stmt& s, const Facts& facts, const SimplifyOptions& options) {
    return without_dead_lets(simplified(s, facts, options));
}
Expr strip_hints(const Expr& e) { return without_hints(e); }
Stmt strip_hints(const Stmt& s) { return without_hints(s); }

}  // namespace burin
