// command_line.h - arguments to commands: what `burin --help` says, what completion offers, and what is run.
#pragma once
#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/complete.h"

namespace burin {

class CommandLine {
public:
    // `program`: what it is called by, in its own help.
    CommandLine(const std::string& program, Catalogue catalogue);
    CommandLine(const CommandLine&) = delete;

    // A command of a group in the help; the footer is its examples.
    CLI::App* command(const char* name, const char* group, const char* help,
                      std::function<int()> run, const std::string& examples);
    // Options that several commands share.
    CLI::Option* threads(CLI::App* c, int& to);
    void json(CLI::App* c, bool& to);
    CLI::Option* many(CLI::App* c, const char* name, std::vector<std::string>& to, const char* type,
                      const char* help);
    CLI::Option* names(CLI::App* c, const char* name, std::vector<std::string>& to,
                       const char* help);  // of pipelines
    void suggest(CLI::Option* o, Suggest names) { suggestions_[o] = std::move(names); }

    static CLI::Validator whole(uint64_t lo, uint64_t hi);
    static CLI::Validator given();  // no empty text

    // The exit status. Reports what is wrong with the arguments; Errors of the command itself are thrown.
    int run(int argc, char** argv);

private:
    void program(CLI::App* c);
    void target(CLI::App* c);
    void sizes(CLI::App* c);
    void params(CLI::App* c);
    void add_run();
    void add_watch();
    void add_show();
    void add_verify();
    void add_list();
    void add_explain();
    void add_fmt();
    void add_machine();

    bool knows(const std::string& word) const;
    int refuse(const CLI::ParseError& e) const;

    Catalogue catalogue_;
    CLI::App app_;
    Request request_;
    VerifyOptions verify_options_;
    WatchRequest watch_;
    std::string what_ = "nest", id_, shell_;
    std::vector<std::string> files_;
    bool check_ = false;
    Suggestions suggestions_;
    std::function<int()> action_;
};

// The whole of main: what is thrown is reported, closed streams do no harm, output that cannot be written is no success.
int run_tool(int argc, char** argv, Catalogue catalogue,
             const std::function<void(CommandLine&)>& more = {});

}  // namespace burin
