// Kernels for several targets in one process: each as if it were the only one.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>

using namespace burin;

TEST_CASE("a target's code does not depend on what was compiled before") {
    Pipeline p = parse_pipeline("pipeline p(in: f32[n]) -> g[n]\ng(x) = max(in(x), 0.5) * 3\n");
    Schedule s = parse_schedule(p, "schedule 1 for p\nstage g\n  vectorize(x, 8)\n");
    auto code = [&](const char* target) { return compile(p, s, Target::parse(target)).assembly(); };
    std::string old = code("x86-64"), other = code("x86-64-v3");
    CHECK(old != other);
    for (int i = 0; i < 3; ++i) {
        CHECK(code("x86-64") == old);
        CHECK(code("x86-64-v3") == other);
    }
}
