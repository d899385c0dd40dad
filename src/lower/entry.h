// entry.h - what happens at a call before anything is written: the lowered state's checks against one binding, the values
// that its body takes as given, the sizes of its scratch memory. For compiled kernels and the interpreter alike.
#pragma once
#include "lower/dispatch.h"
#include "lower/lower.h"

namespace burin {

struct Admission {
    bool empty = false;         // no output has a point: nothing was checked, nothing is to run
    bool narrow = true;         // the body with 32-bit indices and innermost strides 1 may run
    std::vector<int64_t> lets;  // of State::entry_lets
    std::vector<int64_t> scratch_bytes;    // of State::scratch
    std::vector<int64_t> required_points;  // of State::required_points; -1: inlined
};

class Entry {
public:
    Entry(const State& state, const Binder& binder);
    // E-bounds  an input that is too small, a negative extent, a broken promise, an index beyond 64 bits
    // E-value   a run-time factor that is not positive
    Admission admit(const Binding& call) const;

private:
    struct Slots {
        int lo = -1, hi = -1, when = -1;  // roots of program_
    };
    int root(const Expr& e);
    void check_region(const EntryCheck& c, int64_t lo, int64_t hi, const Binding& call) const;

    std::vector<EntryCheck> checks_;
    std::vector<Slots> slots_;
    std::vector<Expr> roots_;
    size_t lets_ = 0, scratch_ = 0;      // the first roots: lets, then bytes
    std::vector<int> required_;          // roots too
    std::vector<Binder::Leaf> regions_;  // the buffer of each check that has one
    CallProgram program_;
};

}  // namespace burin
