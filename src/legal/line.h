// line.h - one line of a stage while it is applied: the plan so far, the directive, and its
// arguments read as what they should be. Every accessor throws E-schedule; the line of the
// directive is added by replay.
#pragma once
#include "arith/interval.h"
#include "legal/dependences.h"
#include "legal/names.h"

namespace burin {

struct Line {
    Plan& plan;
    int func, def;
    const Directive& directive;
    int index;  // in the stage's list

    const Algorithm& algorithm() const { return plan.pipeline.algorithm(); }
    const FuncDef& func_def() const { return algorithm().funcs[func]; }
    FuncPlan& func_plan() const { return plan.funcs[func]; }
    StagePlan& stage() const { return plan.funcs[func].stages[def]; }
    std::string stage_text() const { return name_of(func_def(), def); }
    int count() const { return int(directive.args.size()); }
    bool has(int i) const { return i < count(); }

    Expr expr(int i) const;
    std::string name(int i) const;      // a bare name
    const LoopPlan& loop(int i) const;  // a loop of this stage, as it is now
    Expr size_expr(int i) const;        // Index: of constants, sizes and integer parameters
    Expr factor(int i) const;           // the same, at least 1 if it is constant
    int64_t constant_factor(int i, int64_t most) const;
    Tail tail(int i) const;  // Auto if there is no argument i
    Memory memory(int i) const;
    Partition partition(int i) const;
    // The name that result i was given, or `base`, numbered if it is taken.
    std::string result(int i, const std::string& base) const;
    std::string new_loop(const std::string& asked) const;  // throws if the name is taken
};

bool is_tail(const std::string& word);

// How many iterations a loop has where that does not depend on the call: made of constant factors, RVars of
// constant domain, coordinates that are bounded or that all readers keep between constants. Such coordinates
// may run over less at an inner place: then the extent is not exact but the most there can be.
struct ConstantExtent {
    int64_t most;
    bool exact;
};
// `exactly`: no other is wanted, which spares looking at all readers.
std::optional<ConstantExtent> constant_extent(const Plan& plan, int func, int def,
                                              const std::string& loop, bool exactly = false);
// Between what all readers keep a coordinate of an intermediate: constants, or a side that is not known is undefined.
Interval kept_between(const Plan& plan, int func, int dim);
// The variables a loop was made of.
std::set<std::string> roots_of(const StagePlan& s, const std::string& loop);
// The loops that a loop, present or past, has become.
std::set<std::string> made_of(const StagePlan& s, const std::string& loop);

// The line of the schedule that a LoopPlan, LoopSplit, ... of the stage comes from.
Where where_of(const Plan& plan, const StagePlan& s, int directive);

// compute_inline of a Func with updates is a copy for each stage that reads it, in that stage's innermost loop that is
// not vectorised. Makes the copies, with the lines of the original; then places each.
Pipeline with_private_copies(Pipeline derived, Directives& lines);
void place_private_copy(Plan& plan, int func);

// Throws unless the tile that the loop's body touches can be held there. Called when all loops are
// final.
void check_cache_write(const Plan& plan, const StagePlan& s, const CacheWrite& c);

// The parts of directives that stand for several.
void split_loop(Line& l, const std::string& from, Expr factor, Tail tail, std::string outer,
                std::string inner);
void reorder_loops(Line& l, const std::vector<std::string>& order);
void set_computed(Line& l, int func, Place to);

// Throws unless iterations of the loop come one after the other. Called when all loops are final.
void check_prefetch_loop(const Plan& plan, const StagePlan& s, const PrefetchAhead& p);

// Throws unless the Func's stores can go past the caches; its storage is on the heap then. Called when all loops and
// places are final.
void settle_stream(Plan& plan, int func);

// What each directive does to the plan.
void apply_split(Line& l);
void apply_fuse(Line& l);
void apply_reorder(Line& l);
void apply_tile(Line& l);
void apply_serial(Line& l);
void apply_parallel(Line& l);
void apply_vectorize(Line& l);
void apply_unroll(Line& l);
void apply_compute_inline(Line& l);
void apply_compute_root(Line& l);
void apply_compute_at(Line& l);
void apply_reverse_compute_at(Line& l);
void apply_compute_with(Line& l);
void apply_store_root(Line& l);
void apply_store_at(Line& l);
void apply_store_in(Line& l);
void apply_bound(Line& l);
void apply_transform_layout(Line& l);
void apply_fold_storage(Line& l);
void apply_cache_write(Line& l);
void apply_partition(Line& l);
void apply_prefetch(Line& l);
void apply_stream_stores(Line& l);

}  // namespace burin
