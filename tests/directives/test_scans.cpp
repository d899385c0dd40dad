// test_scans.cpp - updates that walk along a coordinate are computed as far as they are needed, slide and fold.
#include <burin/buffer.h>

#include "fixture.h"

using namespace burin;
using namespace burin::directives;

namespace {

const std::string columns =
    "pipeline p(in: f32[h, w]) -> g[h, w]\n"
    "f(y, x) = in(y, x)\n"
    "f(r, x) = f(r - 1, x) * 0.75 + in(r, x) for r: 1..h\n"
    "g(y, x) = f(y, x) * 2 - in(y, x)\n";
const std::string rows =
    "pipeline p(in: i32[h, w]) -> g[h, w]\n"
    "f(y, x) = in(y, x)\n"
    "f(y, r) += f(y, r - 1) for r: 1..w\n"
    "g(y, x) = f(y, x) * 3\n";
const std::string up =
    "pipeline p(in: i32[h, w]) -> g[h, w]\n"
    "f(y, x) = in(y, x)\n"
    "f(h - 1 - r, x) = f(h - r, x) * 3 + f(h - 1 - r, x) for r: 1..h\n";

AnyBuffer picture(int h, int w, Type type = f32) {
    AnyBuffer b(type, {h, w});
    return b;
}

}  // namespace

TEST_CASE("a scan is computed as far as it is read") {
    CHECK("\n" + shape("pipeline p(n: size, in: i32[_]) -> g[n]\nf(x) = in(x)\nf(r) += f(r - 1) "
                       "for r: 1..100\n"
                       "g(x) = f(x)\n",
                       "") ==
          R"(
func in: i32
realize f: i32[min(origin(g, 0), 0): origin(g, 0) + extent(g, 0) - min(origin(g, 0), 0)] {
  produce f {
    for f.x in min(origin(g, 0), 0) .. min(origin(g, 0), 0) + (origin(g, 0) + extent(g, 0) - min(origin(g, 0), 0)) {
      f(f.x) = in(f.x)
    }
    for f.r in 1 .. 1 + min(origin(g, 0) + extent(g, 0) - 1, 99) {
      f(f.r) = f(f.r) + f(f.r - 1)
    }
  }
  produce g {
    for g.x in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
      g(g.x) = f(g.x)
    }
  }
}
)");
}

TEST_CASE("a scan slides along its consumer's loop and keeps its last steps") {
    for (std::string fold : {"", "  fold_storage(y, 2)\n", "  fold_storage(y, 5)\n"})
        for (std::string more : {"", "  vectorize(x, 4)\nstage f.update(0)\n  vectorize(x, 4)\n"})
            CHECK(points(columns, "stage f\n  store_root()\n  compute_at(g, y)\n" + fold + more,
                         {picture(10, 8)}) == "f 80, g 80");
    std::string at = "stage f\n  store_at(g, y)\n  compute_at(g, x)\n";
    CHECK(points(rows, at, {picture(10, 8, i32)}) == "f 150, g 80");
    CHECK(points(rows, at + "  fold_storage(x, 2)\n", {picture(10, 8, i32)}) == "f 150, g 80");
}

TEST_CASE("scans run both ways; the wrong way computes all of it first") {
    std::string down = up + "g(y, x) = f(h - 1 - y, x)\n", wrong = up + "g(y, x) = f(y, x)\n";
    std::string at = "stage f\n  store_root()\n  compute_at(g, y)\n";
    CHECK(points(down, at, {picture(10, 8, i32)}) == "f 152, g 80");
    CHECK(points(down, at + "  fold_storage(y, 2)\n", {picture(10, 8, i32)}) == "f 152, g 80");
    CHECK(points(wrong, at, {picture(10, 8, i32)}) == "f 152, g 80");
    refuses(
        wrong, at + "  fold_storage(y, 2)\n", "fold-unproved",
        "the storage of f cannot be folded along y: unproved that g.y .. g.y moves down, as its "
        "scan does, along g.y");
    refuses(columns, "stage f\n  store_root()\n  compute_at(g, y)\n  fold_storage(y, 1)\n",
            "fold-too-small", "1 elements of f along y are too few: 2 are in use at once");
}

TEST_CASE("chains of scans, windows over scans and scans over windows") {
    std::string both =
        "pipeline p(in: f32[h, w]) -> g[h, w]\n"
        "e(y, x) = in(y, x) * 2\n"
        "f(y, x) = in(y, x)\n"
        "f(r, x) = f(r - 1, x) * 0.75 + f(r - 2, x) * e(r, x) + e(r + 1, x) for r: 2..h\n"
        "k(y, x) = f32(0)\n"
        "k(y, r) = k(y, r - 1) + f(y, r) for r: 1..w\n"
        "g(y, x) = k(y - 1, x) + k(y, x)\n";
    auto placed = [](const std::string& e, const std::string& f) {
        return "stage e\n  " + e + "\nstage f\n  " + f +
               "\nstage k\n  store_root()\n  compute_at(g, y)\n";
    };
    agrees(both, placed("store_root()\n  compute_at(f.update(0), r)", "compute_root()"));
    for (std::string f : {"g", "k"})
        for (std::string e :
             {"compute_root()", "store_root()\n  compute_at(g, y)", "compute_at(g, y)"})
            agrees(both, placed(e, "store_root()\n  compute_at(" + f + ", y)"));
}

