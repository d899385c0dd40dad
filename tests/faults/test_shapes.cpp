// Empty, single and ragged extents; strides; memory that is shared.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "error_of.h"
#include "faults/fixture.h"

using namespace faults;

TEST_CASE("H47 a reduction over nothing is its start, the mean of nothing NaN") {
    std::vector<Case> calls;
    for (int64_t h : {0, 3}) {
        auto all = [=](float v) { return filled<float>({h}, [=](int64_t) { return v; }); };
        calls.push_back({{Buffer<float>({h, 0})},
                         {all(0), all(1), all(NaN), all(NaN), all(-inf), all(inf),
                          filled<int64_t>({h}, [](int64_t) { return -1; })}});
    }
    holds(
        "pipeline p(in: f32[h, w]) -> s[h], p[h], mean[h], variance[h], most[h], least[h], at[h]\n"
        "s(y) = sum(in(y, r) for r: 0..w)\np(y) = product(in(y, r) for r: 0..w)\nmean(y) = s(y) / "
        "f32(w)\n"
        "variance(y) = sum((in(y, r) - mean(y)) * (in(y, r) - mean(y)) for r: 0..w) / f32(w)\n"
        "most(y) = maximum(in(y, r) for r: 0..w)\nleast(y) = minimum(in(y, r) for r: 0..w)\nat(y) "
        "= argmax(in(y, r) for r: 0..w)[1]\n",
        calls);
    Buffer<float> none({0});
    holds(
        "pipeline p(in: f32[n]) -> mean[], variance[]\nmean() = sum(in(r) for r: 0..n) / f32(n)\n"
        "variance() = sum((in(q) - mean()) * (in(q) - mean()) for q: 0..n) / f32(n)\n",
        {{{none}, {one(NaN), one(NaN)}}, {{row<float>({1, 3})}, {one(2.f), one(1.f)}}});
    holds(
        "pipeline p(a: u8[n]) -> s[], p[], all[], any[], odd[], most[], least[]\ns() += a(r) for "
        "r: 0..n\np() *= a(r) for r: 0..n\n"
        "all() &= a(r) for r: 0..n\nany() |= a(r) for r: 0..n\nodd() ^= a(r) for r: 0..n\nmost() = "
        "maximum(a(r) for r: 0..n)\n"
        "least() = minimum(a(r) for r: 0..n)\n",
        {{{Buffer<uint8_t>({0})},
          {one(uint8_t(0)), one(uint8_t(1)), one(uint8_t(255)), one(uint8_t(0)), one(uint8_t(0)),
           one(uint8_t(0)), one(uint8_t(255))}}});
}

TEST_CASE("H48 loops cut into parts of which some are empty") {
    std::vector<Case> calls;
    for (int64_t n : {0, 1, 7, 8, 9, 16, 17})
        calls.push_back(
            {{filled<int32_t>({n}, [](int64_t i) { return i - 8; })},
             {filled<int32_t>({n}, [](int64_t i) { return std::max<int64_t>(i - 8, 0); }),
              filled<int32_t>({n}, [n](int64_t i) {
                  return std::min<int64_t>(i + 1, n - 1) - 8 + std::max<int64_t>(i - 1, 0) - 8;
              })}});
    holds(
        "pipeline p(a: i32[n]) -> o[n], b[n]\no(i) = max(a(i), 0)\nb(i) = a(clamp(i + 1, 0, n - "
        "1)) + a(clamp(i - 1, 0, n - 1))\n",
        calls,
        {"stage o\n  split(i, 8)\n  unroll(ii)\n  unroll(io, 2)\nstage b\n  split(i, 8)\n  "
         "unroll(ii)\n  unroll(io, 2)\n",
         "stage o\n  split(i, 8, guard)\n  unroll(ii)\n  unroll(io, 2)\nstage b\n  vectorize(i, 8, "
         "guard)\n  unroll(io, 2)\n",
         "stage o\n  vectorize(i, 8, shift_inwards)\n  unroll(io, 3)\nstage b\n  unroll(i, 17, "
         "guard)\n"});
    auto sixteen = filled<int32_t>({16}, [](int64_t i) { return i - 8; });
    holds("pipeline p(a: i32[16]) -> o[16]\no(i) = max(a(i), 0)\n",
          {{{sixteen}, {filled<int32_t>({16}, [](int64_t i) { return i < 9 ? 0 : i - 8; })}}},
          {"stage o\n  bound(i, 0, 16)\n  split(i, 8)\n  unroll(io)\n  unroll(ii)\n"});
}

