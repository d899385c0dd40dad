#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "base/deep.h"
#include "base/hash.h"
#include "error_of.h"

using namespace burin;

namespace {

// Every level holds 4 kB that the compiler cannot drop.
uint32_t descend(uint32_t levels) {
    volatile char frame[4096];
    frame[levels % 4096] = 1;
    return levels == 0 ? 0 : descend(levels - 1) + frame[levels % 4096];
}

}  // namespace

TEST_CASE("a recursion as deep as allowed runs on a large stack and gives its result") {
    CHECK(run_deep(deepest_depth, [] { return descend(deepest_depth); }) == deepest_depth);
}

TEST_CASE(
    "a shallow call stays on the caller's thread, a deep one leaves it, a nested one stays there") {
    auto here = std::this_thread::get_id();
    CHECK(run_deep(400, [] { return std::this_thread::get_id(); }) == here);
    run_deep(401, [&] {
        auto there = std::this_thread::get_id();
        CHECK(there != here);
        CHECK(run_deep(deepest_depth, [] { return std::this_thread::get_id(); }) == there);
    });
}

TEST_CASE("exceptions and values that only move come back from the large stack") {
    Error e =
        error_of([] { run_deep(1000, [] { throw Error(ErrorKind::Value, "x", "from below"); }); });
    CHECK(e.message() == "from below");
    CHECK(*run_deep(1000, [] { return std::make_unique<int>(7); }) == 7);
}

TEST_CASE("a depth that no stack holds is refused") {
    Error e = error_of([] { run_deep(4000000000u, [] {}); });
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK(e.message() == "an expression or statement is nested 4000000000 deep; the limit is " +
                             std::to_string(deepest_depth));
}

TEST_CASE("hashes of 128 bits survive their 32 digits and nothing else is read as one") {
    Hash128 h = hash128("blur");
    CHECK(h != hash128("blue"));
    CHECK(to_hex(h).size() == 32);
    CHECK(from_hex(to_hex(h)) == h);
    CHECK(to_hex({1, 0xab}) == "000000000000000100000000000000ab");
    for (auto text : {"", "1", "00000000000000010000000000000zab",
                      "+0000000000000010000000000000000", "0x000000000000010000000000000000"})
        CHECK(!from_hex(text));
}

TEST_CASE("hash_combine depends on both values and their order") {
    CHECK(hash_combine(1, 2) != hash_combine(2, 1));
    CHECK(hash_combine(0, 1) != hash_combine(0, 2));
    CHECK(hash_combine(0x9E3779B97F4A7C15u, 1) != hash_combine(0x9E3779B97F4A7C15u, 2));
    CHECK(hash_combine(1, 0xD6E8FEB86659FD93u) != hash_combine(2, 0xD6E8FEB86659FD93u));
}
