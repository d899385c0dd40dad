#include <burin/tool.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "tools/command_line.h"

namespace burin {

ToolSchedule::ToolSchedule(std::string name, Schedule s, std::string summary)
    : ToolSchedule(std::move(name), std::move(summary), [s](const Pipeline&) { return s; }) {}

ToolSchedule::ToolSchedule(std::string name, std::string summary,
                           std::function<Schedule(const Pipeline&)> make)
    : name(std::move(name)), summary(std::move(summary)), make(std::move(make)) {}

ToolPipeline::ToolPipeline(Pipeline p, std::vector<ToolSchedule> schedules,
                           std::vector<std::pair<std::string, int64_t>> sizes, std::string summary)
    : name(p.name()),
      summary(std::move(summary)),
      make([p] { return p; }),
      schedules(std::move(schedules)),
      best(this->schedules.empty() ? "auto" : this->schedules.back().name),
      sizes(std::move(sizes)) {}

// What was typed may hold anything: a terminal is to show it, not to obey it. Errors' own reports see to that.
void complain(std::string report) {
    std::ranges::replace_if(
        report, [](unsigned char c) { return (c < ' ' && c != '\n' && c != '\t') || c == 127; },
        '?');
    std::fputs((report + "\n").c_str(), stderr);
}

int run_tool(int argc, char** argv, Catalogue catalogue,
             const std::function<void(CommandLine&)>& more) {
    // Streams that are closed stay so: no file that is opened later becomes one of them.
    for (int fd : {0, 1, 2})
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY | O_CLOEXEC);
    int status = 1;
    try {
        std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename() : "";
        CommandLine line(program.empty() ? "burin" : program, std::move(catalogue));
        if (more) more(line);
        status = line.run(argc, argv);
    } catch (const std::bad_alloc&) {
        complain("error: there is not enough memory");
    } catch (const Error& e) {
        complain(e.what());
    } catch (const std::exception& e) {
        if (!std::ferror(stdout))  // else it is told below
            complain(std::string("error: ") + e.what());
    }
    if (std::cout.flush() && std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    complain(std::string("error: cannot write to the standard output: ") + std::strerror(errno));
    return 1;
}

int tool(int argc, char** argv, std::vector<ToolPipeline> pipelines) {
    return run_tool(argc, argv, std::move(pipelines));
}

}  // namespace burin
