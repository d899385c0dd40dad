#include <burin/buffer.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "error_of.h"

using namespace burin;

namespace {

Buffer<int> counting(std::initializer_list<int64_t> extents) {
    Buffer<int> b(extents);
    int n = 0;
    for_each_point(b.dims(),
                   [&](std::span<const int64_t> c) { *static_cast<int*>(b.at(c)) = n++; });
    return b;
}

}  // namespace

TEST_CASE("a new buffer is zero, aligned, row-major and dense") {
    Buffer<float> b({3, 4, 5});
    CHECK(b.rank() == 3);
    CHECK(b.size() == 60);
    CHECK(b.size_bytes() == 240);
    CHECK(b.stride(2) == 1);
    CHECK(b.stride(0) == 20);
    CHECK(b.is_dense());
    CHECK(reinterpret_cast<uintptr_t>(b.data()) % 64 == 0);
    for_each_point(b.dims(), [&](auto c) { CHECK(*static_cast<float*>(b.at(c)) == 0); });
}

TEST_CASE("a large buffer lies on huge-page boundaries and is zero") {
    Buffer<uint8_t> b({3000, 4000});
    CHECK(reinterpret_cast<uintptr_t>(b.data()) % (2 << 20) == 0);
    CHECK(b(2999, 3999) == 0);
    b(2999, 3999) = 1;
    CHECK(b(2999, 3999) == 1);
}

TEST_CASE("copies of a buffer share its memory and copy() does not") {
    Buffer<int> a = counting({2, 3}), b = a, c = a.copy();
    b(1, 2) = 99;
    CHECK(a(1, 2) == 99);
    CHECK(c(1, 2) == 5);
}

TEST_CASE("a buffer of rank 0 holds one element") {
    Buffer<double> b({});
    b() = 2.5;
    CHECK(b.size() == 1);
    CHECK(b.copy()() == 2.5);
    CHECK(first_difference(b, Buffer<double>({}))->empty());
}

TEST_CASE("an access outside the box names the dimension, the coordinate and the range") {
    Buffer<float> b = Buffer<float>({3, 4}).translated({0, -1});
    b(2, -1) = 1;
    Error e = error_of([&] { b(1, 3); });
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.message() == "coordinate 3 of dimension 1 is outside [-1, 3) of f32[3, -1:3]");
    CHECK(error_of([&] { b(1, INT64_MIN); }).kind() == ErrorKind::Bounds);
    CHECK(error_of([&] { b(INT64_MAX, 0); }).kind() == ErrorKind::Bounds);
    CHECK(error_of([&] { b(1); }).kind() == ErrorKind::Shape);
}

TEST_CASE("an undefined buffer says so instead of crashing") {
    Buffer<float> b;
    CHECK(!b.defined());
    CHECK(error_of([&] { b(0); }).id() == "undefined-buffer");
    CHECK(error_of([&] { b.copy(); }).kind() == ErrorKind::Value);
}

