// The transpose of a matrix: nothing to compute, all of it memory.
#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make() {
    Size m("m"), n("n");
    Input<float> x("x", {m, n});
    Var i("i"), j("j");
    Func y("y");
    y(j, i) = x(i, j);
    return Pipeline("transpose", {x}, {y({n, m})});
}

}  // namespace

LibraryEntry transpose() {
    return {
        "transpose",
        "y = x transposed, f32",
        make,
        {{"m", 4096}, {"n", 4096}},
        {{"x", -1, 1}},
        {
            {"tiles", "tiles of 64 x 64 in parallel, 16 points at a time", R"(
stage y
  jo, io, ji, ii = tile(j, i, 64, 64)
  parallel(jo)
  vectorize(ii, 16)
)"},
            // Rows of a large power of two lie in the same few lines of a cache, all 128 of a tile at once; their copy
            // does not.
            {"copied", "tiles of 128 x 128, each first copied to where its rows lie side by side",
             R"(
tile = cache_read(x, [y])
stage y
  jo, io, ji, ii = tile(j, i, 128, 128)
  reorder(io, jo, ji, ii)
  parallel(io)
  vectorize(ii, 16)
stage tile
  compute_at(y, jo)
  vectorize(d1, 16)
)"},
        },
        "copied"};
}

}  // namespace burin
