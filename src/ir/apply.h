// apply.h - the binary operators on machine numbers: bool, integers of any width (they wrap), float, double.
#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

#include "ir/nodes.h"

namespace burin {

template <class T>
T quotient(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return a / b;
    } else {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return T(-uint64_t(a));
            return a / b - (a % b != 0 && (a < 0) != (b < 0));
        } else {
            return a / b;
        }
    }
}

template <class T>
T remainder(T a, T b) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
        T r = a % b;
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    } else {
        return a % b;
    }
}

template <class T>
T minimum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
        if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
}
template <class T>
T maximum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}

template <class T>
bool inside(T shift, int width) {
    return uint64_t(shift) < uint64_t(width);
}

// a Op b; width is the type's, for shifts.
template <class Op, class T>
auto apply(T a, T b, int width) {
    using U = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
    if constexpr (std::is_same_v<Op, Add>) return T(U(a) + U(b));
    else if constexpr (std::is_same_v<Op, Sub>) return T(U(a) - U(b));
    else if constexpr (std::is_same_v<Op, Mul>) return T(U(a) * U(b));
    else if constexpr (std::is_same_v<Op, Div>) return quotient(a, b);
    else if constexpr (std::is_same_v<Op, Mod>) return remainder(a, b);
    else if constexpr (std::is_same_v<Op, Min>) return minimum(a, b);
    else if constexpr (std::is_same_v<Op, Max>) return maximum(a, b);
    else if constexpr (std::is_same_v<Op, Shl>)
        return inside(b, width) ? T(uint64_t(a) << b) : T(0);
    else if constexpr (std::is_same_v<Op, Shr>)
        return inside(b, width) ? T(a >> b) : T(a < 0 ? -1 : 0);
    else if constexpr (std::is_same_v<Op, And>) return T(a & b);
    else if constexpr (std::is_same_v<Op, Or>) return T(a | b);
    else if constexpr (std::is_same_v<Op, Xor>) return T(a ^ b);
    else if constexpr (std::is_same_v<Op, Eq>) return a == b;
    else if constexpr (std::is_same_v<Op, Ne>) return a != b;
    else if constexpr (std::is_same_v<Op, Lt>) return a < b;
    else return a <= b;
}

}  // namespace burin
