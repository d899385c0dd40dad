// windows.h - what of a Func is new in each iteration, where its storage lives longer than its computation, and how
// much of what is old has to be kept.
#pragma once
#include "legal/regions.h"

namespace burin {

// One coordinate of a Func between the loop it is stored at and the one it is computed at.
struct Window {
    enum Way : uint8_t { Still, Up, Down } way = Still;
    bool always_new = false;  // no iteration has nothing new
    // Folded along a scan: its pure value and its update take turns at each coordinate, in the direction of the scan.
    int stepwise = 0;  // 1: up; -1: down
    // The ends of what is computed, where they are not those of what is read there: where new coordinates begin (Up) or
    // end (Down), and what readers that slide need but do not read each time.
    Expr lo, hi;
    // Stored modulo this; 0: as far as the storage reaches.
    int64_t fold = 0;
    // The least sound modulus; 0: there is none, for the reason in `why_not`.
    int64_t least_fold = 0;
    std::string why_not;
};
using Windows = std::vector<std::vector<Window>>;  // [func][coordinate]

// Of a plan without inlined Funcs whose places are legal. From now on `regions` gives the producers of a Func that may
// have nothing new in an iteration all that it needs there.
Windows find_windows(const Plan& plan, const LoopNests& nests, Regions& regions);

// Throws where fold_storage() asks for what is not proved sound.
void check_folds(const Plan& plan, const Windows& windows);

}  // namespace burin
