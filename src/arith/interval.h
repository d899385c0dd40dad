// interval.h - symbolic intervals: the values an index expression takes while some variables run over theirs.
#pragma once
#include <vector>

#include "arith/facts.h"

namespace burin {

struct Interval {
    Expr lo, hi;  // both inclusive, Index; undefined: unbounded
    static Interval point(const Expr& e) { return {e, e}; }
    bool is_bounded() const { return lo.defined() && hi.defined(); }
    bool is_point() const;
    Expr extent() const;  // hi - lo + 1 of a bounded one
};

// Variables that run, in the order of binding, innermost last; an interval may mention those before it.
struct Bound {
    Symbol name;
    Interval range;
};
using Bounds = std::vector<Bound>;

// Contains every value of e: free of the scope's variables, exact for affine e over a box, undefined where
// nothing is known. Like terms are combined first: (x + 3) - x is [3, 3].
Interval interval_of(const Expr& e, const Bounds& scope, const Facts& facts = {});

Interval hull(const Interval& a, const Interval& b, const Facts& facts = {});  // contains both
Interval intersection(const Interval& a, const Interval& b, const Facts& facts = {});

// min and max of Index expressions, decided where the facts allow it.
Expr lesser(const Expr& a, const Expr& b, const Facts& facts = {});
Expr greater(const Expr& a, const Expr& b, const Facts& facts = {});

// The facts that the scope's variables lie in their intervals.
void assume(Facts& facts, const Bounds& scope);

}  // namespace burin
