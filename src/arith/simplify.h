// simplify.h - expressions and statements made smaller without changing a bit of what they compute.
//
// Index arithmetic may assume that nothing overflows; data integers wrap; floats keep every bit (any NaN is
// as good as another). What is known goes along: loop bounds, lets, the conditions of if and select.
#pragma once
#include "arith/facts.h"

namespace burin {

// What a call of simplify did; the counts, not seconds, are what tests bound.
struct SimplifyWork {
    int64_t nodes = 0;     // looked at
    int64_t rewrites = 0;  // changed
    bool gave_up = false;  // a node changed more often than rewrite_limit and was left as it was
};
constexpr int rewrite_limit = 32;

struct SimplifyOptions {
    uint8_t allowed = 0;           // labels of floating-point rules that may be used (rules.h)
    SimplifyWork* work = nullptr;  // filled in
};

Expr simplify(const Expr& e, const Facts& facts = {}, const SimplifyOptions& options = {});
Stmt simplify(const Stmt& s, const Facts& facts = {}, const SimplifyOptions& options = {});

// likely(c), under_mask(c) -> c everywhere; simplify keeps them.
Expr strip_hints(const Expr& e);
Stmt strip_hints(const Stmt& s);

}  // namespace burin
