// Splits a loop where its guards, clamps and selects change, so that its middle runs without them.
//
// before:
//   buffer g: i32
//   for x in 0 .. n { f[ramp(x * 8, 1, 8)] = g[min(ramp(x * 8, 1, 8), m)] }
// after:
//   let last = max(min(n, (m + 1) / 8), 0)
//   for x in 0 .. last { f[ramp(x * 8, 1, 8)] = g[ramp(x * 8, 1, 8)] }
//   for x in last .. n { f[ramp(x * 8, 1, 8)] = g[min(ramp(x * 8, 1, 8), m)] }
//
// Correct because each condition is linear in the loop's variable: t is where it is first false, and beyond the middle
// the body stays as it was. Iterations keep their order.
#include <fmt/format.h>

#include <algorithm>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"
#include "legal/nest.h"
#include "legal/reads.h"
#include "lower/fresh_copy.h"
#include "lower/passes.h"
#include "lower/rolled.h"

namespace burin {
namespace {

constexpr int64_t largest_body = 20'000;   // nodes; a larger one is not copied, or not unrolled
constexpr int64_t largest_border = 3'000;  // nodes when unrolled; less of a larger one is
constexpr int64_t few_rounds = 8;          // of a loop too short to be split

// A vector index expression as a scalar one of a lane that runs.
Expr scalar_of(const Expr& e, Symbol lane) {
    if (e.type().lanes == 1) return e;
    if (auto* r = e.as<Ramp>())
        return r->base.type().lanes == 1 ? r->base + var(lane) * r->stride : Expr();
    if (auto* b = e.as<Broadcast>()) return b->value.type().lanes == 1 ? b->value : Expr();
    auto both = [&](const Expr& a, const Expr& b, auto f) {
        Expr x = scalar_of(a, lane), y = scalar_of(b, lane);
        return x.defined() && y.defined() ? Expr(f(x, y)) : Expr();
    };
    if (auto* op = e.as<Add>()) return both(op->a, op->b, [](auto& x, auto& y) { return x + y; });
    if (auto* op = e.as<Sub>()) return both(op->a, op->b, [](auto& x, auto& y) { return x - y; });
    if (auto* op = e.as<Mul>()) return both(op->a, op->b, [](auto& x, auto& y) { return x * y; });
    if (auto* op = e.as<Div>()) return both(op->a, op->b, [](auto& x, auto& y) { return x / y; });
    if (auto* op = e.as<Mod>()) return both(op->a, op->b, [](auto& x, auto& y) { return x % y; });
    return {};
}

// One expression of the body that is known in the middle of the loop.
struct Known {
    Expr from, to;
    std::vector<Expr> at_least, at_most;  // the loop's variable lies between these there
    std::vector<Expr> always;             // and these hold, whatever it is
    bool is_border = false;               // it is about what is read, not about what is computed

    bool stands_still() const { return at_least.empty() && at_most.empty(); }
};

// What the schedule says of loops; those it says nothing of are left out.
using Wishes = std::unordered_map<Symbol, Partition>;

Stmt partition(const Stmt& s, int edges, const Wishes& wishes);

// edges: so many conditions failed where this copy of the statement runs. In an edge only the ends of clamped vectors
// are split off, which are gathers otherwise; a corner, where two failed, is left alone.
class Partitioner {
public:
    Partitioner(int edges, const Wishes& wishes) : edges_(edges), wishes_(wishes) {}

