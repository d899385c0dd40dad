// test_verify_schedules.cpp - verify agrees with right schedules, and finds, shrinks and explains a wrong path.
#include "report/verify.h"

#include <burin/evaluate.h>
#include <burin/schedule.h>

#include "error_of.h"
#include "faults/fixture.h"

using namespace burin;

namespace {

const char* blur = R"(pipeline blur(in: f32[h, w]) -> blur_y[h - 2, w - 2]
    blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3
    blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3
    )";
const char* tiled = R"(schedule 1 for blur
stage blur_y
  yo, yi = split(y, 8)
  parallel(yo)
  vectorize(x, 4)
stage blur_x
  compute_at(blur_y, yo)
  vectorize(x, 4, guard)
)";

VerifyReport interpreted(const Schedule& s, int calls = 12) {  // without kernels
    return verify(s.pipeline(), s.directives(), {.calls = calls}, {});
}

}  // namespace

TEST_CASE("a right schedule agrees with the definition on every path") {
    Pipeline p = parse_pipeline(blur);
    VerifyReport r = interpreted(parse_schedule(p, tiled));
    INFO(to_string(r));
    CHECK(r.ok());
    CHECK(r.compared == 12);
    CHECK(r.ulp_from_algorithm == 0);
}

TEST_CASE("edits that reorder are compared with what they derive, and their distance is told") {
    Pipeline p =
        parse_pipeline("pipeline dot(a: f32[n]) -> s[]\ns() = sum(a(r) * a(r) for r: 0..n)\n");
    for (const char* edit : {"rfactor(s.update(0), r, 4, inner, u, tree)",
                             "rfactor(s.update(0), r, 3, outer, u, in_order)"}) {
        VerifyReport r = interpreted(
            parse_schedule(p, std::string("schedule 1 for dot\nzp = ") + edit + "\n"), 40);
        INFO(to_string(r));
        CHECK(r.ok());
        CHECK(r.compared == 40);
        CHECK(r.ulp_from_algorithm > 0);
    }
}

TEST_CASE("a wrong path is named with its call, and the schedule shrunk to the lines that matter") {
    Pipeline p = parse_pipeline(blur);
    auto wrong_if = [&](bool wrong) {
        return std::vector<Path>{{"kernel", [=](std::span<const Arg> args) {
                                      evaluate(p, args);
                                      const AnyBuffer& out = args.back().buffer();
                                      if (wrong && out.size() > 20)
                                          *static_cast<float*>(static_cast<void*>(out.data())) = 7;
                                  }}};
    };
    auto wrong_where_parallel = [&](const Plan& plan, auto&) {
        return wrong_if(to_string(plan.directives).find("parallel") != std::string::npos);
    };
    VerifyReport r = verify(p, parse_directives(tiled), {}, wrong_where_parallel);
    REQUIRE_FALSE(r.ok());
    CHECK(r.failure->path == "kernel");
    CHECK(r.failure->pass.empty());
    CHECK(r.failure->call.starts_with("h = "));
    CHECK(r.failure->difference.starts_with("output 0 at ["));
    CHECK(r.failure->difference.find("is 7, the definition gives") != std::string::npos);
    CHECK(r.failure->schedule ==
          "schedule 1 for blur\nstage blur_y\n  yo, yi = split(y, 8)\n  parallel(yo)\n");
    CHECK(
        verify(p, parse_directives(tiled), {}, [&](auto&, auto&) { return wrong_if(false); }).ok());
}

TEST_CASE("a path that writes beside the elements of an output is found") {
    Pipeline p = parse_pipeline(blur);
    for (bool before : {true, false}) {
        auto stray = [&](const Plan&, auto&) {
            return std::vector<Path>{{"kernel", [=, &p](std::span<const Arg> args) {
                                          evaluate(p, args);
                                          const AnyBuffer& out = args.back().buffer();
                                          auto* data = reinterpret_cast<float*>(out.data());
                                          if (out.size() > 0) data[before ? -1 : out.size()] = 7;
                                      }}};
        };
        VerifyReport r = verify(p, parse_directives(tiled), {.dense = true}, stray);
        REQUIRE_FALSE(r.ok());
        CHECK(r.failure->difference == "output 0 was written outside of its elements");
    }
    AnyBuffer none = make_buffer(u8, {{0, 0, 1}}), rows = make_buffer(u8, {{3, 4, -2}});
    rows.data()[-6] = std::byte{1};
    CHECK(is_intact(rows));
    rows.data()[-5] = std::byte{1};
    CHECK_FALSE(is_intact(rows));
    CHECK(is_intact(none));
}

TEST_CASE("distances in units in the last place count the values between") {
    auto distance = [](float a, float b) { return ulp_distance(faults::one(a), faults::one(b)); };
    CHECK(distance(1, 1) == 0);
    CHECK(distance(1, std::nextafter(1.f, 2.f)) == 1);
    CHECK(distance(-0.f, 0.f) == 0);
    CHECK(distance(-0x1p-149f, 0x1p-149f) == 2);
    CHECK(distance(faults::NaN, faults::NaN) == 0);
    CHECK(std::isinf(distance(faults::NaN, 1)));
    CHECK(ulp_distance(faults::one(int8_t(-3)), faults::one(int8_t(4))) == 7);
}
