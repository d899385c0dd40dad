// BURIN_PERF=1: perf finds the names of compiled functions in /tmp/perf-PID.map.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace burin;

namespace {

std::vector<std::string> functions_in(const std::string& map, const std::string& pipeline) {
    std::ifstream file(map);
    std::vector<std::string> found;
    uint64_t at, size;
    for (std::string name; file >> std::hex >> at >> size >> name;)
        if (name.starts_with("burin:" + pipeline + ":") && at > 0 && size > 0)
            found.push_back(name);
    return found;
}

}  // namespace

TEST_CASE("a profiler finds a kernel's functions by name, where the environment asks for it") {
    std::string map = fmt::format("/tmp/perf-{}.map", getpid());
    Pipeline p =
        parse_pipeline("pipeline profiled(in: f32[h, w]) -> f[h, w]\nf(y, x) = in(y, x) + 1\n");
    Schedule s = parse_schedule(p, "schedule 1 for profiled\nstage f\n  parallel(y)\n");
    compile(p, s);
    CHECK(functions_in(map, "profiled").empty());
    setenv("BURIN_PERF", "1", 1);
    compile(p, s);
    unsetenv("BURIN_PERF");
    // the body and the iteration of its parallel loop
    CHECK(functions_in(map, "profiled").size() == 2);
    std::filesystem::remove(map);
}
