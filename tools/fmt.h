// fmt.h - the usual form of a text, see fmt.cpp.
#pragma once
#include <string>

#include "ir/lexer.h"

namespace burin {

// `text` has been read without error. Formatting twice is formatting once, and the tokens stay what they are.
std::string formatted(const std::string& text, TextForm form, const std::string& file);

}  // namespace burin
