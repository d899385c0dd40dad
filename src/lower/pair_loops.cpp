// Runs the loops of stages that are computed with each other together: each iteration is one of every stage that has
// so many.
//
// before:
//   pipeline p(a: i32[n]) -> f[n], g[n]
//   f(x) = a(x)
//   g(x) = a(x) * 2
//   schedule 1 for p
//   stage g
//     compute_with(f, x)
// after:
//   for f.x in origin(f, 0) .. origin(f, 0) + max(extent(f, 0), extent(g, 0)) {
//     if likely(f.x - origin(f, 0) < extent(f, 0)) {
//       produce f { f(f.x) = a(f.x) }
//     }
//     if likely(f.x - origin(f, 0) < extent(g, 0)) {
//       produce g { g(f.x - origin(f, 0) + origin(g, 0)) = a(f.x - origin(f, 0) + origin(g, 0)) * 2 }
//     }
//   }
//
// Correct because stages that are paired do not need each other (legal/pairs.cpp), so any interleaving will do, and each
// runs its own iterations in its own order; what one of them needs comes before all of them.
#include <algorithm>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/walk.h"
#include "legal/pairs.h"
#include "legal/reads.h"
#include "lower/passes.h"

namespace burin {
namespace {

bool touches(const Stmt& s, Symbol func) {
    bool found = false;
    visit(s, overloaded{[&](const Provide& op, auto& self) {
                            found = found || op.func == func;
                            self.descend(op);
                        },
                        [&](const Read& op, auto& self) {
                            found = found || op.func == func;
                            self.descend(op);
                        }});
    return found;
}

bool has_loop(const Stmt& s, Symbol name) {
    bool found = false;
    visit(s, [&](const For& op, auto& self) {
        found = found || op.name == name;
        self.descend(op);
    });
    return found;
}

Stmt with_body(const Stmt& shell, const Stmt& body) {
    uint32_t origin = shell.node()->origin;
    if (auto* r = shell.as<Realize>()) {
        Realize around = *r;
        around.body = body;
        return make(std::move(around), {}, origin);
    }
    Let around = *shell.as<Let>();
    around.body = body;
    return make(std::move(around), {}, origin);
}

class Pairer {
public:
    explicit Pairer(const State& s) : s_(s), plan_(*s.plan), pairs_(pairs_of(plan_)) {
        for (auto& p : pairs_) spots_.insert(spot_of(plan_, plan_.funcs[p.stage.func].compute));
    }

    Stmt run() {
        if (pairs_.empty()) return s_.stmt;
        Stmt s = rewrite(s_.stmt, [this](const For& op, auto& self) -> Stmt {
            Stmt whole = self.descend(op);
            auto spot = s_.nests->spots.find(op.name);
            if (spot == s_.nests->spots.end() || !spots_.contains(spot->second)) return whole;
            For loop = *whole.as<For>();
            loop.body = at(spot->second, loop.body);
            return make(std::move(loop), {}, box(op).origin);
        });
        return spots_.contains({}) ? at({}, s) : s;
    }

private:
    // One definition's loops, in the condition under which its Func is needed at all.
    struct Stage {
        Stmt body;
        Symbol func;
        Expr needed;
        uint32_t origin;
    };
    // What stands at a spot, taken apart.
    struct Parts {
        std::vector<Stmt> lets, stored, before, after;
        std::map<std::pair<int, int>, Stage> stages;
    };
    // A stage on its way into a loop with others: what remains of its loops, and where it runs.
    struct Member {
        StageOf stage;
        Symbol func;
        Stmt rest;
        Expr needed;
        std::vector<Expr> inside;
    };

    void take_apart(const Stmt& s, Parts& parts) {
        auto* condition = s.as<If>();
        auto* p = condition ? condition->yes.as<Produce>() : s.as<Produce>();
        if (auto* b = s.as<Block>()) {
            for (auto& one : b->stmts) take_apart(one, parts);
        } else if (auto* l = s.as<Let>()) {
            parts.lets.push_back(s);
            take_apart(l->body, parts);
        } else if (auto* r = s.as<Realize>()) {
            parts.stored.push_back(s);
            take_apart(r->body, parts);
        } else if (p) {
            auto origin = origin_of(box(*p).origin);
            bool is_paired = std::ranges::any_of(pairs_, [&](const Pair& x) {
                return x.stage.func == origin->func || x.with.func == origin->func;
            });
            std::map<int, std::vector<Stmt>> defs;
            auto* block = p->body.as<Block>();
            if (!is_paired) {
                defs[0] = {p->body};
            } else {
                for (auto& one : block ? block->stmts : std::vector{p->body})
                    defs[origin_of(one.node()->origin)->def].push_back(one);
            }
            for (auto& [def, stmts] : defs)
                parts.stages[{origin->func, def}] = {burin::block(stmts), p->func,
                                                     condition ? condition->cond : Expr(),
                                                     box(*p).origin};
        } else {
            (parts.stages.empty() ? parts.before : parts.after).push_back(s);
        }
    }

    Stmt at(Spot spot, const Stmt& body) {
        Parts parts;
        take_apart(body, parts);
        std::vector<Stmt> all = parts.before;
        for (auto& unit : units_at(plan_, pairs_, spot)) {
            std::vector<Member> members;
            for (auto& s : unit) {
                auto it = parts.stages.find({s.func, s.def});
                if (it == parts.stages.end()) continue;  // of a Func whose stages stay together
                auto& [stmt, func, needed, origin] = it->second;
                members.push_back({s, func, stmt, needed, {}});
            }
            if (members.size() > 1) all.push_back(joined(members, 0, false));
            else if (!members.empty()) all.push_back(alone(members[0]));
        }
        all.insert(all.end(), parts.after.begin(), parts.after.end());
        return stored(all, parts);
    }

