// Local Laplacian filters (Paris, Hasinoff and Kautz 2011; the fast form of Aubry et al. 2014): local contrast is raised
// in the Laplacian pyramid of the picture, whose every coefficient comes from a copy that was remapped around its own
// brightness.
#include <fmt/format.h>

#include "schedules/library.h"

namespace burin {
namespace {

constexpr int copies = 8;   // remapped around 0, 1/7 ... 1
constexpr int steps = 256;  // of the table between two copies

// A picture y, x or a stack of them k, y, x.
struct Pictures {
    bool stack;
    Var k{"k"}, y{"y"}, x{"x"};

    FuncRef at(const Func& f, Expr v, Expr u) const { return stack ? f(k, v, u) : f(v, u); }
    // Half the size, by the taps 1 3 3 1 in both directions.
    Func down(const Func& f, const std::string& name) const {
        auto taps = [](auto g) -> Expr { return (g(-1) + 3 * (g(0) + g(1)) + g(2)) / 8; };
        Func across(name + "_x"), half(name);
        at(across, y, x) = taps([&](int d) -> Expr { return at(f, y, 2 * x + d); });
        at(half, y, x) = taps([&](int d) -> Expr { return at(across, 2 * y + d, x); });
        return half;
    }
    // Twice the size: three parts of the nearest point, one of the next.
    Func up(const Func& f, const std::string& name) const {
        auto mix = [](Expr t, auto g) -> Expr {
            return 0.75f * g(t / 2) + 0.25f * g(t / 2 - 1 + 2 * (t % 2));
        };
        Func across(name + "_x"), twice(name);
        at(across, y, x) = mix(x, [&](Expr u) -> Expr { return at(f, y, u); });
        at(twice, y, x) = mix(y, [&](Expr v) -> Expr { return at(across, v, x); });
        return twice;
    }
};

std::string numbered(const char* name, int level) { return fmt::format("{}{}", name, level); }

Pipeline make(const char* name, int levels) {
    Size h("h"), w("w");
    Input<float> in("in", {3, h, w});
    Var c("c"), k("k"), y("y"), x("x"), t("t");
    Func pixel = clamped(in, {1, 2});
    Func gray("gray0"), table("table"), remapped("remapped0"), out("out");
    gray(y, x) = 0.299f * pixel(0, y, x) + 0.587f * pixel(1, y, x) + 0.114f * pixel(2, y, x);

    // What lies t steps above a copy's brightness moves away from it.
    Expr distance = cast<float>(t) / float(steps);
    table(t) = distance * exp(-distance * distance / 2) / float(copies - 1);
    Expr place =
        clamp(cast<int>(gray(y, x) * float((copies - 1) * steps)), 0, (copies - 1) * steps);
    remapped(k, y, x) = gray(y, x) + table(index(place) - steps * k);

    const Pictures one{false}, stack{true};
    std::vector<Func> grays{gray}, stacks{remapped};
    for (int j = 1; j < levels; ++j) {
        grays.push_back(one.down(grays.back(), numbered("gray", j)));
        stacks.push_back(stack.down(stacks.back(), numbered("remapped", j)));
    }

    // From the coarsest level: what the picture's own brightness selects from the copies.
    Func result("result");
    for (int j = levels - 1; j >= 0; --j) {
        const Func& g = stacks[size_t(j)];
        Func detail(numbered("detail", j)), chosen(numbered("chosen", j)),
            sum(numbered("result", j));
        if (j == levels - 1) detail(k, y, x) = g(k, y, x);
        else
            detail(k, y, x) =
                g(k, y, x) - stack.up(stacks[size_t(j) + 1], numbered("wide", j))(k, y, x);
        Expr at = grays[size_t(j)](y, x) * float(copies - 1);
        Expr below = clamp(cast<int>(at), 0, copies - 2);
        chosen(y, x) = lerp(detail(index(below), y, x), detail(index(below) + 1, y, x),
                            at - cast<float>(below));
        if (j == levels - 1) sum(y, x) = chosen(y, x);
        else sum(y, x) = one.up(result, numbered("grown", j))(y, x) + chosen(y, x);
        result = sum;
    }
    out(c, y, x) = result(y, x) * (pixel(c, y, x) + 0.01f) / (gray(y, x) + 0.01f);
    return Pipeline(name, {in}, {out({3, h, w})});
}

// The pyramids whole, level by level: small levels as they are, large ones in strips of rows, which run in parallel and
// have what they are made from beside them.
std::string pyramids(int levels) {
    std::string text = R"(
copy = clone_in(remapped0, [remapped1_x])
stage table
  compute_root()
stage copy
  compute_at(remapped1, k)
  vectorize(x, 16)
)";
    auto stage = [&](const char* name, const char* suffix, int level, const std::string& lines) {
        text += fmt::format("stage {}{}{}\n{}", name, level, suffix, lines);
        if (level < 7) text += fmt::format("  vectorize(x, {})\n", level < 5 ? 16 : 4);
    };
    for (int j = 0; j < levels; ++j) {
        const std::string strips = "  compute_root()\n  yo, yi = split(y, 8)\n  parallel(yo)\n";
        stage("gray", "", j, strips);
        stage("result", "", j, strips);
        if (j + 1 < levels) stage("wide", "", j, fmt::format("  compute_at(result{}, yi)\n", j));
        if (j == 0) continue;
        stage("remapped", "", j,
              strips + "  reorder(yo, k, yi, x)\n  transform_layout([k, y, x] -> [y, k, x])\n");
        stage("remapped", "_x", j, fmt::format("  compute_at(remapped{}, k)\n", j));
    }
    return text;
}

LibraryEntry entry(const char* name, const char* summary, Pipeline (*make)(), int levels) {
    return {name,
            summary,
            make,
            {{"h", 1536}, {"w", 2560}},
            {{"in", 0, 1}},
            {
                {"pyramids", "the levels of the pyramids whole, the rest row by row",
                 pyramids(levels) +
                     "stage out\n  reorder(y, c, x)\n  parallel(y, 16)\n  vectorize(x, 16)\n"},
            },
            "pyramids"};
}

}  // namespace

LibraryEntry local_laplacian() {
    return entry(
        "local_laplacian", "raises the local contrast of a picture, planar f32 [3, h, w]",
        [] { return make("local_laplacian", 8); }, 8);
}

LibraryEntry local_laplacian_3() {
    return entry(
        "local_laplacian_3", "the same with three levels, for small pictures",
        [] { return make("local_laplacian_3", 3); }, 3);
}

}  // namespace burin
