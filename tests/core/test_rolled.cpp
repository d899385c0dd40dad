// Which unrolled loops are left where code may not be larger.
#include <doctest/doctest.h>

#include "ir/parse.h"
#include "ir/walk.h"
#include "lower/rolled.h"

using namespace burin;

namespace {

// "ry" if the loops over r and y are unrolled, whichever others there are.
std::string unrolled(const Stmt& s) {
    std::string names;
    visit(s, [&](const For& op, auto& self) {
        if (op.kind == LoopKind::Unrolled) names += op.name.hint();
        self.descend(op);
    });
    return names;
}

}  // namespace

TEST_CASE("outer unrolled loops become serial before inner ones, as few as will do") {
    Stmt s = parse_stmt(
        "buffer b: f32\n"
        "unrolled for i in 0 .. 4 {\n  b[i] = 0.0\n}\n"
        "unrolled for r in 0 .. 3 {\n  unrolled for q in 0 .. 3 {\n    unrolled for j in 0 .. 4 {\n"
        "      b[j] = b[j] + b[r * 3 + q + 4]\n    }\n  }\n}\n");
    int64_t one = size_of(s);
    CHECK(unrolled(rolled(s, 100 * one)) == "irqj");
    CHECK(unrolled(rolled(s, 16 * one)) == "iqj");
    CHECK(unrolled(rolled(s, 4 * one)) == "ij");
    CHECK(unrolled(rolled(s, one)) == "");
    CHECK(unrolled(rolled(s, 0)) == "");
    CHECK(size_of(rolled(s, 0)) == one);
}
