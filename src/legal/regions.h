// regions.h - the box of each Func that has to be computed, seen from any place in the loops.
#pragma once
#include "arith/interval.h"
#include "legal/nest.h"
#include "legal/reads.h"
#include "legal/scans.h"

namespace burin {

struct Demand {
    // inclusive; of outer loops' Symbols, regions computed at the same spot, sizes
    std::vector<Interval> box;
    Expr nonempty;  // undefined: always; where false nothing is needed and the box means nothing
    std::vector<Interval> read = {};  // the part of the box that others read
    // Coordinates whose interval, where the readers' own are empty (surplus iterations), may lie outside of what an
    // outer place needs: of x in 5 .. 2 an end of x * w is found at either.
    std::vector<bool> loose = {};
};

class Regions {
public:
    Regions(const Plan& plan, const LoopNests& nests);  // of a plan without inlined Funcs (nest.h)

    // What all consumers inside `spot` need of func, its own updates included.
    const Demand& of(int func, Spot spot);
    // The region of func does not say what it needs at its place: it may be less.
    void hide_names(int func) { hidden_.insert(func); }
    // The box that is computed or stored there: that one, or at the root what a bound() says.
    std::vector<Interval> box(int func, Spot spot);
    // What one stage at the root needs of an input: boxes with the condition under which it needs them.
    std::vector<Demand> of_input(Symbol input);
    // What each stage inside `spot` reads of a Func (its own among them) or an input, and where it writes it.
    std::vector<Demand> of_reads(Symbol target, Spot spot);
    // What products of coordinates, coordinates used as data and data used as coordinates can be, at the root.
    std::vector<Demand> index_values();
    // Values named at the root because they are long: evaluated in order at entry.
    std::vector<std::pair<Symbol, Expr>> entry_lets;

private:
    struct Stage {
        int func, def;
        std::vector<Expr> values;  // all expressions of the definition
        // reads of other Funcs and inputs; own reads and left-hand side of an update
        std::vector<Use> uses;
        std::vector<Use> own;
    };
    struct Context {  // what a stage's coordinates run over, seen from a spot
        Bounds ranges;
        Expr nonempty;
        std::set<Symbol> loose;  // as in Demand
    };
    Context context(const Stage& stage, Spot spot);
    bool is_inside(const Stage& stage, Spot spot) const;
    Demand compute(int func, Spot spot);
    Demand box_of(const Use& use, const Context& context);  // nonempty as in the context
    void keep_inside(int func, Spot spot, Demand& demand);
    void grow_by_updates(int func, Demand& demand);
    Expr name_if_long(const Expr& e, Symbol name);

    const Plan& plan_;
    const Algorithm& algorithm_;
    const LoopNests& nests_;
    std::vector<std::optional<Scan>> scans_;  // of each Func
    std::vector<Stage> stages_;
    std::map<std::pair<int, Spot>, Demand> memo_;
    std::map<std::pair<int, int>, Interval> bounds_;  // of a Func and a dimension, by name if long
    std::set<int> hidden_;
};

// A sum of few sizes, shapes and loops: worth writing out where it is used.
bool is_short(const Expr& e);

}  // namespace burin
