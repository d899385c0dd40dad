// test_bind.cpp - arguments become the values of sizes and parameters, and outputs of the right shape.
#include <burin/evaluate.h>

#include "error_of.h"
#include "func/bind.h"
#include "ir/print.h"

using namespace burin;

namespace {

// A pipeline and what a call of it binds.
struct Bound {
    Binder binder;
    Binding call;
    Bound(const std::string& text, std::vector<Arg> args)
        : binder(parse_pipeline(text).shared()), call(binder(args)) {}
    Value operator[](const char* name) const {
        for (size_t n = 0; n < binder.numbers().size(); ++n)
            if (to_string(binder.numbers()[n]) == name)
                return of_bits(binder.numbers()[n].type(), uint64_t(call.numbers[n]));
        FAIL("no number " << name);
        return {};
    }
};

const char* blur =
    "pipeline blur(in: f32[h, w]) -> o[h - 2, w]\no(y, x) = in(y, x) + in(y + 2, x)\n";

}  // namespace

TEST_CASE("sizes come from the extents of inputs, and outputs are made to fit") {
    Bound b(blur, {Buffer<float>({7, 5})});
    CHECK(b["h"].i == 7);
    CHECK(b["w"].i == 5);
    REQUIRE(b.call.outputs.size() == 1);
    CHECK(to_string(b.call.outputs[0]) == "f32[5, 5]");
    CHECK(b.binder.output_names() == std::vector<std::string>{"o"});
}

TEST_CASE("a given output may be any box inside the declared shape") {
    Buffer<float> part = Buffer<float>({2, 3}).translated({3, 1});
    Bound b(blur, {Buffer<float>({7, 5}), part});
    CHECK(b.call.outputs[0].data() == part.AnyBuffer::data());
    CHECK(b["h"].i == 7);
    Bound empty(blur, {Buffer<float>({7, 5}), Buffer<float>({0, 3})});
    CHECK(empty.call.outputs[0].size() == 0);
}

TEST_CASE("a Size that no input has comes from the outputs or is given as a number") {
    const char* ramp = "pipeline ramp() -> o[n]\no(x) = i32(x)\n";
    CHECK(Bound(ramp, {Buffer<int32_t>({9})})["n"].i == 9);
    CHECK(Bound(ramp, {Buffer<int32_t>({4}).translated({5})})["n"].i == 9);
    const char* two = "pipeline ramps() -> o[n], p[n]\no(x) = i32(x)\np(x) = i32(-x)\n";
    Buffer<int32_t> part = Buffer<int32_t>({4}).translated({5});
    CHECK(Bound(two, {part, Buffer<int32_t>({12})})["n"].i == 12);  // the largest end
    CHECK(Bound(two, {Buffer<int32_t>({12}), part})["n"].i == 12);
    const char* given = "pipeline ramp(n: size) -> o[n + 1]\no(x) = i32(x)\n";
    Bound b(given, {12});
    CHECK(b["n"].i == 12);
    CHECK(b.call.outputs[0].extent(0) == 13);
}

TEST_CASE("dimensions that are expressions are checked with the sizes the others gave") {
    const char* text = "pipeline p(a: f32[n], b: f32[2 * n + 1]) -> o[n]\no(x) = a(x) + b(2 * x)\n";
    CHECK(Bound(text, {Buffer<float>({3}), Buffer<float>({7})})["n"].i == 3);
    Error e = error_of([&] { Bound(text, {Buffer<float>({3}), Buffer<float>({6})}); });
    CHECK(e.message() == "dimension 0 of b is 6, wanted is 2 * n + 1 = 7");
}

TEST_CASE("numbers take their parameter's type exactly or, for floats, rounded once") {
    auto text = [](const std::string& type) {
        return "pipeline p(v: " + type + ") -> o[1]\no(x) = v\n";
    };
    CHECK(Bound(text("u8"), {255})["v"].i == 255);
    CHECK(Bound(text("i8"), {-128.0})["v"].i == -128);
    CHECK(Bound(text("u64"), {UINT64_MAX})["v"].i == -1);
    CHECK(Bound(text("f32"), {0.1})["v"].f == 0.1f);
    CHECK(Bound(text("f16"), {1})["v"].f == 1);
    CHECK(Bound(text("f32"), {float16_t{0x3c00}})["v"].f == 1);
    CHECK(Bound(text("bool"), {true})["v"].is_true());
    CHECK(std::isnan(Bound(text("f16"), {std::nan("")})["v"].f));
    for (Arg wrong : std::vector<Arg>{256, -1, 0.5, 1e30, std::nan("")})
        CHECK(error_of([&] { Bound(text("u8"), {wrong}); }).id() == "number-does-not-fit");
    CHECK(error_of([&] { Bound(text("i64"), {UINT64_MAX}); }).id() == "number-does-not-fit");
    CHECK(error_of([&] { Bound(text("u64"), {-1}); }).id() == "number-does-not-fit");
    CHECK(error_of([&] { Bound(text("f32"), {1e300}); }).id() == "number-does-not-fit");
    CHECK(error_of([&] { Bound(text("bool"), {1}); }).id() == "wrong-argument-type");
    CHECK(error_of([&] { Bound(text("i32"), {true}); }).id() == "wrong-argument-type");
}

TEST_CASE("tuple elements are outputs of their own, which Results tell apart") {
    Pipeline p =
        parse_pipeline("pipeline p(n: size) -> f[n], g[n]\nf(x) = {i32(x), 0.5}\ng(x) = f(x)[0]\n");
    Results r = evaluate(p, {3});
    CHECK(r.size() == 3);
    CHECK(r.get<int32_t>(0)(2) == 2);
    CHECK(Buffer<float>(r["f.1"])(0) == 0.5f);
    CHECK(Buffer<int32_t>(r["g"])(1) == 1);
    CHECK(error_of([&] { r["h"]; }).id() == "no-such-output");
    CHECK(error_of([&] { r[3]; }).id() == "no-such-output");
    CHECK(error_of([&] { Buffer<float> only = r; }).id() == "several-outputs");
    CHECK(error_of([&] { r.get<float>(0); }).kind() == ErrorKind::Type);
}
