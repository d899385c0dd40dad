// paths.h - the ways to compute a pipeline under a schedule, side by side.
#pragma once
#include <functional>

#include "lower/interpret.h"
#include "report/draw.h"

namespace burin {

struct Path {
    std::string name;                               // "interpreter, Flat", "kernel"
    std::function<void(std::span<const Arg>)> run;  // inputs and outputs; fills these
};

// The plan lowered twice, with narrow and with wide indices, to be interpreted; where a call does not admit the narrow
// body, the wide one runs, as in a kernel.
class Interpreted {
public:
    explicit Interpreted(const Plan& plan);

    // The last statement of each level; the first also with the iterations of parallel loops in a random order.
    std::vector<Path> paths() const;

    // The pass after the last one whose result computes `wanted`; empty: none computes it, or all do.
    std::string first_wrong_pass(const DrawnCall& call, const std::vector<AnyBuffer>& wanted) const;

private:
    InterpretOptions options_at(size_t pass) const;
    void run(size_t pass, std::span<const Arg> args, const InterpretOptions& options) const;

    Lowered narrow_, wide_;
    Binder binder_;
    Entry entry_;
};

bool same(const std::vector<AnyBuffer>& a, const std::vector<AnyBuffer>& b);

}  // namespace burin
