// Unsharp masking of a planar picture: what a blurred luminance lacks is added once more, the hue kept.
#include <fmt/format.h>

#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make() {
    Size h("h"), w("w");
    Input<uint8_t> in("in", {3, h, w});
    Var c("c"), y("y"), x("x");
    Func luma("luma"), blur_y("blur_y"), blur_x("blur_x"), ratio("ratio"), output("output");
    Func pixel = clamped(in, {1, 2});  // in_clamped
    luma(y, x) = 0.299f * cast<float>(pixel(0, y, x)) + 0.587f * cast<float>(pixel(1, y, x)) +
                 0.114f * cast<float>(pixel(2, y, x));
    // The seven taps of a Gaussian with a deviation of 1.5.
    auto gauss = [](auto at) {
        return 0.2707f * at(0) + 0.2167f * (at(-1) + at(1)) + 0.1113f * (at(-2) + at(2)) +
               0.0366f * (at(-3) + at(3));
    };
    blur_y(y, x) = gauss([&](int d) -> Expr { return luma(y + d, x); });
    blur_x(y, x) = gauss([&](int d) -> Expr { return blur_y(y, x + d); });
    ratio(y, x) = (2 * luma(y, x) - blur_x(y, x)) / (luma(y, x) + 0.01f);
    output(c, y, x) = cast<uint8_t>(round(cast<float>(pixel(c, y, x)) * ratio(y, x)));
    return Pipeline("unsharp", {in}, {output({3, h, w})});
}

std::string tiles(int height, int width, const char* order) {
    return fmt::format("stage output\n  yo, xo, yi, xi = tile(y, x, {}, {})\n  reorder({})\n",
                       height, width, order);
}
std::string at(const char* stage, const char* loop) {
    return fmt::format("stage {}\n  compute_at(output, {})\n", stage, loop);
}
constexpr const char* wide = "  vectorize(x, 16)\n";

}  // namespace

LibraryEntry unsharp() {
    return {
        "unsharp",
        "sharpens a picture, planar u8 [3, h, w]",
        make,
        {{"h", 3000}, {"w", 4000}},
        {{"in", 0, 255}},
        {
            {"root", "every stage whole, one after another", R"(
stage in_clamped
  compute_root()
stage luma
  compute_root()
stage blur_y
  compute_root()
stage blur_x
  compute_root()
stage ratio
  compute_root()
)"},
            {"inline", "nothing kept: each point computes all that it needs", R"(
stage output
  serial(x)
)"},
            {"tiles", "fused: all that a tile of the output needs, tile after tile",
             tiles(32, 128, "yo, xo, c, yi, xi") + at("ratio", "xo") + at("blur_x", "xo") +
                 at("blur_y", "xo") + at("luma", "xo")},
            {"parallel", "the same tiles, rows of them in parallel, 16 points at a time",
             tiles(32, 128, "yo, xo, c, yi, xi") + "  parallel(yo)\n  vectorize(xi, 16)\n" +
                 at("ratio", "xo") + wide + at("blur_x", "xo") + wide + at("blur_y", "xo") + wide +
                 at("luma", "xo") + wide},
            {"tuned", "the best sizes; blur_x inline, ratio row by row",
             tiles(60, 512, "yo, xo, yi, c, xi") + "  parallel(yo)\n  vectorize(xi, 16)\n" +
                 at("ratio", "yi") + wide + at("blur_y", "xo") + wide + at("luma", "xo") + wide},
        },
        "tuned"};
}

}  // namespace burin
