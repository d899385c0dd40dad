// Asks for what an iteration some steps ahead will read, a cache line at a time.
//
// before:
//   pipeline p(n: size, a: f32[_, _]) -> g[n, n]
//   g(y, x) = a(y, x) * 2
//   schedule 1 for p
//   stage g
//     prefetch(a, y, 2)
// after:
//   realize g: f32[g.y.lo: g.y.hi - g.y.lo + 1, g.x.lo: g.x.hi - g.x.lo + 1] {
//     produce g {
//       for g.y in g.y.lo .. g.y.hi + 1 {
//         if g.y + 2 < g.y.hi + 1 {
//           for a.line in 0 .. (g.x.hi - g.x.lo + 15) / 16 + 1 {
//             prefetch a(g.y + 2, min(g.x.lo + a.line * 16, g.x.hi))
//           }
//         }
//         for g.x in g.x.lo .. g.x.hi + 1 { g(g.y, g.x) = a(g.y, g.x) * 2.0 }
//       }
//     }
//   }
//
// Correct because a prefetch changes no value and cannot fail. Only what an iteration that will run reads is asked for:
// it lies inside its buffer.
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "legal/regions.h"
#include "lower/passes.h"

namespace burin {
namespace {

constexpr int cache_line = 64, few_iterations = 8;

class Inserter {
public:
    explicit Inserter(const State& s)
        : s_(s), algorithm_(s.algorithm()), regions_(*s.plan, *s.nests) {}

    Stmt ahead(const StagePlan& stage, const PrefetchAhead& p) {
        Spot spot{stage.func, stage.def, stage.depth(p.loop)};
        const StageNest& nest = s_.nests->nests[stage.func][stage.def];
        Symbol loop = nest.loops[spot.depth];
        Substitution here = named_at(spot);
        auto later = [&](const Expr& e) {
            return simplify(substitute(substitute(e, here), loop, var(loop) + p.distance));
        };
        Expr runs = later(var(loop) < nest.mins[spot.depth] + nest.extents[spot.depth]);
        uint32_t origin = pack({stage.func, stage.def, p.directive});
        std::vector<Stmt> parts;
        for (auto& d : regions_.of_reads(p.target, spot)) {
            std::vector<Interval> box;
            for (auto& [lo, hi] : d.box) box.push_back({later(lo), later(hi)});
            Expr needed = d.nonempty.defined() ? runs && later(d.nonempty) : runs;
            parts.push_back(make(If{needed, lines(p.target, box, origin), {}}, {}, origin));
        }
        return block(std::move(parts));
    }

private:
    // What is named inside the loop, in terms of the loop and of what is named outside: starts of tiles, regions.
    Substitution named_at(Spot spot) {
        Substitution here;
        for (auto& b : s_.nests->nests[spot.func][spot.def].bases)
            if (b.depth == spot.depth) here[b.name] = substitute(b.value, here);
        for (int f = int(algorithm_.funcs.size()); f-- > 0;) {
            if (is_inlined(*s_.plan, f) || spot_of(*s_.plan, s_.plan->funcs[f].compute) != spot)
                continue;
            auto box = regions_.box(f, spot);
            for (size_t d = 0; d < box.size(); ++d) {
                here[s_.nests->regions[f].lo[d]] = substitute(box[d].lo, here);
                here[s_.nests->regions[f].hi[d]] = substitute(box[d].hi, here);
            }
        }
        return here;
    }

    // The coordinate along which neighbours lie side by side in storage, and for how far they do.
    std::pair<size_t, int64_t> row_of(int func, size_t rank) {
        constexpr int64_t far = 1 << 30;
        auto* layout = func >= 0 ? &s_.plan->funcs[func].layout : nullptr;
        if (!layout || !*layout) return {rank - 1, far};
        Expr last = (*layout)->to.back();
        int64_t run = 1;
        if (auto* m = last.as<Mod>(); m && m->a.as<Var>()) {
            run = const_int(literal_as(m->b, IndexType)).value_or(1);
            last = Expr(m->a);
        } else if (last.as<Var>()) {
            run = far;
        }
        auto* v = last.as<Var>();
        auto& from = (*layout)->from;
        return {v ? size_t(std::ranges::find(from, v->name) - from.begin()) : rank - 1, run};
    }

    Stmt lines(Symbol target, const std::vector<Interval>& box, uint32_t origin) {
        int func = algorithm_.func_index(target);
        std::vector<Type> types = func >= 0 ? algorithm_.funcs[func].types
                                            : std::vector<Type>{algorithm_.param(target)->type};
        std::vector<Stmt> all;
        for (size_t e = 0; e < types.size(); ++e) {
            std::vector<Expr> at(box.size());
            std::vector<For> loops;
            auto add = [&](const char* name, const Expr& min, const Expr& extent) {
                Expr n = simplify(extent);
                auto c = const_int(n);
                if (c == 1) return min;
                bool few = c && *c <= few_iterations;
                loops.push_back({Symbol::fresh(target.hint() + name),
                                 min,
                                 n,
                                 few ? LoopKind::Unrolled : LoopKind::Serial,
                                 {}});
                return var(loops.back().name);
            };
            auto [row, run] = row_of(func, box.size());
            for (size_t d = 0; d < box.size(); ++d)
                if (d != row) at[d] = add(".row", box[d].lo, box[d].hi - box[d].lo + 1);
            if (!box.empty()) {
                auto& [lo, hi] = box[row];
                int64_t step = std::min<int64_t>(run, cache_line / types[e].bytes());
                Expr line = add(".line", index_imm(0), (hi - lo + (step - 1)) / step + 1);
                at[row] = simplify(min(lo + line * step, hi));
            }
            Stmt s = make(Prefetch{make(Read{target, int(e), at, {}, {}}, types[e])}, {}, origin);
            for (size_t i = loops.size(); i-- > 0;) {
                loops[i].body = s;
                s = make(loops[i], {}, origin);
            }
            all.push_back(s);
        }
        return block(std::move(all));
    }

    const State& s_;
    const Algorithm& algorithm_;
    Regions regions_;
};

}  // namespace

State insert_prefetches(State s) {
    std::unordered_map<Symbol, std::vector<Stmt>> ahead;  // of each loop
    std::optional<Inserter> inserter;
    for (auto& func : s.plan->funcs)
        for (auto& stage : func.stages)
            for (auto& p : stage.prefetches) {
                if (!inserter) inserter.emplace(s);
                Symbol loop = s.nests->nests[stage.func][stage.def].loops[stage.depth(p.loop)];
                ahead[loop].push_back(inserter->ahead(stage, p));
            }
    if (ahead.empty()) return s;
    s.stmt = rewrite(s.stmt, [&](const For& op, auto& self) -> Stmt {
        Stmt whole = self.descend(op);
        auto it = ahead.find(op.name);
        if (it == ahead.end()) return whole;
        For loop = *whole.as<For>();
        loop.body = inside_bases(loop.body, [&](const Stmt& body) {
            std::vector<Stmt> stmts = it->second;
            stmts.push_back(body);
            return block(std::move(stmts));
        });
        return make(std::move(loop), {}, box(op).origin);
    });
    return s;
}

}  // namespace burin
