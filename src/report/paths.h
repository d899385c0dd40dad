// paths.h - the ways to compute a pipeline under a schedule, side by side.
#pragma once
#include <burin/kernel.h>

#include <functional>

#include "lower/interpret.h"
#include "report/draw.h"

namespace burin {

struct Path {
    std::string name;                               // "interpreter, Flat", "kernel"
    std::function<void(std::span<const Arg>)> run;  // inputs and outputs; fills these
};

// The plan and its variants lowered to be interpreted, in one thread: with narrow indices and, for calls that do not
// admit these, with wide ones, as in a kernel.
class Interpreted {
public:
    explicit Interpreted(const Plan& plan);

    // The last statement of each level; the first also with the iterations of parallel loops in a random order.
    std::vector<Path> paths() const;

    // The pass after the last one whose result computes `wanted`; empty: none computes it, or the last does. Looked for
    // from the end, pass by pass: what one pass does wrong another may remove, so halving could end anywhere.
    std::string first_wrong_pass(const DrawnCall& call, const std::vector<AnyBuffer>& wanted) const;

    // For kernels of this plan, while this lives: nothing is lowered twice.
    Lowering lowering() const;

    // What a call computes at least, of all stages that are kept; 0 of one that is refused.
    double points(const DrawnCall& call) const;

private:
    InterpretOptions options_at(size_t pass) const;
    const std::vector<Snapshot>& passes() const { return all_[0].narrow.lowered.passes; }
    void run(size_t pass, std::span<const Arg> args, const InterpretOptions& options) const;

    struct Body {
        Lowered lowered;
        Entry entry;
    };
    struct One {  // the plan or a variant of it
        Body narrow;
        mutable std::optional<Body> wide;  // at its first need
    };
    Body body_of(const Plan& plan, bool narrow) const;
    const Body& wide(size_t of) const;
    Lowered lowered(const Plan& plan, const LowerOptions& options) const;
    Plan plan_;
    Binder binder_;
    Dispatch dispatch_;
    std::vector<One> all_;  // as Plan::all
};

bool same(const std::vector<AnyBuffer>& a, const std::vector<AnyBuffer>& b);

}  // namespace burin
