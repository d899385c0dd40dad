// variants.h - a schedule with specialize, as the schedules without it that it stands for.
#pragma once
#include "ir/walk.h"
#include "legal/plan.h"

namespace burin {

// The lines of each stage up to a specialize are those of all calls; the lines in its braces come next where its
// condition holds, the lines after it where it does not.
struct Variant {
    Directives lines;
    std::vector<Expr> holds;         // conditions on what is known at entry; empty: none
    std::vector<Expr> fails;         // those before them that do not hold
    std::vector<std::string> texts;  // holds, as written
    std::optional<Note> refusal;     // specialize_fail: such a call is E-value
    std::string text() const;        // "k == 3 && w >= 64"; empty: no condition holds
};

// In the order in which they are tried: the first whose conditions hold is the one, and the last has none. Combinations
// that contradict themselves are left out. E-schedule for what is no condition, E-resource for too many.
std::vector<Variant> variants_of(const Pipeline& derived, const Directives& d);
bool has_variants(const Directives& d);

// The parts of a condition that all hold: split at &&.
std::vector<Expr> parts_of(const std::vector<Expr>& conditions);
// The sizes and parameters that conditions fix, and definitions with these numbers in their place.
Substitution constants_of(const std::vector<Expr>& holds);
Pipeline with_constants(const Pipeline& p, const std::vector<Expr>& holds);

// f(), whose Error says in which variant it is.
template <class F>
void in_variant(const std::string& when, F f) {
    try {
        f();
    } catch (Error& e) {
        if (!when.empty()) e.note("where " + when);
        throw;
    }
}

}  // namespace burin
