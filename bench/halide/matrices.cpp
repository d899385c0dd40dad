// Reductions of matrices and what only moves them.
#include "bench/halide/programs.h"

namespace rival {
namespace {

using Value = std::function<Expr(Expr j, Expr y)>;

Func reduced(const std::string& name, const Value& value, Var y, int n, Func at, Var loop,
             Expr start, Expr (*join)(Expr, Expr)) {
    Func part(name + "_parts"), total(name);
    Var u("u");
    RDom r(0, n / parts), q(0, parts);
    part(u, y) = start;
    part(u, y) = join(part(u, y), value(r * parts + u, y));
    total(y) = start;
    total(y) = join(total(y), part(q, y));
    total.compute_at(at, loop);
    total.update().atomic().vectorize(q, 16);
    part.compute_at(at, loop).vectorize(u, 16).unroll(u);
    part.update().reorder(u, r).vectorize(u, 16).unroll(u);
    return total;
}

// Each row of a matrix times a vector, or of ones.
Program row_sums(int m, int n, bool product) {
    ImageParam a(Float(32), 2, "a"), v(Float(32), 1, "v");
    Func out("out");
    Var i("i"), io("io"), ii("ii");
    auto value = [&](Expr j, Expr y) { return product ? a(j, y) * v(j) : Expr(a(j, y)); };
    out(i) = row_sum("total", value, i, n, out, ii)(i);
    out.split(i, io, ii, 16).parallel(io);
    Program p{{{a, {n, m}}}, {{out, {m}}}};
    if (product) p.inputs.push_back({v, {n}});
    return p;
}

// Strips of 512 columns.
Program column_sums(int m, int n) {
    ImageParam x(Float(32), 2, "x");
    Func out("out");
    Var j("j"), jo("jo"), ji("ji");
    RDom r(0, m);
    out(j) = 0.0f;
    out(j) += x(j, r);
    out.vectorize(j, 16);
    out.update().split(j, jo, ji, 512).reorder(ji, r, jo).parallel(jo).vectorize(ji, 16);
    return {{{x, {n, m}}}, {{out, {n}}}};
}

// Value and place together, one pass over a row; there is no NaN among the numbers.
Program argmax(int m, int n) {
    ImageParam x(Float(32), 2, "x");
    Func part("part"), best("best"), out("out");
    Var i("i"), u("u"), io("io"), ii("ii");
    RDom r(0, n / parts), q(0, parts);
    part(u, i) = Tuple(Float(32).min(), n);
    Expr value = x(r * parts + u, i), larger = value > part(u, i)[0];
    part(u, i) =
        Tuple(select(larger, value, part(u, i)[0]), select(larger, r * parts + u, part(u, i)[1]));
    best(i) = Tuple(Float(32).min(), n);
    Tuple b = best(i), p = part(q, i);
    Expr wins = p[0] > b[0] || (p[0] == b[0] && p[1] < b[1]);
    best(i) = Tuple(select(wins, p[0], b[0]), select(wins, p[1], b[1]));
    out(i) = best(i)[1];
    out.split(i, io, ii, 16).parallel(io);
    best.compute_at(out, ii);
    part.compute_at(out, ii).vectorize(u, 16).unroll(u);
    part.update().reorder(u, r).vectorize(u, 16).unroll(u);
    return {{{x, {n, m}}}, {{out, {m}}}};
}

// Tiles of 128 x 128, each first copied to where its rows lie side by side.
Program transpose(int m, int n) {
    ImageParam x(Float(32), 2, "x");
    Func tile("tile"), out("out");
    Var i("i"), j("j"), io("io"), jo("jo"), ii("ii"), ji("ji");
    tile(j, i) = x(j, i);
    out(i, j) = tile(j, i);
    out.tile(i, j, io, jo, ii, ji, 128, 128).reorder(ii, ji, jo, io).parallel(io).vectorize(ii, 16);
    tile.compute_at(out, jo).vectorize(j, 16);
    return {{{x, {n, m}}}, {{out, {m, n}}}};
}

Program embedding(int n, int rows, int d) {
    ImageParam tokens(Int(32), 1, "tokens"), table(Float(32), 2, "table");
    Func out("out");
    Var i("i"), j("j"), io("io"), ii("ii");
    out(j, i) = table(j, clamp(tokens(i), 0, rows - 1));
    out.split(i, io, ii, 64).parallel(io).vectorize(j, 16);
    return {{{tokens, {n}}, {table, {d, rows}}}, {{out, {d, n}}}};
}

Program add16() {
    ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
    Func out("out");
    Var x("x");
    out(x) = a(x) + b(x);
    out.vectorize(x, 16);
    return {{{a, {16}}, {b, {16}}}, {{out, {16}}}};
}

}  // namespace

Func row_sum(const std::string& name, const Value& value, Var y, int n, Func at, Var loop) {
    return reduced(name, value, y, n, at, loop, 0.0f, [](Expr a, Expr b) { return a + b; });
}

Func row_max(const std::string& name, const Value& value, Var y, int n, Func at, Var loop) {
    return reduced(name, value, y, n, at, loop, Float(32).min(),
                   [](Expr a, Expr b) { return max(a, b); });
}

Programs matrices() {
    return {
        {"add16", [](auto&) { return add16(); }},
        {"row_sums", [](auto& n) { return row_sums(n.at(0), n.at(1), false); }},
        {"gemv", [](auto& n) { return row_sums(n.at(0), n.at(1), true); }},
        {"column_sums", [](auto& n) { return column_sums(n.at(0), n.at(1)); }},
        {"argmax", [](auto& n) { return argmax(n.at(0), n.at(1)); }},
        {"transpose", [](auto& n) { return transpose(n.at(0), n.at(1)); }},
        {"embedding", [](auto& n) { return embedding(n.at(0), n.at(1), n.at(2)); }},
    };
}

}  // namespace rival
