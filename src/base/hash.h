// hash.h - two hashes: 64 bits to compare nodes in memory, 128 bits of text for names of files and
// caches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace burin {

// A hash of the pair (seed, value): order counts, every bit of both reaches every bit of the
// result.
constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
    unsigned __int128 p =
        static_cast<unsigned __int128>(seed ^ 0x9E3779B97F4A7C15u) * (value ^ 0xD6E8FEB86659FD93u);
    uint64_t x = (uint64_t(p) ^ uint64_t(p >> 64)) + seed * 0xBF58476D1CE4E5B9u + value;
    x = (x ^ x >> 32) * 0x94D049BB133111EBu;
    return x ^ x >> 29;
}

struct Hash128 {
    uint64_t high = 0, low = 0;
    friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

// XXH3: fast and well mixed, not meant to withstand an attacker.
Hash128 hash128(std::string_view bytes);
std::string to_hex(const Hash128& hash);                   // 32 digits, lower case
std::optional<Hash128> from_hex(std::string_view digits);  // nothing unless 32 hexadecimal digits

}  // namespace burin
