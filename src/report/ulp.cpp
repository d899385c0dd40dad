#include <bit>
#include <cmath>
#include <limits>

#include "ir/value.h"
#include "report/verify.h"

namespace burin {

// The place of a value in the order of all values of its type.
static double rank_of(Value v) {
    if (!v.type.is_float()) return v.type == u64 ? double(uint64_t(v.i)) : double(v.i);
    uint64_t bits = bits_of(v), sign = uint64_t(1) << (v.type.bits - 1);
    return bits & sign ? -double(bits & (sign - 1)) : double(bits);
}

double ulp_distance(const AnyBuffer& a, const AnyBuffer& b) {
    double most = 0;
    for_each_point(a.dims(), [&](std::span<const int64_t> at) {
        Value x = load(a.type(), a.at(at)), y = load(b.type(), b.at(at));
        if (same(x, y)) return;
        bool one_nan = x.is_nan() || y.is_nan();
        most = std::max(most, one_nan ? std::numeric_limits<double>::infinity()
                                      : std::fabs(rank_of(x) - rank_of(y)));
    });
    return most;
}

}  // namespace burin
