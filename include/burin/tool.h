// tool.h - the burin command for the pipelines of a program of your own: list, run, show, verify, watch and the others.
//
//   int main(int argc, char** argv) {
//       Schedule rows(blur);
//       rows[blur_y].parallel(y).vectorize(x, 16);
//       return burin::tool(argc, argv, {{blur, {{"rows", rows}}, {{"h", 1080}, {"w", 1920}}}, dense});
//   }
//
//   ./blurs list;  ./blurs run blur --size h=66;  ./blurs verify blur --schedule rows;  ./blurs --help
//
// The library burin::tool has it, besides burin::burin.
#pragma once
#include <burin/schedule.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace burin {

struct ToolSchedule {
    std::string name, summary;
    std::function<Schedule(const Pipeline&)> make;  // called when it is asked for
    ToolSchedule(std::string name, Schedule s, std::string summary = {});
    ToolSchedule(std::string name, std::string summary,
                 std::function<Schedule(const Pipeline&)> make);
};

struct ToolRange {  // of the random numbers an input is filled with
    std::string input;
    double lo, hi;
};

struct ToolPipeline {
    std::string name, summary;
    std::function<Pipeline()> make;       // called when it is asked for
    std::vector<ToolSchedule> schedules;  // besides "plain" and "auto"
    std::string best;  // one of their names, or of these two: taken unless another is asked for
    // What is computed unless told otherwise; 256 for a Size that is not listed.
    std::vector<std::pair<std::string, int64_t>> sizes;
    std::vector<ToolRange> data;

    ToolPipeline() = default;
    // The last schedule is the best one; of none, auto.
    ToolPipeline(Pipeline p, std::vector<ToolSchedule> schedules = {},
                 std::vector<std::pair<std::string, int64_t>> sizes = {}, std::string summary = {});
};

// Does what the arguments say, and prints. What it returns is the exit status: 0 all is well, 1 an error, which is on
// the standard error, or a result that is not right, 2 arguments that were not understood. Throws nothing.
int tool(int argc, char** argv, std::vector<ToolPipeline> pipelines);

}  // namespace burin
