// The command line of burin: `burin --help`.
#include <fcntl.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <iostream>

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
    DemoRequest demo_request;
    std::string what = "nest";
    std::function<int()> action;

    CommandLine() {
        app.require_subcommand(1);
        app.footer(
            "burin COMMAND --help says more. Exit status: 0 all is well, 1 an error, 2 not "
            "understood.");
        auto* d = command("demo", "sharpen a picture and multiply matrices under several schedules",
                          [this] { return demo(demo_request); });
        d->add_option("picture", demo_request.picture, "a PNG; else one is drawn")
            ->type_name("FILE")
            ->check(given());
        d->add_option("--only", demo_request.only,
                      "unsharp (the picture) or dense_gelu (the matrices)")
            ->check(CLI::IsMember({"unsharp", "dense_gelu"}));
        threads(d, demo_request.threads);
        json(d, demo_request.json);
        add_run();
        auto* s =
            command("show", "print the loops, the IR, LLVM's text or the assembly of a program",
                    [this] { return show(request, what); });
        program(s);
        target(s);
        s->add_option("--what", what,
                      "nest (loops of definitions), schedule (its text), ir (what code is made from), pass:NAME (after "
                      "its first run), llvm, asm")
            ->capture_default_str();
        auto* v =
            command("verify", "compare a program on every path with its definition, bit for bit",
                    [this] { return verify(request, verify_options); });
        program(v);
        v->add_option("--calls", verify_options.calls, "how many to make up")
            ->capture_default_str()
            ->check(whole(1, 1'000'000));
        v->add_option("--seed", verify_options.seed, "equal seeds make equal calls")
            ->capture_default_str()
            ->check(whole(0, UINT64_MAX));
        json(command("list", "the pipelines of the library and their schedules",
                     [this] { return list(request.json); }),
             request.json);
        command("doctor", "what this machine offers, and whether a program runs on it", doctor);
        add_bench();
    }

    // Options are CLI11's matter; what does not exist it would tell without the nearest that does.
    bool knows(const std::string& word) const {
        std::vector<std::string> names;
        for (auto* c : app.get_subcommands([](auto*) { return true; }))
            names.push_back(c->get_name());
        if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end())
            return true;
        fmt::print(stderr, "error: there is no command {}{}\n  help: {}\n", word,
                   did_you_mean(word, names), listed(names));
        return false;
    }

    int refuse(const CLI::ParseError& e) const {
        std::string message = e.what();
        auto commands = app.get_subcommands();
        if (auto extra = app.remaining(true);
            !extra.empty() && !commands.empty() && extra[0].starts_with("--")) {
            std::vector<std::string> names;
            for (auto* o : commands[0]->get_options()) names.push_back(o->get_name());
            std::string word = extra[0].substr(0, extra[0].find('='));
            message = fmt::format("{} has no option {}{}", commands[0]->get_name(), word,
                                  did_you_mean(word, names));
        }
        fmt::print(stderr, "error: {}\n  help: burin {}--help\n", message,
                   commands.empty() ? "" : commands[0]->get_name() + " ");
        return 2;
    }

private:
    static CLI::Validator whole(uint64_t lo, uint64_t hi) {
        return {[=](const std::string& text) {
                    uint64_t n = 0;
                    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
                    bool fits = error == std::errc() && end == text.data() + text.size() &&
                                n >= lo && n <= hi;
                    return fits ? ""
                                : fmt::format("\"{}\" is not a whole number from {} to {}", text,
                                              lo, hi);
                },
                fmt::format("{} to {}", lo, hi)};
    }
    static CLI::Validator given() {
        return {[](const std::string& text) { return text.empty() ? "an empty name" : ""; }, ""};
    }

    CLI::App* command(const char* name, const char* help, std::function<int()> run) {
        auto* c = app.add_subcommand(name, help);
        c->callback([this, run = std::move(run)] { action = run; });
        return c;
    }

    void program(CLI::App* c) {
        c->add_option("what", request.what,
                      "a pipeline of the library (burin list) or a .burin file")
            ->required()
            ->type_name("FILE|NAME")
            ->check(given());
        c->add_option("--schedule", request.schedule,
                      "a schedule of the library or a .sched file; else the library's best, for a "
                      "file one made by rule (auto)")
            ->type_name("FILE|NAME")
            ->check(given());
    }
    void target(CLI::App* c) {
        c->add_option("--target", request.target,
                      "what code is made for: host, host-checked, x86-64-v3, ...");
    }
    CLI::Option* threads(CLI::App* c, int& to) {
        return c->add_option("--threads", to, "at most so many at once (all there are)")
            ->check(whole(1, 4096));
    }
    void json(CLI::App* c, bool& to) { c->add_flag("--json", to, "figures as JSON"); }
    void many(CLI::App* c, const char* name, std::vector<std::string>& to, const char* type,
              const char* help) {
        c->add_option(name, to, help)->type_name(type)->allow_extra_args(false);
    }

    void add_run() {
        auto* c = command(
            "run", "run a program under a schedule, measure it, compare it with its definition",
            [this] { return run(request); });
        program(c);
        target(c);
        many(c, "--size", request.sizes, "h=1080,w=1920",
             "sizes; others come from files, or are the library's");
        many(c, "--in", request.inputs, "NAME=FILE",
             "an input from a .npy or .png file; others are random, always the same");
        many(c, "--set", request.params, "p=1.5", "parameters");
        many(c, "--out", request.outputs, "NAME=FILE", "an output into a .npy or .png file");
        threads(c, request.threads);
        json(c, request.json);
    }

    void add_bench() {
        auto* c = command("bench", "measure pipelines of the library against Halide, in turns",
                          [this] { return bench(bench_request); });
        c->add_option("names", bench_request.names, "pipelines of the library")
            ->required()
            ->type_name("NAME")
            ->check(given());
        many(c, "--size", bench_request.sizes, "m=512,n=512,k=512", "sizes, for all of them");
        threads(c, bench_request.threads)
            ->description("at most so many at once (matrices: 1, else all there are)");
        json(c, bench_request.json);
    }
};

int run_command(int argc, char** argv) {
    try {
        CommandLine line;
        if (argc > 1 && !line.knows(argv[1])) return 2;
        try {
            line.app.parse(argc, argv);
        } catch (const CLI::Success& e) {
            return line.app.exit(e);
        } catch (const CLI::ParseError& e) {
            return line.refuse(e);
        }
        return line.action();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: there is not enough memory\n");
    } catch (const Error& e) {
        fmt::print(stderr, "{}\n", e.what());
    } catch (const std::exception& e) {
        fmt::print(stderr, "error: {}\n", e.what());
    }
    return 1;
}

}  // namespace
}  // namespace burin

int main(int argc, char** argv) {
    // Streams that are closed stay so: no file that is opened later becomes one of them.
    for (int fd : {0, 1, 2})
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY | O_CLOEXEC);
    int status = burin::run_command(argc, argv);
    if (std::cout.flush() && std::fflush(stdout) == 0) return status;
    fmt::print(stderr, "error: cannot write to the standard output: {}\n", std::strerror(errno));
    return 1;
}
