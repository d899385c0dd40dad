// measure.h - times of repeated runs, and whether their results are right.
#pragma once
#include <burin/kernel.h>

#include <chrono>
#include <functional>
#include <vector>

namespace burin {

class Stopwatch {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

struct Times {  // milliseconds
    double median = 0, min = 0, max = 0;
    int n = 0;
};
Times times_of(std::vector<double> ms);

// Runs f once to warm up, then again for about half a second. If the first run takes more than 2 s, it is the only one.
Times measure(const std::function<void()>& f);

struct TileCheck {
    // of 16: corners, edges, seeded ones inside; fewer where their evaluation takes long
    int tiles = 0;
    bool equal = true;  // bit for bit
    double ulp = 0;     // the largest distance
    std::string first;  // where the first difference is
};
// Outputs of a call against direct evaluation of p on small tiles of them, for at most so many seconds.
TileCheck check_tiles(const Pipeline& p, const std::vector<Arg>& inputs,
                      const std::vector<Arg>& outputs, double seconds = 5);

int64_t peak_rss();  // of this process, in bytes

}  // namespace burin
