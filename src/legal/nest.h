// nest.h - one stage's loops as expressions: what each loop runs over and which point an iteration is.
#pragma once
#include <compare>
#include <map>
#include <set>

#include "arith/interval.h"
#include "ir/walk.h"
#include "legal/plan.h"

namespace burin {

// The box of a Func that is computed at its place, and the one that is stored (the same unless store_at differs).
struct FuncRegion {
    std::vector<Symbol> lo, hi;  // inclusive, one per dimension
    std::vector<Symbol> store_lo, store_hi;
    std::vector<Symbol> all_lo, all_hi;  // needed of it at all; defined at entry where that is long
    bool has_own_store = false;          // the store symbols are other ones
};

struct StageNest {
    std::vector<Symbol> loops;  // as StagePlan::loops
    std::vector<Expr> mins, extents;
    struct
        Base {  // where a tile starts, if that is more than a multiple: named inside loop `depth`
        int depth;
        Symbol name;
        Expr value;
    };
    std::vector<Base> bases;
    Substitution coordinates;  // every pure Var and RVar, in terms of loops, region and domain
    std::vector<Expr> guards;  // where one fails there is no such point
    std::vector<Expr> masks;   // as guards, but as masks of every load and store (predicate)
    // where one fails (round_up) the point is computed but never used: its reads are masked
    std::vector<Expr> surplus;
    std::set<Symbol>
        overrun;  // coordinates that only guards, masks or surplus keep inside their range
    std::map<Symbol, std::pair<Expr, Expr>> range;  // of every coordinate, inclusive
};

FuncRegion make_region(const Plan& plan, int func);  // fresh symbols
// `region`: of the stage's Func. Output Funcs store guarded even under round_up: their buffers have no room for more.
StageNest make_nest(const Plan& plan, const StagePlan& stage, const FuncRegion& region);

using Nests = std::vector<std::vector<StageNest>>;  // [func][definition]; empty for an inlined Func

// Inside the body of one stage's loop; the root if func is -1.
struct Spot {
    int func = -1, def = -1, depth = -1;
    bool is_root() const { return func < 0; }
    friend auto operator<=>(const Spot&, const Spot&) = default;
};
Spot spot_of(const Plan& plan, const Place& place);

struct LoopNests {
    Nests nests;
    std::vector<FuncRegion> regions;         // per Func
    std::unordered_map<Symbol, Spot> spots;  // of each loop: the inside of its body
};
LoopNests make_nests(const Plan& plan);

// f(what stands inside the names of tile starts that open a loop's body), with those names around it again.
template <class F>
Stmt inside_bases(const Stmt& body, F f) {
    auto* let = body.as<Let>();
    return let ? make(Let{let->name, let->value, inside_bases(let->body, f)}, {},
                      body.node()->origin)
               : f(body);
}

bool is_inlined(const Plan& plan, int func);  // no loops of its own
// The plan's algorithm with the definition of each inlined Func where it is read; it has no text.
Pipeline inlined(const Plan& plan);
// The loops of a stage that lie inside loop `depth` (-1: all), and what is named in them, as ranges to eliminate.
Bounds inner_ranges(const StageNest& nest, int depth);

}  // namespace burin