    // Storage opens before what first touches it, and stays.
    static Stmt stored(const std::vector<Stmt>& all, const Parts& parts) {
        std::vector<std::vector<Stmt>> opens(all.size() + 1);
        for (auto& r : parts.stored) {
            Symbol func = r.as<Realize>()->func;
            auto first = std::ranges::find_if(all, [&](const Stmt& s) { return touches(s, func); });
            opens[size_t(first - all.begin())].push_back(r);
        }
        Stmt out = block({});
        for (size_t i = all.size() + 1; i-- > 0;) {
            if (i < all.size()) out = block({all[i], out});
            for (size_t k = opens[i].size(); k-- > 0;) out = with_body(opens[i][k], out);
        }
        for (size_t k = parts.lets.size(); k-- > 0;) out = with_body(parts.lets[k], out);
        return out;
    }

    Stmt alone(const Member& m) {
        uint32_t origin = pack({m.stage.func, 0});
        return where_it_runs(m, make(Produce{m.func, m.rest}, {}, origin));
    }
    static Stmt where_it_runs(const Member& m, Stmt s) {
        uint32_t origin = pack({m.stage.func, m.stage.def});
        if (m.inside.size()) s = make(If{likely(all_of(m.inside)), s, {}}, {}, origin);
        return m.needed.defined() ? make(If{m.needed, s, {}}, {}, origin) : s;
    }
    static Expr runs(const Member& m) {
        Expr all = all_of(m.inside);
        if (!m.needed.defined() || !all.defined()) return all.defined() ? all : m.needed;
        return m.needed && all;
    }

    // A stage from the body of one loop to its next loop.
    struct Opened {
        std::vector<Stmt> shells, before, after;
        For loop;
        uint32_t origin = 0;
    };
    static void open(const Stmt& s, Symbol loop, Opened& o) {
        if (auto* f = s.as<For>()) {
            o.loop = *f;
            o.origin = box(*f).origin;
        } else if (auto* b = s.as<Block>()) {
            bool found = false;
            for (auto& one : b->stmts)
                if (!found && has_loop(one, loop)) found = true, open(one, loop, o);
                else if (found) o.after.push_back(one);
                else o.before.push_back(one);
        } else {
            o.shells.push_back(s);
            auto* l = s.as<Let>();
            open(l ? l->body : s.as<Realize>()->body, loop, o);
        }
    }

    // Where nothing is needed, often nothing is left to count.
    static void drop_if_known(Expr& needed, const Expr& count) {
        if (!needed.defined()) return;
        Facts facts;
        facts.assume(!needed);
        if (prove(count <= 0, facts)) needed = {};
    }

    // The loops at this depth as one. `one_runs`: wherever this stands, one of the members has iterations to run.
    Stmt joined(std::vector<Member> members, int depth, bool one_runs) {
        std::vector<Opened> opened(members.size());
        std::vector<Expr> counts;
        for (size_t k = 0; k < members.size(); ++k) {
            auto& s = members[k].stage;
            open(members[k].rest, s_.nests->nests[s.func][s.def].loops[depth], opened[k]);
            counts.push_back(simplify(opened[k].loop.extent));
        }
        bool even = std::ranges::all_of(counts, [&](auto& n) { return equal(n, counts[0]); });
        bool fixed = std::ranges::all_of(counts, [](auto& n) { return const_int(n).has_value(); });
        Expr count = counts[0], any;
        for (size_t k = 0; k < members.size(); ++k) {
            if (!even) drop_if_known(members[k].needed, counts[k]);
            Expr when = runs(members[k]), n = counts[k];
            if (!even && !fixed && when.defined()) n = select(when, n, index_imm(0));
            if (!even) count = k ? max(count, n) : n;
            if (!when.defined()) one_runs = true;
            else any = any.defined() ? any || when : when;
        }
        if (fixed) count = simplify(count);
        const For& first = opened[0].loop;
        Expr at = simplify(var(first.name) - first.min);
        std::vector<StageOf> stages;
        std::vector<Stmt> before, after;
        for (size_t k = 0; k < members.size(); ++k) {
            auto& o = opened[k];
            for (auto& s : o.before) before.push_back(where_it_runs(members[k], s));
            for (auto& s : o.after) after.push_back(where_it_runs(members[k], s));
            Member& m = members[k];
            m.rest =
                k ? substitute(o.loop.body, o.loop.name, simplify(at + o.loop.min)) : o.loop.body;
            if (!even) m.inside.push_back(at < counts[k]);
            stages.push_back(m.stage);
        }
        std::vector<Stmt> body;
        for (auto& group : together_at(pairs_, stages, depth + 1)) {
            std::vector<Member> some;
            for (size_t k : group) some.push_back(members[k]);
            body.push_back(
                some.size() > 1
                    ? joined(some, depth + 1, some.size() == members.size() && (even || !fixed))
                    : alone(some[0]));
        }
        Stmt s = make(For{first.name, first.min, count, first.kind, block(std::move(body))}, {},
                      opened[0].origin);
        if ((even || fixed) && !one_runs) s = make(If{any, s, {}}, {}, opened[0].origin);
        before.push_back(s);
        before.insert(before.end(), after.begin(), after.end());
        s = block(std::move(before));
        for (size_t k = opened.size(); k-- > 0;)
            for (size_t i = opened[k].shells.size(); i-- > 0;)
                s = with_body(opened[k].shells[i], s);
        return s;
    }

    const State& s_;
    const Plan& plan_;
    std::vector<Pair> pairs_;
    std::set<Spot> spots_;
};

}  // namespace

State pair_loops(State s) {
    s.stmt = Pairer(s).run();
    return s;
}

}  // namespace burin
