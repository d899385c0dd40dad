// kernel.h - Kernel: a pipeline and a schedule compiled for a target, callable from many threads at once.
//
//   Kernel k = compile(blur, s);
//   Buffer<float> out = k(photo);      // allocates the output
//   k(photo, out);                     // writes into it
#pragma once
#include <burin/arg.h>
#include <burin/pipeline.h>
#include <burin/target.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace burin {

class Schedule;      // burin/schedule.h
struct Plan;         // src/legal/plan.h
struct KernelState;  // jit/kernel.cpp
struct CompileOptions;
struct LowerOptions;  // src/lower/lower.h
struct Lowered;
// Where the kernel of a checked plan has its loops from; empty: it checks and lowers the plan itself.
using Lowering = std::function<Lowered(const Plan&, const LowerOptions&)>;

struct CompileTimes {  // milliseconds
    double lower = 0, codegen = 0, total = 0;
};

struct CallOptions {
    int threads = 0;  // at most so many at once; 0: what the machine has
};

// What one call did; filled where a pointer to it is given.
struct CallReport {
    int64_t scratch_bytes = 0;    // of intermediates on the heap, all of them
    std::vector<int64_t> points;  // computed of each Func (counted kernels)
    // of each Func: the least that the outputs need; -1: inlined
    std::vector<int64_t> required_points;
    bool narrow = true;  // the body with 32-bit indices ran
};

class Kernel {
public:
    Kernel(const Kernel&) = default;  // moving copies: no Kernel is empty
    Kernel& operator=(const Kernel&) = default;

    // Inputs and numbers in the pipeline's order, then all outputs or none. Throws before anything is written: E-value,
    // E-type, E-shape, E-bounds, E-alias, E-resource. A checked kernel throws E-internal if it met an access outside its
    // buffer (which it did not perform).
    template <std::convertible_to<Arg>... A>
    Results operator()(const A&... args) const {
        return call({Arg(args)...});
    }
    Results call(std::initializer_list<Arg> args, CallOptions options = {},
                 CallReport* report = nullptr) const {
        return call(std::span(args.begin(), args.size()), options, report);
    }
    Results call(std::span<const Arg> args, CallOptions options = {},
                 CallReport* report = nullptr) const;

    const Pipeline& pipeline() const;  // the edits applied
    const Target& target() const;
    CompileTimes compile_times() const;           // of the narrow body
    std::vector<std::string> func_names() const;  // as CallReport::points
    std::string llvm() const;                     // the narrow body, optimised
    std::string assembly() const;

private:
    friend Kernel compile_plan(const Plan&, const Target&, CompileOptions, const Lowering&);
    explicit Kernel(std::shared_ptr<const KernelState> state) : state_(std::move(state)) {}
    std::shared_ptr<const KernelState> state_;
};

struct CompileOptions {
    bool counted = false;  // count the points of every Func (slow)
};

// Checks the schedule and compiles. Throws E-schedule, E-type, E-resource.
Kernel compile(const Pipeline& p, const Schedule& s, const Target& target = Target::host(),
               CompileOptions options = {});
Kernel compile_plan(const Plan& plan, const Target& target = Target::host(),
                    CompileOptions options = {}, const Lowering& lowering = {});

// Compiles under auto_schedule, once for each algorithm in a process, and calls.
Results run_args(const Pipeline& p, std::initializer_list<Arg> args);
template <std::convertible_to<Arg>... A>
Results run(const Pipeline& p, const A&... args) {
    return run_args(p, {Arg(args)...});
}

}  // namespace burin