    Stmt loop(const For& op, const Stmt& whole) {
        v_ = op.name;
        if (op.kind != LoopKind::Serial && op.kind != LoopKind::Parallel) return whole;
        auto wish = wishes_.find(v_);
        if (wish != wishes_.end() && wish->second == Partition::Never) return whole;
        if (edges_ > 0 && is_short(op)) return whole;
        always_ = wish != wishes_.end() && wish->second == Partition::Always;
        innermost_ = !is_short(op);
        find_inner(op.body);
        find(op.body);
        if (!always_ && is_for_inner_loops(op.body))
            std::erase_if(known_, [](const Known& k) { return k.stands_still(); });
        if (known_.empty() || size_of(op.body) > largest_body) {
            bool has_conditions =
                std::ranges::any_of(looked_at_, [&](const Expr& e) { return uses(e, v_); });
            if (always_ && edges_ == 0 && has_conditions) refuse(op.name);
            return whole;
        }
        std::vector<Expr> lows, highs, always;
        bool always_at_border = false;
        std::unordered_map<Expr, Expr, ExprHash, ExprEqual> middle;
        for (auto& k : known_) {
            if (!k.stands_still()) at_border_ |= k.is_border;
            if (!k.always.empty()) always_at_border |= k.is_border;
            lows.insert(lows.end(), k.at_least.begin(), k.at_least.end());
            highs.insert(highs.end(), k.at_most.begin(), k.at_most.end());
            for (auto& e : k.always)
                if (std::none_of(always.begin(), always.end(),
                                 [&](auto& x) { return equal(x, e); }))
                    always.push_back(e);
            middle[k.from] = k.to;
        }
        Stmt dense = rewrite_known(op.body, middle);
        uint32_t origin = whole.node()->origin;
        dense = partition(dense, edges_, wishes_);
        Stmt parts = lows.empty() && highs.empty()
                         ? make(For{op.name, op.min, op.extent, op.kind, dense}, {}, origin)
                         : split(op, dense, lows, highs, origin);
        if (always.empty()) return parts;
        return make(If{all_of(always), parts, edge(whole, always_at_border)}, {}, origin);
    }

private:
    Stmt split(const For& op, const Stmt& dense, const std::vector<Expr>& lows,
               const std::vector<Expr>& highs, uint32_t origin) {
        Expr first = op.min, end = simplify(op.min + op.extent);
        Expr lo = first, hi = end;
        for (auto& e : lows) lo = max(lo, e);
        for (auto& e : highs) hi = min(hi, e + 1);
        lo = simplify(min(lo, end));
        Symbol a = Symbol::fresh(op.name.hint() + ".first"),
               b = Symbol::fresh(op.name.hint() + ".last");
        hi = simplify(max(hi, var(a)));
        std::vector<Stmt> parts;
        auto part = [&](const Expr& from, const Expr& to, const Stmt& body) {
            Symbol v = Symbol::fresh(op.name.hint());
            parts.push_back(make(
                For{v, from, to - from, op.kind, substitute(body, op.name, var(v))}, {}, origin));
        };
        if (op.kind == LoopKind::Parallel) {  // one parallel loop stays one
            Expr inside = var(a) <= var(op.name) && var(op.name) < var(b);
            parts.push_back(
                make(For{op.name, op.min, op.extent, op.kind,
                         make(If{inside, dense, edge(op.body, at_border_)}, {}, origin)},
                     {}, origin));
        } else {
            if (!lows.empty()) part(first, var(a), edge(op.body, at_border_));
            part(var(a), var(b), dense);
            if (!highs.empty()) part(var(b), end, edge(op.body, at_border_));
        }
        return make(Let{a, lo, make(Let{b, hi, block(std::move(parts))}, {}, origin)}, {}, origin);
    }

    // Whether all that stands still is in loops inside that are at most half of the body, or that have copies anyway: an
    // input also ends where only these know. Two copies of them are less code than two of all, for a test in each round
    // of this loop; but edges keep tiles in memory (edge), so a loop over a tile in registers never has a copy of its
    // own beside it.
    bool is_for_inner_loops(const Stmt& body) const {
        std::unordered_set<const Node*> loops;
        bool at_border = false;
        for (auto& k : known_) {
            if (k.always.empty()) continue;
            at_border |= k.is_border;
            auto& in = within_.at(k.from);
            if (!k.stands_still() || in.contains(nullptr)) return false;
            loops.insert(in.begin(), in.end());
        }
        auto is_inside = [&](const Expr& c) {
            return std::ranges::all_of(within_.at(c), [&](auto* l) { return loops.contains(l); });
        };
        if (at_border && std::ranges::any_of(open_, is_inside)) return true;
        int64_t copied = 0;
        visit(body, [&](const For& op, auto& self) {
            if (loops.contains(&box(op))) copied += size_of(handle(op));
            else self.descend(op);
        });
        return 2 * copied <= size_of(body);
    }

