#include <burin/func.h>

#include <fmt/format.h>

#include "func/border.h"
#include "ir/build.h"

namespace burin {

class Bordered {  // what may look into Func and InputBase
public:
    static Func of(Border border, const InputBase& in, IntList dims, const Expr& value,
                   const Where& where) {
        return Func(bordered(border, in.d_, box_of(*in.d_), dims, value, where));
    }
    static Func of(Border border, const Func& f, ExtentList box, IntList dims, const Expr& value,
                   const Where& where) {
        if (f.rank() != int(box.size()))
            throw Error(ErrorKind::Shape, "coordinate-count",
                        f.rank() < 0 ? fmt::format("{} has no definition yet", f.name())
                                     : fmt::format("{} has {} coordinates, but its box has {}",
                                                   f.name(), f.rank(), box.size()))
                .at(where);
        std::vector<Side> sides;
        for (auto& e : box) {
            auto bound = [&](const Expr& b) {
                return known_at_entry(b, where, "a bound of the box of " + f.name());
            };
            Expr lo = bound(e.range.lo), hi = bound(e.range.hi);
            sides.push_back({lo, is_int(lo, 0) ? hi : hi - lo});
        }
        return Func(bordered(border, f.f_, sides, dims, value, where));
    }
};

Func clamped(const InputBase& in, IntList dims, Loc where) {
    return Bordered::of(Border::Clamped, in, dims, {}, where);
}
Func mirrored(const InputBase& in, IntList dims, Loc where) {
    return Bordered::of(Border::Mirrored, in, dims, {}, where);
}
Func reflected(const InputBase& in, IntList dims, Loc where) {
    return Bordered::of(Border::Reflected, in, dims, {}, where);
}
Func wrapped(const InputBase& in, IntList dims, Loc where) {
    return Bordered::of(Border::Wrapped, in, dims, {}, where);
}
Func padded(const InputBase& in, At value, IntList dims) {
    return Bordered::of(Border::Padded, in, dims, value.e, value.where);
}

Func clamped(const Func& f, ExtentList box, IntList dims, Loc where) {
    return Bordered::of(Border::Clamped, f, box, dims, {}, where);
}
Func mirrored(const Func& f, ExtentList box, IntList dims, Loc where) {
    return Bordered::of(Border::Mirrored, f, box, dims, {}, where);
}
Func reflected(const Func& f, ExtentList box, IntList dims, Loc where) {
    return Bordered::of(Border::Reflected, f, box, dims, {}, where);
}
Func wrapped(const Func& f, ExtentList box, IntList dims, Loc where) {
    return Bordered::of(Border::Wrapped, f, box, dims, {}, where);
}
Func padded(const Func& f, ExtentList box, At value, IntList dims) {
    return Bordered::of(Border::Padded, f, box, dims, value.e, value.where);
}

}  // namespace burin
