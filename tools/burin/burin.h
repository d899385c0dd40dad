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
    std::vector<std::string> names, sizes;
    int threads = 0;
    bool json = false;
};

int demo(const DemoRequest& request);
int bench(const BenchRequest& request);

}  // namespace burin
