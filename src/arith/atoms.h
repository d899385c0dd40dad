// atoms.h - linear forms over numbered atoms: what facts are kept in and proofs calculate with. Many forms share few
// atoms, so each is compared once, when it gets its number.
#pragma once
#include <deque>
#include <memory>

#include "arith/linear.h"
#include "ir/equal.h"

namespace burin {

struct Form {
    struct Term {
        int atom;
        int64_t coefficient;
        friend bool operator==(const Term&, const Term&) = default;
    };
    std::vector<Term> terms;  // by rising atom, no coefficient 0
    int64_t constant = 0;

    bool is_constant() const { return terms.empty(); }
    int64_t of(int atom) const;  // its coefficient, 0 if it does not occur
};
struct TermsHash {
    size_t operator()(const std::vector<Form::Term>& terms) const;
};
// a * by + b * factor and a * factor; nothing on overflow.
std::optional<Form> add(const Form& a, const Form& b, int64_t factor = 1, int64_t by = 1);
std::optional<Form> scale(const Form& a, int64_t factor);

class Atoms {
public:
    int number(const Expr& atom);
    const Expr& at(int atom) const { return known_[size_t(atom)].atom; }
    const Form& expanded(const Expr& e);  // of expanded() in linear.h
    Form form(const Linear& l);
    Linear linear(const Form& l) const;

    // What holds of an atom whatever the facts: forms >= 0.
    const std::vector<Form>& nature(int atom);
    // The variables in it; none in a very deep one.
    const std::vector<Symbol>& variables(int atom);

private:
    struct Known {
        Expr atom;
        std::optional<std::vector<Form>> nature;
        std::optional<std::vector<Symbol>> variables;
    };
    std::vector<Form> nature_of(int atom);

    std::deque<Known> known_;
    std::unordered_map<Expr, int, ExprHash, ExprEqual> numbers_;
    struct Expanded {
        Expr key;  // keeps the address from being used again
        Form form;
    };
    std::unordered_map<const Node*, Expanded> expanded_;
    LinearForms linear_{true};
};

}  // namespace burin
