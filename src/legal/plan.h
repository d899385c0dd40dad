// plan.h - what a schedule comes to: for each stage its loops and how they were made, for each Func its place and its
// storage. Made by replay() (replay.h), read by lower/.
#pragma once
#include <burin/pipeline.h>
#include <burin/placement.h>

#include <optional>
#include <string>
#include <vector>

#include "func/algorithm.h"
#include "func/directives.h"

namespace burin {

struct LoopPlan {
    std::string name;  // unique in its stage
    LoopKind kind = LoopKind::Serial;
    bool is_reduction = false;  // made of RVars (a fused loop: of at least one)
    int directive = -1;         // the line of the stage's list that gave the kind; -1: none
    // vectorised or unrolled: iterations at most; those beyond the extent do nothing
    int64_t copies = 0;
    Partition partition = Partition::Auto;
    int partition_directive = -1;
};

// How loops came from others, in order. Split: `from` becomes outer, inner. Fuse: outer, inner become `from`.
struct LoopSplit {
    enum Kind : uint8_t { Split, Fuse } kind = Split;
    std::string from, outer, inner;
    Expr factor;  // Split: Index; constants, sizes and parameters; >= 1 is an entry check
    Tail tail = Tail::Auto;  // never Auto in a finished Plan
    int directive = -1;
};

struct CacheWrite {  // the tile touched in `loop`'s body lives in `memory` while the body runs
    std::string loop;
    Memory memory = Memory::Stack;
    int directive = -1;
};

struct PrefetchAhead {  // in `loop`'s body: what the iteration `distance` later reads of `target`
    Symbol target;      // a Func or an input
    std::string loop;
    int64_t distance = 1;
    int directive = -1;
};

// This stage's loops run with those of another, from the outermost to `loop` of that one.
struct PairWith {
    int func = 0, def = 0;
    std::string loop;
    int directive = -1;
};

struct StagePlan {
    int func = 0, def = 0;  // indices into Algorithm::funcs and FuncDef::defs
    // the loops before any split: pure Vars (in coordinate order), then RVars
    std::vector<std::string> roots;
    std::vector<LoopSplit> splits;
    std::vector<LoopPlan> loops;  // outermost first
    std::vector<CacheWrite> cache_writes;
    std::vector<PrefetchAhead> prefetches;
    std::optional<PairWith> pair;
    const LoopPlan* loop(const std::string& name) const;
    int depth(const std::string& name) const;  // position in loops, -1 if there is none
};

struct Place {
    enum Kind : uint8_t { Inline, Root, At } kind = Inline;
    int func = -1, def = -1;  // At: the consumer's stage ...
    std::string loop;         // ... and its loop
    Where where;              // the line that says so; unknown: the default
    friend bool operator==(const Place& a, const Place& b) {
        return a.kind == b.kind && a.func == b.func && a.def == b.def && a.loop == b.loop;
    }
};

struct Layout {                // transform_layout([k, j] -> [j / 32, k, j % 32])
    std::vector<Symbol> from;  // one per coordinate of the Func
    std::vector<Expr> to;      // storage coordinates, outermost first; of `from` and constants
    bool pad = false;          // storage may be rounded up to whole blocks
    int directive = -1;
};

struct BoundOf {  // bound(x, lo, extent): a promise checked at entry
    int dim = 0;
    Expr min, extent;
    int directive = -1;
};

struct FoldOf {  // fold_storage(x, factor): stored modulo that
    int dim = 0;
    int64_t factor = 0;
    int directive = -1;
};

struct FuncPlan {
    Place compute, store;
    Memory memory = Memory::Auto;
    int memory_directive = -1;
    int stream_directive = -1;  // stores go past the caches; -1: they do not
    std::optional<Layout> layout;
    std::vector<BoundOf> bounds;
    std::vector<FoldOf> folds;
    std::vector<StagePlan> stages;  // one per definition
};

// Of a schedule with specialize: the calls for which one of its variants is.
struct PlanCase {
    Expr when;                    // undefined: all that are left
    size_t variant = 0;           // in Plan::all()
    std::optional<Note> refusal;  // specialize_fail: none, such a call is E-value
};

struct Plan {
    // derive(pipeline, schedule): the edits are already applied; also the constants that `given` knows
    Pipeline pipeline;
    Directives directives;        // for provenance: where each line stands
    std::vector<FuncPlan> funcs;  // as in pipeline.algorithm().funcs
    std::vector<Note> warnings;   // written for another algorithm, yet all of it resolves
    // A variant of a schedule with specialize is a plan like any other, for calls where these
    // conditions hold (`when`: as written). One of them, the last that does not fail, holds the
    // others; what knows of no variants sees it alone.
    std::vector<Expr> given = {};
    std::optional<Pipeline> general = {};  // pipeline without the constants, where it has some
    std::string when = {};
    std::vector<Plan> variants = {};
    std::vector<PlanCase> cases = {};  // tried in order; empty: all calls are this plan's
    const Pipeline& derived() const { return general ? *general : pipeline; }
    // The plan itself, then its variants.
    std::vector<const Plan*> all() const {
        std::vector<const Plan*> plans{this};
        for (auto& v : variants) plans.push_back(&v);
        return plans;
    }
};
// For people: each stage's place and loops; of a schedule with specialize, those of each variant.
std::string to_string(const Plan& plan);
std::string heading(const Plan& variant);  // "where k == 3", "otherwise"

}  // namespace burin
