// How often each grey value occurs, and a picture in which they occur equally often.
#include "schedules/library.h"

namespace burin {
namespace {

constexpr int values = 256;

Pipeline make_histogram() {
    Size h("h"), w("w");
    Input<uint8_t> in("in", {h, w});
    Var v("v");
    RDom r({h, w}, "r");
    Func counts("counts");
    counts(v) = cast<uint32_t>(0);
    counts(index(in(r[0], r[1]))) += cast<uint32_t>(1);
    return Pipeline("histogram", {in}, {counts({values})});
}

// A value becomes the share of the pixels that are not brighter, times 255.
Pipeline make_equalize() {
    Size h("h"), w("w");
    Input<uint8_t> in("in", {h, w});
    Var v("v"), y("y"), x("x");
    RDom r({h, w}, "r"), s(Range{1, values}, "s");
    Func counts("counts"), below("below"), map("map"), out("out");
    counts(v) = cast<uint32_t>(0);
    counts(index(in(r[0], r[1]))) += cast<uint32_t>(1);
    below(v) = cast<uint64_t>(counts(v));
    below(s) += below(s - 1);
    Expr pixels = cast<uint64_t>(h * w);
    map(v) = cast<int>((below(v) * 255 + pixels / 2) / pixels);
    out(y, x) = cast<uint8_t>(map(index(in(y, x))));
    return Pipeline("equalize", {in}, {out({h, w})});
}

constexpr const char* bands = R"(
parts = rfactor(counts.update(0), r0, 16, outer, u, in_order)
stage parts
  compute_root()
  vectorize(v, 16)
stage parts.update(0)
  parallel(u)
stage counts.update(0)
  reorder(u, v)
  vectorize(v, 16)
)";

}  // namespace

LibraryEntry histogram() {
    return {"histogram",
            "how often each value of a picture occurs, u8",
            make_histogram,
            {{"h", 3000}, {"w", 4000}},
            {{"in", 0, 255}},
            {
                {"bands", "16 bands of rows in parallel, each with counts of its own", bands},
            },
            "bands"};
}

LibraryEntry equalize() {
    return {"equalize",
            "spreads the grey values of a picture evenly, u8",
            make_equalize,
            {{"h", 3000}, {"w", 4000}},
            {{"in", 0, 255}},
            {
                {"bands", "counts by bands of rows, then the picture through the table",
                 std::string(bands) + R"(
stage map
  compute_root()
stage out
  parallel(y, 16)
  vectorize(x, 16)
)"},
            },
            "bands"};
}

}  // namespace burin
