// scans.h - updates that walk along a coordinate, each point from the ones just behind it.
#pragma once
#include <optional>

#include "arith/interval.h"
#include "func/algorithm.h"

namespace burin {

// A Func whose one update rewrites the points start + step * (var - lo) of coordinate `dim`, lo being where var begins,
// and reads itself at most `reach` steps behind: what is demanded of it needs the domain only up to there.
struct Scan {
    int dim = 0;
    Symbol var;
    Expr start;
    int step = 1;  // or -1
    int64_t reach = 0;
    bool overwrites = false;  // it never reads the value that it replaces
    bool overwrites_along(int d) const { return overwrites && dim == d; }
};
std::optional<Scan> scan_of(const FuncDef& f);

// What a variable of the domain runs over, inclusive, where the Func is computed over `box`: of a scan's what rewrites
// points in it, maybe nothing.
Interval range_in(const std::optional<Scan>& s, const RangeOf& r, const std::vector<Interval>& box);

// The coordinates of `dim` for which a pure definition computes what is ever read: where a scan overwrites the rest, the
// points before it. All of the box where it ends before the box does.
Interval pure_range(const FuncDef& f, const std::optional<Scan>& s, int dim, const Interval& box);

}  // namespace burin