TEST_CASE("a running maximum and a sum scaled by it: online softmax") {
    std::string online =
        "pipeline p(in: f32[h, w]) -> g[h]\n"
        "m(y, x) = -inf\n"
        "m(y, r) = max(m(y, r - 1), in(y, r)) for r: 0..w\n"
        "s(y, x) = f32(0)\n"
        "s(y, r) = s(y, r - 1) * exp(m(y, r - 1) - m(y, r)) + exp(in(y, r) - m(y, r)) for r: 0..w\n"
        "g(y) = s(y, w - 1)\n";
    for (std::string fold : {"", "  fold_storage(x, 2)\n"})
        CHECK(points(online,
                     "stage s\n  compute_at(g, y)\nstage m\n  store_at(g, y)\n"
                     "  compute_at(s.update(0), r)\n" +
                         fold,
                     {picture(3, 9)}) == "m 30, s 30, g 3");
}

TEST_CASE("of what a scan overwrites, the pure value is not computed") {
    auto scan = [](const std::string& update) {
        return "pipeline p(in: i32[n]) -> g[n]\nf(x) = in(x)\n" + update + "\ng(x) = f(x) + 1\n";
    };
    std::string up = "f(r) = f(r - 1) + in(r) for r: 1..n",
                down = "f(n - 1 - r) = f(n - r) + in(n - 1 - r) for r: 1..n";
    AnyBuffer ten(i32, {10});
    auto count = [&](const std::string& update, const std::string& lines) {
        return points(scan(update), "stage f\n  compute_root()\n" + lines, {ten});
    };
    for (auto& s : {up, down}) {
        CHECK(count(s, "") == "f 10, g 10");
        CHECK(count(s, "  split(x, 4)\n") == "f 10, g 10");
    }
    // A scan that ends before the box does, one that reads what it replaces, one that leaves points out.
    CHECK(count("f(r) = f(r - 1) + in(r) for r: 1..5", "") == "f 14, g 10");
    CHECK(count("f(r) += f(r - 1) for r: 1..n", "") == "f 19, g 10");
    CHECK(count("f(r) = f(r - 1) + in(r) for r: 1..n where in(r) > 0", "").starts_with("f 1"));
    // Blocks that are rounded up would reach past the storage, and a tile is filled from it.
    CHECK(count(down, "  split(x, 4, round_up)\n") == "f 21, g 10");
    CHECK(count(up, "  split(x, 4, round_up)\n") == "f 13, g 10");
    CHECK(count("f(r) = in(r) * 2 for r: 1..n", "") == "f 10, g 10");
    CHECK(count("f(r) = in(r) * 2 for r: 1..n",
                "stage f.update(0)\n  ro, ri = split(r, 4)\n  cache_write(ro, Stack)\n") ==
          "f 19, g 10");
}

TEST_CASE("a promised extent is exact in the coordinates that a scan does not walk along") {
    std::string rows =
        "pipeline p(in: i32[4, n]) -> g[4, n]\ng(c, x) = in(c, x)\n"
        "g(c, r) = g(c, r - 1) + in(c, r) for r: 1..n\n";
    agrees(rows, "stage g\n  bound(c, 0, 4)\n  split(c, 2, round_up)\n");
    CHECK(refusal_of(rows, "stage g\n  bound(x, 0, 4)\n  split(x, 2, round_up)\n").id() ==
          "tail-not-allowed");
}

TEST_CASE("an output that scans computes in its own buffer, where a call asks for all of it") {
    std::string sums =
                    "pipeline p(x: i32[n]) -> y[n]\ny(i) = x(i)\n"
                    "y(r) = y(r - 1) + x(r) for r: 1..n\n",
                back =
                    "pipeline p(x: i32[n]) -> y[n]\ny(i) = x(i)\n"
                    "y(n - 1 - r) = y(n - r) + x(n - 1 - r) for r: 1..n\n",
                ahead =
                    "pipeline p(n: size, x: i32[_]) -> y[n], z[n]\ny(i) = x(i)\n"
                    "z(i) = y(i + 1)\n";
    for (auto& s : {sums, back}) {
        CHECK(shape(s, "").find("full") == std::string::npos);
        agrees(s, "");
    }
    CHECK(shape(ahead, "").find("full") != std::string::npos);
    agrees(ahead, "");
}
