// The burin command: `burin --help`.
#include <sched.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/command.h"

namespace burin {

void add_program(CLI::App& command, Request& request) {
    command.add_option("what", request.what, "a pipeline of the library (burin list) or a .burin file")
        ->required()->type_name("FILE|NAME");
    command.add_option("--schedule", request.schedule,
                       "a schedule of the library or a .sched file; else the library's best, for a file the plain one")
        ->type_name("FILE|NAME");
    command.add_option("--target", request.target, "what code is made for: host, host-checked, x86-64-v3, ...");
}

void add_threads(CLI::App& command, int& threads) {
    command.add_option("--threads", threads, "at most so many at once (all there are)")->check(CLI::Range(1, 4096));
}

int threads_of(int wanted) {
    cpu_set_t set;
    CPU_ZERO(&set);
    return wanted ? wanted : sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string bytes_text(double n) {
    const char* units[] = {"B", "kB", "MB", "GB"};
    int u = 0;
    for (; n >= 1000 && u < 3; ++u) n /= 1000;
    return u ? fmt::format("{:.3g} {}", n, units[u]) : fmt::format("{:.0f} B", n);
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

int main(int argc, char** argv) {
    using namespace burin;
    CLI::App app("Burin: algorithms and their schedules, compiled, run and compared.", "burin");
    app.require_subcommand(1);
    app.footer("burin COMMAND --help says more. Exit status: 0 all is well, 1 an error, 2 not understood.");
    Action chosen;
    for (auto add : {add_demo, add_run, add_show, add_verify, add_list, add_doctor, add_bench}) add(app, chosen);
    try {
        app.parse(argc, argv);
        return chosen();
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: there is not enough memory\n");
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
    }
    return 1;
}
