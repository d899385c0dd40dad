// command.h - the parts of the burin command: each adds a subcommand, whose action is the exit status: 0 all is well,
// 1 it is not. An Error thrown by an action is printed by main.
#pragma once
#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include "tools/job.h"

namespace burin {

using Action = std::function<int()>;

void add_demo(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);

// The positional FILE|NAME, --schedule and --target, shared by those that take a program.
void add_program(CLI::App& command, Request& request);
void add_threads(CLI::App& command, int& threads);

int threads_of(int wanted);          // what 0 stands for
std::string bytes_text(double n);    // "1.6 MB"

// A line on the terminal, replaced in place and gone at the end; nothing where stderr is no terminal.
class Progress {
public:
    ~Progress();
    void show(double done, const std::string& what);  // done: 0 to 1

private:
    bool shown_ = false;
};

}  // namespace burin
