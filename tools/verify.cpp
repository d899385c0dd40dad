// burin verify: every path against the definition, on calls made up for the schedule.
#include <fmt/format.h>

#include "tools/command.h"

namespace burin {

int verify(const Request& request, const VerifyOptions& options) {
    Program program = load_program(request.what, request.schedule);
    VerifyReport report = verify(program.pipeline, program.schedule, options);
    fmt::print("{} under {}: {}", program.pipeline.name(), program.schedule_name,
               to_string(report));
    return report.ok() ? 0 : 1;
}

}  // namespace burin
