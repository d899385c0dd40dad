// verify: every path against the definition, on calls made up for the schedule.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.h"

namespace burin {
namespace {

nlohmann::ordered_json as_json(const ToolProgram& program, const VerifyReport& r) {
    nlohmann::ordered_json j{{"pipeline", program.pipeline.name()},
                             {"schedule", program.schedule_name},
                             {"ok", r.ok()},
                             {"compared", r.compared},
                             {"refused", r.refused},
                             {"refusal", nullptr},
                             {"paths", r.paths},
                             {"ulp_from_algorithm", r.ulp_from_algorithm},
                             {"failure", nullptr}};
    if (r.refused) j["refusal"] = r.refusal;
    if (auto& f = r.failure)
        j["failure"] = {{"path", f->path},
                        {"pass", f->pass},
                        {"call", f->call},
                        {"difference", f->difference},
                        {"schedule", f->schedule}};
    return j;
}

}  // namespace

int verify(const Request& request, const VerifyOptions& options) {
    ToolProgram program = load_program(request);
    VerifyReport report;
    {
        Progress progress;
        VerifyOptions shown = options;
        shown.progress = [&](int done) {
            progress.show(double(done) / options.calls,
                          fmt::format("{} of {} calls compared", done, options.calls));
        };
        shown.progress(0);
        report = verify(program.pipeline, program.schedule, shown);
    }
    if (request.json) print_as_json(as_json(program, report));
    else
        fmt::print("{} under {}: {}", program.pipeline.name(), program.schedule_name,
                   to_string(report));
    return report.ok() ? 0 : 1;
}

}  // namespace burin
