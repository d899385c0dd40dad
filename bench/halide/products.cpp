// Products of matrices: alone, and as layers of networks.
#include "bench/halide/programs.h"

namespace rival {
namespace {

struct Blocks {
    int rows, vectors;  // the sums in registers: rows x 16 vectors
    int n;              // columns of a task, whose panels stay in the second-level cache
    int unroll = 2;     // steps of the reduction
};

// The sums of a(k, y) b(x, k), b packed into panels as wide as a block of sums. The blocks stay in registers over the
// whole reduction.
class Product {
public:
    using Value = std::function<Expr(Expr, Expr)>;
    Product(const std::string& name, const Value& a, const Value& b, int K, Blocks g)
        : g_(g), r_(0, K), panels_(name + "_panels"), sums_(name + "_sums") {
        panels_(xi, k, xo) = b(xo * width() + xi, k);
        sums_(xi, yi, xo, yo) = 0.0f;
        sums_(xi, yi, xo, yo) += a(r_, yo * g.rows + yi) * panels_(xi, r_, xo);
    }

    Expr operator()(Expr x, Expr y) const {
        return sums_(x % width(), y % g_.rows, x / width(), y / g_.rows);
    }

    // `out` in tasks, and these in blocks. The rows of a block meet all panels of the task.
    static void tile(Func out, Var x, Var y, Blocks g) {
        out.split(x, task, x1, g.n).tile(x1, y, block, y2, u, v, 16 * g.vectors, g.rows);
        out.reorder(u, v, block, y2, task).parallel(task).vectorize(u, 16).unroll(u).unroll(v);
    }
    // Where `out` is in tiles.
    void compute_at(Func out) {
        RVar ro("ro"), ri("ri");
        sums_.compute_at(out, block).vectorize(xi, 16).unroll(xi).unroll(yi);
        sums_.update()
            .split(r_, ro, ri, g_.unroll)
            .reorder(xi, yi, ri, ro)
            .vectorize(xi, 16)
            .unroll(xi)
            .unroll(yi)
            .unroll(ri);
        panels_.compute_at(out, task).reorder(xi, k, xo).vectorize(xi, 16).unroll(xi);
    }

private:
    int width() const { return 16 * g_.vectors; }

