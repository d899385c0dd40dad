// text.h - the text of an algorithm (.burin): print_algorithm and its inverse, parse_algorithm. Grammar: README.md.
#pragma once
#include <string>
#include <string_view>

#include "func/algorithm.h"

namespace burin {

// The canonical text: parse_algorithm of it gives an equal algorithm. E-resource: more than 64 MiB.
std::string print_algorithm(const Algorithm& a);
std::string print_definition(const Algorithm& a, const FuncDef& f, const Definition& d);  // one line: "c(i, j) += a(i, r) * b(r, j) for r: 0..k"

// Fills in text, hash, and the source text of definitions that have none. The last step of making an Algorithm.
void finish(Algorithm& a);

}  // namespace burin
