#include "tools/command_line.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/nearest.h"
#include "lower/lower.h"
#include "tools/pages.h"

namespace burin {
namespace {

const char* exit_statuses =
    "Exit status:\n"
    "  0  all is well\n"
    "  1  an error, whose report is on the standard error, or a result that is not right\n"
    "  2  the arguments were not understood\n";

}  // namespace

CommandLine::CommandLine(const std::string& program, Catalogue catalogue)
    : catalogue_(std::move(catalogue)),
      app_("Burin: algorithms and their schedules, compiled, run and compared.", program) {
    request_.catalogue = &catalogue_;
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "Burin " BURIN_VERSION);
    app_.footer(
        fmt::format("FILE is a .burin or .sched file, NAME what {0} list shows.\n"
                    "{0} COMMAND --help: the options of a command, with examples.\n\n"
                    "To begin with:\n"
                    "  {0} list\n"
                    "  {0} run NAME\n"
                    "  {0} show NAME\n"
                    "  {0} run NAME --schedule plain\n\n{1}",
                    program, exit_statuses));
    add_run();
    add_watch();
    add_list();
    add_show();
    add_verify();
    add_explain();
    add_fmt();
    add_machine();
}

int CommandLine::run(int argc, char** argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (!words.empty() && words[0] == "--complete") {
        for (auto& next : completions(app_, suggestions_, {words.begin() + 1, words.end()}))
            fmt::print("{}\n", next);
        return 0;
    }
    if (!words.empty() && !knows(words[0])) return 2;
    try {
        app_.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return app_.exit(e);
    } catch (const CLI::ParseError& e) {
        return refuse(e);
    }
    return action_();
}

// Options are CLI11's matter; what does not exist it would tell without the nearest that does.
bool CommandLine::knows(const std::string& word) const {
    std::vector<std::string> names;
    for (auto* c : app_.get_subcommands([](auto*) { return true; })) names.push_back(c->get_name());
    if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end())
        return true;
    complain(fmt::format("error: there is no command {}{}\n  help: {}", word,
                         did_you_mean(word, names), listed(names, names.size())));
    return false;
}

int CommandLine::refuse(const CLI::ParseError& e) const {
    std::string message = e.what();
    auto commands = app_.get_subcommands();
    auto* at = commands.empty() ? &app_ : commands[0];
    if (auto extra = app_.remaining(true);
        !extra.empty() && extra[0].size() > 1 && extra[0][0] == '-') {
        std::vector<std::string> names;
        for (auto* o : at->get_options()) names.push_back(o->get_name());
        std::string word = extra[0].substr(0, extra[0].find('='));
        message =
            fmt::format("{} has no option {}{}", at->get_name(), word, did_you_mean(word, names));
    }
    complain(fmt::format("error: {}\n  help: {} {}--help", message, app_.get_name(),
                         commands.empty() ? "" : at->get_name() + " "));
    return 2;
}

CLI::Validator CommandLine::whole(uint64_t lo, uint64_t hi) {
    return {[=](const std::string& text) {
                uint64_t n = 0;
                auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
                bool fits =
                    error == std::errc() && end == text.data() + text.size() && n >= lo && n <= hi;
                return fits ? ""
                            : fmt::format("\"{}\" is not a whole number from {} to {}", text, lo,
                                          hi);
            },
            fmt::format("{} to {}", lo, hi)};
}

CLI::Validator CommandLine::given() {
    return {[](const std::string& text) { return text.empty() ? "an empty name" : ""; }, ""};
}

CLI::App* CommandLine::command(const char* name, const char* group, const char* help,
                               std::function<int()> run, const std::string& examples) {
    auto* c = app_.add_subcommand(name, help);
    c->group(group);
    std::string footer = "Examples:\n" + examples;
    for (size_t at = 0; (at = footer.find("\n  ", at)) != footer.npos; at += 3)
        footer.insert(at + 3, app_.get_name() + " ");
    c->footer(footer);
    c->callback([this, run = std::move(run)] { action_ = run; });
    return c;
}