TEST_CASE("H49 a resize from nothing is out of range, to nothing is empty") {
    const char* resize =
        "pipeline p(in: f32[n], m: size) -> o[m]\no(i) = in(clamp(i * n / m, 0, n - 1))\n";
    refuses(resize, {{Buffer<float>({0}), 3}, {Buffer<float>({3})}},
            "in is needed over -1 .. 0 in dimension 0, but holds 0 .. 0",
            {"stage o\n  vectorize(i, 4, guard)\n"});
    holds(resize, {{{Buffer<float>({4}), 0}, {Buffer<float>({0})}},
                   {{Buffer<float>({0}), 0}, {Buffer<float>({0})}},
                   {{row<float>({1, 2}), 4}, {row<float>({1, 1, 2, 2})}}});
    const char* rows =
        "pipeline p(in: f32[h, w], m: size) -> o[h, m]\nf(y, x) = in(y, clamp(x, 0, w - 1)) * "
        "2\no(y, x) = f(y, x * w / m)\n";
    refuses(rows, {{Buffer<float>({1, 0}), 3}, {Buffer<float>({1, 3})}}, "in is needed over",
            {"stage f\n  compute_root()\n", "stage f\n  compute_at(o, y)\n"});
    holds(rows,
          {{{Buffer<float>({1, 4}), 0}, {Buffer<float>({1, 0})}},
           {{Buffer<float>({0, 0}), 3}, {Buffer<float>({0, 3})}}},
          {"stage f\n  compute_root()\n", "stage f\n  compute_at(o, y)\n"});
}

TEST_CASE("H53 inputs and outputs may run backwards and inputs stand still in any dimension") {
    auto numbers = std::make_shared<std::vector<float>>(12);
    for (size_t i = 0; i < 12; ++i) (*numbers)[i] = float(i);
    AnyBuffer a(f32, numbers->data(), dense_dims(std::vector<int64_t>{2, 3, 2}), numbers);
    std::vector<Case> calls = {
        {{a.reversed(0).slice(2, 0)},
         {filled<float>({2, 3}, [](int64_t y, int64_t x) { return (1 - y) * 6 + 2 * x - 0.25; })}}};
    for (int flips = 0; flips < 4; ++flips)
        for (bool turned : {false, true})
            for (int still = 0; still < 4; ++still) {
                AnyBuffer v = a.slice(2, 1);
                if (turned) v = v.transpose({1, 0});
                for (int d : {0, 1})
                    if (flips >> d & 1) v = v.reversed(d);
                std::vector<Dim> dims(v.dims().begin(), v.dims().end());
                for (int d : {0, 1})
                    if (still >> d & 1) dims[size_t(d)].stride = 0;
                v = AnyBuffer(f32, v.data(), dims, numbers);
                AnyBuffer out = AnyBuffer(f32, {v.extent(0), v.extent(1)});
                if (flips & 1) out = out.transpose({1, 0}).copy().transpose({1, 0}).reversed(1);
                for_each_point(v.dims(), [&](std::span<const int64_t> at) {
                    *static_cast<float*>(out.at(at)) = *static_cast<const float*>(v.at(at)) - 0.25f;
                });
                calls.push_back({{v}, {out}});
            }
    holds("pipeline p(v: f32[h, w]) -> o[h, w]\no(y, x) = v(y, x) - 0.25\n", calls,
          {"stage o\n  vectorize(x, 4, guard)\n", "stage o\n  vectorize(x, 2)\n  parallel(y)\n",
           "stage o\n  reorder(x, y)\n  vectorize(y, 2)\n"});
}

TEST_CASE("H54 an output that overlaps an input is E-alias, interleaved memory is not") {
    std::vector<int32_t> memory(20, 1);
    auto view = [&](int64_t at, int64_t n, int64_t stride) {
        return Buffer<int32_t>::view(memory.data() + at, {Dim{0, n, stride}});
    };
    for (const char* lines : {"", "stage o\n  vectorize(x, 4, guard)\n",
                              "stage o\n  vectorize(x, 4, shift_inwards)\n"}) {
        auto kernel = [&](const char* text) {
            Pipeline p = parse_pipeline(text);
            return compile(p, parse_schedule(p, fmt::format("schedule 1 for p\n{}", lines)));
        };
        Kernel pairs = kernel(
                   "pipeline p(in: i32[n + 1], n: size) -> o[n]\no(x) = in(x) + in(x + 1)\n"),
               next = kernel("pipeline p(in: i32[n]) -> o[n]\no(x) = in(x) + 1\n");
        memory.assign(20, 1);
        auto alias = [&](auto call) {
            Error e = error_of(call);
            CHECK(e.kind() == ErrorKind::Alias);
            CHECK(says(e, "o"));
            CHECK(says(e, "in"));
        };
        alias([&] { pairs(view(0, 9, 1), 8, view(1, 8, 1)); });
        alias([&] { pairs(view(0, 9, 1), 8, view(0, 8, 1)); });
        alias([&] { pairs(view(8, 9, -1), 8, view(8, 8, 1)); });
        alias([&] { pairs(view(0, 9, 2), 8, view(2, 8, 2)); });
        alias([&] { next(view(0, 8, 1), view(0, 8, 1)); });
        alias([&] { next(view(0, 8, 1), view(7, 8, -1)); });
        alias([&] { next(view(0, 8, 1), view(7, 8, 1)); });
        CHECK(memory == std::vector<int32_t>(20, 1));
        pairs(view(0, 9, 2), 8, view(1, 8, 2));
        for (int64_t x = 0; x < 8; ++x) CHECK(memory[size_t(2 * x + 1)] == 2);
        next(view(8, 8, 1), view(0, 8, 1));
        for (int64_t x = 0; x < 8; ++x) CHECK(memory[size_t(x)] == (x % 2 ? 3 : 2));
    }
}

