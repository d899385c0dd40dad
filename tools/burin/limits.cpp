#include "tools/burin/limits.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>

#include <unistd.h>

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

// One kind of work for each of them, over the same bytes; counts are multiples of 512.
struct Work {
    void (*multiply_add)() = nullptr;  // null: none is written for this processor
    int lanes = 0;
    void (*read)(const char* from, size_t bytes);
    void (*copy)(char* to, const char* from, size_t bytes);
    void (*stream)(char* to, const char* from, size_t bytes);
};

void read_any(const char* from, size_t bytes) {
    uint64_t s[4]{};
    for (size_t at = 0; at < bytes; at += 32)
        for (size_t k = 0; k < 4; ++k) {
            uint64_t v;
            std::memcpy(&v, from + at + 8 * k, 8);
            s[k] += v;
        }
    sink = float(s[0] + s[1] + s[2] + s[3]);
}
void copy_any(char* to, const char* from, size_t bytes) { std::memcpy(to, from, bytes); }

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void multiply_add_512() {
    __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f), s[sums];
    for (auto& v : s) v = b;
    for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) s[k] = _mm512_fmadd_ps(s[k], a, b);
    for (auto& v : s) sink = _mm512_cvtss_f32(v);
}
[[gnu::target("avx512f")]] void read_512(const char* from, size_t bytes) {
    __m512i s[8];
    for (auto& v : s) v = _mm512_setzero_si512();
    for (size_t at = 0; at < bytes; at += 512)
#pragma GCC unroll 8
        for (size_t k = 0; k < 8; ++k)
            s[k] = _mm512_xor_si512(s[k], _mm512_loadu_si512(from + at + 64 * k));
    for (auto& v : s) sink = float(_mm512_cvtsi512_si32(v));
}
[[gnu::target("avx512f")]] void copy_512(char* to, const char* from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 256)
#pragma GCC unroll 4
        for (size_t k = 0; k < 256; k += 64)
            _mm512_storeu_si512(to + at + k, _mm512_loadu_si512(from + at + k));
}

[[gnu::target("avx2,fma")]] void multiply_add_256() {
    __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f), s[sums];
    for (auto& v : s) v = b;
    for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) s[k] = _mm256_fmadd_ps(s[k], a, b);
    for (auto& v : s) sink = _mm256_cvtss_f32(v);
}
[[gnu::target("avx2")]] void read_256(const char* from, size_t bytes) {
    __m256i s[8];
    for (auto& v : s) v = _mm256_setzero_si256();
    for (size_t at = 0; at < bytes; at += 256)
#pragma GCC unroll 8
        for (size_t k = 0; k < 8; ++k)
            s[k] = _mm256_xor_si256(
                s[k], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at + 32 * k)));
    for (auto& v : s) sink = float(_mm256_cvtsi256_si32(v));
}
[[gnu::target("avx2")]] void copy_256(char* to, const char* from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 32)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at)));
}
void stream_128(char* to, const char* from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    _mm_sfence();
}
#endif

Work best_work() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return {multiply_add_512, 16, read_512, copy_512, stream_128};
    if (__builtin_cpu_supports("fma")) return {multiply_add_256, 8, read_256, copy_256, stream_128};
#endif
    return {nullptr, 0, read_any, copy_any, copy_any};
}

// All threads start together; the time of the slowest, in milliseconds.
double together(int threads, const std::function<void(int)>& work) {
    if (threads == 1) {
        Stopwatch watch;
        work(0);
        return watch.ms();
    }
    std::barrier start(threads);
    std::vector<double> ms(static_cast<size_t>(threads));
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            start.arrive_and_wait();
            Stopwatch watch;
            work(t);
            ms[size_t(t)] = watch.ms();
        });
    for (auto& t : all) t.join();
    return *std::max_element(ms.begin(), ms.end());
}

char* aligned(std::vector<char>& bytes) {
    return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64;
}

