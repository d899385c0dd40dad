// burin.h - what the burin executable has besides the commands of every tool: its library, and two commands about it.
#pragma once
#include <burin/tool.h>

#include <string>
#include <vector>

#include "schedules/library.h"

namespace burin {

ToolPipeline offered(const LibraryEntry& entry);

struct DemoRequest {
    std::string picture, only;  // a PNG, one of the two pipelines; empty: one that is drawn, both
    int threads = 0;
    bool json = false;
};
struct BenchRequest {
    std::vector<std::string> names, sizes;  // no names: the whole library
    std::vector<int> threads;               // measured with each; none: all there are
    bool rivals = false;                    // those that bench/ has
    std::vector<std::string> others;        // "NAME=COMMAND" each
    double patience = 30;                   // seconds for a call, and for each answer of a rival
    std::string json;                       // a file, or "-"
};

int demo(const DemoRequest& request);
int bench(const BenchRequest& request);
// Answers on the standard output to the lines of bench/README.md, with the library's schedules of that name.
int bench_answers(const std::string& schedule);

}  // namespace burin
