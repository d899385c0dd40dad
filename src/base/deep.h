// deep.h - recursion over deep trees: on the caller's stack while it is shallow, on a large one of
// its own else.
#pragma once
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace burin {

constexpr uint32_t shallow_depth = 400;  // fits any stack: 20 kB a level in 8 MiB
#ifdef __SANITIZE_THREAD__
constexpr uint32_t deepest_depth = 16384;  // its shadow stack holds 65536 calls
#else
constexpr uint32_t deepest_depth = 131072;  // 8 kB a level in the large stack
#endif

// Runs call(data) on a thread with a 1 GiB stack, of which only what is touched takes memory, and
// waits for it; directly if this thread is such a one already. What the call throws is thrown here.
// E-resource: no such thread, or depth > deepest_depth.
void run_on_large_stack(uint32_t depth, void (*call)(void*), void* data);

// f(), which may recurse `depth` levels.
template <class F>
auto run_deep(uint32_t depth, F f) -> std::invoke_result_t<F&> {
    using R = std::invoke_result_t<F&>;
    if (depth <= shallow_depth) return f();
    if constexpr (std::is_void_v<R>) {
        run_on_large_stack(depth, [](void* p) { (*static_cast<F*>(p))(); }, &f);
    } else {
        struct {
            F& f;
            std::optional<R> result;
        } data{f, {}};
        using Data = decltype(data);
        auto call = [](void* p) {
            static_cast<Data*>(p)->result.emplace(static_cast<Data*>(p)->f());
        };
        run_on_large_stack(depth, call, &data);
        return std::move(*data.result);
    }
}

}  // namespace burin
