// test_gathers.cpp - vectors read from here and there under a mask: the same values, nothing read that is not there, and
// no branch for each lane.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>
#include <doctest/doctest.h>

using namespace burin;

TEST_CASE("masked reads of every width, at a stride and through a table, agree on every path") {
    for (std::string type : {"u8", "i8", "u16", "i16", "bf16", "f32", "i64"}) {
        Pipeline p = parse_pipeline("pipeline p(f: " + type + "[2 * w + 1], at: u8[w]) -> g[w]\n" +
                                    "g(x) = f(2 * x + 1) + f(min(index(at(x)), 2 * x))\n");
        Schedule s =
            parse_schedule(p, "schedule 1 for p\nstage g\n  vectorize(x, 16, predicate)\n");
        VerifyReport report = verify(p, s);
        INFO(type << ": " << to_string(report));
        CHECK(report.ok());
        CHECK(report.compared > 0);

        std::string code = compile(p, s).llvm();
        size_t gathers = 0, masked = 0;
        for (size_t at = 0; (at = code.find("call <16 x ", at)) != std::string::npos; ++at) {
            std::string_view line = std::string_view(code).substr(at, code.find('\n', at) - at);
            if (line.find("@llvm.masked.gather") == line.npos) continue;
            ++gathers;
            masked += line.find("<16 x i1> %") != line.npos;
        }
        CHECK(gathers > 0);
        bool narrow = type != "f32" && type != "i64";
        CHECK(masked == (narrow ? 0 : gathers));
    }
}
