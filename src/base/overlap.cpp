#include <burin/buffer.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace burin {
namespace {

using int128 = __int128;

// Some byte is shared if  sum of step * x = target  has a solution with 0 <= x <= count in every
// term: the terms are the dimensions of both buffers (equal strides merged) and the bytes of the
// two elements.
struct Term {
    int128 step, count;
    int128 reach;   // the largest sum of this term and those after it
    int128 gcd;     // of their steps
    bool is_solid;  // those sums are all of 0 .. reach
};

// A search from the largest step down: what the rest can reach leaves few values of x at each
// level.
bool is_solvable(const std::vector<Term>& terms, size_t i, int128 target, int& budget) {
    if (i == terms.size()) return target == 0;
    const Term& t = terms[i];
    if (target < 0 || target > t.reach || target % t.gcd) return false;
    if (t.is_solid) return true;
    int128 rest = t.reach - t.step * t.count;
    int128 low = target > rest ? (target - rest + t.step - 1) / t.step : 0;
    int128 high = std::min(t.count, target / t.step);
    for (int128 x = high; x >= low; --x)
        if (--budget < 0 || is_solvable(terms, i + 1, target - x * t.step, budget)) return true;
    return false;
}

// The lowest and the highest address of an element of the buffer.
int128 lowest(const AnyBuffer& b) {
    int128 low = int128(reinterpret_cast<uintptr_t>(b.data()));
    for (const Dim& d : b.dims())
        low += std::min<int128>(0, int128(d.stride) * (d.extent - 1) * b.type().bytes());
    return low;
}
int128 highest(const AnyBuffer& b) {
    int128 high = int128(reinterpret_cast<uintptr_t>(b.data()));
    for (const Dim& d : b.dims())
        high += std::max<int128>(0, int128(d.stride) * (d.extent - 1) * b.type().bytes());
    return high;
}

}  // namespace

bool overlaps(const AnyBuffer& a, const AnyBuffer& b) {
    if (a.size() == 0 || b.size() == 0) return false;
    if (highest(a) + a.type().bytes() <= lowest(b) || highest(b) + b.type().bytes() <= lowest(a))
        return false;
    // Counted from its lowest address, a covers sum(step * i) + byte; b, from its highest, minus
    // sum(step * j) + byte.
    std::map<int128, int128, std::greater<>> counts{
        {1, a.type().bytes() - 1 + b.type().bytes() - 1}};
    int128 target = lowest(b) + b.type().bytes() - 1 - lowest(a);
    for (const AnyBuffer* buffer : {&a, &b})
        for (const Dim& d : buffer->dims()) {
            int128 step =
                int128(d.stride < 0 ? -int128(d.stride) : d.stride) * buffer->type().bytes();
            if (d.extent == 1 || step == 0) continue;
            counts[step] += d.extent - 1;
            if (buffer == &b) target += step * (d.extent - 1);
        }
    std::vector<Term> terms;
    for (auto [step, count] : counts)
        if (count) terms.push_back({step, count, 0, 0, false});
    int128 reach = 0, gcd = 0;
    bool is_solid = true;
    for (size_t i = terms.size(); i-- > 0;) {
        Term& t = terms[i];
        is_solid = is_solid && t.step <= reach + 1;
        t.reach = reach += t.step * t.count;
        for (int128 r = t.step; r != 0;) {
            int128 next = gcd % r;
            gcd = r;
            r = next;
        }
        t.gcd = gcd;
        t.is_solid = is_solid;
    }
    int budget = 10000;
    return is_solvable(terms, 0, target, budget);
}

}  // namespace burin