CLI::Option* CommandLine::threads(CLI::App* c, int& to) {
    return c->add_option("--threads", to, "at most so many at once (all there are)")
        ->check(whole(1, 4096));
}

void CommandLine::json(CLI::App* c, bool& to) { c->add_flag("--json", to, "as JSON"); }

CLI::Option* CommandLine::many(CLI::App* c, const char* name, std::vector<std::string>& to,
                               const char* type, const char* help) {
    return c->add_option(name, to, help)->type_name(type)->allow_extra_args(false);
}

CLI::Option* CommandLine::names(CLI::App* c, const char* name, std::vector<std::string>& to,
                                const char* help) {
    auto* o = c->add_option(name, to, help)->type_name("NAME")->check(given());
    suggest(o, [this](auto&) { return pipeline_names(catalogue_); });
    return o;
}

void CommandLine::program(CLI::App* c) {
    auto* what = c->add_option("what", request_.what, "a pipeline by name, or a .burin file")
                     ->required()
                     ->type_name("FILE|NAME")
                     ->check(given());
    suggest(what, [this](auto& words) {
        auto all = pipeline_names(catalogue_), files = files_ending(words.back(), ".burin");
        all.insert(all.end(), files.begin(), files.end());
        return all;
    });
    auto* schedule =
        c->add_option(
             "--schedule", request_.schedule,
             "one of its schedules, or a .sched file; else its best, for a file one by rule")
            ->type_name("FILE|NAME")
            ->check(given());
    suggest(schedule, [this](auto& words) {
        auto all = files_ending(words.back(), ".sched");
        for (auto& word : words)
            if (auto* entry = find_pipeline(catalogue_, word))
                for (auto& name : schedule_names(*entry)) all.push_back(name);
        return all;
    });
}

void CommandLine::target(CLI::App* c) {
    suggest(c->add_option("--target", request_.target,
                          "what code is made for: host, host-checked, x86-64-v3, ..."),
            [](auto&) { return std::vector<std::string>{"host", "host-checked", "x86-64-v3"}; });
}

void CommandLine::sizes(CLI::App* c) {
    auto* o = many(c, "--size", request_.sizes, "h=1080,w=1920",
                   "sizes; others come from files, or are the usual ones");
    suggest(o, [this](auto& words) {
        std::vector<std::string> all;
        for (auto& word : words)
            if (auto* entry = find_pipeline(catalogue_, word))
                for (auto& [size, n] : entry->sizes) all.push_back(size + "=");
        return all;
    });
}

void CommandLine::params(CLI::App* c) {
    many(c, "--set", request_.params, "p=1.5", "parameters; 1 or true for those not listed");
}

void CommandLine::add_run() {
    auto* c = command(
        "run", "Run", "run a program under a schedule, measure it, compare it with its definition",
        [this] { return burin::run(request_); },
        "  run blur3x3 --size h=1080,w=1920 --threads 2\n"
        "  run blur.burin --schedule rows.sched --in in=photo.png --out blur_y=b.png\n"
        "  run scale.burin --set p=1.5 --json\n");
    program(c);
    target(c);
    sizes(c);
    many(c, "--in", request_.inputs, "NAME=FILE",
         "an input from a .npy or .png file; others are random, always the same");
    params(c);
    many(c, "--out", request_.outputs, "NAME=FILE", "an output into a .npy or .png file");
    threads(c, request_.threads);
    json(c, request_.json);
}

void CommandLine::add_watch() {
    auto* c = command(
        "watch", "Run", "at every save of its files: compile, run, and show what has changed",
        [this] { return watch(request_, watch_); },
        "  watch blur.burin rows.sched\n"
        "  watch blur3x3 rows.sched --size h=1080,w=1920\n"
        "Control-C ends it.\n");
    program(c);
    auto* schedule = c->get_option("--schedule");
    c->remove_option(schedule);
    suggestions_.erase(schedule);
    suggest(
        c->add_option("schedule", request_.schedule, "a .sched file; else one by rule, or its best")
            ->type_name("FILE|NAME")
            ->check(given()),
        [](auto& words) { return files_ending(words.back(), ".sched"); });
    sizes(c);
    params(c);
    threads(c, request_.threads);
    c->add_flag("--once", watch_.once, "one look, and its exit status");
}

