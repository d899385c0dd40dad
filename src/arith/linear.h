// linear.h - the canonical linear form of an Index expression: constant + sum of coefficient * atom.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/nodes.h"

namespace burin {

struct Term {
    Expr atom;  // Index, scalar, and no sum or multiple itself
    int64_t coefficient = 0;
};

// No coefficient is 0, no two atoms are equal; terms stand in the order in which they first occur.
struct Linear {
    std::vector<Term> terms;
    int64_t constant = 0;

    bool is_constant() const { return terms.empty(); }
    int64_t of(const Expr& atom) const;  // its coefficient, 0 if it does not occur
};

// Always an answer: what cannot be taken apart (also where a coefficient would leave 64 bits, or there would
// be more than max_terms of them) is one atom. A scalar that is not an Index is one atom.
constexpr size_t max_terms = 32;
Linear linear(const Expr& e);

// The same with products of sums multiplied out, for comparing: (x + 1) * y is x * y + y. The factors of a
// product that is an atom stand in one fixed order.
Linear expanded(const Expr& e);
std::optional<Linear> product(const Linear& a, const Linear& b);

// The same for many expressions that share parts.
class LinearForms {
public:
    explicit LinearForms(bool expand = false) : expand_(expand) {}
    const Linear& of(const Expr& e);

private:
    Linear taken_apart(const Expr& e);
    struct Known {
        Expr key;  // keeps the address from being used again
        Linear form;
    };
    bool expand_;
    std::unordered_map<const Node*, Known> known_;
};

// A readable expression of that value: positive terms first, then negative ones, the constant last.
Expr to_expr(const Linear& l);
inline Expr to_expr(const std::optional<Linear>& l) { return l ? to_expr(*l) : Expr(); }

// a + factor * b and the like; nothing on overflow.
std::optional<Linear> add(const Linear& a, const Linear& b, int64_t factor = 1);
std::optional<Linear> scale(const Linear& a, int64_t factor);
std::optional<Linear> difference(const Expr& a, const Expr& b);  // a - b

// The coefficient of v if e is linear in it: nothing if v also occurs inside an atom.
std::optional<int64_t> coefficient(const Expr& e, Symbol v);

}  // namespace burin
