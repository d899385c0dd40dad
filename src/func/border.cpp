#include "func/border.h"

#include <fmt/format.h>

#include "ir/build.h"

namespace burin {
namespace {

// The coordinate inside the box that stands for x. The last clamp keeps the region that is needed inside the box, and
// gives a coordinate outside where the box is empty.
Expr inside(Border border, const Expr& x, const Expr& lo, const Expr& n) {
    if (border == Border::Clamped) return clamp(x, lo, lo + n - 1);
    // mirrored, of extent 1: x % 0 is 0
    Expr turn = border == Border::Mirrored ? n * 2 - 2 : n * 2;
    Expr i = (x - lo) % (border == Border::Wrapped ? n : turn);
    if (border == Border::Reflected) i = min(i, turn - 1 - i);
    if (border == Border::Mirrored) i = min(i, turn - i);
    return lo + clamp(i, 0, n - 1);
}

}  // namespace

std::vector<Side> box_of(const Declaration& input) {
    std::vector<Side> box;
    for (int d = 0; d < int(input.shape.size()); ++d) {
        auto meta = [&](MetaKind what) { return make(Meta{input.name, what, d}, IndexType); };
        box.push_back({meta(MetaKind::Min),
                       input.shape[d].defined() ? input.shape[d] : meta(MetaKind::Extent)});
    }
    return box;
}

DraftPtr bordered(Border border, const DeclarationPtr& source, const std::vector<Side>& box,
                  const std::vector<int>& dims, const Expr& value, const Where& where) {
    std::vector<bool> acts(box.size(), dims.empty());
    for (int d : dims) {
        if (d < 0 || d >= int(box.size()))
            throw Error(ErrorKind::Shape, "no-such-dimension",
                        fmt::format("{} has {} dimensions: there is no dimension {}",
                                    source->name.hint(), box.size(), d))
                .at(where);
        acts[d] = true;
    }
    std::vector<Expr> args, at, values;
    Expr holds = bool_imm(true);
    for (size_t d = 0; d < box.size(); ++d) {
        Expr x = Var(fmt::format("x{}", d));
        auto& [lo, n] = box[d];
        args.push_back(x);
        at.push_back(acts[d] && border != Border::Padded ? inside(border, x, lo, n) : x);
        if (!acts[d]) continue;
        holds = (is_true(holds) ? lo <= x : holds && lo <= x) && x < lo + n;
    }
    size_t elements =
        source->kind == Declaration::Func ? static_cast<const FuncDraft&>(*source).types.size() : 1;
    for (size_t i = 0; i < elements; ++i) {
        Expr v = read(source, at, int(i), where);
        values.push_back(border == Border::Padded
                             ? select(At(holds, where), At(v, where), At(value, where))
                             : v);
    }
    DraftPtr f = declare_func(fmt::format("{}_{}", source->name.hint(), border_names[int(border)]),
                              true, where);
    define(f, {std::move(args), "=", {}, std::move(values), {}, where});
    return f;
}

}  // namespace burin
