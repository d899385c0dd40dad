// facts.h - what is known at a place in the program, and what follows from it.
//
//   Facts facts;
//   facts.bound(x, lo, hi);                  // inside a loop over x
//   facts.assume(x < n);                     // inside an if
//   prove(x + 1 <= n, facts)                 // true
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "arith/atoms.h"

namespace burin {

// Conditions that hold. Coordinates and sizes are integers that do not overflow; a buffer's extent is never
// negative.
class Facts {
public:
    Facts() : Facts(std::make_shared<Atoms>()) {}
    void bound(Symbol v, const Expr& lo,
               const Expr& hi);                  // lo <= v <= hi; an undefined end is unbounded
    void equal_to(Symbol v, const Expr& value);  // v == value
    void assume(const Expr& condition);          // a bool; vectors of them are kept as they are

    // Inner scopes: auto mark = facts.mark(); ...; facts.rewind(mark);
    struct Mark {
        size_t order, nonnegative, truths, congruences;
    };
    Mark mark() const {
        return {order_.size(), nonnegative_.size(), truths_.size(), congruences_.size()};
    }
    void rewind(const Mark& m);

private:
    friend class Prover;
    friend class ModulusFinder;
    struct Truth {
        Expr condition;
        bool value;
    };
    struct Congruence {  // atom % modulus == remainder
        Expr atom;
        int64_t modulus, remainder;
    };
    struct Searched {  // for a constant below a form
        std::optional<int64_t> best;
        bool all = false;  // there is no better one to be found
        int open_at = 0;   // the depth, while it is being searched
    };
    using SearchedForms = std::unordered_map<std::vector<Form::Term>, Searched, TermsHash>;
    explicit Facts(std::shared_ptr<Atoms> atoms) : atoms_(std::move(atoms)) {}
    void assume(const Expr& condition, bool value);
    void assume_equal(const Expr& a, const Expr& b);
    void add_nonnegative(const std::optional<Form>& l, int splits = 4);
    void know(Symbol v);
    const std::vector<size_t>& about(int atom) const;
    std::optional<Form> minus(const Expr& a, const Expr& b) const;

    std::shared_ptr<Atoms> atoms_;  // shared by copies: used in one thread at a time
    std::vector<Symbol> order_;     // bound variables, innermost last
    std::unordered_map<Symbol, int> rank_;
    std::vector<Form> nonnegative_;           // expanded
    std::vector<std::vector<size_t>> about_;  // of each atom: where it stands in these
    std::vector<Truth> truths_;
    std::vector<Congruence> congruences_;
    mutable SearchedForms searched_;  // since the last change
};

// True only if certain. Understands comparisons of Index, also of ramps and broadcasts, and && || ! likely
// over them; anything else only as a known truth.
bool prove(const Expr& condition, const Facts& facts = {});
bool nonnegative(const Linear& l, const Facts& facts);  // the same for l >= 0

// Constants that an Index expression is never below, or above; the best that a bounded search finds.
std::optional<int64_t> lower_bound(const Expr& e, const Facts& facts = {});
std::optional<int64_t> upper_bound(const Expr& e, const Facts& facts = {});

// The range of a data expression (bool or integer) from its type and its clamps; a side beyond 64 bits is
// missing.
struct ConstantRange {
    std::optional<int64_t> lo, hi;
};
ConstantRange range_of(const Expr& e);

}  // namespace burin
