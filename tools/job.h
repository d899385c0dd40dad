// job.h - what run, show, verify and watch are asked for: a pipeline, a schedule, the buffers of a call.
#pragma once
#include <burin/kernel.h>
#include <burin/tool.h>

#include <map>
#include <string>
#include <vector>

namespace burin {

using Catalogue = std::vector<ToolPipeline>;
const ToolPipeline* find_pipeline(const Catalogue& catalogue, const std::string& name);  // or null
std::vector<std::string> pipeline_names(const Catalogue& catalogue);
std::vector<std::string> schedule_names(const ToolPipeline& entry);  // with plain

struct Request {
    const Catalogue* catalogue = nullptr;
    std::string what, schedule;  // FILE|NAME each; schedule empty: the best or the plain one
    std::string target = "host";
    std::vector<std::string> sizes, inputs, params,
        outputs;      // "h=1080,w=1920", "in=photo.png", ...
    int threads = 0;  // 0: what the machine has
    bool json = false;
};

struct ToolProgram {
    Pipeline pipeline;
    Schedule schedule;
    std::string schedule_name;
    const ToolPipeline* entry = nullptr;  // null: from a file
};
// A name of the catalogue or the path of a file; what has a slash, an ending or exists is a path. Throws E-value, naming
// the nearest, and what the files' errors are.
ToolProgram load_program(const Request& request);

struct CallData {
    std::vector<Arg> inputs, outputs;
    std::vector<std::string> output_names;
    std::map<std::string, int64_t> sizes;
    std::map<std::string, std::string> to_write;  // output name -> file
    std::vector<std::string> notes;               // conversions, sizes that nobody gave

    std::vector<Arg> all() const;
};
// Reads and makes up the inputs, allocates the outputs, checks that the files asked for can be written. A name that the
// pipeline does not have is E-value with the nearest one.
CallData prepare_call(const ToolProgram& program, const Request& request);
void write_outputs(CallData& call);

// "h=1080,w=1920", all of them. E-value names the part that is no NAME=VALUE, is not known or comes twice.
std::map<std::string, std::string> assignments(const std::string& option,
                                               const std::vector<std::string>& texts,
                                               const std::vector<std::string>& known,
                                               bool comma_separates);

}  // namespace burin
