// type.h - element types: bool, i8..i64, u8..u64, f16, bf16, f32, f64 and Index (the type of coordinates).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace burin {

// IEEE binary16 and bfloat16 as storage: the bits and nothing else. Arithmetic is the library's.
struct float16_t {
    uint16_t bits = 0;
    friend bool operator==(float16_t, float16_t) = default;
};
struct bfloat16_t {
    uint16_t bits = 0;
    friend bool operator==(bfloat16_t, bfloat16_t) = default;
};

struct Type {
    enum Code : uint8_t { Bool, Int, UInt, Float, BFloat, Index };
    Code code = Int;
    // Bool is stored in 8; Index is a signed 64-bit integer that never overflows
    uint8_t bits = 32;
    uint16_t lanes = 1;  // > 1 only inside the compiler

    constexpr bool is_bool() const { return code == Bool; }
    constexpr bool is_int() const { return code == Int; }
    constexpr bool is_uint() const { return code == UInt; }
    // not bool, not Index
    constexpr bool is_integer() const { return code == Int || code == UInt; }
    constexpr bool is_float() const { return code == Float || code == BFloat; }
    constexpr bool is_small_float() const { return is_float() && bits == 16; }
    constexpr bool is_index() const { return code == Index; }
    constexpr bool is_signed() const { return code == Int || code == Index || is_float(); }
    constexpr bool is_scalar() const { return lanes == 1; }
    constexpr int bytes() const { return (bits + 7) / 8; }  // of one lane
    constexpr Type element() const { return {code, bits, 1}; }
    constexpr Type with_lanes(int n) const { return {code, bits, uint16_t(n)}; }
    friend constexpr bool operator==(Type, Type) = default;
};

constexpr Type Bool{Type::Bool, 8, 1};
constexpr Type i8{Type::Int, 8, 1}, i16{Type::Int, 16, 1}, i32{Type::Int, 32, 1},
    i64{Type::Int, 64, 1};
constexpr Type u8{Type::UInt, 8, 1}, u16{Type::UInt, 16, 1}, u32{Type::UInt, 32, 1},
    u64{Type::UInt, 64, 1};
constexpr Type f16{Type::Float, 16, 1}, bf16{Type::BFloat, 16, 1}, f32{Type::Float, 32, 1},
    f64{Type::Float, 64, 1};
constexpr Type IndexType{Type::Index, 64, 1};

// "f32", "bool", "index"; with lanes "f32x16".
std::string to_string(Type type);
// The type of that name, as in the text forms ("index" included); nothing if there is none.
std::optional<Type> type_named(std::string_view name);

// type_of<float>() == f32; long long and long are i64, char is its signedness' 8-bit type.
template <class T>
constexpr Type type_of() {
    if constexpr (std::is_same_v<T, bool>) return Bool;
    else if constexpr (std::is_same_v<T, float16_t>) return f16;
    else if constexpr (std::is_same_v<T, bfloat16_t>) return bf16;
    else if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "no such floating-point type");
        return {Type::Float, uint8_t(sizeof(T) * 8), 1};
    } else {
        static_assert(std::is_integral_v<T>, "not an element type");
        return {std::is_signed_v<T> ? Type::Int : Type::UInt, uint8_t(sizeof(T) * 8), 1};
    }
}

}  // namespace burin
