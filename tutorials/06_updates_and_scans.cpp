// Tutorial 6: updates, scatter, and scans.
//
// A Func has one pure definition, which gives every point a value, and after it any number of updates, which rewrite
// points in the order written. Each is a stage of its own in a schedule: f, f.update(0), f.update(1), ...
#include <burin/burin.h>

#include <iostream>
using namespace burin;

const char* yes(bool b) { return b ? "yes" : "no"; }

bool is_right(const Schedule& s, const AnyBuffer& data) {
    return same(compile(s.pipeline(), s)(data)[0], evaluate(derive(s), {data})[0]);
}

void refused(const char* what, const Schedule& s, const std::string& line) {
    auto why = why_not(s, line);
    std::cout << what << ": " << (why ? why->message() : "allowed") << "\n";
}

int main() {
    Size n("n"), h("h"), w("w");
    Var i("i"), y("y"), x("x"), u("u");

    // ---- updates of some points ----
    // A frame: the first and the last row and column become 0. In an update, a Var that stands for a coordinate runs over
    // all of it; the points of different x do not meet, so such a loop has no order to keep.
    Input<float> image("image", {h, w});
    Func framed("framed");
    framed(y, x) = image(y, x);
    framed(0, x) = 0.0f;
    framed(h - 1, x) = 0.0f;
    framed(y, 0) = 0.0f;
    framed(y, w - 1) = 0.0f;
    Pipeline frame("frame", {image}, {framed({h, w})});
    Schedule f(frame);
    f[framed].parallel(y).vectorize(x, 8);
    f[framed.update(0)].vectorize(x, 8);
    f[framed.update(1)].vectorize(x, 8);
    f[framed.update(2)].parallel(y);
    Buffer<float> picture({37, 45});
    for_each_point(picture.dims(), [&](auto at) { picture(at[0], at[1]) = float(at[0] + at[1]); });
    std::cout << "a frame: right: " << yes(is_right(f, picture)) << "\n";

    // ---- scatter ----
    // The place that is written may depend on data: a histogram. What is indexed by data needs a finite range; a u8 has
    // one.
    Input<uint8_t> bytes("bytes", {n});
    RDom r(n, "r");
    Func counts("counts");
    counts(i) = 0;
    counts(index(bytes(r))) += 1;
    Pipeline histogram("histogram", {bytes}, {counts({256})});
    Buffer<uint8_t> data({10'000});
    for_each_point(data.dims(), [&](auto at) { data(at[0]) = uint8_t(at[0] * at[0] % 251); });

    // Two iterations may count the same byte, so they cannot run at once; whether they do is a matter of data.
    Schedule one(histogram);
    refused("\nin parallel", one, "counts.update(0).parallel(r)");
    // Four histograms of a quarter each can, and they are added. Integers: no bit changes.
    Func quarters = one.rfactor("quarters", counts.update(0), r, 4, Parts::Outer, u, Merge::Tree);
    one[quarters].vectorize("i", 8);
    one[quarters.update(0)].reorder({u, "ri"}).parallel(u);
    std::cout << print(derive(one)) << print(one) << "right: " << yes(is_right(one, data))
              << ", the same bits as one after the other: "
              << yes(same(run(histogram, data)[0], compile(histogram, one)(data)[0])) << "\n";

    // ---- scans ----
    // An update that reads what it wrote a step before: sums of everything so far.
    Func sums("sums");
    RDom q(Range{1, n}, "q");
    sums(i) = cast<int>(bytes(i));
    sums(q) = sums(q - 1) + cast<int>(bytes(q));
    Pipeline prefix("prefix", {bytes}, {sums({n})});
    Schedule scan(prefix);
    refused("\na scan in parallel", scan, "sums.update(0).parallel(q)");
    refused("a scan in vectors", scan, "sums.update(0).vectorize(q, 8)");

    // Scans of rows are independent of each other. Down the columns, the step is from row to row, and all columns take it
    // at once: vectors along x, whatever the filter. A recursive smoothing, y[t] = 0.25 x[t] + 0.75 y[t - 1]:
    Func down("down");
    RDom t(Range{1, h}, "t");
    down(y, x) = image(y, x);
    down(t, x) = 0.25f * image(t, x) + 0.75f * down(t - 1, x);
    Pipeline smooth("smooth", {image}, {down({h, w})});
    Schedule columns(smooth);
    auto [strips, strip] = columns[down.update(0)].split(x, 16);
    columns[down.update(0)].reorder({strips, t, strip}).parallel(strips).vectorize(strip, 8);
    std::cout << "\nsmoothing down the columns:\n"
              << print(columns) << "right: " << yes(is_right(columns, picture)) << "\n";
    // The order of the steps themselves is what a scan is about, and stays:
    refused("steps in parallel", columns, "down.update(0).parallel(t)");

    // ---- a scan in blocks ----
    // To have threads work on one long scan, write another algorithm: sums within blocks of 64, then what comes before
    // each block, then both added. For integers it gives the same numbers.
    Func inner("inner"), before("before"), all("all");
    RDom in_block(Range{1, 64}, "k"), b(Range{1, (n + 63) / 64}, "b");
    Var block("block"), k("k0");
    Func padded_bytes = padded(bytes, 0);
    inner(block, k) = cast<int>(padded_bytes(block * 64 + k));
    inner(block, in_block) =
        inner(block, in_block - 1) + cast<int>(padded_bytes(block * 64 + in_block));
    before(block) = 0;
    before(b) = before(b - 1) + inner(b - 1, 63);
    all(i) = inner(i / 64, i % 64) + before(i / 64);
    Pipeline blocked("blocked", {bytes}, {all({n})});
    Schedule threads(blocked);
    threads[inner].compute_root().parallel(block);
    threads[inner.update(0)].parallel(block);
    threads[all].parallel(i, 4096).vectorize("ii", 8);
    std::cout << "\nin blocks: right: " << yes(is_right(threads, data))
              << ", and the same numbers: "
              << yes(same(run(prefix, data)[0], compile(blocked, threads)(data)[0])) << "\n";
}
