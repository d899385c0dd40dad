// test_sliding.cpp - store_at outside compute_at: what is new in each iteration, and how little of the old is kept.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>

#include <fmt/format.h>

#include "error_of.h"
#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

const std::string rows =
    "pipeline p(h: size, w: size) -> g[h, w]\n"
    "f(y, x) = i32(y * 7 + x * x)\n"
    "g(y, x) = f(y - 1, x) + f(y, x) * 2 + f(y + 1, x - 2)\n";
const std::string chain =
    "pipeline p(h: size, w: size) -> g[h, w]\n"
    "e(y, x) = i32(y * 7 + x * x)\n"
    "f(y, x) = e(y, x) - e(y + 2, x)\n"
    "g(y, x) = f(y - 1, x) + f(y + 1, x)\n";

Schedule scheduled(const std::string& lines) {
    return parse_schedule(parse_pipeline(rows), "schedule 1 for p\n" + lines);
}

}  // namespace

TEST_CASE("a window slides: only what is new is computed, only what is in use is kept") {
    has_golden_shape(Stencil, "stage f\nstore_root()\ncompute_at(g, y)\n", "sliding");
    has_golden_shape(Stencil,
                     "stage g\nsplit(y, 4)\nstage f\nstore_at(g, yi)\ncompute_at(g, x)\n"
                     "fold_storage(x, 3)\n",
                     "sliding_tiles");
}

TEST_CASE("each point is computed once where storage lives as long as what reads it") {
    CHECK(points(rows, "stage f\n  store_root()\n  compute_at(g, y)\n", {10, 8}) == "f 120, g 80");
    CHECK(points(rows, "stage f\n  store_root()\n  compute_at(g, x)\n", {10, 8}) == "f 120, g 80");
    CHECK(points(rows, "stage g\n  reorder(x, y)\nstage f\n  store_root()\n  compute_at(g, y)\n",
                 {10, 8}) == "f 120, g 80");
    std::string tiles = "stage g\n  split(y, 4)\n  vectorize(x, 8)\n";
    CHECK(points(rows, tiles + "stage f\n  store_root()\n  compute_at(g, yi)\n", {10, 8}) ==
          "f 120, g 80");
    // The two rows that tiles share are computed in both.
    CHECK(points(rows, tiles + "stage f\n  store_at(g, yo)\n  compute_at(g, yi)\n", {10, 8}) ==
          "f 180, g 96");
}

TEST_CASE("windows of a chain slide together, and along loops of each other") {
    CHECK(points(chain,
                 "stage f\n  store_root()\n  compute_at(g, y)\n"
                 "stage e\n  store_root()\n  compute_at(g, y)\n",
                 {10, 8}) == "e 112, f 96, g 80");
    // without storage of its own: what the new rows of f need
    CHECK(points(chain,
                 "stage f\n  store_root()\n  compute_at(g, y)\nstage e\n  compute_at(g, y)\n",
                 {10, 8}) == "e 256, f 96, g 80");
    CHECK(points(chain,
                 "stage f\n  store_root()\n  compute_at(g, y)\n"
                 "stage e\n  store_root()\n  compute_at(f, y)\n",
                 {10, 8}) == "e 112, f 96, g 80");
}

TEST_CASE("a window that moves down slides down") {
    std::string down =
        "pipeline p(w: size) -> g[w]\n"
        "f(x) = i32(x * x)\n"
        "g(x) = f(w - x - 1) + f(w - x) + f(w - x + 1)\n";
    for (std::string lines : {"", "  vectorize(x, 8)\n", "  fold_storage(x, 3)\n",
                              "  fold_storage(x, 7)\n  vectorize(x, 4, round_up)\n"})
        CHECK(points(down, "stage f\n  store_root()\n  compute_at(g, x)\n" + lines, {16}) ==
              "f 18, g 16");
}

TEST_CASE("tiles that are cut, clamps, strides and conditions: what is not proved is recomputed") {
    std::string at = "stage f\n  store_root()\n  compute_at(g, ";
    std::string split = "stage g\n  split(y, 4, ";
    CHECK(points(rows, split + "guard)\n" + at + "yi)\n", {10, 8}) == "f 120, g 80");
    CHECK(points(rows, split + "shift_inwards)\n" + at + "yo)\n", {10, 8}) == "f 120, g 96");
    auto reads = [](const std::string& value) {
        return "pipeline p(h: size, w: size) -> g[h, w]\nf(y, x) = i32(y * 7 + x * x)\n"
               "g(y, x) = " +
               value + "\n";
    };
    CHECK(points(reads("f(clamp(y - 1, 0, h - 1), x) + f(clamp(y + 1, 0, h - 1), x)"), at + "y)\n",
                 {10, 8}) == "f 80, g 80");
    CHECK(points(reads("f(2 * y, x) + f(2 * y + 2, x)"), at + "y)\n", {10, 8}) == "f 168, g 80");
    CHECK(points(reads("f(y / 2, x)"), at + "y)\n", {10, 8}) == "f 40, g 80");
    // the whole box of each iteration
    CHECK(points(reads("f(y % 4, x) + f(y % 4 + 1, x)"), at + "y)\n", {8, 8}) == "f 128, g 64");
    CHECK(points(reads("select(x > y, f(y, x - 1) + f(y + 1, x), 0)"), at + "y)\n", {4, 8}) ==
          "f 34, g 32");
    agrees(reads("sum(f(y + r, x) for r: -1..2) + f(y, x + 1)"),
           "stage g_sum\n  compute_at(g, x)\n" + at + "x)\n");
}

