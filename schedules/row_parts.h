// row_parts.h - schedule text that the reductions along a row have in common.
#pragma once
#include <fmt/format.h>

#include <string>

namespace burin {

// The lines of `parts`, made by rfactor(..., r, 64, inner, u, tree) from a reduction of row `row`: kept in four vectors of 16
// while the row passes, then halved until one is left.
inline std::string row_parts(const std::string& parts, const std::string& place,
                             const std::string& row = "i") {
    std::string text = fmt::format(R"(
stage {0}
  {1}
  bound(u, 0, 64)
  vectorize(u, 16)
stage {0}.update(0)
  uo, ui = split(u, 16)
  reorder(ro, uo, ui)
  unroll(uo)
  vectorize(ui)
  cache_write({2}, Register)
)",
                                   parts, place, row);
    for (int n = 32, level = 1; n > 1; n /= 2, ++level)
        text += fmt::format("stage {}.update({})\n  vectorize(ut, {})\n", parts, level,
                            std::min(n, 16));
    return text;
}

}  // namespace burin
