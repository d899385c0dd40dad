// row_parts.cpp - maxima, minima and integer sums along rows: each lane takes a part of the row, which changes no bit.
#include <fmt/format.h>

#include "author/parts.h"
#include "legal/reads.h"

namespace burin {
namespace {

constexpr int rows_to_a_task = 16;

}  // namespace

std::vector<RowParts> row_parts(const Algorithm& a) {
    std::vector<RowParts> all;
    std::set<std::string> names;
    for (auto& f : a.funcs) names.insert(f.name.hint());
    for (auto& p : a.params) names.insert(p.name.hint());
    for (auto& f : a.funcs) {
        if (f.defs.size() != 2 || !is_accumulation(f, f.defs[1])) continue;
        auto& def = f.defs[1];
        if (def.domain.size() != 1 || !is_exact(*def.op, f.types[0])) continue;
        bool along_row = false, along_func = false;
        for (auto& use : reads_of(def.values)) {
            if (use.target == f.name) continue;
            along_row |= stride(use.args, def.domain[0].name) == Stride::One;
            along_func |= use.args.size() > 1 && stride(use.args, f.vars.back()) == Stride::One;
        }
        std::string name = f.name.hint() + "_parts";
        if (!along_row || along_func || !names.insert(name).second) continue;
        RowParts p{name, f.name.hint(), def.domain[0].name.hint(), {}, lanes_of(f, def)};
        for (Symbol v : f.vars) p.loops.push_back(v.hint());
        all.push_back(p);
    }
    return all;
}

std::string edit_line(const RowParts& p) {
    return fmt::format("{} = rfactor({}.update(0), {}, {}, inner, lane, tree)\n", p.name, p.func,
                       p.domain, vectors_along * p.lanes);
}

// A row at a time: its parts stay in registers while it passes, and are halved until one is left.
std::string stage_lines(const RowParts& p, bool at_root) {
    std::string row = p.loops.back(), inside = row;
    std::string text = fmt::format("stage {}.update(0)\n", p.func);
    if (at_root && p.loops.size() == 1) {
        text += fmt::format("  {0}_o, {0}_i = split({0}, {1})\n  parallel({0}_o)\n", row,
                            rows_to_a_task);
        inside = row + "_i";
    } else if (at_root) {
        text += fmt::format("  parallel({})\n", p.loops[0]);
    }
    int parts = vectors_along * p.lanes;
    text += fmt::format(R"(stage {0}
  compute_at({1}.update(0), {2})
  bound(lane, 0, {3})
  vectorize(lane, {4})
stage {0}.update(0)
  lane_o, lane_i = split(lane, {4})
  reorder({5}o, lane_o, lane_i)
  unroll(lane_o)
  vectorize(lane_i)
  cache_write({6}, Register)
)",
                        p.name, p.func, inside, parts, p.lanes, p.domain, row);
    for (int n = parts / 2, level = 1; n > 1; n /= 2, ++level)
        text += fmt::format("stage {}.update({})\n  vectorize(lanet, {})\n", p.name, level,
                            std::min(n, p.lanes));
    return text;
}

}  // namespace burin
