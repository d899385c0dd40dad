// Tutorial 8: stencils and sliding windows.
//
// A stencil reads a window around each point, and the windows of neighbours overlap. Tutorial 4 had the choice between
// keeping all of a stage and computing the overlap again. store_at is the third way: storage that lives longer than one
// iteration of the loop at which a stage is computed. An iteration then computes only what is new to it.
#include <burin/burin.h>

#include <iomanip>
#include <iostream>
using namespace burin;

const char* yes(bool b) { return b ? "yes" : "no"; }

Size h("h"), w("w");
Input<float> in("in", {h, w});
Var y("y"), x("x");
Func rows("rows"), out("out");

// The points of `rows` that one call computes, over those that out needs at least; the memory for intermediates, where it
// is on the heap; and whether the result is that of the definition.
void report(const char* title, const Schedule& s, const Buffer<float>& photo) {
    Kernel k = compile(s.pipeline(), s, Target::host(), {.counted = true});
    CallReport r;
    Buffer<float> got = k.call({photo}, {.threads = 1}, &r);
    std::cout << "  " << std::left << std::setw(34) << title << std::right << std::setw(7)
              << r.points[0] << std::setw(8) << std::fixed << std::setprecision(2)
              << double(r.points[0]) / double(r.required_points[0]) << std::setw(8)
              << r.scratch_bytes << "    " << yes(same(got, evaluate(s.pipeline(), {photo})[0]))
              << "\n";
}

int main() {
    rows(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
    out(y, x) = (rows(y, x) + rows(y + 1, x) + rows(y + 2, x)) / 3;
    Pipeline blur("blur", {in}, {out({h - 2, w - 2})});

    Buffer<float> photo({66, 514});  // out is 64 x 512; it needs rows over 66 x 512 points
    for_each_point(photo.dims(),
                   [&](auto at) { photo(at[0], at[1]) = float((at[0] * 31 + at[1] * 17) % 256); });

    std::cout << "  rows is                             points   ratio   bytes  right\n";

    Schedule root(blur);
    root[rows].compute_root();
    report("whole, before out", root, photo);

    Schedule again(blur);
    again[rows].compute_at(out, y);
    report("computed for each row of out", again, photo);

    // The same place, but the storage is that of all rows of out: row y of out finds two of its three rows there, from the
    // iterations before, and computes the third. No point is computed twice.
    Schedule slide(blur);
    slide[rows].store_root().compute_at(out, y);
    report("... and kept for the next ones", slide, photo);

    // It takes far less memory than the whole. Only three rows are in use at a time, so the storage is folded: row y lies in
    // the place of row y - 4. Powers of two are taken by themselves; fold_storage says another number, and is refused if it
    // is too small.
    slide[rows].fold_storage(y, 3);
    report("... in the place of old ones", slide, photo);
    Schedule two(blur);
    two[rows].store_root().compute_at(out, y).fold_storage(y, 2);
    try {
        check(two);
    } catch (const Error& e) {
        std::cout << "\nrefused: " << e.message() << "  [" << e.id() << "]\n";
        for (auto& help : e.helps()) std::cout << "  help: " << help << "\n";
    }

    // A window that slides runs in order: an iteration needs the one before. Iterations of a parallel loop have no order, so
    // the storage has to be inside it. Strips are the compromise: windows slide within a strip, strips are independent, and
    // the two rows that neighbours share are computed in both. (Bytes are those of one strip; each thread has its own.)
    std::cout << "\n  strips of                           points   ratio   bytes  right\n";
    for (int strip : {8, 16, 32}) {
        Schedule s(blur);
        auto [yo, yi] = s[out].split(y, strip);
        s[rows].store_at(out, yo).compute_at(out, yi).vectorize(x, 8);
        s[out].vectorize(x, 8);
        report((std::to_string(strip) + " rows").c_str(), s, photo);
        s[out].parallel(yo);
        if (!same(compile(blur, s)(photo)[0], evaluate(blur, {photo})[0])) return 1;
    }
    Schedule wrong(blur);
    wrong[out].parallel(y);
    wrong[rows].compute_at(out, x);
    if (auto why = why_not(wrong, "rows.store_root()"))
        std::cout << "\nrefused: " << why->message() << "  [" << why->id() << "]\n";

    // Windows of a chain slide together. Three stages of a stencil each, all at the rows of the last one: each keeps the few
    // rows that the next one is reading, and none computes a point twice.
    Func one("one"), next("next"), last("last");
    Func edge = clamped(in);
    one(y, x) = (edge(y - 1, x) + edge(y, x) + edge(y + 1, x)) / 3;
    next(y, x) = (one(y - 1, x) + one(y, x) + one(y + 1, x)) / 3;
    last(y, x) = (next(y - 1, x) + next(y, x) + next(y + 1, x)) / 3;
    Pipeline chain("chain", {in}, {last({h, w})});
    Schedule s(chain);
    for (auto& f : {one, next}) s[f].store_root().compute_at(last, y).vectorize(x, 8);
    s[last].vectorize(x, 8);
    std::cout << "\n" << print(s);
    Kernel k = compile(chain, s, Target::host(), {.counted = true});
    CallReport r;
    Buffer<float> got = k.call({photo}, {.threads = 1}, &r);
    for (size_t f = 0; f < r.points.size(); ++f)
        if (r.required_points[f] > 0)
            std::cout << k.func_names()[f] << ": " << r.points[f] << " points computed, "
                      << r.required_points[f] << " required\n";
    std::cout << "right: " << yes(same(got, evaluate(chain, {photo})[0])) << "\n";
}
