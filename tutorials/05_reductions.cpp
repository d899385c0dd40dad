// Tutorial 5: reductions, their order, and rfactor.
//
// A sum of floats depends on the order of its additions, so the order is part of the algorithm: the loop runs as
// written, and no schedule line changes that. rfactor is an edit: it states another order, in full, and derive(s) is
// the algorithm that the schedule asks for.
#include <burin/burin.h>

#include <iomanip>
#include <iostream>
using namespace burin;

const char* yes(bool b) { return b ? "yes" : "no"; }

// The kernel's result against that of the definition with the schedule's edits.
bool is_right(const Schedule& s, const AnyBuffer& data) {
    Results got = compile(s.pipeline(), s)(data), wanted = evaluate(derive(s), {data});
    for (int i = 0; i < got.size(); ++i)
        if (!same(got[i], wanted[i])) return false;
    return true;
}

int main() {
    Size n("n"), h("h"), w("w");
    Var i("i"), y("y"), x("x"), u("u"), v("v");

    Buffer<float> numbers({100'000});
    for_each_point(numbers.dims(), [&](auto at) { numbers(at[0]) = 1.0f / float(at[0] + 1); });

    // ---- the order is the algorithm's ----
    // Only the update is written: += starts at 0. r runs from 0 to n, one number after the other.
    Input<float> in("in", {n});
    RDom r(n, "r");
    Func total("total");
    total(i) += in(r);
    Pipeline p("total", {in}, {total({1})});

    // Eight lanes would add eight numbers at once into one: another order, and a race besides. Refused, with the line
    // that does it.
    Schedule s(p);
    try {
        s[total.update(0)].vectorize(r, 8);
    } catch (const Error& e) {
        std::cout << "refused: " << e.message() << "  [" << e.id() << "]\n";
        for (auto& help : e.helps()) std::cout << "  help: " << help << "\n";
    }

    // ---- rfactor states another order ----
    // Eight sums: number k goes to the sum k % 8 (Inner), and at the end they are added, halves onto halves (Tree).
    Func part = s.rfactor("part", total.update(0), r, 8, Parts::Inner, u, Merge::Tree);
    std::cout << "\nthe algorithm that the schedule asks for:\n" << print(derive(s));

    // u is a coordinate of part like any other: its eight points are independent, so they can be the lanes of a vector.
    // What is left of r is ro, the rounds of eight.
    s[part.update(0)].reorder({"ro", u}).vectorize(u);
    s[part].vectorize(u);
    std::cout << "\nthe schedule:\n" << print(s);

    // The bits follow from those words alone: not from the machine's vectors, nor from its threads. They are not those of
    // the written order; here they are better, as each sum stays smaller. A sum in double tells which is nearer.
    double exact = 0;
    for_each_point(numbers.dims(), [&](auto at) { exact += double(numbers(at[0])); });
    Buffer<float> written = run(p, numbers), in_parts = compile(p, s)(numbers);
    std::cout << "\nright: " << yes(is_right(s, numbers)) << std::scientific << std::setprecision(1)
              << "\noff by, in the written order: " << std::abs(written(0) - exact)
              << "\noff by, in eight parts:       " << std::abs(in_parts(0) - exact) << "\n\n";

    // ---- threads, and lanes in each ----
    // An edit makes stages, and stages can be edited: four runs of consecutive numbers (Outer), one for each thread, and
    // in each of them eight lanes.
    Schedule both(p);
    Func runs = both.rfactor("runs", total.update(0), r, 4, Parts::Outer, u);
    Func lanes = both.rfactor("lanes", runs.update(0), "ri", 8, Parts::Inner, v);
    both[lanes].vectorize(v).compute_at(runs.update(0), u);
    both[lanes.update(0)].reorder({"rio", v}).vectorize(v);
    both[runs.update(0)].reorder({u, v}).parallel(u);
    std::cout << "in threads and lanes:\n"
              << print(both) << "right: " << yes(is_right(both, numbers)) << "\n\n";

    // ---- where no edit is needed ----
    // Sums of columns: each x has its own, and the order within a column does not change when r runs outside of x. So the
    // loops may be exchanged, and x makes vectors.
    Input<float> image("image", {h, w});
    RDom q(h, "q");
    Func column("column");
    column(x) += image(q, x);
    Pipeline columns("columns", {image}, {column({w})});
    Schedule c(columns);
    c[column.update(0)].reorder({q, x}).vectorize(x, 8);
    Buffer<float> picture({37, 45});
    for_each_point(picture.dims(),
                   [&](auto at) { picture(at[0], at[1]) = float((at[0] + at[1]) * 7 % 10) / 4; });
    std::cout << "columns: right: " << yes(is_right(c, picture))
              << ", and the bits are those of the written order: " << yes(derive(c) == columns)
              << "\n";

    // ---- exact reductions ----
    // Integers wrap, so their sums are the same in any order; so are min, max, & and |, and argmax, where the first of
    // equals wins. rfactor changes no bit of these.
    Func best("best");
    best(i) = argmax(r, in(r));
    Pipeline largest("largest", {in}, {best({1})});
    Schedule a(largest);
    Func bests = a.rfactor("bests", best.update(0), r, 16, Parts::Outer, u, Merge::Tree);
    a[bests.update(0)].reorder({u, "ri"}).parallel(u);
    numbers(777) = numbers(99'000) = 5;
    Results one = run(largest, numbers), other = compile(largest, a)(numbers);
    std::cout << std::defaultfloat << "argmax: " << Buffer<float>(other[0])(0) << " at "
              << Buffer<int64_t>(other[1])(0)
              << "; the same bits: " << yes(same(one[0], other[0]) && same(one[1], other[1]))
              << "\n";

    // ---- two reductions in one pass ----
    // The lowest and the highest number of each row: two stages, so the picture would pass by twice. compute_with gives
    // both the same loops, down to `across` here, and each number that is read serves the two. In an iteration they take
    // turns, each in its own order, so no bit changes.
    RDom across(w, "across");
    Func low("low"), high("high");
    low(y) = min(low(y), image(y, across));
    high(y) = max(high(y), image(y, across));
    Pipeline range("range", {image}, {low({h}), high({h})});
    Schedule together(range);
    together[high.update(0)].compute_with(low.update(0), across);
    Results apart = run(range, picture), paired = compile(range, together)(picture);
    std::cout << "\nthe schedule:\n" << print(together);
    std::cout << "row 3: " << Buffer<float>(paired[0])(3) << " to " << Buffer<float>(paired[1])(3)
              << "; the same bits: " << yes(same(apart[0], paired[0]) && same(apart[1], paired[1]))
              << "\n";
}
