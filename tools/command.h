// command.h - the commands, a function and a file each. What it returns is the exit status: 0 all is well, 1 it is
// not. Errors are thrown.
#pragma once
#include <burin/verify.h>

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/job.h"

namespace burin {

struct WatchRequest {
    bool once = false;  // end after the first look
};

int run(const Request& request);
int show(const Request& request, const std::string& what);
int verify(const Request& request, const VerifyOptions& options);
int watch(const Request& request, const WatchRequest& options);
int list(const Catalogue& catalogue, bool json);
int explain(const std::string& id, bool json);  // empty: all ids
// A line on the standard error. Where that is closed or full, nothing more can be said.
void complain(std::string report);
// Goes on after a file that is refused; 1 if one was, or with `check` would change.
int fmt_files(const std::vector<std::string>& files, bool check);
int doctor(bool json);
std::string processor_name();

int threads_of(int wanted);        // how many there will be; 0: all
std::string bytes_text(double n);  // "1.6 MB"
// Bytes that are no UTF-8, as in names of files, become U+FFFD.
void print_as_json(const nlohmann::ordered_json& j);

// A line on the terminal, replaced in place and gone at the end; nothing where stderr is no terminal.
class Progress {
public:
    ~Progress();
    void show(double done, const std::string& what);  // done: 0 to 1

private:
    bool shown_ = false;
};

}  // namespace burin
