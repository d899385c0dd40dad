#include "schedules/library.h"

#include <fmt/format.h>

#include "base/nearest.h"

namespace burin {
namespace {

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
    std::vector<std::string> names;
    for (auto& one : all) names.push_back(one.name);
    return names;
}

}  // namespace

const std::vector<LibraryEntry>& library() {
    static const std::vector<LibraryEntry> all{
        // images
        blur3x3(), blur3x3_u16(), unsharp(), harris(), histogram(), equalize(), iir_rows(),
        iir_columns(), bilateral_grid(), local_laplacian(), local_laplacian_3(), camera(),
        picture(),
        // scans, reductions, products
        prefix_sum(), prefix_sum_blocked(), row_sums(), column_sums(), argmax(), transpose(),
        gemv(), gemm(),
        // layers of networks
        dense_gelu(), conv2d_bn_relu(), conv2d_bn_relu_s2(), depthwise(), max_pool(), softmax(),
        layernorm(), layernorm_geglu(), embedding(), qkv(), attention()};
    return all;
}

const LibraryEntry& library_entry(std::string_view name) {
    for (auto& e : library())
        if (e.name == name) return e;
    auto known = names_of(library());
    throw Error(
        ErrorKind::Value, "unknown-pipeline",
        fmt::format("there is no pipeline {} in the library{}", name, did_you_mean(name, known)))
        .help("the library has " + listed(known))
        .help("a file is given by its path: ./" + std::string(name) + ".burin");
}

Schedule library_schedule(const LibraryEntry& e, const Pipeline& p, std::string_view name) {
    if (name == "plain") return Schedule(p);
    if (name == "auto") return auto_schedule(p);
    for (auto& s : e.schedules)
        if (s.name == name)
            return parse_schedule(p, fmt::format("schedule 1 for {}\n{}", e.name, s.lines));
    auto known = names_of(e.schedules);
    known.insert(known.begin(), {"plain", "auto"});
    throw Error(ErrorKind::Value, "unknown-schedule",
                fmt::format("{} has no schedule {}{}", e.name, name, did_you_mean(name, known)))
        .help("it has " + listed(known))
        .help("a file is given by its path: ./" + std::string(name) + ".sched");
}

}  // namespace burin
