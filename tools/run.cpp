// run: one call, measured and compared with the definition.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/work.h"
#include "tools/command.h"
#include "tools/measure.h"

namespace burin {
namespace {

struct Outcome {
    CallReport report;
    Times times;
    TileCheck derived;  // against the algorithm with the schedule's edits
    double ulp = 0;     // from the algorithm as written
};

Outcome run_program(const ToolProgram& program, const Kernel& kernel, const CallData& call,
                    int threads) {
    Outcome out;
    Progress progress;
    const std::vector<Arg> args = call.all();
    progress.show(0.2, "running");
    out.times = measure([&] { kernel.call(args, {threads}, &out.report); });
    progress.show(0.6, "comparing with the definition");
    out.derived = check_tiles(kernel.pipeline(), call.inputs, call.outputs);
    bool edited = !(kernel.pipeline() == program.pipeline);
    out.ulp =
        edited ? check_tiles(program.pipeline, call.inputs, call.outputs).ulp : out.derived.ulp;
    return out;
}

void print_json(const ToolProgram& program, const Kernel& kernel, const CallData& call, int threads,
                const Outcome& o, const Work& work) {
    CompileTimes c = kernel.compile_times();
    double s = o.times.median / 1000;
    nlohmann::ordered_json j{
        {"pipeline", program.pipeline.name()},
        {"schedule", program.schedule_name},
        {"target", to_string(kernel.target())},
        {"sizes", call.sizes},
        {"threads", threads},
        {"bit_equal", o.derived.equal},
        {"ulp_from_algorithm", o.ulp},
        {"ms",
         {{"median", o.times.median},
          {"min", o.times.min},
          {"max", o.times.max},
          {"n", o.times.n}}},
        {"gflops", nullptr},
        {"gbps", work.bytes / s * 1e-9},
        {"compile_ms", {{"lower", c.lower}, {"codegen", c.codegen}, {"total", c.total}}},
        {"peak_bytes", o.report.scratch_bytes},
    };
    if (work.operations) j["gflops"] = *work.operations / s * 1e-9;
    print_as_json(j);
}

void print_text(const ToolProgram& program, const Kernel& kernel, const CallData& call, int threads,
                const Outcome& o, const Work& work) {
    CompileTimes c = kernel.compile_times();
    double s = o.times.median / 1000;
    std::string sizes;
    for (auto& [name, n] : call.sizes) sizes += fmt::format(", {} = {}", name, n);
    fmt::print("{} under {}{}, {} thread{}\n", program.pipeline.name(), program.schedule_name,
               sizes, threads, threads == 1 ? "" : "s");
    fmt::print("  {:.4g} ms", o.times.median);
    if (o.times.n > 1)
        fmt::print(", the median of {} ({:.4g} to {:.4g})", o.times.n, o.times.min, o.times.max);
    if (work.operations) fmt::print("; {:.4g} GFLOP/s", *work.operations / s * 1e-9);
    fmt::print("; {:.4g} GB/s\n", work.bytes / s * 1e-9);
    fmt::print("  compiled in {:.4g} ms (lowering {:.4g}, code {:.4g}); {} of intermediates\n",
               c.total, c.lower, c.codegen, bytes_text(double(o.report.scratch_bytes)));
    if (o.derived.equal)
        fmt::print("  equal to the definition, bit for bit, on {} tiles", o.derived.tiles);
    else
        fmt::print("  NOT equal to the definition: {}, up to {:g} ULP", o.derived.first,
                   o.derived.ulp);
    if (o.derived.equal && o.ulp > 0)
        fmt::print("; the schedule's own order is up to {:g} ULP from the written one", o.ulp);
    fmt::print("\n");
}

}  // namespace

int run(const Request& request) {
    ToolProgram program = load_program(request);
    check(program.schedule);
    CallData call = prepare_call(program, request);
    Kernel kernel = compile(program.pipeline, program.schedule, Target::parse(request.target));
    Work work = work_of(program.pipeline, call.all());
    int threads = threads_of(request.threads);
    Outcome outcome = run_program(program, kernel, call, threads);
    write_outputs(call);
    for (auto& n : call.notes) fmt::print(stderr, "note: {}\n", n);
    (request.json ? print_json : print_text)(program, kernel, call, threads, outcome, work);
    return outcome.derived.equal ? 0 : 1;
}

}  // namespace burin
