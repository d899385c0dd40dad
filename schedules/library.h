// library.h - algorithms with schedules that are worth having, found by name.
//
//   const LibraryEntry& e = library_entry("gemm");   // E-value "unknown-pipeline" names the nearest one
//   Pipeline p = e.make();
//   Schedule s = library_schedule(e, p, e.best);
#pragma once
#include <burin/schedule.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace burin {

struct LibrarySchedule {
    std::string name, summary;
    std::string lines;  // the text form without its first line
};

struct DataRange {  // of the random numbers an input is filled with
    std::string input;
    double lo, hi;
};

struct LibraryEntry {
    std::string name, summary;
    Pipeline (*make)();
    std::vector<std::pair<std::string, int64_t>> sizes;  // what is computed unless told otherwise
    std::vector<DataRange> data;
    std::vector<LibrarySchedule> schedules;  // besides "plain", from the simplest to the fastest
    std::string best;                        // the name of one of them
};

const std::vector<LibraryEntry>& library();
const LibraryEntry& library_entry(std::string_view name);
// `p` is what e.make() gave. E-value "unknown-schedule": e has none of that name.
Schedule library_schedule(const LibraryEntry& e, const Pipeline& p, std::string_view name);

// Images.
LibraryEntry blur3x3(), blur3x3_u16(), unsharp(), harris(), histogram(), equalize(), iir_rows(),
    iir_columns(), bilateral_grid(), local_laplacian(), local_laplacian_3(), camera(), picture();
// Scans, reductions, products.
LibraryEntry prefix_sum(), prefix_sum_blocked(), row_sums(), column_sums(), argmax(), transpose(),
    gemv(), gemm();
// Layers of networks.
LibraryEntry dense_gelu(), conv2d_bn_relu(), conv2d_bn_relu_s2(), depthwise(), max_pool(),
    softmax(), layernorm(), layernorm_geglu(), embedding(), qkv(), attention();

}  // namespace burin