TEST_CASE("an update slides along the coordinates that are independent in it") {
    auto sums = [](const std::string& left) {
        return "pipeline p(h: size, w: size) -> g[h, w]\nf(y, x) = 0\n" + left +
               " += i32(y * 7 + r) for r: 0..4\n"
               "g(y, x) = f(y, x) + f(y + 1, x + 1)\n";
    };
    std::string lines = "stage f\n  store_root()\n  compute_at(g, y)\n";
    CHECK(points(sums("f(y, x)"), lines, {5, 6}) == "f 210, g 30");
    CHECK(points(sums("f(y, r)"), lines, {5, 6}) == "f 66, g 30");
    // points of one row go to another: each iteration computes both rows
    agrees(
        "pipeline p(h: size, w: size) -> g[h, w]\nf(y, x) = i32(y + x)\n"
        "f(r, x) += f(r - 1, x) + 1 for r: 1..4\ng(y, x) = f(y, x) + f(y + 1, x)\n",
        lines);
}

TEST_CASE("tails and sizes change nothing") {
    std::string stage = "stage f\nstore_root()\ncompute_at(g, ";
    for (std::string tail : {"auto", "guard", "shift_inwards"}) {
        std::string tiles = "stage g\ntile(y, x, 4, 8, " + tail + ")\nvectorize(xi)\n";
        for (std::string loop : {"yo", "xo", "yi"}) {
            is_right(Stencil, tiles + stage + loop + ")\nvectorize(x, 8)\n", 4);
            is_right(Stencil, tiles + stage + loop + ")\nvectorize(y, 4, round_up)\n", 8);
        }
    }
    is_right(Stencil, "stage g\nsplit(y, 4)\nreorder(yo, x, yi)\n" + stage + "yi)\n", 4);
    is_right(Stencil, "stage g\nfuse(y, x)\nunroll(yx, 2)\n" + stage + "yxo)\nparallel(x)\n", 4);
    is_right(Diamond, "stage e\ncompute_at(g, y)\n" + stage + "y)\n", 4);
    is_right(Stencil, stage + "y)\nfold_storage(y, 3)\ntransform_layout([y, x] -> [x, y])\n", 4);
}

TEST_CASE("folded storage is small enough for the stack") {
    std::string columns = "stage g\n  split(x, 8)\n  reorder(xo, y, xi)\n",
                lines = "stage f\n  store_at(g, xo)\n  compute_at(g, y)\n  store_in(Stack)\n";
    CHECK(points(rows, columns + lines, {10, 8}) == "f 120, g 80");
    agrees(rows, columns + lines + "  fold_storage(y, 3)\n");
    CHECK(
        refusal_of(rows, "stage f\n  store_root()\n  compute_at(g, y)\n  store_in(Stack)\n").id() ==
        "storage-not-constant");
}

TEST_CASE("the C++ form of fold_storage is its text") {
    Schedule s(parse_pipeline(rows)), t = s;
    s["f"].store_root().compute_at("g", "y").fold_storage("y", 3);
    CHECK(s == scheduled("stage f\n  store_root()\n  compute_at(g, y)\n  fold_storage(y, 3)\n"));
}

TEST_CASE("folds that would lose values are refused, with what is missing") {
    std::string kept = "stage f\n  store_root()\n  compute_at(g, ";
    refuses(rows, kept + "y)\n  fold_storage(y, 2)\n", "fold-too-small",
            "2 elements of f along y are too few: 3 are in use at once");
    refuses(rows, kept + "x)\n  fold_storage(x, 4)\n", "fold-unproved",
            "the storage of f cannot be folded along x: g.y runs all of g.x again while values "
            "are kept");
    refuses(rows, kept + "y)\n  fold_storage(x, 4)\n", "fold-unproved",
            "the storage of f cannot be folded along x: unproved that the extent g.x.hi - "
            "g.x.lo + 3 which one iteration needs is bounded by a constant");
    refuses(rows, "stage f\n  compute_at(g, y)\n  fold_storage(y, 4)\n", "fold-without-store-at",
            "the storage of f cannot be folded: it is stored where it is computed, and nothing is "
            "kept for the next iteration");
    refuses(rows, kept + "y)\n  fold_storage(y, 3)\n  fold_storage(y, 4)\n", "fold-twice",
            "y is folded already");
    refuses(rows, kept + "y)\n  fold_storage(z, 3)\n", "unknown-coordinate",
            "f has no coordinate z");
    refuses(rows, kept + "y)\n  fold_storage(y, 0)\n", "factor-below-one",
            "fold_storage(y, 0): a factor is at least 1, not 0");
    refuses(rows, "stage g\n  fold_storage(y, 3)\n", "output-storage",
            "g is an output: its storage is the caller's buffer");
    refuses(rows, "stage f\n  fold_storage(y, 3)\n", "inline-has-no-loops",
            "f is computed inline and has no loops or storage: fold_storage(y, 3) would be lost");
    CHECK(points(rows, kept + "y)\n  fold_storage(y, 3)\n", {10, 8}) == "f 120, g 80");
    CHECK(legal_places(scheduled(kept + "y)\n  fold_storage(y, 3)\n"), "f").size() == 4);
}
