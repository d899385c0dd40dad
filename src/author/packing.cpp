// packing.cpp - matrices that a block of sums reads a few columns wide: copied into panels, they are read in order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "author/parts.h"
#include "ir/walk.h"
#include "legal/reads.h"

namespace burin {
namespace {

bool uses_any(const Expr& e, const std::vector<Symbol>& names) {
    return std::ranges::any_of(names, [&](Symbol v) { return uses(e, v); });
}

// Of what reads a matrix that all points along another coordinate share: c(i, j) += a(i, r) * b(r, j). Coordinates of the
// reader that are neither rows nor columns choose one of several matrices.
std::optional<Panel> panel(const FuncDef& f, const Definition& def, const Use& use) {
    Panel p;
    for (int k = 0; k < int(use.args.size()); ++k) {
        auto& at = use.args[k];
        auto* v = at.as<Var>();
        bool is_down = std::ranges::any_of(def.domain, [&](auto& r) { return uses(at, r.name); });
        bool is_bare = v && std::ranges::count(f.vars, v->name) > 0;
        if (uses_any(at, f.vars) && (is_down || !is_bare)) return {};
        if (!is_bare || v->name != f.vars.back()) (is_down ? p.down : p.which).push_back(k);
        else if (p.column < 0) p.column = k;
        else return {};
    }
    bool is_shared =
        std::ranges::any_of(f.vars, [&](Symbol v) { return stride(use.args, v) == Stride::None; });
    if (p.down.empty() || p.column < 0 || !is_shared) return {};
    return p;
}

}  // namespace

std::vector<Panel> panels(const Algorithm& a) {
    std::vector<Panel> all;
    std::set<std::string> names;
    for (auto& f : a.funcs) names.insert(f.name.hint());
    for (auto& p : a.params) names.insert(p.name.hint());
    for (auto& f : a.funcs)
        for (auto& def : f.defs) {
            if (!is_accumulation(f, def)) continue;
            auto reads = reads_of(def.values);
            std::erase_if(reads, [&](auto& use) { return use.target == f.name; });
            // With each column by itself, what is read serves no block of sums more than once.
            if (std::ranges::all_of(reads, [&](auto& use) {
                    return stride(use.args, f.vars.back()) != Stride::None;
                }))
                continue;
            for (auto& use : reads) {
                auto* input = a.param(use.target);
                auto found = input ? panel(f, def, use) : std::nullopt;
                if (!found) continue;
                found->input = input->name.hint();
                found->name = found->input + "_packed";
                found->reader = f.name.hint();
                found->lanes = lanes_of(f, def);
                if (names.insert(found->name).second) all.push_back(*found);
            }
        }
    return all;
}

std::string edit_line(const Panel& p) {
    return fmt::format("{} = cache_read({}, [{}])\n", p.name, p.input, p.reader);
}

// The panels of a matrix one after the other, and so the matrices.
std::string stage_lines(const Panel& p) {
    int width = vectors_along * p.lanes;
    std::string column = fmt::format("d{}", p.column);
    std::vector<std::string> all, which, down;
    for (size_t k = 0; k < p.which.size() + p.down.size() + 1; ++k)
        all.push_back(fmt::format("d{}", k));
    for (int k : p.which) which.push_back(all[k]);
    for (int k : p.down) down.push_back(all[k]);
    auto nest = [&](const std::string& panel, const std::string& inside) {
        std::vector<std::string> order = which;
        order.push_back(panel);
        order.insert(order.end(), down.begin(), down.end());
        order.push_back(inside);
        return order;
    };
    auto layout =
        nest(fmt::format("{} / {}", column, width), fmt::format("{} % {}", column, width));
    auto loops = nest(column + "o", column + "i");
    return fmt::format(R"(stage {0}
  compute_root()
  transform_layout([{1}] -> [{2}], pad)
  {3}o, {3}i = split({3}, {4}, round_up)
  reorder({5})
  parallel({6})
  vectorize({3}i, {7})
)",
                       p.name, fmt::join(all, ", "), fmt::join(layout, ", "), column, width,
                       fmt::join(loops, ", "), loops[0], p.lanes);
}

}  // namespace burin
