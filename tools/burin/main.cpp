// The burin command: a tool for the pipelines of the library, with demo and bench besides.
#include "tools/burin/burin.h"
#include "tools/command_line.h"

namespace burin {

ToolPipeline offered(const LibraryEntry& e) {
    ToolPipeline p;
    p.name = e.name;
    p.summary = e.summary;
    p.make = e.make;
    for (auto& s : e.schedules)
        p.schedules.emplace_back(s.name, s.summary, [&e, name = s.name](const Pipeline& made) {
            return library_schedule(e, made, name);
        });
    p.best = e.best;
    p.sizes = e.sizes;
    for (auto& d : e.data) p.data.push_back({d.input, d.lo, d.hi});
    return p;
}

namespace {

void add_demo(CommandLine& line) {
    static DemoRequest wanted;
    auto* c = line.command(
        "demo", "Run", "sharpen a picture and multiply matrices under several schedules",
        [] { return demo(wanted); }, "  demo\n  demo photo.png --only unsharp\n");
    line.suggest(c->add_option("picture", wanted.picture, "a PNG; else one is drawn")
                     ->type_name("FILE")
                     ->check(CommandLine::given()),
                 [](auto& words) { return files_ending(words.back(), ".png"); });
    const std::vector<std::string> parts{"unsharp", "dense_gelu"};
    line.suggest(
        c->add_option("--only", wanted.only, "unsharp (the picture) or dense_gelu (the matrices)")
            ->check(CLI::IsMember(parts)),
        [parts](auto&) { return parts; });
    line.threads(c, wanted.threads);
    line.json(c, wanted.json);
}

void add_bench(CommandLine& line) {
    static BenchRequest wanted;
    static std::string answered;
    auto* c = line.command(
        "bench", "Check",
        "measure pipelines of the library, by hand and by rule, and other systems",
        [] { return answered.empty() ? bench(wanted) : bench_answers(answered); },
        "  bench                          the whole library\n"
        "  bench blur3x3 gemm --rivals --threads 1,2\n"
        "  bench gemm --size m=512,n=512,k=512 --json gemm.json\n"
        "  bench gemm --rival mine=./mine\n"
        "  bench gemm --rival 'old=../old/burin bench --answer best'\n");
    line.names(c, "names", wanted.names, "pipelines of the library; else all");
    line.many(c, "--size", wanted.sizes, "m=512,n=512,k=512", "sizes, for all of them");
    c->add_option("--threads", wanted.threads, "measured with each of them (all there are)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("1,2")
        ->check(CommandLine::whole(1, 4096));
    c->add_flag("--rivals", wanted.rivals, "beside Halide, JAX and others, as far as installed");
    line.many(c, "--rival", wanted.others, "NAME=COMMAND",
              "beside a program that answers as bench/README.md says");
    c->add_option("--patience", wanted.patience, "seconds that a call or a rival's answer may take")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    c->add_option("--answer", answered, "be such a program, with the library's schedules of a name")
        ->type_name("NAME")
        ->check(CommandLine::given());
    line.suggest(c->add_option("--json", wanted.json, "into a file; - prints it and no table")
                     ->type_name("FILE")
                     ->check(CommandLine::given()),
                 [](auto& words) { return files_ending(words.back(), ".json"); });
}

}  // namespace
}  // namespace burin

int main(int argc, char** argv) {
    burin::Catalogue catalogue;
    for (auto& e : burin::library()) catalogue.push_back(burin::offered(e));
    return burin::run_tool(argc, argv, std::move(catalogue), [](burin::CommandLine& line) {
        burin::add_demo(line);
        burin::add_bench(line);
    });
}
