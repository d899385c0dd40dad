// parallel.cpp - the par_for hook: oneTBB, or plain threads where BURIN_PLAIN_THREADS is defined (thread sanitizer).
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "base/float_mode.h"
#include "jit/host/idle.h"
#include "jit/host/runtime.h"
#ifndef BURIN_PLAIN_THREADS
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace burin {
namespace {

// Threads do not survive a fork: the child runs its loops serially.
bool after_fork = false;
[[maybe_unused]] const int fork_hook = pthread_atfork(nullptr, nullptr, [] { after_fork = true; });

void run_serially(CallContext* context, IterationFn body, const void* captures, int64_t min,
                  int64_t extent, int64_t worker) {
    for (int64_t i = min; i < min + extent; ++i) body(context, captures, i, worker);
}

}  // namespace

#ifndef BURIN_PLAIN_THREADS

int max_workers() {
    static const int machine = std::max(1, tbb::info::default_concurrency());
    return machine;
}

// A worker's number is its slot in the arena, so an arena has no more of them than there are workers.
void with_threads(int threads, void (*call)(void*), void* data) {
    if (threads == 1 || after_fork) return call(data);
    if (threads == 0 || threads > max_workers()) threads = max_workers();
    int here = tbb::this_task_arena::max_concurrency();
    if (here <= threads) return call(data);
    // Until threads have entered a new arena a small loop is over, and they wake for every one that comes or goes.
    static auto& arenas = *new Idle<int, tbb::task_arena>;  // not destroyed: calls may outlive main
    auto arena = arenas.take(threads);
    if (!arena) arena = std::make_unique<tbb::task_arena>(threads);
    arena->execute([&] { call(data); });
    arenas.give(threads, std::move(arena));
}

extern "C" void burin_par_for(CallContext* context, IterationFn body, const void* captures,
                              int64_t min, int64_t extent, int64_t worker) {
    if (extent <= 1 || context->threads == 1 || after_fork)
        return run_serially(context, body, captures, min, extent, worker);
    // A thread that has nothing left waits for a piece at most, a sixteenth of its share. TBB's own pieces are a quarter of
    // a share, and it splits only those that another thread had a part of. Two halves for two threads, cut in order,
    // find in a core's caches what the last loop left there; iterations by a common counter do not.
    int64_t piece = std::max<int64_t>(1, extent / (16 * tbb::this_task_arena::max_concurrency()));
    // Isolated: a thread that waits takes up iterations of this loop only, so the stack is as deep as the nest, and the
    // blocks of its own outer iteration stay its own.
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            tbb::blocked_range<int64_t>(min, min + extent, size_t(piece)),
            [&](const tbb::blocked_range<int64_t>& range) {
                DefinedFloatMode mode;
                int64_t me = tbb::this_task_arena::current_thread_index();
                for (int64_t i = range.begin(); i < range.end(); ++i)
                    body(context, captures, i, me);
            },
            tbb::simple_partitioner());
    });
}

#else

int max_workers() { return std::max(2, int(std::thread::hardware_concurrency())); }

void with_threads(int, void (*call)(void*), void* data) { call(data); }

extern "C" void burin_par_for(CallContext* context, IterationFn body, const void* captures,
                              int64_t min, int64_t extent, int64_t worker) {
    static thread_local bool inside = false;  // nested loops run serially in their worker
    int threads = std::min<int64_t>(
        extent, context->threads == 0 ? max_workers() : std::min(context->threads, max_workers()));
    if (threads <= 1 || after_fork || inside)
        return run_serially(context, body, captures, min, extent, worker);
    std::atomic<int64_t> next{min};
    auto work = [&](int64_t me) {
        DefinedFloatMode mode;
        inside = true;
        for (int64_t i; (i = next.fetch_add(1)) < min + extent;) body(context, captures, i, me);
        inside = false;
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (auto& t : others) t.join();
}

#endif

extern "C" void burin_access_failed(CallContext* context, int64_t buffer, int64_t index) {
    if (context->failures.fetch_add(1) != 0) return;
    context->failed_buffer = buffer;
    context->failed_index = index;
}

}  // namespace burin
