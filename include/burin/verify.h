// verify.h - is a schedule right? Every path is compared with the definition, bit for bit, on calls made up for it.
#pragma once
#include <burin/pipeline.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace burin {

class Schedule;

struct VerifyOptions {
    // To be compared: sizes at the edges of the schedule's factors, data with NaN and the like.
    int calls = 12;
    uint64_t seed = 1;  // equal seeds make equal calls
    // elements of the largest buffer of a call; its stages have at most 100 times as many points in all
    int64_t budget = 20000;
    // no gaps, other orders or negative strides: no body with 64-bit indices is needed
    bool dense = false;
    std::function<void(int compared)> progress = {};  // told after each call that was compared
};

struct VerifyReport {
    struct Failure {
        std::string path;  // "kernel", "interpreter, Flat", ...
        // the first pass whose result is wrong; empty: the loops are right, what runs them is not
        std::string pass;
        std::string call;        // the sizes and parameters
        std::string difference;  // the first one
        std::string schedule;    // what is left of it once every line that does not matter is gone
    };
    int compared = 0, refused = 0;  // calls; refused: by every path alike, as an input is too small
    std::string refusal;            // the first of these calls, and why
    std::string paths;              // their names
    std::vector<std::string> untried;  // variants of specialize that no call was found for
    // how far edits that reorder took the outputs from p's; 0: no bit
    double ulp_from_algorithm = 0;
    std::optional<Failure> failure;
    bool ok() const { return !failure; }
};
std::string to_string(const VerifyReport& report);

// Throws what compile(p, s) throws where the schedule is illegal.
VerifyReport verify(const Pipeline& p, const Schedule& s, const VerifyOptions& options = {});

}  // namespace burin
