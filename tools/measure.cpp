#include "tools/measure.h"

#include <burin/evaluate.h>

#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/verify.h"
#include "tools/data.h"

namespace burin {
namespace {

constexpr int tiles = 16;

// Tile k of a box: 0 to 3 in the corners of the last two dimensions, 4 to 7 along their edges, the others anywhere.
std::vector<Dim> tile_of(const AnyBuffer& b, int k) {
    std::vector<Dim> box(b.dims().begin(), b.dims().end());
    int rank = b.rank();
    for (int d = 0; d < rank; ++d) {
        Dim& dim = box[size_t(d)];
        int from_end = rank - 1 - d;
        int64_t room = dim.extent - std::min<int64_t>(dim.extent, from_end < 2 ? 16 : 4);
        dim.extent -= room;
        int at = k < 4 ? k >> from_end & 1 : k < 8 && (k & 1) == from_end ? k >> 1 & 1 : 2;
        if (from_end > 1) at = 2;
        int64_t anywhere = int64_t(random_unit(uint64_t(k), uint64_t(d)) * double(room + 1));
        dim.min += at == 0 ? 0 : at == 1 ? room : anywhere;
    }
    return box;
}

AnyBuffer cut(AnyBuffer b, const std::vector<Dim>& box) {
    for (size_t d = 0; d < box.size(); ++d) b = b.crop(int(d), box[d].min, box[d].extent);
    return b;
}

}  // namespace

Times times_of(std::vector<double> ms) {
    if (ms.empty()) return {};
    std::sort(ms.begin(), ms.end());
    return {ms[ms.size() / 2], ms.front(), ms.back(), int(ms.size())};
}

Times measure(const std::function<void()>& f) {
    Stopwatch first;
    f();
    if (double ms = first.ms(); ms > 2000) return {ms, ms, ms, 1};
    std::vector<double> all;
    for (Stopwatch total; all.size() < 3 || (total.ms() < 500 && all.size() < 1000);) {
        Stopwatch one;
        f();
        all.push_back(one.ms());
    }
    return times_of(std::move(all));
}

TileCheck check_tiles(const Pipeline& p, const std::vector<Arg>& inputs,
                      const std::vector<Arg>& outputs, double seconds) {
    TileCheck result;
    Stopwatch watch;
    for (; result.tiles < tiles && watch.ms() < seconds * 1000; ++result.tiles) {
        std::vector<std::vector<Dim>> boxes;
        for (auto& o : outputs) boxes.push_back(tile_of(o.buffer(), result.tiles));
        Results wanted = evaluate(p, inputs, boxes);
        for (size_t i = 0; i < outputs.size(); ++i) {
            AnyBuffer got = cut(outputs[i].buffer(), boxes[i]);
            auto where = first_difference(got, wanted[int(i)]);
            if (!where) continue;
            if (result.equal)
                result.first = fmt::format("output {} at ({})", i, fmt::join(*where, ", "));
            result.equal = false;
            result.ulp = std::max(result.ulp, ulp_distance(got, wanted[int(i)]));
        }
    }
    return result;
}

int64_t peak_rss() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return int64_t(usage.ru_maxrss) * 1024;
}

}  // namespace burin
