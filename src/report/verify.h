// verify.h - burin/verify.h on schedules as data, with further paths.
#pragma once
#include <burin/verify.h>

#include "func/directives.h"
#include "report/paths.h"

namespace burin {

// Further ways to run a checked plan; each fills the outputs it is given. `lowering`: for its kernels, so that nothing is
// lowered twice.
using MakePaths = std::function<std::vector<Path>(const Plan& plan, const Lowering& lowering)>;
// Compiled for the host, and its checked form.
std::vector<Path> kernel_paths(const Plan& plan, const Lowering& lowering);

VerifyReport verify(const Pipeline& p, const Directives& d, const VerifyOptions& options,
                    const MakePaths& kernels);

// The largest distance of two buffers of one box in units in the last place; integers: in units.
double ulp_distance(const AnyBuffer& a, const AnyBuffer& b);

}  // namespace burin
