#include "codegen/halves.h"

#include <algorithm>

#include "ir/build.h"
#include "ir/equal.h"

namespace burin {
namespace {

class Parts {
public:
    explicit Parts(int lanes) {
        sum.even.resize(size_t(lanes));
        sum.odd.resize(size_t(lanes));
    }

    bool add(const Expr& e, int64_t times) {
        if (auto* op = e.as<Add>()) return add(op->a, times) && add(op->b, times);
        if (auto* op = e.as<Sub>()) return add(op->a, times) && add(op->b, -times);
        if (auto* op = e.as<Div>()) return halved(op->a, op->b, times, false);
        if (auto* op = e.as<Mod>()) return halved(op->a, op->b, times, true);
        if (auto* op = e.as<Mul>()) {
            auto factor = const_int(op->b);
            return factor && std::abs(*factor) <= 8 && std::abs(times) <= 8 &&
                   add(op->a, times * *factor);
        }
        auto* op = e.as<Broadcast>();
        if (!op || !op->value.type().is_scalar()) return false;
        sum.terms.emplace_back(op->value, times);
        return true;
    }

    Halves sum;

private:
    bool halved(const Expr& a, const Expr& b, int64_t times, bool rest) {
        auto* ramp = a.as<Ramp>();
        if (!ramp || const_int(b) != 2 || !is_int(ramp->stride, 1) ||
            !ramp->base.type().is_scalar() || (sum.x.defined() && !equal(sum.x, ramp->base)))
            return false;
        sum.x = ramp->base;
        if (!rest) sum.halves += times;
        for (size_t i = 0; i < sum.even.size(); ++i) {
            auto n = int64_t(i);
            sum.even[i] += times * (rest ? n % 2 : n / 2);
            sum.odd[i] += times * (rest ? (n + 1) % 2 : (n + 1) / 2);
        }
        return true;
    }
};

}  // namespace

std::optional<Halves> halves_of(const Expr& index) {
    int lanes = index.type().lanes;
    Parts parts(lanes);
    if (!parts.add(index, 1) || !parts.sum.x.defined()) return {};
    auto [lo, hi] = std::ranges::minmax(parts.sum.even);
    auto [lo_odd, hi_odd] = std::ranges::minmax(parts.sum.odd);
    if (std::max(hi, hi_odd) - std::min(lo, lo_odd) >= 2 * lanes) return {};
    return parts.sum;
}

}  // namespace burin
