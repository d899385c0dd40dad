// modulus.h - what an index is modulo something.
#pragma once
#include "arith/facts.h"

namespace burin {

// value = remainder (mod modulus), 0 <= remainder < modulus; modulus 1: nothing known; modulus 0: the
// constant itself.
struct Modulus {
    int64_t modulus = 1, remainder = 0;
    friend bool operator==(const Modulus&, const Modulus&) = default;
};
Modulus modulus_of(const Expr& e, const Facts& facts = {});
Modulus modulus_of(const Linear& l, const Facts& facts = {});

// e % k, k > 0, where it is known.
std::optional<int64_t> remainder_of(const Expr& e, int64_t k, const Facts& facts = {});

}  // namespace burin
