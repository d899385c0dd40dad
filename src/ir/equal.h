// equal.h - structural equality and the 64-bit hash behind it. Origins and owners do not count; floats compare by bits.
#pragma once
#include "ir/nodes.h"

namespace burin {

bool equal(const Expr& a, const Expr& b);  // two undefined handles are equal
bool equal(const Stmt& a, const Stmt& b);
bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b);
// Equal under some one-to-one renaming of Symbols.
bool equal_up_to_names(const Expr& a, const Expr& b);
bool equal_up_to_names(const Stmt& a, const Stmt& b);
uint64_t hash_of(const Expr& e);  // equal nodes have equal hashes; kept in the node
uint64_t hash_of(const Stmt& s);

// For containers keyed by structure: std::unordered_map<Expr, T, ExprHash, ExprEqual>.
struct ExprHash {
    size_t operator()(const Expr& e) const { return hash_of(e); }
};
struct ExprEqual {
    bool operator()(const Expr& a, const Expr& b) const { return equal(a, b); }
};

}  // namespace burin
