// Which calls run the narrow body: those where every coordinate in a vector fits 32 bits.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>
#include <doctest/doctest.h>

#include "error_of.h"

using namespace burin;

namespace {

constexpr int64_t limit = int64_t(1) << 30, near = limit - 70;

// f over 2 x 2 x 64 points from `mins` on: did the narrow body run? Its values are right.
bool runs_narrow(const std::string& value, const std::vector<int64_t>& mins) {
    INFO(value);
    Pipeline p = parse_pipeline(
        "pipeline p() -> f[2000000000, 2000000000, 2000000000]\nf(z, y, x) = i64(" + value + ")\n");
    Kernel k = compile(p, parse_schedule(p, "schedule 1 for p\nstage f\n  vectorize(x, 16)\n"));
    auto buffer = [&] { return Buffer<int64_t>({2, 2, 64}).translated(mins); };
    Buffer<int64_t> out = buffer();
    CallReport report;
    k.call({out}, {}, &report);
    CHECK(same(evaluate(p, {buffer()})[0], out));
    return report.narrow;
}

}  // namespace

TEST_CASE(
    "coordinates far out run wide where they are added, compared, clamped or stored in vectors") {
    for (std::string value : {"select((x + y + z) % 7 > 3, 1, 2)", "min(y + z, 100 - x) - x",
                              "(x + y + z) / 3", "x % 7 + (y + z) % 5 + (x + y) % 3"}) {
        CAPTURE(value);
        CHECK(runs_narrow(value, {0, 100, 1000}));
        CHECK(runs_narrow(value, {limit / 8, limit / 8, limit / 8}));
        CHECK_FALSE(runs_narrow(value, {near, near, near}));
    }
    for (std::string value : {"x + y + z", "3 * x", "-x - y - z", "select(x + y + z > 2000, 1, 2)",
                              "clamp(x + y + z, -5, 5)", "select(3 * x < y, 1, 2)"})
        runs_narrow(value,
                    {near, near, near});  // perhaps: what is one number for all lanes has 64 bits
    CHECK(runs_narrow("select(x == y, 1, 2)", {near, near, near}));
    CHECK_FALSE(runs_narrow("select(x == y, 1, 2)", {near, near + 70, near}));
}

TEST_CASE("64-bit data becomes an index through a clamp by coordinates") {
    Pipeline p = parse_pipeline(R"(pipeline p(in: f32[h, w], at: i64[h, w]) -> f[h, w]
f(y, x) = in(y, index(clamp(at(y, x), i64(0), i64(w - 1)))) + in(index(max(min(at(y, x), i64(y)), i64(0))), x)
)");
    for (std::string line :
         {"", "vectorize(x, 8)", "vectorize(x, 4, shift_inwards)\nparallel(y)"}) {
        VerifyReport r = verify(p, parse_schedule(p, "schedule 1 for p\nstage f\n" + line + "\n"));
        INFO(to_string(r));
        CHECK(r.ok());
        CHECK(r.compared > 0);
    }
    auto refused = [](const std::string& index) {
        return error_of([&] {
            parse_pipeline("pipeline p(in: f32[w], at: i64[w]) -> f[w]\nf(x) = in(index(" + index +
                           "))\n");
        });
    };
    for (std::string index :
         {"at(x)", "min(at(x), i64(w))", "max(at(x), i64(0))", "clamp(at(x), i64(0), at(x + 1))"}) {
        CHECK(refused(index).id() == "unbounded-index");
        CHECK(refused(index).kind() == ErrorKind::Type);
    }
}
