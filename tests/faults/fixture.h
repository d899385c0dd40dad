// fixture.h - what is asked of every fault of the collection: the values of its program, whatever
// the schedule, on every path. A test case's name begins with the id of its fault there.
#pragma once
#include <burin/arg.h>
#include <burin/error.h>
#include <burin/pipeline.h>

#include <limits>
#include <string>
#include <vector>

namespace faults {

using namespace burin;

inline constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float inf = std::numeric_limits<float>::infinity();

template <class T>
Buffer<T> row(const std::vector<T>& values) {
    Buffer<T> b({int64_t(values.size())});
    for (size_t i = 0; i < values.size(); ++i) b(i) = values[i];
    return b;
}
template <class T>
Buffer<T> one(T value) {
    Buffer<T> b(std::initializer_list<int64_t>{});
    b() = value;
    return b;
}
template <class T, class F>
Buffer<T> filled(std::initializer_list<int64_t> extents, F f) {  // f(i), f(i, j), f(i, j, k)
    Buffer<T> b(extents);
    for_each_point(b.dims(), [&](std::span<const int64_t> at) {
        if constexpr (std::is_invocable_v<F, int64_t>) b(at[0]) = T(f(at[0]));
        else if constexpr (std::is_invocable_v<F, int64_t, int64_t>)
            b(at[0], at[1]) = T(f(at[0], at[1]));
        else b(at[0], at[1], at[2]) = T(f(at[0], at[1], at[2]));
    });
    return b;
}
inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == 0) return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
inline int64_t floor_mod(int64_t a, int64_t b) { return b == 0 ? 0 : a - b * floor_div(a, b); }

// constants[k] of that type at k, the last one beyond: "select(k == 0, f32(nan), f32(0.1))".
inline std::string choice(const std::string& type, const std::vector<std::string>& constants) {
    std::string e = type + "(" + constants.back() + ")";
    for (size_t c = constants.size() - 1; c-- > 0;)
        e = "select(k == " + std::to_string(c) + ", " + type + "(" + constants[c] + "), " + e + ")";
    return e;
}

// Inputs, and the value of every output.
struct Case {
    std::vector<Arg> inputs;
    std::vector<AnyBuffer> expected;
};
using Lines = std::vector<std::string>;  // schedules without their first line

// By definition, and on every path under the plain schedule, with all Funcs at root and vectorised,
// under `schedules` and under random ones (2, or as BURIN_FAULTS says): `calls` give what is
// expected, calls made up give what the definition gives.
void holds(const std::string& pipeline, const std::vector<Case>& calls,
           const Lines& schedules = {});

// Under the same schedules every path refuses the call: E-bounds, and nothing is written.
void refuses(const std::string& pipeline, const Case& call, const std::string& message,
             const Lines& schedules = {});

// The E-schedule that such a schedule is.
Error refusal_of(const std::string& pipeline, const std::string& lines);
inline bool says(const Error& e, const std::string& what) {
    return e.message().find(what) != std::string::npos;
}

}  // namespace faults
