// Tutorial 3: loops, and what happens where a size does not divide.
//
// A stage starts with one loop per coordinate, in the order of its coordinates. The schedule cuts, joins, orders and
// marks these loops.
#include <burin/burin.h>

#include <iostream>
using namespace burin;

// How many points of a Func one call computes. A counted kernel counts them as it runs; it is for looking, not for speed.
int64_t points_computed(const Schedule& s, const std::string& func, int64_t n) {
    Kernel counted = compile(s.pipeline(), s, Target::host(), {.counted = true});
    CallReport report;
    counted.call({Buffer<int>({n})}, {}, &report);
    for (size_t i = 0; i < report.points.size(); ++i)
        if (counted.func_names()[i] == func) return report.points[i];
    return -1;
}

const char* yes(bool b) { return b ? "yes" : "no"; }

int main() {
    Size n("n"), h("h"), w("w");
    Var x("x"), y("y");

    // ---- loops ----
    Input<int> image("image", {h, w});
    Func twice("twice");
    twice(y, x) = image(y, x) * 2;
    Pipeline p("p", {image}, {twice({h, w})});

    Schedule s(p);
    // tile: split both, and put the outer loops outside. What is returned names the four new loops.
    auto t = s[twice].tile(y, x, 8, 32);
    // The tiles are independent: fuse their two loops into one and share its iterations among threads. Within a tile,
    // 8 points of a row make one vector, and 2 rows are written out one after the other.
    auto tiles = s[twice].fuse(t.outer0, t.outer1, "tiles");
    s[twice].parallel(tiles).vectorize(t.inner1, 8).unroll(t.inner0, 2);
    std::cout << "a schedule of loops:\n" << print(s);

    // h = 13 is no multiple of 8 and w = 45 none of 32. It is right all the same; that is what tails are for.
    Buffer<int> picture({13, 45});
    for_each_point(picture.dims(),
                   [&](auto at) { picture(at[0], at[1]) = int(at[0] * 100 + at[1]); });
    Buffer<int> result = compile(p, s)(picture), definition = evaluate(p, {picture});
    std::cout << "right for 13 x 45: " << yes(same(result, definition)) << "\n";

    // ---- tails ----
    // g reads f at two points; f is kept in memory (compute_root), so both have loops. Both are split by 8, and the
    // extent is 13 (for f 14, as g reads one point further). Four answers to the rest of 5:
    Input<int> in("in", {n});
    Func f("f"), g("g");
    f(x) = in(x)*in(x);
    g(x) = f(x) + f(x + 1);
    Pipeline q("q", {in}, {g({n - 1})});

    std::cout << "\ng over 13 points in blocks of 8\n";
    // guard: a test at each point. Exactly the points asked for. (In the middle of a long loop no test is left: Burin
    // peels the part where it always holds.)
    Schedule guard(q);
    guard[f].compute_root();
    guard[g].split(x, 8, Tail::Guard);
    std::cout << "  guard         computes " << points_computed(guard, "g", 14) << "\n";

    // shift_inwards: the last block moves back until it ends at the edge, and overlaps the one before. It needs no test,
    // and is fine wherever a point may be computed twice. Below one block there is no room to move: it guards.
    Schedule shift(q);
    shift[f].compute_root();
    shift[g].split(x, 8, Tail::ShiftInwards);
    std::cout << "  shift_inwards computes " << points_computed(shift, "g", 14) << ", of 5 points "
              << points_computed(shift, "g", 6) << "\n";

    // round_up: more points than asked for. Only for a stage whose storage Burin makes itself, which then gets the room;
    // the caller's buffers have none. The points beyond read nothing from the input.
    Schedule up(q);
    up[f].compute_root().split(x, 8, Tail::RoundUp);
    std::cout << "  round_up      computes " << points_computed(up, "f", 14)
              << " of f, where 14 are needed\n";

    // auto, the default, picks one of these: shift_inwards for a pure stage, guard for an update, round_up for a stage
    // between others that reads no input.
    Schedule by_default(q);
    by_default[f].compute_root();
    by_default[g].split(x, 8);
    std::cout << "  auto          computes " << points_computed(by_default, "g", 14) << "\n";

    // Whatever the tail, every size is right: below a block, a block, one more, none at all.
    std::cout << "\nsize  guard  shift  round_up\n";
    Kernel kernels[] = {compile(q, guard), compile(q, shift), compile(q, up)};
    for (int64_t size : {1, 2, 8, 9, 10, 18}) {
        Buffer<int> data({size});
        for (int64_t i = 0; i < size; ++i) data(i) = int(i * i % 11);
        Buffer<int> wanted = evaluate(q, {data});
        std::cout << "  " << (size <= 10 ? " " : "") << size - 1;
        for (auto& k : kernels) {
            Buffer<int> got = k(data);
            std::cout << "    " << yes(same(got, wanted));
        }
        std::cout << "\n";
    }

    // A mark has to be possible: a vector has a fixed number of lanes.
    try {
        Schedule wrong(q);
        wrong[g].vectorize(x);
        compile(q, wrong);
    } catch (const Error& e) {
        std::cout << "\nrefused: " << e.message() << "  [" << e.id() << "]\n";
    }
}
