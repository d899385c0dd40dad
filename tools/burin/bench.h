// bench.h - what the bench has measured, and its two forms.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/burin/limits.h"
#include "tools/measure.h"

namespace burin {

// An automatic schedule that takes longer than so many times the best by hand falls short.
constexpr double tolerable = 3;

struct BenchCell {     // one side at one task
    std::string side;  // "hand", "auto", a rival's name
    std::string why;   // there are no times; with `none` it is only not meant to do this task
    bool none = false;
    Times call, compile;
    double first = 0;    // ms of the first call
    double over = 0;     // it was given up after so many seconds
    std::string values;  // how far from those of the first that has some
};

struct BenchRow {
    std::string pipeline, sizes, schedule;
    int threads = 0;
    double operations = 0, bytes = 0, written = 0;  // `written`: of the bytes; no operations: 0
    std::vector<BenchCell> cells;                   // hand, auto, the rivals
    bool quiet = true;
    Bound bound(const Limits& limits) const;
};

struct BenchTable {
    std::vector<Limits> limits;  // for each number of threads
    std::vector<std::string> sides;
    std::vector<BenchRow> rows;
    std::map<std::string, double> call_us;     // of a call that adds 16 numbers
    std::map<std::string, std::string> about;  // rivals: version, or why they are not there
    std::string machine, date;
    const Limits& limits_for(int threads) const;
};

void print_bench(const BenchTable& table);
nlohmann::ordered_json as_json(const BenchTable& table);

}  // namespace burin
