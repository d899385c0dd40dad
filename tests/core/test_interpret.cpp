// test_interpret.cpp - statements of both levels run as written; accesses are checked and counted.
#include <fmt/format.h>

#include "error_of.h"
#include "faults/fixture.h"
#include "ir/build.h"
#include "ir/parse.h"
#include "lower/interpret.h"

using namespace burin;
using faults::filled;
using faults::row;

namespace {

// A statement with the parameters and outputs of a pipeline around it.
struct Run {
    Binder binder;
    State state;
    Counts counts;
    Binding call;

    Run(const char* pipeline, const char* text) : binder(parse_pipeline(pipeline).shared()) {
        const Algorithm& a = binder.algorithm();
        Plan plan{Pipeline(parse_pipeline(pipeline)), {}, {}, {}};
        plan.funcs.resize(a.funcs.size());
        state.plan = std::make_shared<Plan>(std::move(plan));
        state.stmt = parse_stmt(text);
        for (size_t i = 0; i < a.params.size(); ++i)
            if (a.params[i].kind == Parameter::Input)
                state.buffers.push_back(
                    {a.params[i].name, a.params[i].type, a.params[i].rank(), int(i), -1, 0});
        for (size_t o = 0, at = 0; o < a.outputs.size(); ++o)
            for (size_t e = 0; e < a.func(a.outputs[o].func)->types.size(); ++e, ++at)
                state.buffers.push_back({Symbol::named(binder.output_names()[at]),
                                         a.func(a.outputs[o].func)->types[e],
                                         int(a.outputs[o].shape.size()), -1, int(o), int(e)});
    }
    Run& operator()(std::vector<Arg> args, InterpretOptions options = {}) {
        call = binder(args);
        counts = interpret(state, binder, call, options);
        return *this;
    }
    template <class T>
    bool gives(const Buffer<T>& wanted, int output = 0) const {
        return same(call.outputs[size_t(output)], wanted);
    }
};

const char* twice = "pipeline twice(in: f32[n]) -> o[n]\no(x) = in(x) * 2\n";

}  // namespace

TEST_CASE("a loop nest of the Nest level computes points in storage with its own box") {
    Run r("pipeline blur(in: f32[n]) -> o[n - 2]\no(x) = in(x) + in(x + 2)\n", R"(
        func in: f32
        realize f: f32[1: n - 1] {
          produce f { for x in 1 .. 1 + (n - 1) { f(x) = in(x) * f32(2) } }
          for x in 0 .. n - 2 { o(x) = in(x) + f(x + 2) }
        })");
    r({row<float>({1, 2, 3, 4, 5})});
    CHECK(r.gives(row<float>({1 + 6, 2 + 8, 3 + 10})));
    CHECK(r.counts.operations == 4 + 3);
    CHECK(r.counts.loads == 4 + 3 + 3);
    CHECK(r.counts.stores == 4 + 3);
    CHECK(r.counts.bytes_stored == 4 * 7);
    CHECK(r.counts.peak_bytes == 4 * 4);
}

TEST_CASE("vectors are lanes: ramps, masks, shuffles, broadcasts and combinations") {
    Run r("pipeline v(in: i32[8]) -> o[8], s[2]\no(x) = in(x)\ns(x) = in(x)\n", R"(
        buffer in: i32
        let v = in[ramp(0, 1, 8)]
        o[ramp(0, 1, 8)] = shuffle(v)[7, 6, 5, 4, 3, 2, 1, 0] + broadcast(100, 8)
        o[ramp(0, 2, 4)] = in[ramp(6, 1, 4) if ramp(6, 1, 4) < broadcast(index(8), 4)] if ramp(0, 1, 4) < broadcast(index(2), 4)
        s[ramp(0, 1, 2)] = combine_sum(v, 2)
        )");
    r({row<int32_t>({1, 2, 3, 4, 5, 6, 7, 8})});
    CHECK(r.gives(row<int32_t>({7, 107, 8, 105, 104, 103, 102, 101})));
    CHECK(r.gives(row<int32_t>({10, 26}), 1));
    CHECK(r.counts.loads == 8 + 2);
    CHECK(r.counts.stores == 8 + 2 + 2);
}

TEST_CASE("an access outside its buffer is named, in any storage and for any lane") {
    auto error = [](const char* text, std::vector<Arg> args) {
        return error_of([&] { Run(twice, text)(args); });
    };
    std::vector<Arg> in = {row<float>({1, 2, 3})};
    Error e = error("func in: f32\nfor x in 0 .. n { o(x) = in(x + 1) }", in);
    CHECK(e.kind() == ErrorKind::Internal);
    CHECK(e.id() == "out-of-bounds");
    CHECK(e.message() == "in is read at [3], it holds [0 .. 3]");
    CHECK(error("buffer in: f32\no[ramp(0, 1, 4)] = in[ramp(0, 1, 4) if ramp(0, 1, 4) < "
                "broadcast(index(3), 4)]",
                in)
              .message() == "o is written at [3], it holds [0 .. 3]");
    CHECK(error("allocate t: f32[2, 2] in Heap { t[4] = f32(1) }", in).message() ==
          "t is written at [4], it holds [0 .. 4]");
    CHECK(error("func in: f32\nrealize f: f32[-1: 3] { f(2) = in(0) }", in).message() ==
          "f is written at [2], it holds [-1 .. 2]");
}