void CommandLine::add_list() {
    json(command(
             "list", "See", "the pipelines there are by name, and their schedules",
             [this] { return list(catalogue_, request_.json); }, "  list\n  list --json\n"),
         request_.json);
}

void CommandLine::add_show() {
    auto* c = command(
        "show", "See", "the loops, the IR, LLVM's text or the assembly of a program",
        [this] { return show(request_, what_); },
        "  show blur3x3\n"
        "  show blur3x3 --size h=1080,w=1920\n"
        "  show blur.burin --schedule rows.sched --what asm\n"
        "  show gemm --what pass:vectorize_loops\n");
    program(c);
    target(c);
    sizes(c);
    params(c);
    auto* what =
        c->add_option("--what", what_,
                      "nest (loops of definitions), schedule (its text), ir (what code is made "
                      "from), pass:NAME (after its first run), llvm, asm")
            ->capture_default_str();
    suggest(what, [](auto&) {
        std::vector<std::string> all{"nest", "schedule", "ir", "llvm", "asm"};
        for (auto& p : pass_table()) all.push_back(std::string("pass:") + p.name);
        return all;
    });
    json(c, request_.json);
}

void CommandLine::add_verify() {
    auto* c = command(
        "verify", "Check", "compare a program on every path with its definition, bit for bit",
        [this] { return burin::verify(request_, verify_options_); },
        "  verify blur3x3 --schedule tiles\n"
        "  verify blur.burin --schedule rows.sched --calls 100 --seed 7\n");
    program(c);
    c->add_option("--calls", verify_options_.calls, "how many to make up")
        ->capture_default_str()
        ->check(whole(1, 1'000'000));
    c->add_option("--seed", verify_options_.seed, "equal seeds make equal calls")
        ->capture_default_str()
        ->check(whole(0, UINT64_MAX));
    json(c, request_.json);
}

void CommandLine::add_explain() {
    auto* c = command(
        "explain", "Check",
        "what an error means, a program that provokes it, and what works instead",
        [this] { return explain(id_, request_.json); },
        "  explain                      all errors\n"
        "  explain compute-at-vectorized\n");
    suggest(c->add_option("id", id_, "what stands in brackets at the end of the error's first line")
                ->type_name("ID")
                ->check(given()),
            [](auto&) { return page_ids(); });
    json(c, request_.json);
}

void CommandLine::add_fmt() {
    auto* c = command(
        "fmt", "Write", "give .burin and .sched files their usual form",
        [this] { return fmt_files(files_, check_); },
        "  fmt blur.burin rows.sched\n"
        "  fmt --check *.sched\n");
    auto* files = c->add_option("files", files_, "their comments, names and sugar are kept")
                      ->required()
                      ->type_name("FILE")
                      ->check(given());
    suggest(files, [](auto& words) {
        auto all = files_ending(words.back(), ".burin"),
             more = files_ending(words.back(), ".sched");
        all.insert(all.end(), more.begin(), more.end());
        return all;
    });
    c->add_flag("--check", check_, "write nothing; status 1 if a file would change");
}

void CommandLine::add_machine() {
    json(command(
             "doctor", "Check", "what this machine offers, and whether a program runs on it",
             [this] { return doctor(request_.json); }, "  doctor\n"),
         request_.json);
    std::string name = app_.get_name();
    auto* c = command(
        "completion", "Write", "a script by which a shell completes what is typed",
        [this, name] {
            fmt::print("{}", completion_script(shell_, name));
            return 0;
        },
        fmt::format("  completion bash > ~/.local/share/bash-completion/completions/{0}\n"
                    "  completion zsh > ~/.zfunc/_{0}\n"
                    "  completion fish > ~/.config/fish/completions/{0}.fish\n",
                    name));
    const std::vector<std::string> shells{"bash", "zsh", "fish"};
    suggest(c->add_option("shell", shell_, "bash, zsh or fish")
                ->required()
                ->check(CLI::IsMember(shells)),
            [shells](auto&) { return shells; });
}

}  // namespace burin
