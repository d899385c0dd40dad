// Borders: a Func that reads an input, or a Func within a box, at a coordinate inside for every coordinate.
#include <fmt/format.h>

#include <algorithm>

#include "burin/func.h"
#include "func/draft.h"
#include "ir/build.h"

namespace burin {

// What is read, and its box: in dimension d the coordinates lo(d) .. lo(d) + n(d) - 1.
class Boundary {
public:
    Boundary(const InputBase& in, IntList dims, const Where& where) : source_(in.d_), where_(where) {
        for (int d = 0; d < in.rank(); ++d) {
            const Expr& n = in.d_->shape[d];
            box_.push_back({origin(in, d), n.defined() ? n : extent(in, d)});
        }
        act_on(dims);
    }
    Boundary(const Func& f, ExtentList box, IntList dims, const Where& where) : source_(f.f_), where_(where) {
        if (f.rank() < 0)
            throw Error(ErrorKind::Type, "read-before-definition", fmt::format("{} has no definition yet", f.name())).at(where);
        if (int(box.size()) != f.rank())
            throw Error(ErrorKind::Shape, "coordinate-count", fmt::format("{} has {} coordinates, but its box has {}", f.name(), f.rank(), box.size())).at(where);
        for (auto& e : box) {
            Expr lo = known_at_entry(e.range.lo, where, "a bound of the box of " + f.name()), hi = known_at_entry(e.range.hi, where, "a bound of the box of " + f.name());
            box_.push_back({lo, is_int(lo, 0) ? hi : hi - lo});
        }
        act_on(dims);
    }

    // name(x0, x1, ...) = source(at(x0), ...); at takes (coordinate - lo, n) to the place inside.
    template <class F>
    Func make(const char* name, F at) const {
        std::vector<Expr> args = coordinates(), inside;
        for (size_t d = 0; d < args.size(); ++d) {
            auto& [lo, n] = box_[d];
            inside.push_back(acts_[d] ? at(args[d], lo, n) : args[d]);
        }
        return defined(name, args, values(inside));
    }
    Func padded(const Expr& value) const {
        std::vector<Expr> args = coordinates(), out;
        Expr inside;
        for (size_t d = 0; d < args.size(); ++d) {
            if (!acts_[d]) continue;
            Expr here = box_[d].lo <= args[d] && args[d] < box_[d].lo + box_[d].n;
            inside = inside.defined() ? inside && here : here;
        }
        for (auto& v : values(args)) out.push_back(inside.defined() ? select(At(inside, where_), At(v, where_), At(value, where_)) : v);
        return defined("padded", args, out);
    }

private:
    struct Side {
        Expr lo, n;
    };
    void act_on(IntList dims) {
        acts_.assign(box_.size(), dims.size() == 0);
        for (int d : dims) {
            if (d < 0 || d >= int(acts_.size()))
                throw Error(ErrorKind::Shape, "no-such-dimension", fmt::format("{} has {} dimensions: there is no dimension {}", source_->name.hint(), acts_.size(), d)).at(where_);
            acts_[d] = true;
        }
    }
    std::vector<Expr> coordinates() const {
        std::vector<Expr> out;
        for (size_t d = 0; d < box_.size(); ++d) out.push_back(Var(fmt::format("x{}", d)));
        return out;
    }
    std::vector<Expr> values(const std::vector<Expr>& at) const {
        std::vector<Expr> out;
        int n = source_->kind == Declaration::Func ? int(static_cast<const FuncDraft&>(*source_).types.size()) : 1;
        for (int i = 0; i < n; ++i) out.push_back(read(source_, at, i, where_));
        return out;
    }
    Func defined(const char* name, std::vector<Expr> args, std::vector<Expr> values) const {
        DraftPtr f = declare_func(fmt::format("{}_{}", source_->name.hint(), name), true, where_);
        define(f, {std::move(args), "=", {}, std::move(values), {}, where_});
        return Func(f);
    }

    DeclarationPtr source_;
    Where where_;
    std::vector<Side> box_;
    std::vector<bool> acts_;
};

namespace {

// The outermost clamp keeps the region that is needed inside the box, and leaves an empty one with a coordinate outside.
Expr inside(const Expr& i, const Expr& lo, const Expr& n) { return lo + clamp(i, 0, n - 1); }
Expr at_clamped(const Expr& x, const Expr& lo, const Expr& n) { return clamp(x, lo, lo + n - 1); }
Expr at_wrapped(const Expr& x, const Expr& lo, const Expr& n) { return inside((x - lo) % n, lo, n); }
Expr at_reflected(const Expr& x, const Expr& lo, const Expr& n) {
    Expr t = (x - lo) % (n * 2);
    return inside(min(t, n * 2 - 1 - t), lo, n);
}
Expr at_mirrored(const Expr& x, const Expr& lo, const Expr& n) {
    Expr t = (x - lo) % (n * 2 - 2);  // of extent 1: x % 0, which is 0
    return inside(min(t, n * 2 - 2 - t), lo, n);
}

}  // namespace

Func clamped(const InputBase& in, IntList dims, Loc where) { return Boundary(in, dims, where).make("clamped", at_clamped); }
Func mirrored(const InputBase& in, IntList dims, Loc where) { return Boundary(in, dims, where).make("mirrored", at_mirrored); }
Func reflected(const InputBase& in, IntList dims, Loc where) { return Boundary(in, dims, where).make("reflected", at_reflected); }
Func wrapped(const InputBase& in, IntList dims, Loc where) { return Boundary(in, dims, where).make("wrapped", at_wrapped); }
Func padded(const InputBase& in, At value, IntList dims) { return Boundary(in, dims, value.where).padded(value.e); }

Func clamped(const Func& f, ExtentList box, IntList dims, Loc where) { return Boundary(f, box, dims, where).make("clamped", at_clamped); }
Func mirrored(const Func& f, ExtentList box, IntList dims, Loc where) { return Boundary(f, box, dims, where).make("mirrored", at_mirrored); }
Func reflected(const Func& f, ExtentList box, IntList dims, Loc where) { return Boundary(f, box, dims, where).make("reflected", at_reflected); }
Func wrapped(const Func& f, ExtentList box, IntList dims, Loc where) { return Boundary(f, box, dims, where).make("wrapped", at_wrapped); }
Func padded(const Func& f, ExtentList box, At value, IntList dims) { return Boundary(f, box, dims, value.where).padded(value.e); }

}  // namespace burin
