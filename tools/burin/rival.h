// rival.h - another system on the same task, as a program of its own that answers line by line.
#pragma once
#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace burin {

class Rival {
public:
    // bench/halide_rival.cpp, built at first use against the Halide of $BURIN_PYTHON. Null and the reason in `why` if
    // that is not to be had.
    static std::unique_ptr<Rival> halide(int threads, std::string& why);
    ~Rival();

    // What it answers to a line. E-resource: it has ended, or its answer begins with "error".
    std::string ask(const std::string& line);
    std::vector<double> numbers(const std::string& line);

private:
    Rival(pid_t pid, FILE* to, FILE* from) : pid_(pid), to_(to), from_(from) {}
    pid_t pid_;
    FILE *to_, *from_;
};

}  // namespace burin
