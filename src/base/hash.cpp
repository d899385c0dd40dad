#include "base/hash.h"

#include <charconv>

#include <fmt/format.h>
#include <xxhash.h>

namespace burin {

Hash128 hash128(std::string_view bytes) {
    XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    return {h.high64, h.low64};
}

std::string to_hex(const Hash128& hash) {
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::optional<Hash128> from_hex(std::string_view digits) {
    Hash128 h;
    if (digits.size() != 32) return {};
    for (auto [half, value] :
         {std::pair(digits.substr(0, 16), &h.high), std::pair(digits.substr(16), &h.low)}) {
        auto [end, error] = std::from_chars(half.begin(), half.end(), *value, 16);
        if (error != std::errc() || end != half.end()) return {};
    }
    return h;
}

}  // namespace burin
