// burin verify: every path against the definition, on calls made up for the schedule.
#include <burin/verify.h>

#include <fmt/format.h>

#include "tools/command.h"

namespace burin {

void add_verify(CLI::App& app, Action& chosen) {
    auto* command = app.add_subcommand("verify", "compare a program on every path with its definition, bit for bit");
    auto request = std::make_shared<Request>();
    auto options = std::make_shared<VerifyOptions>();
    add_program(*command, *request);
    command->add_option("--calls", options->calls, "how many to make up")->capture_default_str()->check(CLI::Range(1, 1000000));
    command->add_option("--seed", options->seed, "equal seeds make equal calls")->capture_default_str();
    command->callback([=, &chosen] {
        chosen = [=] {
            Program program = load_program(request->what, request->schedule);
            VerifyReport report = verify(program.pipeline, program.schedule, *options);
            fmt::print("{} under {}: {}\n", program.pipeline.name(), program.schedule_name, to_string(report));
            return report.ok() ? 0 : 1;
        };
    });
}

}  // namespace burin
