// Kernels and threads: parallel loops, calls and compilations at the same time. Also run under the thread sanitizer.
#include <burin/burin.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "codegen/abi.h"
#include "jit/host/runtime.h"

using namespace burin;

namespace {

Pipeline rows() {
    return parse_pipeline(
        "pipeline rows(a: i32[h, w], k: i32) -> o[h, w]\n"
        "f(y, x) = a(y, x) * k\n"
        "o(y, x) = f(y, x) + f(y, x)\n");
}
const char* nested =
    "schedule 1 for rows\nstage o\n  xo, xi = split(x, 4, guard)\n  parallel(y)\n  "
    "parallel(xo)\nstage f\n  compute_at(o, xo)\n  store_in(Heap)\n";

bool is_right(const Buffer<int32_t>& a, const Buffer<int32_t>& o, int k) {
    bool right = true;
    for_each_point(a.dims(), [&](std::span<const int64_t> at) {
        right = right && o(at[0], at[1]) == 2 * k * a(at[0], at[1]);
    });
    return right;
}
Buffer<int32_t> numbers(int64_t h, int64_t w) {
    Buffer<int32_t> a({h, w});
    for (int64_t y = 0; y < h; ++y)
        for (int64_t x = 0; x < w; ++x) a(y, x) = int32_t(y * 31 + x);
    return a;
}

}  // namespace

TEST_CASE("nested parallel loops give every worker storage of its own") {
    Pipeline p = rows();
    Kernel k = compile(p, parse_schedule(p, nested));
    Buffer<int32_t> a = numbers(40, 37);
    for (int i = 0; i < 20; ++i) CHECK(is_right(a, k(a, i), i));
}

TEST_CASE(
    "one kernel may be called from many threads at once, each with its own numbers and sizes") {
    Pipeline p = rows();
    Kernel k = compile(p, parse_schedule(p, nested));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            Kernel mine = k;
            Buffer<int32_t> a = numbers(5 + t, 9 + t);
            for (int i = 0; i < 60; ++i)
                if (!is_right(a, mine(a, t * 100 + i), t * 100 + i)) ++wrong;
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("several threads may compile at once, and drop what others still call") {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Buffer<int32_t> a = numbers(3, 20);
            for (int i = 0; i < 3; ++i) {
                Pipeline p = rows();
                if (!is_right(a, compile(p, parse_schedule(p, nested))(a, t + i), t + i)) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a child of fork runs parallel kernels") {
    Pipeline p = rows();
    Kernel k = compile(p, parse_schedule(p, nested));
    Buffer<int32_t> a = numbers(30, 30);
    CHECK(is_right(a, k(a, 3), 3));
    for (int i = 0; i < 10; ++i) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(is_right(a, k(a, 5), 5) ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}
#endif

TEST_CASE("threads are limited per call, and fewer than none are refused") {
    Pipeline p = rows();
    Kernel k = compile(p, parse_schedule(p, nested));
    Buffer<int32_t> a = numbers(8, 8);
    for (int threads : {1, 2, 3, 100, 1'000'000}) {
        Results r = k.call({a, 2}, {.threads = threads});
        CHECK(is_right(a, r, 2));
    }
    CHECK_THROWS_AS(k.call({a, 2}, {.threads = -1}), Error);
}

TEST_CASE(
    "every one of many calls at once has a limit of its own, and no two of its iterations a "
    "worker") {
    struct Call {
        CallContext context;
        std::atomic<int> now{0}, most{0}, wrong{0}, iterations{0};
        std::array<std::atomic<bool>, 256> taken{};
    };
    auto iteration = [](CallContext*, const void* captures, int64_t, int64_t worker) {
        Call& c = **static_cast<Call* const*>(captures);
        int at_once = ++c.now;
        for (int most = c.most; at_once > most && !c.most.compare_exchange_weak(most, at_once);) {
        }
        if (worker >= max_workers() || c.taken[size_t(worker)].exchange(true)) ++c.wrong;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        c.taken[size_t(worker)] = false;
        ++c.iterations;
        --c.now;
    };
    static constexpr IterationFn body = iteration;
    std::vector<std::thread> callers;
    std::atomic<int> failed{0};
    for (int t = 0; t < 8; ++t)
        callers.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                Call c;
                c.context.threads = 1 + (t + i) % 4;
                with_threads(
                    c.context.threads,
                    [](void* data) {
                        Call* call = static_cast<Call*>(data);
                        burin_par_for(&call->context, body, &call, 0, 33, 0);
                    },
                    &c);
                bool right = c.iterations == 33 && c.wrong == 0 && c.most <= c.context.threads;
                failed += !right;
            }
        });
    for (auto& t : callers) t.join();
    CHECK(failed == 0);
}
