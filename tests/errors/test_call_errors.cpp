// test_call_errors.cpp - what a call refuses before anything is written: the id, the kind and the words.
#include <burin/evaluate.h>

#include "error_of.h"
#include "func/bind.h"

using namespace burin;

namespace {

Error refusal(const std::string& text, std::vector<Arg> args) {
    Binder binder(parse_pipeline(text).shared());
    return error_of([&] { binder(args); });
}

const char* blur =
    "pipeline blur(in: f32[h, w]) -> o[h - 2, w]\no(y, x) = in(y, x) + in(y + 2, x)\n";
const char* product = R"(pipeline product(a: f32[m, k], b: f32[k, n], s: f32) -> c[m, n]
    c(i, j) += a(i, r) * b(r, j) for r: 0..k
    )";

}  // namespace

TEST_CASE("wrong numbers of arguments are E-value and tell what is taken") {
    Error e = refusal(blur, {});
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.id() == "wrong-argument-count");
    CHECK(e.message() == "0 arguments are given to blur");
    REQUIRE(e.helps().size() == 1);
    CHECK(e.helps()[0] == "it takes (in), and if wished its outputs: o");
    CHECK(refusal(blur, {Buffer<float>({4, 4}), Buffer<float>({2, 4}), 1}).id() ==
          "wrong-argument-count");
}

TEST_CASE("a buffer of another element type or rank is refused by name") {
    Error type = refusal(blur, {Buffer<double>({4, 4})});
    CHECK(type.kind() == ErrorKind::Type);
    CHECK(type.id() == "wrong-element-type");
    CHECK(type.message() == "in: f64[4, 4] is given, its elements are f32");
    Error rank = refusal(blur, {Buffer<float>({4})});
    CHECK(rank.kind() == ErrorKind::Shape);
    CHECK(rank.id() == "wrong-rank");
    CHECK(rank.message() == "in: f32[4] is given, its shape is f32[h, w]");
    CHECK(refusal(blur, {Buffer<float>({4, 4}), Buffer<int32_t>({2, 4})}).message() ==
          "o: i32[2, 4] is given, its elements are f32");
}

TEST_CASE("numbers and buffers do not stand for each other") {
    CHECK(refusal(blur, {3}).message() == "in: a number is given for the buffer f32[h, w]");
    Buffer<float> x({2, 2});
    CHECK(refusal(product, {x, x, x}).message() == "s: a buffer is given for f32");
    CHECK(refusal(product, {x, x, true}).message() == "s: bool is given for f32");
    CHECK(refusal(blur, {AnyBuffer()}).id() == "undefined-buffer");
}

TEST_CASE("one Size with two values is E-shape and names both places") {
    Error e = refusal(product, {Buffer<float>({2, 3}), Buffer<float>({4, 5}), 1});
    CHECK(e.kind() == ErrorKind::Shape);
    CHECK(e.id() == "size-mismatch");
    CHECK(e.message() == "k is 3 by dimension 1 of a but 4 by dimension 0 of b");
}

TEST_CASE("an output outside the declared shape is E-shape") {
    Error e = refusal(blur, {Buffer<float>({7, 5}), Buffer<float>({6, 5})});
    CHECK(e.kind() == ErrorKind::Shape);
    CHECK(e.id() == "output-outside-shape");
    CHECK(e.message() == "dimension 0 of o is 0 .. 6, outside 0 .. h - 2 = 5");
    CHECK(e.notes()[0].message == "h = 7");
    Buffer<float> before = Buffer<float>({5, 5}).translated({-1, 0});
    CHECK(refusal(blur, {Buffer<float>({7, 5}), before}).message() ==
          "dimension 0 of o is -1 .. 4, outside 0 .. h - 2 = 5");
}

TEST_CASE("negative extents are E-bounds and name the Size") {
    Error e = refusal(blur, {Buffer<float>({1, 5})});
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.id() == "negative-extent");
    CHECK(e.message() == "dimension 0 of o has the extent h - 2 = -1");
    CHECK(e.notes()[0].message == "h = 1");
    CHECK(refusal("pipeline r(n: size) -> o[1]\no(x) = i32(n)\n", {-3}).message() ==
          "the Size n is -3");
}

TEST_CASE("sizes beyond 64 bits are E-bounds") {
    Error e = refusal("pipeline r(n: size) -> o[n * n]\no(x) = 0\n", {int64_t(1) << 40});
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.id() == "index-overflow");
}

TEST_CASE("a Size that nothing tells is E-shape") {
    Error e = refusal("pipeline ramp() -> o[n]\no(x) = i32(x)\n", {});
    CHECK(e.kind() == ErrorKind::Shape);
    CHECK(e.id() == "unbound-size");
    CHECK(e.message() == "no argument tells the Size n");
}

TEST_CASE("a number that its parameter cannot hold is E-value and names both") {
    Error e = refusal("pipeline p(v: u8) -> o[1]\no(x) = v\n", {300});
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.message() == "v: 300 does not fit u8");
    CHECK(refusal("pipeline p(n: size) -> o[n]\no(x) = 0\n", {2.5}).message() ==
          "n: 2.5 does not fit a size, a whole number");
}

TEST_CASE("outputs that share memory with anything are E-alias") {
    const char* text = "pipeline p(in: f32[n]) -> a[n], b[n]\na(x) = in(x) + 1\nb(x) = in(x) + 2\n";
    Buffer<float> memory({20}), other({8});
    auto part = [&](int64_t from) { return memory.crop(0, from, 8).translated({-from}); };
    Error input = refusal(text, {part(0), part(5), other});
    CHECK(input.kind() == ErrorKind::Alias);
    CHECK(input.id() == "overlapping-arguments");
    CHECK(input.message() == "the output a shares memory with the input in");
    CHECK(refusal(text, {other, part(0), part(7)}).message() ==
          "the output b shares memory with the output a");
    Buffer<float> repeated = Buffer<float>::view(memory.data(), {{0, 8, 0}});
    CHECK(refusal(text, {other, repeated, part(0)}).message() ==
          "the output a shares memory with itself");
    Buffer<float> even = Buffer<float>::view(memory.data(), {{0, 8, 2}});
    Buffer<float> odd = Buffer<float>::view(memory.data() + 1, {{0, 8, 2}});
    Binder binder(parse_pipeline(text).shared());
    CHECK_NOTHROW(binder(std::vector<Arg>{other, even, odd}));  // interleaved, but apart
}
