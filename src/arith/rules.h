// rules.h - rewrite rules as data, and the one matcher that applies them.
//
// A rule is text: x y z stand for any expression of the type at hand, v for one that is no constant, c0 c1 c2
// for constants, p q for bools. It is read once for each element type of its domains. Operands of commutative
// operators match in either order.
#pragma once
#include <span>
#include <vector>

#include "arith/facts.h"

namespace burin {

// The element types for which a rule holds.
enum Domain : uint8_t { OnIndex = 1, OnSigned = 2, OnUnsigned = 4, OnFloat = 8, OnBool = 16 };

// What a floating-point rule changes; one without a label keeps every bit. Others need the mode Relaxed.
enum Label : uint8_t {
    Contract = 1,
    Reassociate = 2,
    Approximate = 4,
    NoNan = 8,
    NoSignedZero = 16
};

struct Rule {
    const char* from;
    const char* to;
    uint8_t domains;
    const char* when = "";  // must be true; of constants, or provable
    uint8_t labels = 0;     // all of them must be allowed
    const char* why = "";
};
std::span<const Rule> rules();

// A rule for one element type.
struct TypedRule {
    const Rule* rule;
    Expr from, to, when;  // when may be undefined
};
const std::vector<TypedRule>& rules_for(Type element);
bool holds_for(const Rule& rule, Type element);

// `to` of the first rule that matches the root of e; undefined if none does. `allowed`: labels.
Expr apply_rules(const Expr& e, const Facts& facts = {}, uint8_t allowed = 0);

}  // namespace burin
