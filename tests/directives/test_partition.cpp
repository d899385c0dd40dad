// test_partition.cpp - partition(loop, when): whether a loop is split where its guards and clamps change.
#include <burin/schedule.h>

#include "error_of.h"
#include "fixture.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "lower/lower.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

Lowered lowered(const Pipeline& p, const std::string& lines) {
    Schedule s = parse_schedule(p, "schedule 1 for " + p.name() + "\n" + lines);
    return lower(replay(p, s.directives()), {.verify = true, .stop_after = ""});
}
int loops(const Pipeline& p, const std::string& lines, const std::string& name = "") {
    int n = 0;
    visit(lowered(p, lines).state.stmt, [&](const For& op, auto& self) {
        n += name.empty() || op.name.hint() == name;
        self.descend(op);
    });
    return n;
}

// Loads of whole vectors that lie side by side, without a mask.
int dense_loads(const std::string& p, const std::string& lines) {
    int n = 0;
    visit(lowered(parse_pipeline(p), lines).state.stmt, [&](const Load& op, auto& self) {
        auto* r = op.index.as<Ramp>();
        n += r && is_int(r->stride, 1) && !op.predicate.defined();
        self.descend(op);
    });
    return n;
}

}  // namespace

TEST_CASE("never keeps one loop, always and auto have a middle and an end") {
    Pipeline p = pipeline(Copy);
    std::string lines = "stage g\nvectorize(x, 8, guard)\n";
    CHECK(loops(p, lines) == 3);
    CHECK(loops(p, lines + "partition(xo, auto)\n") == 3);
    CHECK(loops(p, lines + "partition(xo, always)\n") == 3);
    CHECK(loops(p, lines + "partition(xo, never)\n") == 2);
}

TEST_CASE("always splits at what auto leaves, and takes masks away") {
    Pipeline border = parse_pipeline(
        "pipeline p(h: size, w: size, in: i32[_, _]) -> g[h, w]\n"
        "g(y, x) = in(clamp(y, 1, h - 2), x)\n");
    CHECK(loops(border, "stage g\n") == 2);
    CHECK(loops(border, "stage g\npartition(y, always)\n") == 6);
    std::string masks = "stage g\nvectorize(x, 8, predicate)\n";
    CHECK(loops(pipeline(Copy), masks) == 2);
    CHECK(loops(pipeline(Copy), masks + "partition(xo, always)\n") == 3);
}

TEST_CASE("tiles that may be beyond several ends of an input are in two copies") {
    std::string p =
        "pipeline p(h: size, w: size, k: size, in: f32[_, _, _]) -> g[h, w, k]\n"
        "f(y, x, c) = max(f(y, x, c), select(y + r >= 1 && y + r <= h && x + q >= 1 && "
        "x + q <= w, in(y + r - 1, x + q - 1, c), f32(0.0))) for r: 0..3, q: 0..3\n"
        "g(y, x, c) = f(y, x, c)\n";
    std::string lines =
        "stage g\nyo, yi = split(y, 4)\nxo, xi = split(x, 4, shift_inwards)\n"
        "co, ci = split(c, 8, shift_inwards)\nreorder(yo, xo, yi, co, xi, ci)\n"
        "unroll(xi)\nvectorize(ci)\n"
        "stage f\ncompute_at(g, co)\nxo, xi = split(x, 4)\nunroll(xi)\nvectorize(c, 8)\n"
        "store_in(Register)\n"
        "stage f.update(0)\nxo, xi = split(x, 4)\nco, ci = split(c, 8)\n"
        "reorder(y, co, xo, r, q, xi, ci)\nunroll(r)\nunroll(q)\nunroll(xi)\nvectorize(ci)\n";
    Stmt s = lowered(parse_pipeline(p), lines).state.stmt;
    std::vector<int> masks;  // of each tile's
    visit(s, [&](const Allocate& op, auto&) {
        int n = 0;
        visit(op.body, [&](const Load& in, auto& self) {
            n += in.predicate.defined();
            self.descend(in);
        });
        masks.push_back(n);
    });
    CHECK(masks.size() == 3);  // the last for pictures that are smaller than a tile
    CHECK(masks[0] == 0);
    CHECK(masks[1] > 0);
    agrees(p, lines);
}