TEST_CASE("H55 strides and offsets beyond 32 bits") {
    constexpr int64_t h = 40960, w = 81920, bytes = 3 * h * w;
    void* space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(space != MAP_FAILED);
    std::shared_ptr<void> owner(space, [](void* p) { munmap(p, bytes); });
    for (bool first_is_slow : {true, false}) {
        auto planes = Buffer<uint8_t>::view(
            static_cast<uint8_t*>(space),
            first_is_slow ? std::vector<Dim>{{0, 3, h * w}, {0, h, w}, {0, w, 1}}
                          : std::vector<Dim>{{0, w, 1}, {0, h, w}, {0, 3, h * w}},
            owner);
        CHECK(planes.stride(first_is_slow ? 0 : 2) == 3355443200);
        auto at = [&](int64_t c, int64_t y, int64_t x) -> uint8_t& {
            return first_is_slow ? planes(c, y, x) : planes(x, y, c);
        };
        CHECK(&at(1, 0, 0) - planes.data() == 3355443200);
        for (int c = 0; c < 3; ++c) at(c, h - 1, w - 1) = uint8_t(10 + c), at(c, 0, 0) = uint8_t(c);
        Pipeline p = parse_pipeline(
            "pipeline p(in: u8[_, _, _], y: size, x: size, z: size) -> o[3]\no(c) = " +
            std::string(first_is_slow ? "in(c, y, x)" : "in(x, y, c)") + " + u8(z)\n");
        for (const char* lines : {"", "stage o\n  vectorize(c, 4, guard)\n"})
            for (auto& target : {Target::host(), Target::host().checked()}) {
                Kernel k = compile(p, parse_schedule(p, std::string("schedule 1 for p\n") + lines),
                                   target);
                CallReport report;
                Results r = k.call({planes, h - 1, w - 1, 1}, {}, &report);
                CHECK(same(r[0], row<uint8_t>({11, 12, 13})));
                CHECK_FALSE(report.narrow);
                CHECK(same(Buffer<uint8_t>(k(planes, 0, 0, 0)), row<uint8_t>({0, 1, 2})));
            }
        Pipeline back = parse_pipeline(
            std::string("pipeline p(v: u8[3]) -> o[") +
            (first_is_slow ? "3, 40960, 81920]\no(c, y, x)" : "81920, 40960, 3]\no(x, y, c)") +
            " = v(c)\n");
        auto window = planes.crop(1, h - 2, 1).crop(first_is_slow ? 2 : 0, w - 3, 1);
        compile(back, Schedule(back))(row<uint8_t>({7, 8, 9}), window);
        for (int c = 0; c < 3; ++c) {
            CHECK(at(c, h - 2, w - 3) == 7 + c);
            CHECK(at(c, h - 2, w - 2) == 0);
        }
        std::memset(&at(0, h - 2, w - 4), 0, 8);
    }
    CHECK(error_of([] { Buffer<uint8_t>({int64_t(1) << 40, int64_t(1) << 40}); }).kind() ==
          ErrorKind::Resource);
}

TEST_CASE("H85 padding of a blocked layout takes part in no sum, product or maximum") {
    for (int block : {4, 8, 16}) {
        std::vector<Case> calls;
        for (int n : {1, 3, 8, 16, 17, 32, 33}) {
            auto v = filled<float>({n}, [](int64_t c) { return -1 - c % 3; });
            int64_t blocks = (n + block - 1) / block;
            Buffer<float> total({blocks}), product({blocks}), most({blocks});
            for (int64_t b = 0; b < blocks; ++b) {
                total(b) = 0, product(b) = 1, most(b) = -inf;
                for (int64_t c = b * block; c < std::min<int64_t>(n, (b + 1) * block); ++c)
                    total(b) += v(c), product(b) *= v(c), most(b) = std::max(most(b), v(c));
            }
            calls.push_back({{v}, {total, product, most, v}});
        }
        std::string b = std::to_string(block), shape = "[(n + " + b + " - 1) / " + b + "]",
                    channel = "f(b * " + b + " + r)",
                    in_block = "for r: 0.." + b + " where b * " + b + " + r < n\n";
        holds("pipeline p(v: f32[n]) -> total" + shape + ", times" + shape + ", most" + shape +
                  ", back[n]\nf(c) = v(c) * f32(1)\n" + "total(b) = f32(0)\ntotal(b) += " +
                  channel + " " + in_block + "times(b) = f32(1)\ntimes(b) *= " + channel + " " +
                  in_block + "most(b) = f32(-inf)\nmost(b) = max(most(b), " + channel + ") " +
                  in_block + "back(c) = f(c)\n",
              calls,
              {"stage f\n  compute_root()\n  transform_layout([c] -> [c / " + b + ", c % " + b +
                   "], pad)\n",
               "stage f\n  compute_root()\n  transform_layout([c] -> [c / " + b + ", c % " + b +
                   "], pad)\n  vectorize(c, " + b + ", guard)\n"});
    }
}
