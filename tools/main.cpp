// The command line of burin: `burin --help`.
#include <CLI/CLI.hpp>

#include <functional>

#include <fmt/format.h>

#include "base/nearest.h"
#include "tools/command.h"

namespace burin {
namespace {

// The options of all commands, and the action that was chosen.
struct CommandLine {
    CLI::App app{"Burin: algorithms and their schedules, compiled, run and compared.", "burin"};
    Request request;
    VerifyOptions verify_options;
    BenchRequest bench_request;
    std::string picture, what = "nest";
    std::function<int()> action;

    CommandLine() {
        app.require_subcommand(1);
        app.footer("burin COMMAND --help says more. Exit status: 0 all is well, 1 an error, 2 not understood.");
        auto* d = command("demo", "sharpen a picture and multiply matrices under several schedules",
                          [this] { return demo(picture, request.threads, request.json); });
        d->add_option("picture", picture, "a PNG; else one is drawn")->type_name("FILE");
        threads(d, request.threads);
        json(d, request.json);
        add_run();
        auto* s = command("show", "print the loops, the IR, LLVM's text or the assembly of a program",
                          [this] { return show(request, what); });
        program(s);
        s->add_option("--what", what,
                      "nest (loops of definitions), ir (what code is made from), pass:NAME (after its first run), llvm, asm")
            ->capture_default_str();
        auto* v = command("verify", "compare a program on every path with its definition, bit for bit",
                          [this] { return verify(request, verify_options); });
        program(v);
        v->add_option("--calls", verify_options.calls, "how many to make up")->capture_default_str()->check(CLI::Range(1, 1'000'000));
        v->add_option("--seed", verify_options.seed, "equal seeds make equal calls")->capture_default_str();
        json(command("list", "the pipelines of the library and their schedules", [this] { return list(request.json); }),
             request.json);
        command("doctor", "what this machine offers, and whether a program runs on it", doctor);
        add_bench();
    }

    // Options are CLI11's matter; of a command that does not exist it would not give the name.
    bool knows(const std::string& word) const {
        std::vector<std::string> names;
        for (auto* c : app.get_subcommands([](auto*) { return true; })) names.push_back(c->get_name());
        if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return true;
        fmt::print(stderr, "error: there is no command {}{}\n  help: {}\n", word, did_you_mean(word, names), listed(names));
        return false;
    }

private:
    CLI::App* command(const char* name, const char* help, std::function<int()> run) {
        auto* c = app.add_subcommand(name, help);
        c->callback([this, run = std::move(run)] { action = run; });
        return c;
    }

    void program(CLI::App* c) {
        c->add_option("what", request.what, "a pipeline of the library (burin list) or a .burin file")
            ->required()
            ->type_name("FILE|NAME");
        c->add_option("--schedule", request.schedule,
                      "a schedule of the library or a .sched file; else the library's best, for a file the plain one")
            ->type_name("FILE|NAME");
        c->add_option("--target", request.target, "what code is made for: host, host-checked, x86-64-v3, ...");
    }
    CLI::Option* threads(CLI::App* c, int& to) {
        return c->add_option("--threads", to, "at most so many at once (all there are)")->check(CLI::Range(1, 4096));
    }
    void json(CLI::App* c, bool& to) { c->add_flag("--json", to, "figures as JSON"); }
    void many(CLI::App* c, const char* name, std::vector<std::string>& to, const char* type, const char* help) {
        c->add_option(name, to, help)->type_name(type)->allow_extra_args(false);
    }

    void add_run() {
        auto* c = command("run", "run a program under a schedule, measure it, compare it with its definition",
                          [this] { return run(request); });
        program(c);
        many(c, "--size", request.sizes, "h=1080,w=1920", "sizes; others come from files, or are the library's");
        many(c, "--in", request.inputs, "NAME=FILE", "an input from a .npy or .png file; others are random, always the same");
        many(c, "--set", request.params, "p=1.5", "parameters");
        many(c, "--out", request.outputs, "NAME=FILE", "an output into a .npy or .png file");
        threads(c, request.threads);
        json(c, request.json);
    }

    void add_bench() {
        auto* c = command("bench", "measure pipelines of the library against Halide, in turns",
                          [this] { return bench(bench_request); });
        c->add_option("names", bench_request.names, "pipelines of the library")->required()->type_name("NAME");
        many(c, "--size", bench_request.sizes, "m=512,n=512,k=512", "sizes, for all of them");
        threads(c, bench_request.threads)->description("at most so many at once (matrices: 1, else all there are)");
        json(c, bench_request.json);
    }
};

}  // namespace
}  // namespace burin

int main(int argc, char** argv) {
    try {
        burin::CommandLine line;
        if (argc > 1 && !line.knows(argv[1])) return 2;
        try {
            line.app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            return line.app.exit(e) == 0 ? 0 : 2;
        }
        return line.action();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: there is not enough memory\n");
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
    }
    return 1;
}
