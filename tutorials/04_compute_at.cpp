// Tutorial 4: compute_at, seen as fusion and as recomputation.
//
// Where a stage is computed decides two things at once: how long its values are kept, and how often they are computed.
// Near its reader little has to be kept, and the points that several readers share are computed again for each.
#include <burin/burin.h>

#include <iomanip>
#include <iostream>
using namespace burin;

Size h("h"), w("w");
Input<float> in("in", {h, w});
Var y("y"), x("x");
Func blur_x("blur_x"), blur_y("blur_y");

// One call of a kernel that counts, and a line about blur_x: the points computed, their number over that of the points
// that blur_y needs at least, and the memory for intermediate values (KiB on the heap; a few KiB of a size known
// beforehand lie on the stack and are not counted).
void report(const char* title, const Schedule& s, const Buffer<float>& photo,
            const Buffer<float>& wanted) {
    Kernel k = compile(s.pipeline(), s, Target::host(), {.counted = true});
    CallReport r;
    Buffer<float> out = k.call({photo}, {.threads = 1}, &r);
    std::cout << "  " << std::left << std::setw(27) << title << std::right;
    for (size_t f = 0; f < r.points.size(); ++f) {
        if (k.func_names()[f] != "blur_x") continue;
        if (r.required_points[f] < 0) std::cout << std::setw(8) << "-" << std::setw(9) << "-";
        else
            std::cout << std::setw(8) << r.points[f] << std::setw(9) << std::fixed
                      << std::setprecision(2) << double(r.points[f]) / double(r.required_points[f]);
    }
    std::cout << std::setw(9) << (r.scratch_bytes + 512) / 1024
              << (same(out, wanted) ? "    yes\n" : "    NO\n");
}

int main() {
    blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
    blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3;
    Pipeline blur("blur", {in}, {blur_y({h - 2, w - 2})});

    Buffer<float> photo({66, 66});  // blur_y is 64 x 64; it needs blur_x over 66 x 64 = 4224 points
    for_each_point(photo.dims(),
                   [&](auto at) { photo(at[0], at[1]) = float((at[0] * 31 + at[1] * 17) % 256); });
    Buffer<float> wanted = evaluate(blur, {photo});

    std::cout << "  blur_x is computed           points    ratio      KiB  right\n";

    // At root: all of it, then all of blur_y. Nothing twice, and everything kept: 66 * 64 floats are 16.5 KiB.
    Schedule root(blur);
    root[blur_x].compute_root();
    report("at root", root, photo, wanted);

    // For each strip of 16 rows of blur_y. A strip needs 18 rows of blur_x: 18 / 16 of the work, 18 rows kept.
    Schedule strips(blur);
    auto strip = strips[blur_y].split(y, 16);
    strips[blur_x].compute_at(blur_y, strip.outer);
    report("for each strip of 16 rows", strips, photo, wanted);

    // For each strip of 4 rows: less to keep, more computed again.
    Schedule thin(blur);
    auto thin_strip = thin[blur_y].split(y, 4);
    thin[blur_x].compute_at(blur_y, thin_strip.outer);
    report("for each strip of 4 rows", thin, photo, wanted);

    // For each row of blur_y: three rows of blur_x for one of blur_y.
    Schedule rows(blur);
    rows[blur_x].compute_at(blur_y, y);
    report("for each row", rows, photo, wanted);

    // Tiles overlap in one direction only, as blur_x looks up and down, not left and right.
    Schedule tiles(blur);
    auto t = tiles[blur_y].tile(y, x, 16, 16);
    tiles[blur_x].compute_at(blur_y, t.outer1);
    report("for each tile of 16 x 16", tiles, photo, wanted);

    // For each point, three values; they need no memory to speak of.
    Schedule points(blur);
    points[blur_x].compute_at(blur_y, x);
    report("for each point", points, photo, wanted);

    // Inline is the end of that road: no loops and no storage, the definition stands where it is read.
    Schedule inlined(blur);
    report("where it is read (inline)", inlined, photo, wanted);

    // Strips that share nothing can run at the same time. That is what the recomputed rows buy.
    std::cout
        << "\nThe strips of 16 rows, in parallel and in vectors, as a file would hold them:\n";
    strips[blur_y].parallel(strip.outer).vectorize(x, 8);
    strips[blur_x].vectorize(x, 8);
    std::cout << print(strips);
    Buffer<float> out = compile(blur, strips)(photo);
    std::cout << "right: " << (same(out, wanted) ? "yes" : "no") << "\n";

    // A place has to enclose every use. If something else reads blur_x too, strips of blur_y cannot hold it.
    Func both("both");
    both(y, x) = blur_y(y, x) - blur_x(y + 1, x);
    Pipeline sharp("sharp", {in}, {both({h - 2, w - 2})});
    Schedule s(sharp);
    s[blur_y].compute_root();
    s[blur_x].compute_at(blur_y, y);
    try {
        check(s);
    } catch (const Error& e) {
        std::cout << "\nrefused: " << e.message() << "  [" << e.id() << "]\n";
        for (auto& help : e.helps()) std::cout << "  help: " << help << "\n";
    }
}
