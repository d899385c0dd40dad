#include "base/nearest.h"

#include <algorithm>
#include <utility>

namespace burin {
namespace {

// Rows of the table of distances between prefixes; two rows back are needed for a swap.
size_t edits(std::string_view a, std::string_view b) {
    std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        before = std::exchange(last, now);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
    constexpr size_t longest = 200;  // the table is quadratic
    if (name.size() > longest) return {};
    std::string best;
    size_t fewest = std::max<size_t>(1, name.size() / 3) + 1;
    for (auto& k : known) {
        if (k.size() > longest) continue;
        size_t n = edits(name, k);
        if (n >= fewest || n >= std::max(name.size(), k.size())) continue;
        fewest = n;
        best = k;
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
    std::string n = nearest(name, known);
    return n.empty() ? n : "; did you mean " + n + "?";
}

std::string listed(const std::vector<std::string>& names, size_t limit) {
    std::string out;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i == limit) return out + ", ...";
        out += (i ? ", " : "") + names[i];
    }
    return out;
}

}  // namespace burin