TEST_CASE("a loop inside one that is partitioned keeps its own line, in every copy") {
    Pipeline p = pipeline(Copy);
    std::string lines =
        "stage g\nsplit(y, 4, guard)\nunroll(yi)\nvectorize(x, 8, guard)\n"
        "reorder(yo, xo, yi, xi)\n";
    int all = loops(p, lines), inner = loops(p, lines + "partition(xo, never)\n"),
        none = loops(p, lines + "partition(xo, never)\npartition(yo, never)\n");
    CHECK(none < inner);
    CHECK(inner < all);
}

TEST_CASE("what stands still is tested at the loops that it is for, if they are the smaller part") {
    std::string text =
        "pipeline p(h: size, w: size, in: i32[_, _]) -> g[h, w]\n"
        "most(y) = max(most(y), in(y, r) * in(y, r) + in(y, 0) * in(y, w - 1)) for r: 0..w\n"
        "least(y) = min(least(y), in(y, r) * in(y, r) + in(y, 0) * in(y, w - 1)) for r: 0..w\n"
        "g(y, x) = in(y, x) - most(y) + least(y)\n";
    std::string most =
        "stage most\ncompute_at(g, y)\nstage least\ncompute_at(g, y)\n"
        "stage g\nvectorize(x, 8)\n";
    CHECK(loops(parse_pipeline(text), most) == 5);  // y, r, r, and x twice: 8 <= w, and not
    CHECK(loops(parse_pipeline(text), most + "partition(y, always)\n") == 8);
    agrees(text, most);
    agrees(text, most + "partition(y, always)\n");
}

TEST_CASE("short loops are like lanes: what they would be split for splits the loop around them") {
    std::string text =
        "pipeline p(h: size, w: size, in: i32[_, _]) -> g[h, w]\n"
        "edge(y, x) = select(0 <= y && y < h, in(clamp(y, 0, h - 1), x), 0)\n"
        "g(y, x) += edge(y + a - 1, x) for a: 0..";
    std::string lines =
        "stage g\nvectorize(x, 8, predicate)\n"
        "stage g.update(0)\nreorder(y, x, a)\nvectorize(x, 8, predicate)\n";
    CHECK(loops(parse_pipeline(text + "3\n"), lines) == 11);  // y x, then y three times with x a
    CHECK(loops(parse_pipeline(text + "30\n"), lines) == 7);  // y x, y x and a three times
    agrees(text + "3\n", lines);
    agrees(text + "30\n", lines);
}

TEST_CASE("in an edge the ends of clamped vectors are split off, nothing else") {
    std::string text =
        "pipeline p(d: size, h: size, w: size, in: i32[_, _, _]) -> g[d, h, w]\n"
        "g(z, y, x) = in(z, y, x) + 1\n";
    std::string lines = "stage g\n", order = "reorder(zo, yo, xo, zi, yi, xi)\n";
    for (std::string v : {"z", "y", "x"})
        lines += "split(" + v + ", 4, guard)\nunroll(" + v + "i)\n";
    CHECK(loops(parse_pipeline(text), lines + order, "g.yo") == 3);
    CHECK(loops(parse_pipeline(text), lines + order, "g.xo") == 4);
    agrees(text, lines + order);
    std::string clamped =
        "pipeline p(h: size, w: size, in: i32[_, _]) -> g[h, w]\n"
        "g(y, x) = in(y, clamp(x - 1, 0, w - 1)) + 1\n";
    lines =
        "stage g\nsplit(y, 4, guard)\nunroll(yi)\nvectorize(x, 8, guard)\nreorder(yo, xo, yi, "
        "xi)\n";
    CHECK(loops(parse_pipeline(clamped), lines, "g.yo") == 2);
    CHECK(loops(parse_pipeline(clamped), lines, "g.xo") == 6);  // three of each
    agrees(clamped, lines);
}

