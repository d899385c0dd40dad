// lower.h - from a Plan to loops: the pass table and what comes out of it.
#pragma once
#include <memory>
#include <optional>

#include "ir/verify.h"
#include "legal/replay.h"
#include "legal/windows.h"

namespace burin {

// Evaluated from shapes, sizes and parameters at the call, before anything is written. All arithmetic is checked: a
// value beyond 64 bits is E-bounds.
struct EntryCheck {
    enum Kind : uint8_t {
        Region,  // input `symbol`, dimension `dim`: [lo, hi] (both inclusive) lies inside the buffer, or hi < lo: E-bounds
        Positive,     // lo >= 1, else E-value: `text` names the parameter and the directive
        NonNegative,  // lo >= 0, else E-bounds: `text` names the Size
        Equal,        // lo == hi, else E-bounds: `text` says what was promised
        Index32,      // both fit a lane, else the wide body runs
        Usual,        // lo == hi, else the wide body runs
        Index64,      // [lo, hi] can be computed in 64 bits
    } kind;
    Symbol symbol;
    int dim = 0;
    Expr lo,
        hi;  // Index expressions over Meta, sizes and parameters; the check holds trivially where `when` is false
    Expr when;  // may be undefined: always
    std::string text;
    Where where;
};

// Less than what 32 bits hold: the way from one end to the other fits too.
constexpr bool fits_lane(int64_t v) { return v > -(int64_t(1) << 30) && v < int64_t(1) << 30; }

// One heap allocation of the body; its bytes are known at entry (E-resource there if they cannot be had).
struct Scratch {
    Symbol buffer;
    Expr bytes;               // Index; a bound over all iterations
    bool per_worker = false;  // inside a parallel loop: one block for each worker
    Symbol func;              // whose storage it is
};

struct BufferParam {
    Symbol buffer;  // input: its name; output: "f", or "f.1" for tuple element 1
    Type type;
    int rank = 0;
    int param = -1;                // input: index into Algorithm::params
    int output = -1, element = 0;  // output: index into Algorithm::outputs
};

// The state that passes hand on. Free names of stmt: `buffers`, Meta of them, entry_lets, sizes and parameters (Var).
struct State {
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const LoopNests> nests;  // from build_loops on
    Windows windows;                         // from infer_bounds on
    Stmt stmt;
    Stmt settled;  // what simplify_loops left last: there is nothing more to do at it
    std::vector<BufferParam> buffers;
    // evaluated in order at the call; free Vars of stmt, checks, bytes
    std::vector<std::pair<Symbol, Expr>> entry_lets;
    std::vector<EntryCheck> checks;
    std::vector<Scratch> scratch;
    // of each Func in plan order: what the outputs need at least; undefined: inlined
    std::vector<Expr> required_points;
    bool narrow = true;    // 32-bit indices, innermost strides 1
    bool checked = false;  // a bounds test at each access
    bool counted = false;  // points of each stage are counted
    const Algorithm& algorithm() const { return plan->pipeline.algorithm(); }
};

// Where a statement comes from: a definition, and the line of its stage's directives that shaped it (-1: none).
struct Origin {
    int func = 0, def = 0, directive = -1;
};
constexpr uint32_t pack(Origin o) {
    return uint32_t(o.func + 1) << 16 | uint32_t(o.def & 255) << 8 |
           uint32_t((o.directive + 1) & 255);
}
constexpr std::optional<Origin> origin_of(uint32_t packed) {
    if (packed == 0) return {};
    return Origin{int(packed >> 16) - 1, int(packed >> 8 & 255), int(packed & 255) - 1};
}

struct Snapshot {
    std::string pass;
    Level level;
    Stmt stmt;  // undefined unless snapshots were asked for
    double ms = 0;
};

struct LowerOptions {
    bool narrow = true, checked = false, counted = false;
    bool snapshots = false;
    // check the invariants of ir/verify.h after each pass; debug builds always do
    bool verify = false;
    std::string stop_after;  // a pass: return its result; empty: run all
};

struct Lowered {
    State state;
    std::vector<Snapshot> passes;
    double ms = 0;
};

Lowered lower(const Plan& plan, const LowerOptions& options = {});

struct Pass {
    const char* name;
    State (*run)(State);
    Level level;  // of its result
};
const std::vector<Pass>& pass_table();

}  // namespace burin
