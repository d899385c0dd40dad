// Tutorial 2: the schedule, as a value and as a file.
//
// A schedule says in which order, where and in what storage the points of an algorithm are computed. It stands apart
// from the algorithm and never changes a bit of its result.
#include <burin/burin.h>

#include <iostream>
using namespace burin;

int main() {
    // Two stages: each point of blur_y reads three of blur_x, which read three of the input each.
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
    blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3;
    Pipeline blur("blur", {in}, {blur_y({h - 2, w - 2})});

    Buffer<float> photo({70, 50});
    for_each_point(photo.dims(),
                   [&](auto at) { photo(at[0], at[1]) = float((at[0] * 31 + at[1] * 17) % 256); });

    // The empty schedule is the plain one: blur_x has no loops of its own, its definition is computed wherever blur_y
    // reads it.
    Schedule plain(blur);
    std::cout << "the plain schedule:\n" << print(plain);

    // A copy is another schedule. s[f] is the place to say something about the stage f. A split makes two loops of
    // one and returns them: y runs over strips of 32 rows (yo) and over the rows of a strip (yi).
    Schedule strips = plain;
    auto [yo, yi] = strips[blur_y].split(y, 32);
    strips[blur_y].parallel(yo).vectorize(x, 16);
    strips[blur_x].compute_at(blur_y, yo).vectorize(x, 16);
    std::cout << "\nstrips in parallel:\n" << print(strips);
    std::cout << "\nplain == strips: " << (plain == strips ? "yes" : "no") << "\n";

    // Both compute the same bits, which are those of the definition. evaluate() reads the definitions directly and knows
    // nothing of schedules: slow, and what everything else is held to.
    Buffer<float> a = compile(blur, plain)(photo);
    Buffer<float> b = compile(blur, strips)(photo);
    Buffer<float> definition = evaluate(blur, {photo});
    std::cout << "same bits: " << (same(a, b) && same(a, definition) ? "yes" : "no") << "\n";

    // The text is the schedule. It can be kept in a file beside the program, edited there and read back.
    save_schedule(strips, "strips.sched");
    Schedule loaded = load_schedule(blur, "strips.sched");
    std::cout << "\nread back from strips.sched, it is the same: "
              << (loaded == strips ? "yes" : "no") << "\n";

    // The algorithm has a text too, so both can come from files, and the command `burin run blur.burin --schedule
    // strips.sched` needs no C++ at all.
    Pipeline again = parse_pipeline(print(blur));
    std::cout << "the algorithm read back is the same: " << (again == blur ? "yes" : "no") << "\n";

    // A schedule that cannot be is refused. The inner x loop of blur_y has become a vector, and nothing can be computed
    // for each of its lanes. legal_places says where blur_x could be instead.
    std::cout << "\nwhere blur_x may be computed:";
    for (auto& place : legal_places(strips, blur_x)) std::cout << " " << place;
    std::cout << "\n";
    if (auto why = why_not(strips, "blur_x.compute_at(blur_y, xi)")) {
        std::cout << "not at blur_y.xi: " << why->message() << "  [" << why->id() << "]\n";
    }
    try {
        strips[blur_y].vectorize("z", 8);
    } catch (const Error& e) {
        std::cout << "and a loop has to exist: " << e.message() << "  [" << e.id() << "]\n";
    }
}
