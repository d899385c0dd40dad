// rounds.h - times of several sides that take turns, beside known work.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tools/burin/limits.h"
#include "tools/measure.h"

namespace burin {

struct Contender {
    // So many calls, each in milliseconds. What it throws takes it out; `failed` says why.
    std::function<std::vector<double>(int calls)> run;
    double ms = 0;  // of a call, about
    std::string failed = {};
};

struct Turns {
    std::vector<Times> times;  // of each; empty for one that failed
    bool quiet = true;         // else the machine was busy during some of the rounds that count
};
// In each round every side runs for some 20 ms; a call of less than that is made once more before, since others had the
// caches. A round beside which the known work took over 1.3 times as long as it can is done again, up to twice as many
// rounds in all; the quietest count.
Turns take_turns(std::vector<Contender>& sides, Probe& probe,
                 const std::function<void(double done)>& progress);

}  // namespace burin