    static inline const Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, k{"k"}, u{"u"}, v{"v"};
    static inline const Var x1{"x1"}, y2{"y2"}, block{"block"}, task{"task"};
    Blocks g_;
    RDom r_;
    Func panels_, sums_;
};

// `layer`: with a bias, and gelu at the end.
Program matrix(int M, int N, int K, bool layer) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b"), bias(Float(32), 1, "bias");
    Func out("out");
    Var x("x"), y("y");
    Blocks g{4, 4, fitting(256, N)};
    Product sums(
        "c", [&](Expr k, Expr y) { return a(k, y); }, [&](Expr x, Expr k) { return b(x, k); }, K,
        g);
    out(x, y) = layer ? gelu(sums(x, y) + bias(x)) : sums(x, y);
    out.bound(x, 0, N).bound(y, 0, M);
    Product::tile(out, x, y, g);
    sums.compute_at(out);
    Program p{{{a, {K, M}}, {b, {N, K}}}, {{out, {N, M}}}};
    if (layer) p.inputs.push_back({bias, {N}});
    return p;
}

// Three products, each with its part of the weights and its bias.
Program qkv(int s, int m, int heads, int d) {
    const int part = heads * d;
    ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w"), bias(Float(32), 1, "bias");
    Program p{{{x, {m, s}}, {w, {3 * part, m}}, {bias, {3 * part}}}, {}};
    Var c("c"), i("i"), h("h");
    Blocks g{8, 2, d};
    for (int k = 0; k < 3; ++k) {
        Func out(std::string(1, "qkv"[k]));
        Product sums(
            out.name(), [&](Expr r, Expr y) { return x(r, y); },
            [&](Expr j, Expr r) { return w(k * part + j, r); }, m, g);
        out(c, i, h) = sums(h * d + c, i) + bias(k * part + h * d + c);
        out.bound(c, 0, d).bound(i, 0, s).bound(h, 0, heads);
        Product::tile(out, c, i, g);
        out.parallel(h);
        sums.compute_at(out);
        p.outputs.push_back({out, {d, s, heads}});
    }
    return p;
}

// The rows normalised, then both products in the same blocks.
Program layernorm_geglu(int m, int n, int k) {
    ImageParam x(Float(32), 2, "x"), gain(Float(32), 1, "gain"), shift(Float(32), 1, "shift"),
        w(Float(32), 3, "w");
    Func mean("mean"), inverse("inverse"), normal("normal"), out("out");
    Var i("i"), j("j"), io("io"), ii("ii");
    auto value = [&](Expr j, Expr i) -> Expr { return x(j, i); };
    mean(i) = row_sum("total", value, i, n, normal, ii)(i) / float(n);
    auto square = [&](Expr j, Expr i) { return (x(j, i) - mean(i)) * (x(j, i) - mean(i)); };
    inverse(i) = 1.0f / sqrt(row_sum("squares", square, i, n, normal, ii)(i) / float(n) + 1e-5f);
    normal(j, i) = (x(j, i) - mean(i)) * inverse(i) * gain(j) + shift(j);
    normal.compute_root().split(i, io, ii, 16).parallel(io).vectorize(j, 16);
    mean.compute_at(normal, ii);
    inverse.compute_at(normal, ii);

    Blocks g{4, 4, fitting(128, k)};
    auto product = [&](const char* name, int half) {
        return Product(
            name, [&](Expr r, Expr y) { return normal(r, y); },
            [&, half](Expr j, Expr r) { return w(j, half, r); }, n, g);
    };
    Product values = product("values", 0), gates = product("gates", 1);
    out(j, i) = values(j, i) * gelu(gates(j, i));
    out.bound(j, 0, k).bound(i, 0, m);
    Product::tile(out, j, i, g);
    values.compute_at(out);
    gates.compute_at(out);
    return {{{x, {n, m}}, {gain, {n}}, {shift, {n}}, {w, {k, 2, n}}}, {{out, {k, m}}}};
}

// Heads in parallel, 32 rows of the scores at a time; both products in blocks of 4 x 64 sums.
Program attention(int heads, int s, int d) {
    ImageParam q(Float(32), 3, "q"), k(Float(32), 3, "k"), v(Float(32), 3, "v");
    Func keys("keys"), products("products"), scores("scores"), e("e"), mixed("mixed"), out("out");
    Var c("c"), i("i"), j("j"), h("h"), t("t"), ji("ji"), jo("jo"), io("io"), ii("ii"), iu("iu"),
        co("co"), ci("ci");
    RDom rt(0, d), rj(0, s);
    keys(ji, t, jo, h) = k(t, jo * 64 + ji, h);
    products(j, i, h) = 0.0f;
    products(j, i, h) += q(rt, i, h) * keys(j % 64, rt, j / 64, h);
    scores(j, i, h) = products(j, i, h) * float(1 / std::sqrt(double(d)));
    auto at = [&](Func f) { return [=](Expr j, Expr i) -> Expr { return f(j, i, h); }; };
    // Reductions by rows, of this head.
    auto reduced = [&](const char* name, Func f, bool largest) {
        Func part(std::string(name) + "_parts"), all(name);
        Var u("u");
        RDom r(0, s / parts), p(0, parts);
        auto join = [&](Expr a, Expr b) { return largest ? max(a, b) : a + b; };
        Expr start = largest ? Float(32).min() : Expr(0.0f);
        part(u, i, h) = start;
        part(u, i, h) = join(part(u, i, h), at(f)(r * parts + u, i));
        all(i, h) = start;
        all(i, h) = join(all(i, h), part(p, i, h));
        all.compute_at(out, io).update().atomic().vectorize(p, 16);
        part.compute_at(all, i).vectorize(u, 16).unroll(u);
        part.update().reorder(u, r).vectorize(u, 16).unroll(u);
        return all;
    };
    Func top = reduced("top", scores, true);
    e(j, i, h) = exp(scores(j, i, h) - top(i, h));
    Func total = reduced("total", e, false);
    mixed(c, i, h) = 0.0f;
    mixed(c, i, h) += e(rj, i, h) * v(c, rj, h);
    out(c, i, h) = mixed(c, i, h) / total(i, h);

    out.bound(c, 0, d).bound(i, 0, s).bound(h, 0, heads);
    out.split(i, io, ii, 32).split(ii, ii, iu, 4).split(c, co, ci, 64);
    out.reorder(ci, iu, co, ii, io, h).parallel(h).vectorize(ci, 16).unroll(ci).unroll(iu);
    mixed.compute_at(out, co).vectorize(c, 16).unroll(c).unroll(i);
    mixed.update().reorder(c, i, rj).vectorize(c, 16).unroll(c).unroll(i).unroll(rj, 2);
    e.compute_at(out, io).vectorize(j, 32);
    scores.compute_at(out, io).split(j, jo, ji, 64).split(i, i, iu, 4);
    scores.reorder(ji, iu, i, jo).vectorize(ji, 16).unroll(ji).unroll(iu);
    products.compute_at(scores, i).vectorize(j, 16).unroll(j).unroll(i);
    products.update().reorder(j, i, rt).vectorize(j, 16).unroll(j).unroll(i).unroll(rt, 2);
    keys.compute_at(out, h).vectorize(ji, 16);
    return {{{q, {d, s, heads}}, {k, {d, s, heads}}, {v, {d, s, heads}}}, {{out, {d, s, heads}}}};
}

}  // namespace

Programs products() {
    return {
        {"gemm", [](auto& n) { return matrix(n.at(0), n.at(1), n.at(2), false); }},
        {"dense_gelu", [](auto& n) { return matrix(n.at(0), n.at(1), n.at(2), true); }},
        {"layernorm_geglu", [](auto& n) { return layernorm_geglu(n.at(0), n.at(1), n.at(2)); }},
        {"qkv", [](auto& n) { return qkv(n.at(0), n.at(1), n.at(2), n.at(3)); }},
        {"attention", [](auto& n) { return attention(n.at(0), n.at(1), n.at(2)); }},
    };
}

}  // namespace rival
