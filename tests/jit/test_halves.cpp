// test_halves.cpp - vectors of coordinates divided by two: read side by side and picked from, with the same values.
#include <burin/schedule.h>
#include <burin/verify.h>
#include <doctest/doctest.h>

#include "codegen/halves.h"
#include "ir/build.h"

using namespace burin;

namespace {

Expr lanes_from(const Expr& base) {
    return make(Ramp{base, index_imm(1), 4}, IndexType.with_lanes(4));
}
Expr two() { return broadcast(index_imm(2), 4); }

}  // namespace

TEST_CASE("a halved vector is a scalar and offsets for even and for odd") {
    Expr x = Var("x"), row = broadcast(Var("row"), 4);
    auto h = halves_of(row + lanes_from(x) / two() - broadcast(index_imm(1), 4));
    REQUIRE(h);
    CHECK(h->x.same_as(x));
    CHECK(h->halves == 1);
    CHECK(h->terms.size() == 2);
    CHECK(h->even == std::vector<int64_t>{0, 0, 1, 1});
    CHECK(h->odd == std::vector<int64_t>{0, 1, 1, 2});

    auto nearest = halves_of(lanes_from(x) / two() + lanes_from(x) % two() * two());
    REQUIRE(nearest);
    CHECK(nearest->even == std::vector<int64_t>{0, 2, 1, 3});
    CHECK(nearest->odd == std::vector<int64_t>{2, 1, 3, 2});
}

TEST_CASE("other vectors are none: no half, two bases, other divisors, whole steps") {
    Expr x = Var("x"), y = Var("y");
    CHECK_FALSE(halves_of(lanes_from(x)));
    CHECK_FALSE(halves_of(broadcast(x, 4)));
    CHECK_FALSE(halves_of(lanes_from(x) / two() + lanes_from(y) / two()));
    CHECK_FALSE(halves_of(lanes_from(x) / broadcast(index_imm(3), 4)));
    CHECK_FALSE(halves_of(lanes_from(x) / two() * broadcast(index_imm(5), 4)));  // too far apart
    CHECK_FALSE(halves_of(lanes_from(x) / two() + lanes_from(x)));
}

TEST_CASE("pictures grow alike on every path, wherever they begin") {
    for (const char* type : {"f32", "u8", "i64"}) {
        Pipeline p = parse_pipeline("pipeline grow(f: " + std::string(type) +
                                    "[h, w]) -> g[2 * h - 1, 2 * w - 6]\n"
                                    "u(y, x) = f(y, x / 2) + f(y, x / 2 + 2 * (x % 2))\n"
                                    "g(y, x) = u(y / 2, x + 1) - u((y + 1) / 2, x)\n");
        Schedule s = parse_schedule(p,
                                    "schedule 1 for grow\n"
                                    "stage u\n"
                                    "  compute_at(g, y)\n"
                                    "  vectorize(x, 8)\n"
                                    "stage g\n"
                                    "  vectorize(x, 16)\n");
        VerifyReport report = verify(p, s);
        INFO(to_string(report));
        CHECK(report.ok());
        CHECK(report.compared > 0);
    }
}
