// uses.h - who reads a Func once inline Funcs are gone, and what loops stand around a place.
#pragma once
#include "legal/plan.h"

namespace burin {

struct StageOf {
    int func, def;
    friend bool operator==(const StageOf&, const StageOf&) = default;
};

// The definitions that read f, other than its own.
std::vector<StageOf> readers_of(const Algorithm& a, Symbol f);

// The stages with loops that read `func`, themselves or through Funcs computed inline; in the order
// of the algorithm.
std::vector<StageOf> uses_of(const Plan& plan, int func);

// The loops around a place, outermost first. E-schedule if Funcs are placed inside each other or
// inside an inline Func.
struct LoopOf {
    int func, def;
    const LoopPlan* loop;
};
std::vector<LoopOf> loops_around(const Plan& plan, const Place& place);

// Throws unless each prefetch is of something that its loop reads and does not compute. The places are legal.
void check_prefetches(const Plan& plan);

std::string to_string(const Plan& plan,
                      const Place& p);  // "inline", "root", "blur_y.x", "c.update(0).ko"

}  // namespace burin
