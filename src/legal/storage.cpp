#include "legal/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"

namespace burin {

std::vector<Interval> stored_box(const FuncDef& f, const LoopNests& nests, int func) {
    auto& region = nests.regions[func];
    std::vector<Interval> box;
    for (size_t d = 0; d < f.vars.size(); ++d) {
        box.push_back({var(region.store_lo[d]), var(region.store_hi[d])});
        for (auto& nest : nests.nests[func]) {
            auto at = nest.coordinates.find(f.vars[d]);
            if (nest.surplus.empty() || at == nest.coordinates.end()) continue;
            Interval all = interval_of(at->second, inner_ranges(nest, -1));
            if (all.hi.defined()) box[d].hi = max(box[d].hi, all.hi);
        }
    }
    return box;
}

Expr rounded_up(const Expr& extent) {
    constexpr int64_t most = 1 << 16;  // beyond it is a type's bound rather than a tile's
    auto bound = upper_bound(extent);
    return bound && *bound <= most ? index_imm(*bound) : extent;
}

std::vector<Expr> storage_extents(const Plan& plan, const LoopNests& nests, Regions& regions,
                                  const Windows& windows, int func) {
    const Algorithm& a = plan.pipeline.algorithm();
    Spot spot = spot_of(plan, plan.funcs[func].store);
    // The regions that are named there: this one, and those of consumers.
    Substitution values;
    for (int f = int(a.funcs.size()); f-- > func;) {
        if (is_inlined(plan, f)) continue;
        auto box = regions.box(f, f == func ? spot : spot_of(plan, plan.funcs[f].compute));
        auto& region = nests.regions[f];
        for (size_t d = 0; d < box.size(); ++d) {
            Expr lo = simplify(substitute(box[d].lo, values)),
                 hi = simplify(substitute(box[d].hi, values));
            values[f == func ? region.store_lo[d] : region.lo[d]] = lo;
            values[f == func ? region.store_hi[d] : region.hi[d]] = hi;
        }
    }
    std::vector<Expr> extents;
    for (auto& [lo, hi] : stored_box(a.funcs[func], nests, func))
        extents.push_back(simplify(max(substitute(hi - lo + 1, values), index_imm(0))));
    extents = rounded_up(std::move(extents));
    for (size_t d = 0; d < extents.size(); ++d)
        if (int64_t n = windows[func][d].fold) extents[d] = index_imm(n);
    return extents;
}

std::vector<Expr> rounded_up(std::vector<Expr> extents) {
    constexpr int64_t most = 1 << 24;  // elements: beyond them memory counts for more than strides
    int64_t elements = 1;
    auto still_small = [&](int64_t n) {
        n = std::max(n, int64_t(1));
        bool fits = n <= most / elements;
        elements = fits ? elements * n : elements;
        return fits;
    };
    for (auto& e : extents)
        if (auto n = const_int(e); n && !still_small(*n)) return extents;
    for (auto& e : std::views::reverse(extents))
        if (auto n = const_int(rounded_up(e)); n && !const_int(e) && still_small(*n))
            e = index_imm(*n);
    return extents;
}

std::vector<Expr> laid_out_extents(const Layout& layout, const std::vector<Expr>& extents) {
    Bounds ranges;
    Substitution fresh;  // the layout's own names may be those of Sizes
    for (size_t d = 0; d < extents.size(); ++d) {
        ranges.push_back(
            {Symbol::fresh(layout.from[d].hint()), {index_imm(0), simplify(extents[d] - 1)}});
        fresh[layout.from[d]] = var(ranges.back().name);
    }
    std::vector<Expr> out;
    for (auto& to : layout.to)
        out.push_back(
            simplify(max(interval_of(substitute(to, fresh), ranges).hi + 1, index_imm(0))));
    return rounded_up(std::move(out));
}

std::optional<int64_t> constant_bytes(const std::vector<Expr>& extents, Type type) {
    int64_t bytes = type.bytes();
    for (auto& n : extents) {
        auto c = const_int(n);
        if (!c || __builtin_mul_overflow(bytes, *c, &bytes)) return {};
    }
    return bytes;
}

namespace {

void check_memory(const Plan& plan, const FuncDef& f, const FuncPlan& p,
                  const std::vector<Expr>& extents) {
    std::string where = p.memory == Memory::Stack ? "on the stack" : "in registers";
    auto refuse = [&](const char* id, const std::string& why) {
        return refusal(id, fmt::format("{} cannot be kept {}: {}", f.name.hint(), where, why))
            .at(where_of(plan, p.stages[0], p.memory_directive))
            .help("store_in(Heap), or split the consumer's loops by constants and store it inside");
    };
    for (size_t d = 0; d < extents.size(); ++d)
        if (!const_int(extents[d]))
            throw refuse("storage-not-constant",
                         fmt::format("the extent {} {}is not a constant there",
                                     to_string(extents[d], IndexType),
                                     p.layout ? "" : fmt::format("of {} ", f.vars[d].hint())));
    for (Type t : f.types)
        if (auto bytes = constant_bytes(extents, t); !bytes || *bytes > largest_stack)
            throw refuse(
                "storage-too-large",
                fmt::format("it would take {} bytes; the limit is {}",
                            bytes ? std::to_string(*bytes) : "more than 2^63", largest_stack));
}

// Without pad every storage coordinate x / c divides what there is of x.
void check_blocks(const Plan& plan, const FuncDef& f, const FuncPlan& p,
                  const std::vector<Expr>& extents) {
    for (auto& to : p.layout->to) {
        auto* block = to.as<Div>();
        if (auto* m = to.as<Mod>(); m && !block) block = m->a.as<Div>();
        if (!block) continue;
        size_t d = size_t(std::ranges::find(p.layout->from, block->a.as<Var>()->name) -
                          p.layout->from.begin());
        Expr size = literal_as(block->b, IndexType);
        if (is_int(simplify(extents[d] % size), 0)) continue;
        throw refusal("layout-not-whole",
                      fmt::format("the layout of {} has room for whole blocks of {} only: unproved "
                                  "that the extent {} "
                                  "of {} is a multiple of it",
                                  f.name.hint(), to_string(size, IndexType),
                                  to_string(extents[d], IndexType), f.vars[d].hint()))
            .at(where_of(plan, p.stages[0], p.layout->directive))
            .help("transform_layout(..., pad) rounds the storage up");
    }
}

}  // namespace

void check_storage(const Plan& plan) {
    auto asks = [](const FuncPlan& f) {
        return is_automatic(f.memory) || (f.layout && !f.layout->pad) || !f.folds.empty();
    };
    if (std::ranges::none_of(plan.funcs, asks)) return;
    Plan p = plan;
    p.pipeline = inlined(plan);
    LoopNests nests = make_nests(p);
    Regions regions(p, nests);
    Windows windows = find_windows(p, nests, regions);
    check_folds(p, windows);
    for (int i = 0; i < int(p.funcs.size()); ++i) {
        const FuncPlan& f = p.funcs[i];
        if (!asks(f) || is_inlined(p, i)) continue;
        const FuncDef& def = p.pipeline.algorithm().funcs[i];
        std::vector<Expr> extents = storage_extents(p, nests, regions, windows, i);
        if (f.layout && !f.layout->pad) check_blocks(p, def, f, extents);
        if (f.layout) extents = laid_out_extents(*f.layout, extents);
        if (is_automatic(f.memory)) check_memory(p, def, f, extents);
    }
}

}  // namespace burin
