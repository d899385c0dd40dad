// What the commands have in common in what they print.
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.h"

namespace burin {

int threads_of(int wanted) {
    cpu_set_t set;
    CPU_ZERO(&set);
    int all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return wanted ? std::min(wanted, all) : all;
}

std::string bytes_text(double n) {
    const char* units[] = {"B", "kB", "MB", "GB"};
    int u = 0;
    for (; n >= 1000 && u < 3; ++u) n /= 1000;
    return u ? fmt::format("{:.3g} {}", n, units[u]) : fmt::format("{:.0f} B", n);
}

void print_as_json(const nlohmann::ordered_json& j) {
    fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Progress::~Progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(double done, const std::string& what) {
    static const bool terminal = isatty(2);
    if (!terminal) return;
    constexpr int width = 24;
    int filled = int(done * width);
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}", "", filled, "", width - filled, what);
    std::fflush(stderr);
    shown_ = true;
}

}  // namespace burin
