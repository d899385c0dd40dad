// rival.h - another system on the same task, as a program of its own that answers line by line (bench/README.md).
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace burin {

struct RivalProgram {
    std::string name, command;  // for the shell
    std::string why = {};       // it is not there, and its columns stay empty
    bool own = false;
};
// This program, with the library's best schedules by hand, and with those made by rule.
std::vector<RivalProgram> own_sides();
// Halide and oneDNN, built at first use, and what bench/python_rival.py drives, each if it is installed.
std::vector<RivalProgram> known_rivals();

class Rival {
public:
    // BURIN_THREADS tells it how many threads it may use. It has `patience` seconds for each answer.
    Rival(const RivalProgram& program, int threads, double patience);
    ~Rival();
    Rival(const Rival&) = delete;

    // What it answers to a line, within `seconds` if this line may take longer than others. E-resource "rival-failed": it
    // has ended, is silent for too long, or its answer begins with "error"; after the first two it is of no more use.
    std::string ask(const std::string& line, double seconds = 0);
    std::vector<double> numbers(const std::string& line, size_t count);  // likewise: not so many
    bool lost() const { return lost_; }
    double silent() const { return silent_; }  // lost by that: the seconds; else 0

private:
    [[noreturn]] void fail(const std::string& line, const std::string& what) const;

    std::string name_;
    double patience_;
    pid_t pid_;
    int to_, from_;
    std::string unread_;
    bool lost_ = false;
    double silent_ = 0;
};

}  // namespace burin
