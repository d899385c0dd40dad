// command.h - the burin command, a function and a file each. What it returns is the exit status: 0 all is well, 1 it is
// not. An Error is printed by main.
#pragma once
#include <burin/verify.h>

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/job.h"

namespace burin {

struct DemoRequest {
    std::string picture, only;  // a PNG, one of the two pipelines; empty: one that is drawn, both
    int threads = 0;
    bool json = false;
};
struct BenchRequest {
    std::vector<std::string> names, sizes;
    int threads = 0;
    bool json = false;
};

int demo(const DemoRequest& request);
int run(const Request& request);
int show(const Request& request, const std::string& what);
int verify(const Request& request, const VerifyOptions& options);
int list(bool json);
int doctor();
int bench(const BenchRequest& request);

int threads_of(int wanted);        // how many there will be; 0: all
std::string bytes_text(double n);  // "1.6 MB"
void print_as_json(const nlohmann::ordered_json&
                       j);  // bytes that are no UTF-8, as in names of files, become U+FFFD

// A line on the terminal, replaced in place and gone at the end; nothing where stderr is no terminal.
class Progress {
public:
    ~Progress();
    void show(double done, const std::string& what);  // done: 0 to 1

private:
    bool shown_ = false;
};

}  // namespace burin
