// Halide as a rival: a program of its own, so that neither side sees the other's threads and compiler.
#include <malloc.h>

#include <climits>
#include <cstdlib>
#include <memory>

#include "tools/answers.h"
#include "bench/halide/programs.h"
#include "tools/random.h"

namespace rival {
namespace {

const Programs& programs() {
    static const Programs all = [] {
        Programs all;
        for (auto group : {stencils, pictures, scans, matrices, products, networks})
            all.merge(group());
        return all;
    }();
    return all;
}

Target target() {
    return get_host_target().with_feature(Target::NoAsserts).with_feature(Target::NoBoundsQuery);
}

// Dense, at fixed extents.
template <class Param>
void fix(Param p, const Extents& extents) {
    int stride = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
        p.dim(int(i)).set_bounds(0, extents[i]).set_stride(stride);
        stride *= extents[i];
    }
    p.set_host_alignment(64);
}

Callable compiled(const Program& p) {
    std::vector<Argument> args;
    for (auto& [in, extents] : p.inputs) {
        fix(in, extents);
        args.push_back(in);
    }
    std::vector<Func> outputs;
    for (auto [out, extents] : p.outputs) {
        fix(out.output_buffer(), extents);
        outputs.push_back(out);
    }
    return Pipeline(outputs).compile_to_callable(args, target());
}

template <class T>
void fill(Buffer<>& b, int seed, double lo, double hi) {
    for (size_t i = 0; i < b.number_of_elements(); ++i)
        static_cast<T*>(b.data())[i] = burin::draw<T>(uint64_t(seed), i, lo, hi);
}

Buffer<> random_buffer(Type type, const Extents& extents, int seed, double lo, double hi) {
    Buffer<> b(type, extents);
    if (type == Float(32)) fill<float>(b, seed, lo, hi);
    else if (type == Int(32)) fill<int32_t>(b, seed, lo, hi);
    else if (type == UInt(8)) fill<uint8_t>(b, seed, lo, hi);
    else if (type == UInt(16)) fill<uint16_t>(b, seed, lo, hi);
    else throw std::logic_error("an input of another type");
    return b;
}

template <size_t... I>
void call(const Callable& f, std::vector<Buffer<>>& b, std::index_sequence<I...>) {
    f(b[I]...);
}
template <size_t most>
void call(const Callable& f, std::vector<Buffer<>>& b) {
    if (b.size() == most) call(f, b, std::make_index_sequence<most>());
    else if constexpr (most > 1) call<most - 1>(f, b);
}

Side make(const std::string& name, const Sizes& sizes, const Ranges& ranges) {
    auto written = [&] { return programs().at(name)(sizes); };
    auto f = std::make_shared<Callable>();
    double ms = median_ms([&] { *f = compiled(written()); });
    Program p = written();
    auto buffers = std::make_shared<std::vector<Buffer<>>>();
    for (auto& [in, extents] : p.inputs) {
        auto [lo, hi] = ranges.at(buffers->size());
        buffers->push_back(random_buffer(in.type(), extents, int(buffers->size()) + 1, lo, hi));
    }
    Side side{[=] { call<7>(*f, *buffers); }, {}, ms};
    for (auto& [out, extents] : p.outputs) {
        Buffer<> b(out.type(), extents);
        buffers->push_back(b);
        side.outputs.emplace_back(b.data(), b.size_in_bytes());
    }
    return side;
}

}  // namespace
}  // namespace rival

int main() {
    if (const char* threads = std::getenv("BURIN_THREADS")) setenv("HL_NUM_THREADS", threads, 1);
    // What a call frees serves the next one, as with us: by default its pages would be new ones every time.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    std::ostringstream about;
    about << "Halide " << HALIDE_VERSION_MAJOR << '.' << HALIDE_VERSION_MINOR << '.'
          << HALIDE_VERSION_PATCH;
    rival::answer_all({about.str(),
                       [](const std::string& name) { return rival::programs().count(name) > 0; },
                       rival::make});
}