    [[noreturn]] static void refuse(Symbol loop) {
        throw Error(
            ErrorKind::Schedule, "partition-impossible",
            fmt::format("the loop {} cannot be partitioned: none of its conditions is linear "
                        "in it and the same for what is inside",
                        loop.hint()))
            .help("partition(..., auto), or a line for another loop");
    }

    // Edges run seldom: small code serves them, so their unrolled loops become serial. But where an input ends is an edge
    // of every call, and a tenth of a small picture; and a schedule may want all of them fast.
    Stmt edge(const Stmt& body, bool at_border) const {
        int64_t most = always_ ? largest_body : at_border ? largest_border : 0;
        return rolled(fresh_copy(partition(body, edges_ + 1, wishes_)), most);
    }

    static std::optional<int64_t> rounds(const For& op) {
        auto n = const_int(op.extent);
        return n && *n > 0 && const_int(op.min) ? n : std::nullopt;
    }
    // Few rounds, and no longer loop in them.
    bool is_short(const For& op) const {
        if (op.kind != LoopKind::Serial || wishes_.contains(op.name)) return false;
        if (auto n = rounds(op); !n || *n > few_rounds) return false;
        bool yes = true;
        visit(op.body, [&](const For& in, auto& self) {
            yes &= in.kind == LoopKind::Unrolled ? rounds(in).has_value() : is_short(in);
            if (yes) self.descend(in);
        });
        return yes;
    }

    // Short loops and those to be unrolled are like lanes: what holds in the middle holds in all their rounds.
    void find_inner(const Stmt& body) {
        visit(body, overloaded{[&](const For& op, auto& self) {
                                   bool unrolled = op.kind == LoopKind::Unrolled;
                                   if (unrolled ? rounds(op).has_value() : is_short(op)) {
                                       lanes_.push_back(
                                           {op.name, {op.min, simplify(op.min + op.extent - 1)}});
                                   } else {
                                       inner_.push_back(op.name);
                                       innermost_ = false;
                                   }
                                   self.descend(op);
                               },
                               [&](const Let& op, auto& self) {
                                   Expr value = substitute(op.value, standing_);
                                   if (uses(value, v_) || varies_inside(value))
                                       inner_.push_back(op.name);
                                   else standing_[op.name] = value;
                                   self.descend(op);
                               }});
    }

    bool varies_inside(const Expr& e) const {
        return std::ranges::any_of(inner_, [&](Symbol s) { return uses(e, s); });
    }

    // Guards and predicates everywhere (a guard that stands still costs too little for two copies); clamps and selects
    // where they are vectors, scalar clamps in innermost loops that are no edges.
    void find(const Stmt& body) {
        auto guard = [&](const Expr& c) {
            if (c.defined()) condition(c);
        };
        bool in_registers = false;
        visit(body, overloaded{[&](const For& op, auto& self) {
                                   if (in_registers || op.kind == LoopKind::Unrolled)
                                       return self.descend(op);
                                   const Node* outer = std::exchange(loop_, &box(op));
                                   self.scoped([&] { self.descend(op); });
                                   loop_ = outer;
                               },
                               [&](const Allocate& op, auto& self) {
                                   bool outer = std::exchange(
                                       in_registers, in_registers || op.memory == Memory::Register);
                                   self.descend(op);
                                   in_registers = outer;
                               },
                               [&](const If& op, auto& self) {
                                   if (uses(op.cond, v_)) guard(op.cond);
                                   self.descend(op);
                               },
                               [&](const Load& op, auto& self) {
                                   guard(op.predicate);
                                   bool outer = std::exchange(in_read_, true);
                                   self.descend(op);
                                   in_read_ = outer;
                               },
                               [&](const Store& op, auto& self) {
                                   guard(op.predicate);
                                   self.descend(op);
                               },
                               [&](const Select& op, auto& self) {
                                   bool outer = std::exchange(in_read_, true);
                                   if (op.cond.type().lanes > 1 || is_wanted(op.cond))
                                       condition(op.cond);
                                   in_read_ = outer;
                                   self.descend(op);
                               },
                               [&](const Min& op, auto& self) {
                                   clamp(op);
                                   self.descend(op);
                               },
                               [&](const Max& op, auto& self) {
                                   clamp(op);
                                   self.descend(op);
                               }});
    }

