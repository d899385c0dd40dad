// nearest.h - what was likely meant by a name that does not exist.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace burin {

// The known name with the fewest edits (insert, drop, change, swap two neighbours) to `name`; empty
// if none is close: at most a third of the letters may differ, and at least one may.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

// "; did you mean blur_x?" or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

// "a, b, c": at most `limit` of them, then ", ...".
std::string listed(const std::vector<std::string>& names, size_t limit = 12);

}  // namespace burin
