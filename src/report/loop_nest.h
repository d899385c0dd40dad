// loop_nest.h - the loops of a schedule for readers: what runs in what order, where values are kept.
#pragma once
#include <string>
#include <vector>

#include "lower/lower.h"

namespace burin {

// `s`: after the last pass of level Nest. Extents are those of outputs that start at 0. Points at a loop's end that do not
// exist are not mentioned.
//
//   parallel for yo in 0 .. (h + 29) / 32:
//     blur_x: [min(h - 2, 32) + 2, w - 2] on the heap
//     for y in 0 .. min(h - 2, 32) + 2:
//       ...
std::string loop_nest(const State& s);

struct NestLine {
    std::string text;  // indented
    std::string why;   // the directives that made it, or where its definition stands; may be empty
};
std::vector<NestLine> nest_lines(const State& s);  // loop_nest's

}  // namespace burin