TEST_CASE("edges where an input ends are unrolled, those of a tail and long ones if always") {
    auto rolled = [](const std::string& read, const std::string& n, const std::string& lines) {
        Pipeline p = parse_pipeline("pipeline p(h: size, in: f32[_]) -> g[h]\ng(y) += " + read +
                                    " for r: 0.." + n + "\n");
        return loops(p, "stage g.update(0)\nunroll(r)\n" + lines, "g.r");
    };
    const std::string below = "select(y + r < h, in(y + r), 0.0)",
                      always = "partition(yo, always)\n",
                      split = "reorder(y, r)\npartition(y, always)\n";
    auto tiles = [](const std::string& tail) {
        return "yo, yi = split(y, 8, " + tail + ")\nreorder(yo, r, yi)\nvectorize(yi)\n";
    };
    CHECK(rolled(below, "3", split) == 0);
    CHECK(rolled("in(clamp(y + r, 0, h - 1))", "3", split) == 0);
    CHECK(rolled(below, "4000", split) > 0);
    CHECK(rolled(below, "3", tiles("predicate")) == 0);
    CHECK(rolled("in(clamp(y + r, 0, h - 1))", "3", tiles("predicate")) == 0);
    CHECK(rolled(below, "500", tiles("predicate")) > 0);
    CHECK(rolled(below, "500", tiles("predicate") + always) == 0);
    CHECK(rolled(below, "4000", tiles("predicate") + always) > 0);
    CHECK(rolled("in(y + r)", "3", tiles("guard")) > 0);
    CHECK(rolled("in(y + r)", "3", tiles("guard") + always) == 0);
}

TEST_CASE("partition never changes a value") {
    for (std::string when : {"always", "never", "auto"}) {
        is_right(Stencil,
                 "stage g\nvectorize(x, 8, guard)\npartition(xo, " + when +
                     ")\nparallel(y, 4, guard)\n"
                     "partition(yo, " +
                     when + ")\n",
                 8);
        is_right(Stencil,
                 "stage g\ntile(y, x, 4, 8, guard)\nvectorize(xi)\nunroll(yi)\npartition(xo, " +
                     when + ")\npartition(yo, " + when + ")\n",
                 8);
    }
}

TEST_CASE("the middle has no clamps, in either order, moved, or at ends that go by the lane") {
    std::string lines = "stage g\nvectorize(x, 8, guard)\n";
    for (std::string at :
         {"clamp(x, 0, w - 1)", "min(max(x, 0), w - 1)", "max(min(x, w - 1), 0)",
          "max(min(x, w - 1) - 2, 0)", "min(max(x, 2) + 2, w - 1)",
          "max(min(x, w - 2 + (x - w) % 2), x % 2)", "max(min(x - 2, w - 2 + (x - w) % 2), x % 2)",
          "max(min(x, w - 1 - x % 8 / 2), x % 8 / 4)"}) {
        CAPTURE(at);
        std::string p = "pipeline p(w: size, in: i32[_]) -> g[w]\ng(x) = in(" + at + ") * 2\n";
        CHECK(dense_loads(p, lines) == 1);
        agrees(p, lines);
    }
}

TEST_CASE("partition may stand before or after the mark of its loop") {
    CHECK(shape(Stencil, "stage g\npartition(y, never)\nparallel(y)\n") ==
          shape(Stencil, "stage g\nparallel(y)\npartition(y, never)\n"));
    CHECK(loops(pipeline(Copy),
                "stage g\nsplit(x, 8, guard)\nvectorize(xi)\npartition(xo, never)\n"
                "serial(xo)\n") == 2);
}

TEST_CASE("loops that cannot be partitioned are refused") {
    refuses(Copy, "stage g\npartition(z, never)\n", "unknown-loop", "g has no loop z");
    refuses(Copy, "stage g\npartition(x, sometimes)\n", "unknown-word",
            "sometimes is no way to partition a loop");
    refuses(Copy, "stage g\npartition(x, never)\nsplit(x, 8)\n", "loop-already-marked",
            "g.x has a partition line and cannot be split");
    refuses(Copy, "stage g\nvectorize(x, 8)\npartition(xi, always)\n", "partition-no-loop",
            "g.xi cannot be partitioned: no loop is left of it once it is vectorised");
    refuses(Copy, "stage g\npartition(xi, never)\n", "unknown-loop",
            "g has no loop xi; did you mean x?");
    Pipeline odd = parse_pipeline(
        "pipeline p(w: size, in: i32[_]) -> g[w]\ng(x) = select(x * x < w, in(x), 0)\n");
    Error e = error_of([&] { lowered(odd, "stage g\npartition(x, always)\n"); });
    CHECK(e.kind() == ErrorKind::Schedule);
    CHECK(e.id() == "partition-impossible");
    CHECK(e.message() ==
          "the loop g.x cannot be partitioned: none of its conditions is linear in it and the same "
          "for what is inside");
}
