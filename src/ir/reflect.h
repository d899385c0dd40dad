// reflect.h - the fields of a plain aggregate, as a tuple of references:
//   struct Add { Expr a, b; };    fields(add) == std::tie(add.a, add.b)
#pragma once
#include <tuple>
#include <type_traits>

namespace burin {

struct AnyField {
    template <class T>
    operator T&() const;
    template <class T>
    operator T&&() const;
};

template <class T, class... A>
consteval int field_count() {
    if constexpr (requires { T{A{}..., AnyField{}}; }) return field_count<T, A..., AnyField>();
    else return sizeof...(A);
}

template <class T>
constexpr auto fields(T& v) {
    constexpr int n = field_count<std::remove_const_t<T>>();
    static_assert(n <= 8, "a node has at most eight fields");
    if constexpr (n == 0) {
        return std::tuple<>{};
    } else if constexpr (n == 1) {
        auto& [a] = v;
        return std::tie(a);
    } else if constexpr (n == 2) {
        auto& [a, b] = v;
        return std::tie(a, b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = v;
        return std::tie(a, b, c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = v;
        return std::tie(a, b, c, d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = v;
        return std::tie(a, b, c, d, e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = v;
        return std::tie(a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = v;
        return std::tie(a, b, c, d, e, f, g);
    } else {
        auto& [a, b, c, d, e, f, g, h] = v;
        return std::tie(a, b, c, d, e, f, g, h);
    }
}

}  // namespace burin
