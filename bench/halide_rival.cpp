// Halide as a rival: reads commands on the standard input, answers each with one line. It is a program of its own so
// that neither side sees the other's threads and compiler; bench/README.md has the commands.
#include <Halide.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>

#include "tools/random.h"

namespace {

using namespace Halide;

Target target() {
    return get_host_target().with_feature(Target::NoAsserts).with_feature(Target::NoBoundsQuery);
}

double ms_of(const std::function<void()>& f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

struct Program {
    std::vector<ImageParam> inputs;
    // of the inputs; innermost first, as everything of Halide's
    std::vector<std::vector<int>> shapes;
    std::vector<int> result;
    Func output;
};

// Dense, at fixed extents.
void fix(const std::function<Halide::Internal::Dimension(int)>& dim,
         const std::vector<int>& extents) {
    int stride = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
        dim(int(i)).set_bounds(0, extents[i]).set_stride(stride);
        stride *= extents[i];
    }
}

void fix(Program& p) {
    for (size_t i = 0; i < p.inputs.size(); ++i) {
        ImageParam in = p.inputs[i];
        fix([&](int d) { return in.dim(d); }, p.shapes[i]);
        in.set_host_alignment(64);
    }
    OutputImageParam out = p.output.output_buffer();
    fix([&](int d) { return out.dim(d); }, p.result);
    out.set_host_alignment(64);
}

Program blur(Type type, int h, int w) {
    ImageParam in(type, 2, "in");
    Func blur_x("blur_x"), blur_y("blur_y");
    Var x("x"), y("y"), yo("yo"), yi("yi");
    blur_x(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / cast(type, 3);
    blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / cast(type, 3);
    int lanes = 64 / type.bytes();
    blur_y.split(y, yo, yi, 32).parallel(yo).vectorize(x, lanes);
    blur_x.compute_at(blur_y, yo).vectorize(x, lanes);
    return {{in}, {{w, h}}, {w - 2, h - 2}, blur_y};
}

Expr gelu(Expr v) { return 0.5f * v * (1.0f + erf(v * 0.70710678f)); }

struct Blocks {
    int rows, vectors, depth, m, n,
        unroll;  // the sums in registers, the block of the reduction, the tile of the result
};

// b packed into panels, sums of rows x vectors in registers, blocks of the reduction one after another. `bias`: of a
// layer, which ends in gelu.
Program matrix(int M, int N, int K, bool layer, Blocks g) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b"), bias(Float(32), 1, "bias");
    const int R = g.rows, C = 16 * g.vectors;
    Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo"), k("k"), ko("ko"), p("p"), u("u"),
        v("v");
    Var x0("x0"), y0("y0"), x1("x1"), y1("y1"), x2("x2"), y2("y2");
    Func panels("panels"), part("part"), sums("sums"), out("out");
    panels(xi, k, xo) = b(xo * C + xi, k);
    RDom r(0, g.depth), q(0, K / g.depth);
    part(xi, yi, xo, yo, ko) = 0.0f;
    part(xi, yi, xo, yo, ko) += a(ko * g.depth + r, yo * R + yi) * panels(xi, ko * g.depth + r, xo);
    sums(xi, yi, xo, yo) = 0.0f;
    sums(xi, yi, xo, yo) += part(xi, yi, xo, yo, q);
    Expr value = sums(x % C, y % R, x / C, y / R);
    out(x, y) = layer ? gelu(value + bias(x)) : value;
    out.bound(x, 0, N).bound(y, 0, M);
    out.tile(x, y, x0, y0, x1, y1, g.n, g.m).fuse(x0, y0, p).parallel(p);
    out.tile(x1, y1, x2, y2, u, v, C, R).vectorize(u, 16).unroll(u).unroll(v);
    sums.compute_at(out, p).vectorize(xi, 16).unroll(xi);
    sums.update().reorder(xi, yi, yo, xo, q).vectorize(xi, 16).unroll(xi).unroll(yi);
    part.compute_at(sums, yo).vectorize(xi, 16).unroll(xi).unroll(yi);
    RVar ro("ro"), ri("ri");
    part.update()
        .split(r, ro, ri, g.unroll)
        .reorder(xi, yi, ri, ro)
        .vectorize(xi, 16)
        .unroll(xi)
        .unroll(yi)
        .unroll(ri);
    panels.compute_root().reorder(xi, k, xo).parallel(xo).vectorize(xi, 16).unroll(xi);
    if (layer) return {{a, b, bias}, {{K, M}, {N, K}, {N}}, {N, M}, out};
    return {{a, b}, {{K, M}, {N, K}}, {N, M}, out};
}

Program add16() {
    ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
    Func out("out");
    Var x("x");
    out(x) = a(x) + b(x);
    out.vectorize(x, 16);
    return {{a, b}, {{16}, {16}}, {16}, out};
}

int fitting(int most, int extent) {  // the largest divisor of the extent up to `most`
    while (extent % most) --most;
    return most;
}

// Two gradients and a sum of their products: rows of strips, three of the gradients kept.
Program harris(int h, int w) {
    ImageParam in(Float(32), 2, "in");
    Func dx("dx"), dy("dy"), out("corners");
    Var x("x"), y("y"), yo("yo"), yi("yi");
    auto sobel = [](auto at) {
        return (at(-1, 1) - at(-1, -1) + 2.0f * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1)) *
               (1 / 12.0f);
    };
    dx(x, y) = sobel([&](int a, int d) -> Expr { return in(x + d + 1, y + a + 1); });
    dy(x, y) = sobel([&](int a, int d) -> Expr { return in(x + a + 1, y + d + 1); });
    auto sum = [&](Func f, Func g) {
        Expr total = f(x, y) * g(x, y);
        for (int i = 1; i < 9; ++i) total += f(x + i % 3, y + i / 3) * g(x + i % 3, y + i / 3);
        return total;
    };
    Expr xx = sum(dx, dx), xy = sum(dx, dy), yy = sum(dy, dy);
    out(x, y) = xx * yy - xy * xy - 0.04f * (xx + yy) * (xx + yy);
    out.split(y, yo, yi, 32).parallel(yo).vectorize(x, 16);
    for (Func f : {dx, dy}) f.store_at(out, yo).compute_at(out, yi).vectorize(x, 16);
    return {{in}, {{w, h}}, {w - 4, h - 4}, out};
}

