// text.h - the text of an algorithm (.burin). It is read back by parse_pipeline (burin/pipeline.h); grammar: README.md.
#pragma once
#include <string>
#include <string_view>

#include "func/algorithm.h"

namespace burin {

// The canonical text: reading it gives an equal algorithm. E-resource: more than 64 MiB.
std::string print_algorithm(const Algorithm& a);

// Fills in text, hash, and the source text of definitions that have none. The last step of making an Algorithm.
void finish(Algorithm& a);

}  // namespace burin
