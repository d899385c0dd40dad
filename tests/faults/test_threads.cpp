// Threads and processes.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "faults/fixture.h"
#include "jit/host/runtime.h"

using namespace faults;

namespace {

Kernel compiled(const std::string& pipeline, const std::string& lines) {
    Pipeline p = parse_pipeline(pipeline);
    return compile(p, parse_schedule(p, "schedule 1 for p\n" + lines));
}

// f() in a thread whose stack has so many bytes.
template <class F>
void with_stack(size_t bytes, F f) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    pthread_t thread;
    REQUIRE(pthread_create(
                &thread, &attributes,
                [](void* g) -> void* { return (*static_cast<F*>(g))(), nullptr; }, &f) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE(
    "H67 one kernel is called by many threads, each with its own number, while others let it go") {
    auto kernel = std::make_unique<Kernel>(
        compiled("pipeline p(b: i32[n], k: i32) -> o[n]\no(i) = b(i) + k\n",
                 "stage o\n  vectorize(i, 8)\n"));
    auto b = filled<int32_t>({37}, [](int64_t i) { return i; });
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&wrong, &b, mine = *kernel, t] {
            for (int n = 0; n < 2000; ++n) {
                Buffer<int32_t> out = mine(b, t * 1000 + n);
                for (int64_t i = 0; i < 37; ++i) wrong += out(i) != int32_t(i) + t * 1000 + n;
            }
        });
    kernel.reset();
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

namespace {
struct Depth {
    static thread_local int now;
    std::atomic<int> most = 0;
    std::atomic<int64_t> points = 0;
    void enter() {
        int d = ++now;
        for (int m = most; d > m && !most.compare_exchange_weak(m, d);) {
        }
    }
};
thread_local int Depth::now = 0;
}  // namespace

TEST_CASE("H68 nested parallel loops are as deep on the stack as the nest, however long they are") {
    Kernel k = compiled("pipeline p() -> o[n]\no(x) = i32(x)\n",
                        "stage o\n  split(x, 2)\n  parallel(xo)\n  parallel(xi)\n");
    with_stack(256 << 10, [&] {
        Buffer<int32_t> out({100000});
        k.call({out}, {.threads = 2});
        int64_t wrong = 0;
        for (int64_t x = 0; x < 100000; ++x) wrong += out(x) != x;
        CHECK(wrong == 0);
    });
    Depth depth;
    CallContext context{};
    struct Body {
        CallContext* context;
        Depth* depth;
    } body{&context, &depth};
    auto inner = [](CallContext*, const void* b, int64_t, int64_t) {
        Depth& d = *static_cast<const Body*>(b)->depth;
        d.enter();
        ++d.points;
        --Depth::now;
    };
    static constexpr IterationFn leaf = inner;
    auto outer = [](CallContext* c, const void* b, int64_t, int64_t worker) {
        static_cast<const Body*>(b)->depth->enter();
        burin_par_for(c, leaf, b, 0, 8, worker);
        --Depth::now;
    };
    burin_par_for(&context, outer, &body, 0, 20000, 0);
    CHECK(depth.points == 8 * 20000);
    CHECK(depth.most <= 2);
}

TEST_CASE("H69 a child of fork runs parallel kernels, fifty times") {
    Kernel k = compiled(
        "pipeline p(a: i32[h, w]) -> o[h, w]\nf(y, x) = a(y, x) * 3\no(y, x) = f(y, x) + 1\n",
        "stage o\n  parallel(y)\nstage f\n  compute_at(o, y)\n  parallel(x, 4)\n");
    auto a = filled<int32_t>({40, 33}, [](int64_t y, int64_t x) { return 40 * y + x; });
    auto right =
        filled<int32_t>({40, 33}, [](int64_t y, int64_t x) { return 3 * (40 * y + x) + 1; });
    CHECK(same(Buffer<int32_t>(k(a)), right));
    for (int i = 0; i < 50; ++i) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(same(Buffer<int32_t>(k(a)), right) ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        if (i % 10 == 0) CHECK(same(Buffer<int32_t>(k(a)), right));
    }
}

TEST_CASE("H70 parallel loops may stand in parallel loops, three deep") {
    auto in = filled<float>({3, 5}, [](int64_t y, int64_t x) { return y == x ? 0 : -inf; });
    auto right = filled<float>({3, 5}, [](int64_t y, int64_t x) { return y == x; });
    const char* softmax =
        "pipeline p(in: f32[h, w]) -> o[h, w]\nm(y) = maximum(in(y, r) for r: 0..w)\ne(y, x) = "
        "exp(in(y, x) - m(y))\n"
        "s(y) = sum(e(y, r) for r: 0..w)\no(y, x) = e(y, x) / s(y)\n";
    holds(softmax, {{{in}, {right}}},
          {"stage o\n  parallel(y)\n  parallel(x, 2)\nstage s\n  compute_at(o, y)\n  "
           "parallel(y)\nstage e\n  compute_at(o, y)\n  parallel(x)\n",
           "stage o\n  parallel(y)\n  parallel(x, 3, guard)\nstage s\n  compute_at(o, y)\nstage "
           "e\n  compute_at(o, y)\n  parallel(x, 2)\n  parallel(y)\nstage m\n  compute_at(o, y)\n  "
           "parallel(y)\n",
           "sp = rfactor(s.update(0), r, 3, inner, u, in_order)\nstage o\n  parallel(y)\nstage s\n "
           " compute_at(o, y)\nstage sp\n  compute_at(o, y)\n"
           "stage sp.update(0)\n  parallel(u)\n"});
    CHECK(says(refusal_of(softmax, "stage s.update(0)\n  parallel(r)\n"), "s.update(0).r"));
    auto cube = filled<int32_t>(
        {4, 5, 6}, [](int64_t z, int64_t y, int64_t x) { return 100 * z + 10 * y + x; });
    holds(
        "pipeline p() -> o[4, 5, 6]\nf(z, y, x) = i32(100 * z + 10 * y + x)\no(z, y, x) = f(z, y, "
        "x)\n",
        {{{}, {cube}}},
        {"stage o\n  parallel(z)\n  parallel(y)\n  parallel(x)\nstage f\n  compute_at(o, x)\n  "
         "parallel(z)\n  parallel(y)\n  parallel(x)\n"});
}
