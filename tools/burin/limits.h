// limits.h - what this machine can do at most, measured and not looked up: arithmetic, and memory level by level.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace burin {

struct Level {  // a cache, or the memory
    std::string name;
    int64_t bytes = 0;  // what it holds
    // GB/s of all threads together; a copy counts what is read and what is written
    double read = 0, copy = 0, stream = 0;  // stream: a copy by stores that pass the caches
};

struct Limits {
    int threads = 0;
    double gflops =
        0;  // f32, fused multiply-adds in registers alone; 0: not known for this kind of processor
    std::vector<Level> levels;

    void keep_better(const Limits& later);
};
Limits measure_limits(int threads);  // takes about half a second

struct Bound {
    double ms = 0;
    std::string by;  // "fma" or a level's name
};
// The least that a call can take which does so many operations, reads `in` bytes and writes `out`.
Bound bound_of(const Limits& limits, std::optional<double> operations, double in, double out);

// Known work, beside what is measured: a few milliseconds of arithmetic and of copying.
class Probe {
public:
    explicit Probe(int threads);
    double slowness();  // of now: the time over the shortest that this probe has seen, at least 1

private:
    int threads_;
    std::vector<char> from_, to_;
    double arithmetic_ = 1e30, copying_ = 1e30;  // the shortest, ms
};

}  // namespace burin
