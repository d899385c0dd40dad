#include "tools/burin/fma_peak.h"

#include <algorithm>
#include <vector>

#include "tools/measure.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace burin {
namespace {

// 12 independent sums hide the latency of every processor there is; 12 registers of 256 bits still leave some.
constexpr int sums = 12;
constexpr int steps = 200'000;
volatile float sink;  // so that the sums are not dead

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void run_512() {
    __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f), s[sums];
    for (auto& v : s) v = b;
    for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) s[k] = _mm512_fmadd_ps(s[k], a, b);
    for (auto& v : s) sink = _mm512_cvtss_f32(v);
}

[[gnu::target("avx2,fma")]] void run_256() {
    __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f), s[sums];
    for (auto& v : s) v = b;
    for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) s[k] = _mm256_fmadd_ps(s[k], a, b);
    for (auto& v : s) sink = _mm256_cvtss_f32(v);
}
#endif

double gflops(void (*run)(), int lanes) {
    std::vector<double> ms;
    for (int i = 0; i < 5; ++i) {
        Stopwatch watch;
        run();
        ms.push_back(watch.ms());
    }
    return 2.0 * lanes * sums * steps / times_of(ms).median * 1e-6;
}

}  // namespace

double fma_peak() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return gflops(run_512, 16);
    if (__builtin_cpu_supports("fma")) return gflops(run_256, 8);
#endif
    return 0;
}

}  // namespace burin
