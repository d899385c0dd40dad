// plan.h - what a schedule comes to: for each stage its loops and how they were made, for each Func its place and its
// storage. Made by replay() (replay.h), read by lower/.
#pragma once
#include <burin/pipeline.h>

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

struct StagePlan {
    int func = 0, def = 0;  // indices into Algorithm::funcs and FuncDef::defs
    // the loops before any split: pure Vars (in coordinate order), then RVars
    std::vector<std::string> roots;
    std::vector<LoopSplit> splits;
    std::vector<LoopPlan> loops;  // outermost first
    std::vector<CacheWrite> cache_writes;
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
    std::optional<Layout> layout;
    std::vector<BoundOf> bounds;
    std::vector<FoldOf> folds;
    std::vector<StagePlan> stages;  // one per definition
};

struct Plan {
    Pipeline pipeline;            // derive(pipeline, schedule): the edits are already applied
    Directives directives;        // for provenance: where each line stands
    std::vector<FuncPlan> funcs;  // as in pipeline.algorithm().funcs
    std::vector<Note> warnings;   // written for another algorithm, yet all of it resolves
};
std::string to_string(const Plan& plan);  // for people: each stage's place and loops

}  // namespace burin
