// test_library.cpp - the library's algorithms and all their schedules.
#include <burin/evaluate.h>
#include <burin/verify.h>
#include <doctest/doctest.h>

#include "error_of.h"
#include "func/directives.h"
#include "ir/build.h"
#include "lower/lower.h"
#include "schedules/library.h"

using namespace burin;

TEST_CASE("every schedule of the library computes what its algorithm says, on every path") {
    for (auto& e : library()) {
        Pipeline p = e.make();
        CHECK(p.name() == e.name);
        CHECK(library_schedule(e, p, "plain") == Schedule(p));
        VerifyOptions options;
        options.calls = 3;
        options.budget = 2000;
        // Eight levels reach so far beyond the smallest picture that interpreting takes minutes; three are verified.
        if (e.name == "local_laplacian") continue;
        std::vector<std::string> names{"auto"};
        for (auto& s : e.schedules) names.push_back(s.name);
        for (auto& name : names) {
            Schedule schedule = library_schedule(e, p, name);
            VerifyReport report = verify(p, schedule, options);
            INFO(e.name << " under " << name << ": " << to_string(report));
            CHECK(report.ok());
            CHECK(report.compared > 0);
            bool reorders = name != "auto" && schedule.text().find("rfactor") != std::string::npos;
            if (!reorders) CHECK(report.ulp_from_algorithm == 0);
        }
    }
}

TEST_CASE("coordinates in vectors are bounded under every schedule, so narrow bodies run") {
    for (auto& e : library())
        for (auto& s : e.schedules) {
            Pipeline p = e.make();
            Lowered l = lower(replay(p, library_schedule(e, p, s.name).directives()));
            for (auto& c : l.state.checks) {
                INFO(e.name << " under " << s.name << ", " << c.text << " of " << c.symbol.hint());
                bool never = c.kind == EntryCheck::Index32 && const_int(c.hi) &&
                             !fits_lane(*const_int(c.hi));
                CHECK_FALSE(never);
            }
        }
}

TEST_CASE("the best schedule of each entry is one of its own") {
    for (auto& e : library()) {
        INFO(e.name);
        CHECK_NOTHROW(library_schedule(e, e.make(), e.best));
        CHECK(e.best != "plain");
    }
}

TEST_CASE("a name that the library does not have brings the nearest one") {
    Error pipeline = error_of([] { library_entry("dense_gelo"); });
    CHECK(pipeline.id() == "unknown-pipeline");
    CHECK(pipeline.message().find("did you mean dense_gelu?") != std::string::npos);
    const LibraryEntry& e = library_entry("unsharp");
    Error schedule = error_of([&] { library_schedule(e, e.make(), "tile"); });
    CHECK(schedule.id() == "unknown-schedule");
    CHECK(schedule.message().find("did you mean tiles?") != std::string::npos);
}

TEST_CASE("sharpening leaves a flat picture as it is and widens an edge's contrast") {
    Pipeline p = library_entry("unsharp").make();
    Buffer<uint8_t> in({3, 4, 16});
    in.fill(90);
    CHECK(same(Buffer<uint8_t>(evaluate(p, {in})), in));
    for (int64_t c = 0; c < 3; ++c)
        for (int64_t y = 0; y < 4; ++y)
            for (int64_t x = 8; x < 16; ++x) in(c, y, x) = 160;
    Buffer<uint8_t> out = evaluate(p, {in});
    CHECK(out(0, 2, 7) < 90);
    CHECK(out(0, 2, 8) > 160);
    CHECK(out(0, 2, 0) == 90);
    CHECK(out(0, 2, 15) == 160);
}
