// burin bench --answer: the library as a side of the bench, line by line.
#include "tools/answers.h"

#include <cstdlib>
#include <memory>

#include "tools/burin/burin.h"
#include "tools/command.h"
#include "tools/measure.h"

namespace burin {
namespace {

rival::Side make(const std::string& schedule, const LibraryEntry& e, const rival::Sizes& sizes,
                 int threads) {
    const Catalogue only{offered(e)};
    Request request;
    request.catalogue = &only;
    request.what = e.name;
    if (schedule != "best") request.schedule = schedule;
    for (size_t i = 0; i < e.sizes.size(); ++i)
        request.sizes.push_back(e.sizes[i].first + "=" + std::to_string(sizes.at(i)));
    ToolProgram program = load_program(request);
    CallData data = prepare_call(program, request);
    double ms = rival::median_ms([&] { compile(program.pipeline, program.schedule); });
    rival::Side side{[kernel = compile(program.pipeline, program.schedule), args = data.all(),
                      threads] { kernel.call(args, {threads}); },
                     {},
                     ms};
    for (auto& o : data.outputs)
        side.outputs.emplace_back(o.buffer().data(), size_t(o.buffer().size_bytes()));
    return side;
}

}  // namespace

int bench_answers(const std::string& schedule) {
    // The first compilation in a process also wakes the compiler.
    Pipeline p = library_entry("transpose").make();
    compile(p, Schedule(p));

    const char* threads = std::getenv("BURIN_THREADS");
    const int n = threads_of(threads ? std::atoi(threads) : 0);
    rival::answer_all(
        {"burin, schedule " + schedule,
         [](const std::string& name) {
             for (auto& e : library())
                 if (e.name == name) return true;
             return false;
         },
         [&](const std::string& name, const rival::Sizes& sizes, const rival::Ranges&) {
             return make(schedule, library_entry(name), sizes, n);
         }});
    return 0;
}

}  // namespace burin
