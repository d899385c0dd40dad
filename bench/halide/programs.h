// programs.h - the library's pipelines in Halide, with the schedules that one would write there.
#pragma once
#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rival {

using namespace Halide;

// Innermost first, as everything of Halide's; the library's sizes are the other way round.
using Extents = std::vector<int>;

struct Program {
    std::vector<std::pair<ImageParam, Extents>> inputs;
    std::vector<std::pair<Func, Extents>> outputs;
};

using Programs = std::map<std::string, std::function<Program(const std::vector<int>& sizes)>>;
Programs stencils(), pictures(), scans(), matrices(), products(), networks();

inline int fitting(int most, int extent) {  // the largest divisor of the extent up to `most`
    while (extent % most) --most;
    return most;
}
inline Expr gelu(Expr v) { return 0.5f * v * (1.0f + erf(v * 0.70710678f)); }
inline Expr mix(Expr a, Expr b, Expr t) { return a + (b - a) * t; }

constexpr int parts = 64;  // of a row's reduction: four vectors
// What `value` has in row y, added up: in parts while the row passes, then those. n is a multiple of their number.
// Computed at the loop of `at`.
Func row_sum(const std::string& name, const std::function<Expr(Expr j, Expr y)>& value, Var y,
             int n, Func at, Var loop);
Func row_max(const std::string& name, const std::function<Expr(Expr j, Expr y)>& value, Var y,
             int n, Func at, Var loop);

}  // namespace rival