// GB/s of the best of five, each some milliseconds long.
void measure_level(Level& level, int threads, size_t each) {
    const Work work = best_work();
    std::vector<std::vector<char>> from(static_cast<size_t>(threads)), to = from;
    for (auto& b : from) b.resize(each + 64, 1);
    for (auto& b : to) b.resize(each + 64, 1);
    int times = int(std::max<size_t>(1, (size_t(32) << 20) / each));
    auto rate = [&](double bytes, auto&& once) {
        double best = 1e30;
        for (int i = 0; i < 5; ++i)
            best = std::min(best, together(threads, [&](int t) {
                                for (int k = 0; k < times; ++k)
                                    once(aligned(to[size_t(t)]), aligned(from[size_t(t)]));
                            }));
        return bytes * double(each) * times * threads / best * 1e-6;
    };
    level.read = rate(1, [&](char*, const char* f) { work.read(f, each); });
    level.copy = rate(2, [&](char* t, const char* f) { work.copy(t, f, each); });
    level.stream = rate(2, [&](char* t, const char* f) { work.stream(t, f, each); });
}

int64_t cache_bytes(int name, int64_t otherwise) {
    int64_t n = sysconf(name);
    return n > 0 ? n : otherwise;
}

}  // namespace

Limits measure_limits(int threads) {
    Limits l;
    l.threads = threads;
    const Work work = best_work();
    if (work.multiply_add) {
        double best = 1e30;
        for (int i = 0; i < 7; ++i)
            best = std::min(best, together(threads, [&](int) { work.multiply_add(); }));
        l.gflops = 2.0 * work.lanes * sums * steps * threads / best * 1e-6;
    }
    int64_t l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
            l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20),
            l3 = std::min<int64_t>(cache_bytes(_SC_LEVEL3_CACHE_SIZE, 16 << 20), 64 << 20);
    l.levels = {{"L1", l1 * threads}, {"L2", l2 * threads}, {"L3", l3}, {"memory", INT64_MAX}};
    // What is read and what is written share a level, a quarter of it each. A larger last cache is shared with others.
    const int64_t each[] = {l1 / 4, l2 / 4, l3 / 4 / threads, (int64_t(192) << 20) / threads};
    for (size_t i = 0; i < l.levels.size(); ++i)
        measure_level(l.levels[i], threads, size_t(each[i]) / 512 * 512);
    return l;
}

void Limits::keep_better(const Limits& later) {
    gflops = std::max(gflops, later.gflops);
    for (size_t i = 0; i < levels.size(); ++i) {
        levels[i].read = std::max(levels[i].read, later.levels[i].read);
        levels[i].copy = std::max(levels[i].copy, later.levels[i].copy);
        levels[i].stream = std::max(levels[i].stream, later.levels[i].stream);
    }
}

Bound bound_of(const Limits& limits, std::optional<double> operations, double in, double out) {
    auto level = std::find_if(limits.levels.begin(), limits.levels.end(),
                              [&](auto& l) { return in + out <= double(l.bytes); });
    // As many bytes as are written are copied; what is read besides is only read.
    double copied = std::max(2 * std::min(in, out), out), read = in + out - copied;
    Bound b{(copied / std::max(level->copy, level->stream) + read / level->read) * 1e-6,
            level->name};
    double arithmetic = limits.gflops > 0 ? operations.value_or(0) / limits.gflops * 1e-6 : 0;
    if (arithmetic > b.ms) b = {arithmetic, "fma"};
    return b;
}

Probe::Probe(int threads) : threads_(threads), from_(16 << 20, 1), to_(16 << 20, 1) {}

double Probe::slowness() {
    const Work work = best_work();
    size_t part = from_.size() / size_t(threads_) / 512 * 512;
    double a = work.multiply_add ? together(threads_, [&](int) { work.multiply_add(); }) : 1;
    double c = together(threads_, [&](int t) {
        work.copy(to_.data() + size_t(t) * part, from_.data() + size_t(t) * part, part);
    });
    arithmetic_ = std::min(arithmetic_, a);
    copying_ = std::min(copying_, c);
    return std::max(a / arithmetic_, c / copying_);
}

}  // namespace burin