    // The operand that moves is the value in the middle: the smaller one of a min, the larger one of a max.
    template <class T>
    void clamp(const T& op) {
        Expr e = handle(op);
        within_[e].insert(loop_);
        if (looked_at_.contains(e)) return;
        if (!e.type().is_index() ||
            (e.type().lanes == 1 && (!innermost_ || edges_ > 0) && !always_) ||
            uses(op.a, v_) == uses(op.b, v_))
            return;
        const Expr &value = uses(op.a, v_) ? op.a : op.b, &other = uses(op.a, v_) ? op.b : op.a;
        looked_at_.insert(e);
        Known k{e, value, {}, {}, {}, in_read_};
        constexpr bool is_min = std::is_same_v<T, Min>;
        using Other = std::conditional_t<is_min, Max, Min>;
        auto in_order = [&](const Expr& bound, bool is_upper) {
            return is_upper ? at_most(k.to, bound, k) : at_most(bound, k.to, k);
        };
        auto* sum = value.as<Add>();
        auto* difference = value.as<Sub>();
        Expr shift = sum ? sum->b : difference ? difference->b : Expr();
        Expr clamped = sum ? sum->a : difference ? difference->a : value;
        auto shifted = [&](const Expr& x) { return sum ? x + shift : difference ? x - shift : x; };
        // Two clamps, maybe with a constant taken out of the inner one; but a tile that shifts inwards, a scalar
        // max(min(x, hi), lo), keeps its min: that costs less than an end of its own.
        if (auto* m = is_min || e.type().lanes > 1 ? clamped.as<Other>() : nullptr;
            m && uses(m->a, v_) != uses(m->b, v_)) {
            k.to = shifted(uses(m->a, v_) ? m->a : m->b);
            if (!in_order(shifted(uses(m->a, v_) ? m->b : m->a), !is_min)) return;
        }
        if (!in_order(other, is_min)) return;
        looked_at_.insert(clamped);
        known_.push_back(std::move(k));
    }

    void condition(const Expr& c) {
        if (auto* op = c.as<And>()) {
            condition(op->a);
            return condition(op->b);
        }
        auto* hint = c.as<Call>();  // masks are there to stay, unless told otherwise
        if (hint && (hint->fn == Fn::Likely || (hint->fn == Fn::Masked && always_)))
            return condition(hint->args[0]);
        if (hint && hint->fn == Fn::Masked) return;
        if (auto* op = c.as<Broadcast>()) return condition(op->value);
        if (auto* op = c.as<Combine>()) return condition(op->value);
        within_[c].insert(loop_);
        if (edges_ > 0 && !always_) return;  // a test or a mask there costs less than more code
        if (!looked_at_.insert(c).second) return;
        Known k{c, imm(c.type(), 1), {}, {}, {}, in_read_};
        bool solved = false;
        if (auto* op = c.as<Lt>(); op && op->a.type().is_index())
            solved = at_most(op->a + 1, op->b, k);
        if (auto* op = c.as<Le>(); op && op->a.type().is_index()) solved = at_most(op->a, op->b, k);
        if (solved) known_.push_back(std::move(k));
        else if (in_read_) open_.push_back(c);
    }

