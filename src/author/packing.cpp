// packing.cpp - matrices that a block of sums reads a few columns wide: copied into panels, they are read in order.
#include <fmt/format.h>

#include "author/parts.h"
#include "ir/walk.h"
#include "legal/reads.h"

namespace burin {

std::vector<Panel> panels(const Algorithm& a) {
    std::vector<Panel> all;
    std::set<std::string> names;
    for (auto& f : a.funcs) names.insert(f.name.hint());
    for (auto& p : a.params) names.insert(p.name.hint());
    for (auto& f : a.funcs)
        for (auto& def : f.defs) {
            if (!is_accumulation(f, def) || f.rank() < 2) continue;
            for (auto& use : reads_of(def.values)) {
                auto* input = a.param(use.target);
                if (!input || input->rank() != 2) continue;
                auto* column = use.args[1].as<Var>();
                bool moves_down = std::ranges::any_of(
                    def.domain, [&](auto& r) { return uses(use.args[0], r.name); });
                bool moves_along = column && column->name == f.vars.back();
                bool is_shared =
                    std::ranges::none_of(f.vars, [&](Symbol v) { return uses(use.args[0], v); });
                if (!moves_down || !moves_along || !is_shared) continue;
                std::string name = input->name.hint() + "_packed";
                if (!names.insert(name).second) continue;
                all.push_back({name, input->name.hint(), f.name.hint(), lanes_of(f, def)});
            }
        }
    return all;
}

std::string edit_line(const Panel& p) {
    return fmt::format("{} = cache_read({}, [{}])\n", p.name, p.input, p.reader);
}
std::string stage_lines(const Panel& p) {
    int width = vectors_along * p.lanes;
    return fmt::format(R"(stage {0}
  compute_root()
  transform_layout([d0, d1] -> [d1 / {1}, d0, d1 % {1}], pad)
  d1o, d1i = split(d1, {1}, round_up)
  reorder(d1o, d0, d1i)
  parallel(d1o)
  vectorize(d1i, {2})
)",
                       p.name, width, p.lanes);
}

}  // namespace burin