TEST_CASE("select is lazy at will: an unmasked load in an arm that is not taken is found") {
    Run r(twice, "buffer in: f32\nfor x in 0 .. n { o[x] = select(x > 0, in[x - 1], f32(9)) }");
    std::vector<Arg> in = {row<float>({1, 2, 3})};
    CHECK(r(in).gives(row<float>({9, 1, 2})));
    CHECK(error_of([&] { r(in, {.lazy = false}); }).id() == "out-of-bounds");
    Run masked(
        twice,
        "buffer in: f32\nfor x in 0 .. n { o[x] = select(x > 0, in[x - 1 if x > 0], f32(9)) }");
    CHECK(masked(in, {.lazy = false}).gives(row<float>({9, 1, 2})));
}

TEST_CASE("buffers keep their minima and strides") {
    Buffer<float> in = filled<float>({6}, [](int64_t i) { return i; });
    Run r(twice,
          "func in: f32\nfor x in origin(o, 0) .. origin(o, 0) + extent(o, 0) { o(x) = in(x) * "
          "f32(2) }");
    Buffer<float> part({3}), backwards = in.reversed(0);
    r({backwards, part.translated({2})});
    CHECK(same(part, row<float>({6, 4, 2})));
    Run flat(twice,
             "buffer in: f32\nfor i in 0 .. extent(o, 0) { o[i] = in[(i + 2) * stride(in, 0)] * "
             "f32(2) }");
    part.fill(0);
    flat({backwards, part.translated({2})});
    CHECK(same(part, row<float>({6, 4, 2})));
}

TEST_CASE("scratch memory is poisoned, and what a race would change depends on the order") {
    Run r("pipeline p(n: size) -> o[n]\no(x) = u8(0)\n", R"(
        allocate t: u8[1] in Stack {
          parallel for x in 0 .. n {
            o[x] = t[0]
            t[0] = u8(x)
          }
        })");
    r({5});
    CHECK(Buffer<uint8_t>(r.call.outputs[0])(0) == 0xCB);
    CHECK(r.gives(row<uint8_t>({0xCB, 0, 1, 2, 3})));
    r({64}, {.lazy = true, .shuffle = 7});
    CHECK_FALSE(Buffer<uint8_t>(r.call.outputs[0])(1) == 0);
}

TEST_CASE(
    "counters add up, lets at entry are known, and failed entry checks stop before any write") {
    Run r(twice, "buffer in: f32\nfor x in 0 .. n / two { count 0 += two\no[x] = in[x] }");
    Symbol two = Symbol::named("two");
    r.state.entry_lets = {{two, index_imm(2)}};
    EntryCheck c{EntryCheck::Region,
                 Symbol::named("in"),
                 0,
                 index_imm(0),
                 var(Symbol::named("n")) / 2,
                 {},
                 "",
                 {}};
    r.state.checks = {c};
    r({row<float>({1, 2, 3, 4})});
    CHECK(r.counts.points == std::vector<int64_t>{4});
    c.lo = index_imm(-1) * var(two);
    r.state.checks = {c};
    Error e = error_of([&] { r({row<float>({1, 2, 3, 4})}); });
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.id() == "input-too-small");
    CHECK(e.message() == "in is needed over -2 .. 3 in dimension 0, but holds 0 .. 4");
    CHECK(Buffer<float>(r.call.outputs[0])(0) == 0);
}

TEST_CASE("entry checks by kind") {
    Run r("pipeline p(in: f32[n], k: i32) -> o[n]\no(x) = in(x)\n", "{}");
    Expr n = var(Symbol::named("n")), k = cast(IndexType, var(Symbol::named("k"), i32));
    auto check = [&](EntryCheck::Kind kind, Expr lo, Expr hi, Expr when, int factor) {
        r.state.checks = {{kind, {}, 0, lo, hi, when, "split(x, k) of o", {}}};
        Binding call = r.binder(std::vector<Arg>{Buffer<float>({4}), factor});
        return Entry(r.state, r.binder).admit(call).narrow;
    };
    CHECK(check(EntryCheck::Positive, k, {}, {}, 1));
    Error e = error_of([&] { check(EntryCheck::Positive, k, {}, {}, -3); });
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.id() == "factor-not-positive");
    CHECK(e.message() == "split(x, k) of o: index(k) is -3, at least 1 is wanted");
    CHECK(error_of([&] { check(EntryCheck::NonNegative, n - 5, {}, {}, 1); }).id() ==
          "negative-extent");
    CHECK(error_of([&] { check(EntryCheck::Equal, n, index_imm(8), {}, 1); }).id() ==
          "broken-promise");
    CHECK(check(EntryCheck::Equal, n, index_imm(8), n > 4, 1));
    CHECK_FALSE(check(EntryCheck::Index32, index_imm(0), n * (int64_t(1) << 29), {}, 1));
    CHECK(check(EntryCheck::Index32, index_imm(0), n * 1000, {}, 1));
    Expr huge = n * (int64_t(1) << 62);
    CHECK_FALSE(check(EntryCheck::Index32, index_imm(0), huge, {}, 1));
    CHECK(error_of([&] { check(EntryCheck::Index64, index_imm(0), huge, {}, 1); }).id() ==
          "index-overflow");
}
