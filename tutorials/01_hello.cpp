// Tutorial 1: a first function, from its definition to a result.
//
// A program in Burin has two parts. The algorithm says what the value of every point is. The schedule says how the
// points are computed; this page leaves it out and gets a plain one. Tutorial 2 is about schedules.
#include <burin/burin.h>

#include <iostream>
using namespace burin;

void show(const Buffer<int>& image) {
    for (int64_t y = 0; y < image.extent(0); ++y) {
        for (int64_t x = 0; x < image.extent(1); ++x) std::cout << (x ? " " : "  ") << image(y, x);
        std::cout << "\n";
    }
}

int main() {
    // A Var is a coordinate. It has no value: it stands for all of them. The last coordinate is the one that is
    // contiguous in memory, so an image is (y, x): row, then column.
    Var y("y"), x("x");

    // A Func is a rule that gives every point a value. Nothing is computed here. Coordinates are 64-bit integers of a
    // type of their own; cast<int> makes data of them.
    Func table("table");
    table(y, x) = cast<int>((y + 1) * (x + 1));

    // A Pipeline freezes an algorithm: its name, its inputs (none here), and the Funcs wanted from it, each with a
    // shape. It is a value like a number or a string: it can be copied, compared and printed.
    Pipeline times("times", {}, {table({3, 5})});
    std::cout << "the algorithm as text:\n" << print(times);

    // run() compiles it for this machine and calls it.
    Buffer<int> out = run(times);
    std::cout << "\nits result:\n";
    show(out);

    // With an input. A Size is an extent that is not known yet: it is bound from the buffers of each call, so one
    // pipeline works for images of every size.
    Size h("h"), w("w");
    Input<int> in("in", {h, w});
    Func edges("edges");
    edges(y, x) = in(y, x + 1) - in(y, x);
    Pipeline find_edges("find_edges", {in}, {edges({h, w - 1})});

    Buffer<int> image({2, 6});
    for (int i = 0; i < 6; ++i) image(0, i) = i * i, image(1, i) = i < 3 ? 0 : 7;
    Buffer<int> steps = run(find_edges, image);
    std::cout << "\ndifferences of neighbours, from 2 x 6 points 2 x 5:\n";
    show(steps);

    // Funcs are made of Funcs. A reduction runs over a domain of its own, here over the columns of each row.
    RDom r(w, "r");
    Func row("row"), share("share");
    row(y) = sum(r, in(y, r));
    share(y, x) = cast<int>(100 * in(y, x) / max(row(y), 1));  // in percent
    Pipeline shares("shares", {in}, {share({h, w})});
    Buffer<int> percent = run(shares, image);
    std::cout << "\nwhat each point adds to its row, in percent:\n";
    show(percent);

    // Mistakes are exceptions that name what is wrong. This call has an image of the wrong rank; nothing was computed.
    try {
        run(find_edges, Buffer<int>({6}));
    } catch (const Error& e) {
        std::cout << "\na call that cannot be: " << e.message() << "  [" << e.id() << "]\n";
    }

    // So do definitions: types never mix silently.
    try {
        Func wrong("wrong");
        wrong(y, x) = in(y, x) + cast<float>(x);
    } catch (const Error& e) {
        std::cout << "a definition that cannot be: " << e.message() << "  [" << e.id() << "]\n";
    }
}