TEST_CASE("sizes that do not fit 64 bits, negative extents and missing memory are refused") {
    CHECK(error_of([] { Buffer<float>({-1, 4}); }).message() ==
          "dimension 0 of a buffer has the extent -1");
    CHECK(error_of([] { Buffer<float>({INT64_MAX, INT64_MAX, 8}); }).kind() == ErrorKind::Resource);
    CHECK(error_of([] { Buffer<double>({INT64_MAX / 8 + 1}); }).kind() == ErrorKind::Resource);
    Error e = error_of([] { Buffer<uint8_t>({int64_t(1) << 60}); });
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK(e.message() == "no memory for a buffer of 1152921504606846976 bytes");
    char byte = 0;
    CHECK(error_of([&] { AnyBuffer(u8, &byte, {{0, 3, INT64_MAX}}); }).kind() ==
          ErrorKind::Resource);
    CHECK(error_of([&] { AnyBuffer(u8, &byte, {{0, 3, INT64_MIN}}); }).kind() ==
          ErrorKind::Resource);
    CHECK(error_of([&] { AnyBuffer(u8, &byte, {{INT64_MAX, 2, 1}}); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { AnyBuffer(u8, nullptr, {{0, 2, 1}}); }).kind() == ErrorKind::Value);
    CHECK(error_of([&] { AnyBuffer(IndexType, {3}); }).kind() == ErrorKind::Type);
    CHECK(AnyBuffer(u8, nullptr, {{0, 0, 1}}).size() == 0);
}

TEST_CASE("strides and addresses beyond 2^31 elements are exact") {
    char base = 0;
    auto big = Buffer<uint8_t>::view(reinterpret_cast<uint8_t*>(&base), {3, 81920, 40960});
    CHECK(big.stride(0) == 3355443200);
    auto planar_last = big.transpose({2, 1, 0});
    const int64_t c[] = {0, 0, 1};
    CHECK(static_cast<char*>(planar_last.at(c)) - &base == 3355443200);
}

TEST_CASE("slices, crops, transposes, reversals and translations show the same elements") {
    Buffer<int> b = counting({2, 3, 2});
    CHECK(b.crop(1, 1, 2)(1, 2, 0) == b(1, 2, 0));
    CHECK(b.crop(1, 1, 2).min(1) == 1);
    CHECK(b.slice(1, 2)(1, 1) == b(1, 2, 1));
    CHECK(b.transpose({2, 0, 1})(1, 0, 2) == b(0, 2, 1));
    CHECK(b.reversed(0)(0, 2, 1) == b(1, 2, 1));
    CHECK(b.reversed(0).stride(0) == -6);
    CHECK(same(b.reversed(1).reversed(1), b));
    CHECK(b.translated({10, -1, 0})(11, 1, 1) == b(1, 2, 1));
    CHECK(b.crop(1, 1, 0).size() == 0);
    CHECK(!b.transpose({2, 1, 0}).is_dense());
    CHECK(b.crop(0, 1, 1).is_dense());
    CHECK(error_of([&] { b.crop(1, 1, 3); }).kind() == ErrorKind::Bounds);
    CHECK(error_of([&] { b.crop(1, 1, -1); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { b.crop(3, 0, 1); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { b.slice(0, 2); }).kind() == ErrorKind::Bounds);
    CHECK(error_of([&] { b.transpose({0, 0, 1}); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { b.transpose({0, 1, 3}); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { b.translated({INT64_MAX, INT64_MAX, INT64_MAX}); }).kind() ==
          ErrorKind::Shape);
}

TEST_CASE("a copy through every combination of stride signs holds the same values") {
    Buffer<int> b = counting({2, 3, 2});
    for (int signs = 0; signs < 8; ++signs) {
        Buffer<int> v = b;
        for (int d = 0; d < 3; ++d)
            if (signs >> d & 1) v = v.reversed(d);
        Buffer<int> c = v.copy();
        CHECK(c.is_dense());
        CHECK(same(c, v));
        for (int d = 0; d < 3; ++d)
            if (signs >> d & 1) c = c.reversed(d);
        CHECK(same(c, b));
    }
}

TEST_CASE("a zero stride repeats its element") {
    float row[] = {1, 2, 3};
    auto b = Buffer<float>::view(row, {{0, 4, 0}, {0, 3, 1}});
    CHECK(b(3, 2) == 3);
    CHECK(b.copy()(2, 1) == 2);
    b.fill(7);
    CHECK(row[2] == 7);
}

TEST_CASE("a view keeps its owner alive and lets go of it with the last handle") {
    auto owner = std::make_shared<std::vector<int>>(6, 5);
    auto part = Buffer<int>::view(owner->data(), {2, 3}, owner).slice(0, 1);
    std::weak_ptr<std::vector<int>> watch = owner;
    owner.reset();
    CHECK(part(2) == 5);
    part = {};
    CHECK(watch.expired());
}

TEST_CASE("a buffer converts to one of another element type only if that is its type") {
    AnyBuffer b(f32, {3});
    Buffer<float> f = b;
    CHECK(f.data() == reinterpret_cast<float*>(b.data()));
    Error e = error_of([&] { Buffer<int32_t> i = b; });
    CHECK(e.kind() == ErrorKind::Type);
    CHECK(e.message() == "a buffer of f32 is used as one of i32");
}

TEST_CASE("every element type is stored in its own width and filled") {
    auto check = [](auto value, int bytes) {
        Buffer<decltype(value)> b({3, 2});
        b.transpose({1, 0}).crop(0, 1, 1).fill(value);
        CHECK(b.type().bytes() == bytes);
        CHECK(b(2, 1) == value);
        CHECK(b(2, 0) == decltype(value){});
    };
    check(true, 1), check(int8_t(-3), 1), check(uint16_t(9), 2), check(-7, 4),
        check(uint64_t(1) << 63, 8);
    check(float16_t{0x3c00}, 2), check(bfloat16_t{0x3f80}, 2), check(1.5f, 4), check(-2.5, 8);
}

TEST_CASE("buffers are the same by bits, with all NaNs alike and zeros told apart") {
    Buffer<float> a({2, 2}), b({2, 2});
    a(0, 1) = NAN, b(0, 1) = -std::nanf("7");
    CHECK(same(a, b));
    a(1, 1) = -0.0f;
    CHECK(first_difference(a, b) == std::vector<int64_t>{1, 1});
    CHECK(!same(a, Buffer<int>({2, 2})));
    CHECK(!same(a, a.translated({1, 0})));
    CHECK(error_of([&] { first_difference(a, Buffer<float>({2, 3})); }).kind() == ErrorKind::Shape);

    Buffer<float16_t> h({2}), g({2});
    h(1).bits = 0x7c01, g(1).bits = 0xfe00;  // NaNs
    CHECK(same(h, g));
    g(1).bits = 0x7c00;  // infinity
    CHECK(!same(h, g));

    uint8_t two = 2, one = 1, zero = 0;
    AnyBuffer t(Bool, &two, {}), u(Bool, &one, {}), v(Bool, &zero, {});
    CHECK(same(t, u));
    CHECK(!same(t, v));
    CHECK(same(AnyBuffer(f32, {0, 3}), AnyBuffer(f32, {0, 3})));
}

TEST_CASE("the first difference is the first in row-major order, in true coordinates") {
    Buffer<int> a = counting({4, 5}).translated({-2, 3}), b = a.copy();
    b(1, 3) = -1, b(0, 6) = -1;
    CHECK(first_difference(a, b) == std::vector<int64_t>{0, 6});
    CHECK(first_difference(a.transpose({1, 0}), b.transpose({1, 0})) == std::vector<int64_t>{3, 1});
}

TEST_CASE("overlap is told from interleaving") {
    Buffer<uint8_t> rgb({8, 10, 3});
    CHECK(!overlaps(rgb.slice(2, 0), rgb.slice(2, 1)));
    CHECK(overlaps(rgb.slice(2, 1), rgb.slice(2, 1)));
    CHECK(overlaps(rgb.slice(2, 1), rgb));
    CHECK(!overlaps(rgb.crop(1, 0, 5), rgb.crop(1, 5, 5)));
    CHECK(overlaps(rgb.crop(1, 0, 6), rgb.crop(1, 5, 5).reversed(0)));
    CHECK(!overlaps(rgb.slice(2, 0), rgb.slice(2, 2).reversed(0).reversed(1)));
    CHECK(!overlaps(rgb, Buffer<uint8_t>({8, 10, 3})));
    CHECK(!overlaps(rgb.crop(0, 2, 0), rgb));

    float line[9];
    auto in = Buffer<float>::view(line, {8}), out = Buffer<float>::view(line + 1, {8});
    CHECK(overlaps(in, out));
    CHECK(!overlaps(in.crop(0, 0, 1), out));
}

TEST_CASE("overlap agrees with counting bytes on small random boxes") {
    std::mt19937 random(1);
    auto draw = [&](int low, int high) { return int(random() % unsigned(high - low + 1)) + low; };
    alignas(8) static char memory[4096];
    auto box = [&] {
        std::vector<Dim> dims;
        for (int d = draw(0, 3); d > 0; --d) dims.push_back({0, draw(0, 4), draw(-12, 12)});
        Type type = draw(0, 1) ? u8 : u16;
        return AnyBuffer(type, memory + 2048 + 2 * draw(-20, 20), std::move(dims));
    };
    auto bytes = [](const AnyBuffer& b) {
        std::set<char*> all;
        for_each_point(b.dims(), [&](auto c) {
            for (int i = 0; i < b.type().bytes(); ++i) all.insert(static_cast<char*>(b.at(c)) + i);
        });
        return all;
    };
    int shared = 0;
    for (int i = 0; i < 3000; ++i) {
        AnyBuffer a = box(), b = box();
        std::set<char*> x = bytes(a), y = bytes(b);
        bool expected = false;
        for (char* p : x) expected |= y.contains(p);
        shared += expected;
        REQUIRE(overlaps(a, b) == expected);
    }
    CHECK(shared > 200);
    CHECK(shared < 2800);
}

TEST_CASE("handles of one buffer may be copied and dropped in many threads") {
    Buffer<int> b = counting({16});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([b] {
            for (int i = 0; i < 1000; ++i) Buffer<int> mine = b.crop(0, 3, 4);
        });
    b = {};
    for (auto& t : threads) t.join();
}
