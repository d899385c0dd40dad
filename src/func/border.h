// border.h - borders of inputs and of Funcs within a box: a stage that has a value everywhere.
#pragma once
#include <optional>
#include <string_view>

#include "func/draft.h"

namespace burin {

//            left |  box  | right
enum class Border : uint8_t {
    Clamped,    // a a | a b c | c c
    Mirrored,   // c b | a b c | b a   the edge is not repeated
    Reflected,  // b a | a b c | c b   the edge is repeated
    Wrapped,    // b c | a b c | a b
    Padded,     // v v | a b c | v v
};
constexpr std::string_view border_names[] = {"clamped", "mirrored", "reflected", "wrapped",
                                             "padded"};  // in that order

// In dimension d the box is lo .. lo + n - 1.
struct Side {
    Expr lo, n;
};
std::vector<Side> box_of(const Declaration& input);

// The stage source_clamped, ...: `box` has a side for each dimension; `dims` are those acted on, none: all. `value`: of
// Padded. Right for every extent from 1 on; at an extent of 0 what is read is outside. E-shape: no such dimension.
DraftPtr bordered(Border border, const DeclarationPtr& source, const std::vector<Side>& box,
                  const std::vector<int>& dims, const Expr& value, const Where& where);

}  // namespace burin
