#include "base/deep.h"

#include <burin/error.h>

#include <pthread.h>

#include <cstring>
#include <exception>

#include <fmt/format.h>

namespace burin {
namespace {

constexpr size_t stack_bytes = size_t(1) << 30;
thread_local bool is_on_large_stack = false;

struct Job {
    void (*call)(void*);
    void* data;
    std::exception_ptr thrown;
};

void* run_job(void* p) {
    auto* job = static_cast<Job*>(p);
    is_on_large_stack = true;
    try {
        job->call(job->data);
    } catch (...) {
        job->thrown = std::current_exception();
    }
    return nullptr;
}

}  // namespace

void run_on_large_stack(uint32_t depth, void (*call)(void*), void* data) {
    if (depth > deepest_depth)
        throw Error(ErrorKind::Resource, "too-deep",
                    fmt::format("an expression or statement is nested {} deep; the limit is {}",
                                depth, deepest_depth));
    if (is_on_large_stack) return call(data);
    Job job{call, data, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int failed = pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_t thread;
    if (!failed) failed = pthread_create(&thread, &attributes, run_job, &job);
    pthread_attr_destroy(&attributes);
    if (failed)
        throw Error(ErrorKind::Resource, "no-stack",
                    fmt::format("no stack of {} bytes for an input nested {} deep: {}", stack_bytes,
                                depth, std::strerror(failed)));
    pthread_join(thread, nullptr);
    if (job.thrown) std::rethrow_exception(job.thrown);
}

}  // namespace burin