    // small <= large in all lanes, as a bound on the loop's variable.
    bool at_most(const Expr& small, const Expr& large, Known& k) {
        Symbol lane = Symbol::fresh("lane");
        int lanes = std::max(small.type().lanes, large.type().lanes);
        Expr a = scalar_of(small, lane), b = scalar_of(large, lane);
        if (!a.defined() || !b.defined()) return false;
        a = substitute(a, standing_);
        b = substitute(b, standing_);
        Bounds bounds = lanes_;
        bounds.push_back({lane, {index_imm(0), index_imm(lanes - 1)}});
        Expr slack = interval_of(b - a, bounds, nothing_).lo;
        if (!slack.defined()) return false;
        slack = simplify(slack);
        std::vector<Expr> all{slack};  // a minimum holds where all its parts do
        for (size_t i = 0; i < all.size(); ++i) {
            while (auto* m = all[i].as<Min>()) {
                Expr x = m->a, y = m->b;
                all.push_back(y);
                all[i] = x;
            }
        }
        for (auto& e : all) {
            auto c = coefficient(e, v_);
            if (!c) return false;
            if (*c == 0) {
                if (edges_ > 0) return false;
                if (varies_inside(e)) return false;
                k.always.push_back(simplify(0 <= e));
                continue;
            }
            Expr rest = simplify(e - var(v_) * *c);
            if (uses(rest, v_) || varies_inside(rest)) return false;
            if (*c > 0) k.at_least.push_back(simplify((-rest + (*c - 1)) / *c));
            else k.at_most.push_back(simplify(rest / -*c));
        }
        return true;
    }

    static Stmt rewrite_known(const Stmt& s,
                              const std::unordered_map<Expr, Expr, ExprHash, ExprEqual>& known) {
        auto replace = [&]<class T>(const T& op, auto& self) -> Expr
            requires is_expr_node<T>
        {
            if (auto it = known.find(handle(op)); it != known.end()) return self(it->second);
            return self.descend(op);
        };
        return rewrite(s, replace);
    }

    bool is_wanted(const Expr& e) const { return always_ && uses(e, v_); }

    int edges_;
    const Wishes& wishes_;
    bool always_ = false;
    Symbol v_;
    bool in_read_ = false;
    bool at_border_ = false;  // reads are among what moves with the loop
    bool innermost_ = true;   // no longer loop than these inside, and none of these itself
    std::vector<Symbol> inner_;
    Substitution standing_;  // values of what is worked out inside, but the same in every round
    Bounds lanes_;           // of loops that are like lanes
    std::unordered_set<Expr, ExprHash, ExprEqual> looked_at_;
    std::vector<Known> known_;
    std::vector<Expr> open_;      // conditions on reads that this loop does not settle
    const Facts nothing_;         // one for all: its linear forms are found once
    const Node* loop_ = nullptr;  // around what is looked at, inside the body
    std::unordered_map<Expr, std::unordered_set<const Node*>, ExprHash, ExprEqual>
        within_;  // which such loops have it
};

// From the outside in; a body in several copies is partitioned in each.
Stmt partition(const Stmt& s, int edges, const Wishes& wishes) {
    if (edges > 1) return s;
    return rewrite(s, [&, edges](const For& op, auto& self) -> Stmt {
        Stmt parts = Partitioner(edges, wishes).loop(op, handle(op));
        return parts.same_as(handle(op)) ? self.descend(op) : parts;
    });
}

bool is_true_everywhere(const Expr& predicate) {
    if (!predicate.defined()) return false;
    if (auto* any = predicate.as<Combine>()) return is_true_everywhere(any->value);
    return const_int(predicate) == 1;
}

}  // namespace

State partition_loops(State s) {
    Wishes wishes;
    for (auto& func : s.plan->funcs)
        for (auto& stage : func.stages)
            for (size_t i = 0; i < stage.loops.size() && s.nests; ++i)
                if (stage.loops[i].partition != Partition::Auto)
                    wishes[s.nests->nests[size_t(stage.func)][size_t(stage.def)].loops[i]] =
                        stage.loops[i].partition;
    s.stmt = strip_hints(partition(s.stmt, 0, wishes));
    s = simplify_loops(std::move(s));
    s.settled = s.stmt = rewrite(
        s.stmt,
        [](const Load& op, auto& self) -> Expr {
            Load l = *self.descend(op).template as<Load>();
            if (is_true_everywhere(l.predicate)) l.predicate = {};
            return make(std::move(l), handle(op).type());
        },
        [](const Store& op, auto& self) -> Stmt {
            Store st = *self.descend(op).template as<Store>();
            if (is_true_everywhere(st.predicate)) st.predicate = {};
            return make(std::move(st), {}, box(op).origin);
        });
    return s;
}

}  // namespace burin
