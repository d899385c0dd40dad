// Halide as a rival: reads commands on the standard input, answers each with one line. It is a program of its own so
// that neither side sees the other's threads and compiler; bench/README.md has the commands.
#include <Halide.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
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

Program program(const std::string& name, const std::vector<int>& n) {
    Program p = name == "blur3x3"       ? blur(Float(32), n.at(0), n.at(1))
                : name == "blur3x3_u16" ? blur(UInt(16), n.at(0), n.at(1))
                : name == "gemm" ? matrix(n.at(0), n.at(1), n.at(2), false,
                                          {8, 2, fitting(1024, n.at(2)), fitting(128, n.at(0)),
                                           fitting(1024, n.at(1)), 2})
                : name == "dense_gelu" ? matrix(n.at(0), n.at(1), n.at(2), true,
                                                {8, 2, fitting(1024, n.at(2)),
                                                 fitting(128, n.at(0)), fitting(1024, n.at(1)), 2})
                : name == "add16"      ? add16()
                                       : throw std::runtime_error("no such program");
    fix(p);
    return p;
}

Buffer<> random_buffer(Type type, const std::vector<int>& extents, int seed, double lo, double hi) {
    Buffer<> b(type, extents);
    for (size_t i = 0; i < b.number_of_elements(); ++i) {
        if (type == Float(32))
            static_cast<float*>(b.data())[i] = burin::draw<float>(seed, i, lo, hi);
        else static_cast<uint16_t*>(b.data())[i] = burin::draw<uint16_t>(seed, i, lo, hi);
    }
    return b;
}

struct Prepared {
    std::function<void()> call;
    Buffer<> out;
};

Prepared prepare(const Program& p, const std::vector<double>& ranges) {
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
    return {call, out};
}

// make NAME SIZE... : LO HI...   ->  the median of compile_jit, in milliseconds
// run N                          ->  the milliseconds of N calls
// time N                         ->  the milliseconds of one of N calls, measured together
// write PATH                     ->  the output's elements go into the file
std::string answer(const std::string& line, Prepared& now) {
    std::istringstream in(line);
    std::ostringstream out;
    std::string verb, name;
    in >> verb >> name;
    if (verb == "make") {
        std::vector<int> sizes;
        std::vector<double> ranges;
        for (std::string w; in >> w && w != ":";) sizes.push_back(std::stoi(w));
        for (double v; in >> v;) ranges.push_back(v);
        std::vector<double> ms;
        for (int i = 0; i < 5; ++i) {
            Program p = program(name, sizes);
            ms.push_back(ms_of([&] { p.output.compile_jit(target()); }));
        }
        std::sort(ms.begin(), ms.end());
        now = prepare(program(name, sizes), ranges);
        out << ms[ms.size() / 2];
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
