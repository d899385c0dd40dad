// command.h - the burin command, a function and a file each. What it returns is the exit status: 0 all is well, 1 it is
// not. An Error is printed by main.
#pragma once
#include <burin/verify.h>

#include <string>
#include <vector>

#include "tools/job.h"

namespace burin {

struct BenchRequest {
    std::vector<std::string> names, sizes;
    int threads = 0;
    bool json = false;
};

int demo(const std::string& picture, int threads, bool json);
int run(const Request& request);
int show(const Request& request, const std::string& what);
int verify(const Request& request, const VerifyOptions& options);
int list(bool json);
int doctor();
int bench(const BenchRequest& request);

int threads_of(int wanted);        // what 0 stands for
std::string bytes_text(double n);  // "1.6 MB"

// A line on the terminal, replaced in place and gone at the end; nothing where stderr is no terminal.
class Progress {
public:
    ~Progress();
    void show(double done, const std::string& what);  // done: 0 to 1

private:
    bool shown_ = false;
};

}  // namespace burin