// The planar picture in tiles of 60 x 512.
Program unsharp(int h, int w) {
    ImageParam in(UInt(8), 3, "in");
    Func pixel("pixel"), luma("luma"), blur_y("blur_y"), blur_x("blur_x"), ratio("ratio"),
        out("out");
    Var x("x"), y("y"), c("c"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
    pixel(x, y, c) = cast<float>(in(clamp(x, 0, w - 1), clamp(y, 0, h - 1), c));
    luma(x, y) = 0.299f * pixel(x, y, 0) + 0.587f * pixel(x, y, 1) + 0.114f * pixel(x, y, 2);
    auto gauss = [](auto at) {
        return 0.2707f * at(0) + 0.2167f * (at(-1) + at(1)) + 0.1113f * (at(-2) + at(2)) +
               0.0366f * (at(-3) + at(3));
    };
    blur_y(x, y) = gauss([&](int d) -> Expr { return luma(x, y + d); });
    blur_x(x, y) = gauss([&](int d) -> Expr { return blur_y(x + d, y); });
    ratio(x, y) = (2.0f * luma(x, y) - blur_x(x, y)) / (luma(x, y) + 0.01f);
    out(x, y, c) = cast<uint8_t>(clamp(round(pixel(x, y, c) * ratio(x, y)), 0.0f, 255.0f));
    out.tile(x, y, xo, yo, xi, yi, 512, 60)
        .reorder(xi, c, yi, xo, yo)
        .parallel(yo)
        .vectorize(xi, 16);
    ratio.compute_at(out, yi).vectorize(x, 16);
    blur_y.compute_at(out, xo).vectorize(x, 16);
    luma.compute_at(out, xo).vectorize(x, 16);
    return {{in}, {{w, h, 3}}, {w, h, 3}, out};
}

constexpr int parts = 64;  // of a row's sum

// A row of sums in parts, four vectors of them while the row passes. n is a multiple of their number.
Func row_sum(const char* name, Func value, Var y, int n, Func at, Var loop) {
    Func part(std::string(name) + "_parts"), total(name);
    Var u("u");
    RDom r(0, n / parts), q(0, parts);
    part(u, y) = 0.0f;
    part(u, y) += value(r * parts + u, y);
    total(y) = 0.0f;
    total(y) += part(q, y);
    total.compute_at(at, loop);
    total.update().atomic().vectorize(q, 16);
    part.compute_at(at, loop).vectorize(u, 16).unroll(u);
    part.update().reorder(u, r).vectorize(u, 16).unroll(u);
    return total;
}

// The rows of the result in parallel, 16 of them together.
Program rows(ImageParam x, std::vector<ImageParam> more, int m, int n, Func out, Var i, Var j,
             Var io, Var ii) {
    out.split(i, io, ii, 16).parallel(io).vectorize(j, 16);
    Program p{{x}, {{n, m}}, {n, m}, out};
    for (auto& in : more) {
        p.inputs.push_back(in);
        p.shapes.push_back({n});
    }
    return p;
}

Program softmax(int m, int n) {
    ImageParam x(Float(32), 2, "x");
    Func top_part("top_part"), top("top"), e("e"), out("out");
    Var i("i"), j("j"), u("u"), io("io"), ii("ii");
    RDom r(0, n / parts), q(0, parts);
    top_part(u, i) = Float(32).min();
    top_part(u, i) = max(top_part(u, i), x(r * parts + u, i));
    top(i) = Float(32).min();
    top(i) = max(top(i), top_part(q, i));
    e(j, i) = exp(x(j, i) - top(i));
    Func inverse("inverse");
    Func total = row_sum("total", e, i, n, out, ii);
    inverse(i) = 1.0f / total(i);
    out(j, i) = e(j, i) * inverse(i);
    Program p = rows(x, {}, m, n, out, i, j, io, ii);
    inverse.compute_at(out, ii);
    e.compute_at(out, ii).vectorize(j, 32);
    top.compute_at(out, ii);
    top.update().atomic().vectorize(q, 16);
    top_part.compute_at(out, ii).vectorize(u, 16).unroll(u);
    top_part.update().reorder(u, r).vectorize(u, 16).unroll(u);
    return p;
}

Program layernorm(int m, int n) {
    ImageParam x(Float(32), 2, "x"), gain(Float(32), 1, "gain"), shift(Float(32), 1, "shift");
    Func row("row"), square("square"), mean("mean"), inverse("inverse"), out("out");
    Var i("i"), j("j"), io("io"), ii("ii");
    row(j, i) = x(j, i);
    mean(i) = row_sum("total", row, i, n, out, ii)(i) / float(n);
    square(j, i) = (x(j, i) - mean(i)) * (x(j, i) - mean(i));
    inverse(i) = 1.0f / sqrt(row_sum("squares", square, i, n, out, ii)(i) / float(n) + 1e-5f);
    out(j, i) = (x(j, i) - mean(i)) * inverse(i) * gain(j) + shift(j);
    Program p = rows(x, {gain, shift}, m, n, out, i, j, io, ii);
    mean.compute_at(out, ii);
    inverse.compute_at(out, ii);
    return p;
}

// Each row of a matrix times a vector, or of ones.
Program row_sums(int m, int n, bool product) {
    ImageParam a(Float(32), 2, "a"), v(Float(32), 1, "v");
    Func value("value"), out("out");
    Var i("i"), j("j"), io("io"), ii("ii");
    value(j, i) = product ? a(j, i) * v(j) : Expr(a(j, i));
    out(i) = row_sum("total", value, i, n, out, ii)(i);
    out.split(i, io, ii, 16).parallel(io);
    if (product) return {{a, v}, {{n, m}, {n}}, {m}, out};
    return {{a}, {{n, m}}, {m}, out};
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
    return {{x}, {{n, m}}, {n}, out};
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
    return {{x}, {{n, m}}, {m, n}, out};
}

using Sizes = std::vector<int>;
Program product(const Sizes& n, bool layer) {
    return matrix(n.at(0), n.at(1), n.at(2), layer,
                  {8, 2, fitting(1024, n.at(2)), fitting(128, n.at(0)), fitting(1024, n.at(1)), 2});
}

const std::map<std::string, std::function<Program(const Sizes&)>>& programs() {
    static const std::map<std::string, std::function<Program(const Sizes&)>> all{
        {"add16", [](const Sizes&) { return add16(); }},
        {"blur3x3", [](const Sizes& n) { return blur(Float(32), n.at(0), n.at(1)); }},
        {"blur3x3_u16", [](const Sizes& n) { return blur(UInt(16), n.at(0), n.at(1)); }},
        {"harris", [](const Sizes& n) { return harris(n.at(0), n.at(1)); }},
        {"unsharp", [](const Sizes& n) { return unsharp(n.at(0), n.at(1)); }},
        {"softmax", [](const Sizes& n) { return softmax(n.at(0), n.at(1)); }},
        {"layernorm", [](const Sizes& n) { return layernorm(n.at(0), n.at(1)); }},
        {"row_sums", [](const Sizes& n) { return row_sums(n.at(0), n.at(1), false); }},
        {"gemv", [](const Sizes& n) { return row_sums(n.at(0), n.at(1), true); }},
        {"column_sums", [](const Sizes& n) { return column_sums(n.at(0), n.at(1)); }},
        {"transpose", [](const Sizes& n) { return transpose(n.at(0), n.at(1)); }},
        {"gemm", [](const Sizes& n) { return product(n, false); }},
        {"dense_gelu", [](const Sizes& n) { return product(n, true); }},
    };
    return all;
}

bool known(const std::string& name) { return programs().count(name) > 0; }

Program program(const std::string& name, const Sizes& n) {
    Program p = programs().at(name)(n);
    fix(p);
    return p;
}
Buffer<> random_buffer(Type type, const std::vector<int>& extents, int seed, double lo, double hi) {
    Buffer<> b(type, extents);
    for (size_t i = 0; i < b.number_of_elements(); ++i) {
        if (type == Float(32))
            static_cast<float*>(b.data())[i] = burin::draw<float>(seed, i, lo, hi);
        else if (type == UInt(8))
            static_cast<uint8_t*>(b.data())[i] = burin::draw<uint8_t>(seed, i, lo, hi);
        else static_cast<uint16_t*>(b.data())[i] = burin::draw<uint16_t>(seed, i, lo, hi);
    }
    return b;
}

struct Prepared {
    std::function<void()> call;
    Buffer<> out;
    double compile_ms;
};

Prepared prepare(const std::string& name, const std::vector<int>& sizes,
                 const std::vector<double>& ranges) {
    std::vector<double> ms;
    for (double all = 0; ms.empty() || (ms.size() < 5 && all < 1000); all += ms.back()) {
        Program p = program(name, sizes);
        ms.push_back(ms_of([&] { p.output.compile_jit(target()); }));
    }
    std::sort(ms.begin(), ms.end());
    const Program p = program(name, sizes);
    std::vector<Argument> args(p.inputs.begin(), p.inputs.end());
    auto callable = std::make_shared<Callable>(Func(p.output).compile_to_callable(args, target()));
    std::vector<Buffer<>> in;
    for (size_t i = 0; i < p.inputs.size(); ++i)
        in.push_back(random_buffer(p.inputs[i].type(), p.shapes[i], int(i) + 1, ranges.at(2 * i),
                                   ranges.at(2 * i + 1)));
    Buffer<> out(p.output.types()[0], p.result);
    auto call = [=]() mutable {
        if (in.size() == 1) (*callable)(in[0], out);
        else if (in.size() == 2) (*callable)(in[0], in[1], out);
        else (*callable)(in[0], in[1], in[2], out);
    };
    return {call, out, ms[ms.size() / 2]};
}

// bench/README.md says what is asked.
std::string answer(const std::string& line, Prepared& now) {
    std::istringstream in(line);
    std::ostringstream out;
    std::string verb, name;
    in >> verb >> name;
    if (verb == "hello") {
        out << "Halide " << HALIDE_VERSION_MAJOR << '.' << HALIDE_VERSION_MINOR << '.'
            << HALIDE_VERSION_PATCH;
    } else if (verb == "make") {
        if (!known(name)) return "none";
        std::vector<int> sizes;
        std::vector<double> ranges;
        for (std::string w; in >> w && w != ":";) sizes.push_back(std::stoi(w));
        for (double v; in >> v;) ranges.push_back(v);
        now = prepare(name, sizes, ranges);
        out << "made";
    } else if (verb == "compile") {
        out << now.compile_ms;
    } else if (verb == "run") {
        for (int i = std::stoi(name); i > 0; --i) out << ms_of(now.call) << ' ';
    } else if (verb == "time") {
        int n = std::stoi(name);
        out << ms_of([&] {
                   for (int i = 0; i < n; ++i) now.call();
               }) / n;
    } else if (verb == "write") {
        std::ofstream file(name, std::ios::binary);
        file.write(static_cast<const char*>(now.out.data()),
                   std::streamsize(now.out.size_in_bytes()));
        out << "written";
    } else {
        throw std::runtime_error("not understood: " + line);
    }
    return out.str();
}

}  // namespace

int main() {
    if (const char* threads = std::getenv("BURIN_THREADS")) setenv("HL_NUM_THREADS", threads, 1);
    Prepared now;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << answer(line, now) << std::endl;
        } catch (const std::exception& e) {
            std::string what = e.what();
            std::replace(what.begin(), what.end(), '\n', ' ');
            std::cout << "error " << what << std::endl;
        }
    }
}
