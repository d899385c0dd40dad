#include <doctest/doctest.h>

#include <cfenv>
#include <limits>
#include <vector>

#include "base/float_mode.h"
#include "ir/calls.h"
#include "ir/small_float.h"
#include "ir/value.h"

using namespace burin;

namespace {

__extension__ typedef __int128 Wide;
const Type integers[] = {i8, i16, i32, i64, u8, u16, u32, u64};
const Type floats[] = {f16, bf16, f32, f64};
const double inf = std::numeric_limits<double>::infinity(),
             none = std::numeric_limits<double>::quiet_NaN();

Value num(Type t, double v) {
    return t.is_float() ? Value::real(t, v) : Value::integer(t, int64_t(v));
}
Value call(Fn fn, std::vector<Value> args, Type t) { return eval_call(fn, args, t); }
Wide wide(Value v) { return v.type.is_uint() ? Wide(uint64_t(v.i)) : Wide(v.i); }
Wide least(Type t) { return t.is_uint() ? Wide(0) : -(Wide(1) << (t.bits - 1)); }
Wide most(Type t) { return (Wide(1) << (t.is_uint() ? t.bits : t.bits - 1)) - 1; }
Value wrapped(Type t, Wide v) { return Value::integer(t, int64_t(v)); }
Value clamped(Type t, Wide v) { return wrapped(t, std::min(std::max(v, least(t)), most(t))); }
Wide floor_div(Wide a, Wide b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::vector<Value> edges(Type t) {
    std::vector<Value> out;
    if (t.is_float()) {
        Value tiny = of_bits(t, 1),
              largest =
                  of_bits(t, (t.bits == 64 ? 0x7ff0000000000000 : format_of(t).infinity()) - 1);
        for (double v : {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 1.0 / 3, 7e4, 1e10, 1e-6,
                         inf, -inf, none})
            out.push_back(Value::real(t, v));
        for (Value v : {tiny, largest}) out.insert(out.end(), {v, eval_op<Neg>(v)});
        return out;
    }
    for (int d = -9; d <= 9; ++d)
        for (Wide base : {Wide(0), least(t), most(t), Wide(t.bits)})
            out.push_back(wrapped(t, base + d));
    return out;
}

}  // namespace

TEST_CASE("every integer operation equals exact arithmetic, wrapped to the type") {
    int checked = 0;
    auto agree = [&](Value got, Value want) {
        ++checked;
        if (!same(got, want))
            CHECK_MESSAGE(false, to_string(got), " is not ", to_string(want), " of ",
                          to_string(want.type));
    };
    for (Type t : integers) {
        for (Value a : edges(t)) {
            Wide x = wide(a);
            agree(eval_op<Neg>(a), wrapped(t, -x));
            agree(eval_op<Not>(a), wrapped(t, -x - 1));
            agree(call(Fn::Abs, {a}, t), wrapped(t, x < 0 ? -x : x));
            int ones = 0, leading = 0, trailing = 0;
            uint64_t bits = bits_of(a);
            for (int i = 0; i < t.bits; ++i) ones += bits >> i & 1;
            while (leading < t.bits && !(bits >> (t.bits - 1 - leading) & 1)) ++leading;
            while (trailing < t.bits && !(bits >> trailing & 1)) ++trailing;
            agree(call(Fn::Popcount, {a}, t), num(t, ones));
            agree(call(Fn::Clz, {a}, t), num(t, leading));
            agree(call(Fn::Ctz, {a}, t), num(t, trailing));
            for (Type to : integers) {
                agree(eval_cast(to, a), wrapped(to, x));
                agree(call(Fn::SaturatingCast, {a}, to), clamped(to, x));
            }
            agree(eval_cast(Bool, a), Value::boolean(x != 0));
            for (Value b : edges(t)) {
                Wide y = wide(b), q = floor_div(x, y);
                agree(eval_op<Add>(a, b), wrapped(t, x + y));
                agree(eval_op<Sub>(a, b), wrapped(t, x - y));
                agree(eval_op<Mul>(a, b),
                      Value::integer(t, int64_t(uint64_t(a.i) * uint64_t(b.i))));
                agree(eval_op<Div>(a, b), wrapped(t, q));
                agree(eval_op<Mod>(a, b), wrapped(t, y == 0 ? 0 : x - q * y));
                agree(eval_op<Min>(a, b), wrapped(t, std::min(x, y)));
                agree(eval_op<Max>(a, b), wrapped(t, std::max(x, y)));
                bool in_range = y >= 0 && y < t.bits;
                agree(eval_op<Shl>(a, b),
                      wrapped(t, in_range ? Wide(uint64_t(x) << int(y)) : Wide(0)));
                agree(eval_op<Shr>(a, b),
                      wrapped(t, in_range ? x >> int(y) : Wide(x < 0 ? -1 : 0)));
                agree(eval_op<And>(a, b), wrapped(t, x & y));
                agree(eval_op<Or>(a, b), wrapped(t, x | y));
                agree(eval_op<Xor>(a, b), wrapped(t, x ^ y));
                agree(eval_op<Eq>(a, b), Value::boolean(x == y));
                agree(eval_op<Ne>(a, b), Value::boolean(x != y));
                agree(eval_op<Lt>(a, b), Value::boolean(x < y));
                agree(eval_op<Le>(a, b), Value::boolean(x <= y));
                agree(call(Fn::SaturatingAdd, {a, b}, t), clamped(t, x + y));
                agree(call(Fn::SaturatingSub, {a, b}, t), clamped(t, x - y));
                agree(call(Fn::HalvingAdd, {a, b}, t), wrapped(t, floor_div(x + y, 2)));
                agree(call(Fn::RoundingHalvingAdd, {a, b}, t), wrapped(t, floor_div(x + y + 1, 2)));
                Type u{Type::UInt, t.bits};
                agree(call(Fn::Absd, {a, b}, u), wrapped(u, x < y ? y - x : x - y));
                if (t.bits < 64) {
                    Type twice{t.code, uint8_t(t.bits * 2)};
                    agree(call(Fn::WideningMul, {a, b}, twice), wrapped(twice, x * y));
                    agree(call(Fn::MulHigh, {a, b}, t), wrapped(t, (x * y) >> t.bits));
                }
            }
        }
    }
    CHECK(checked > 100'000);
}

TEST_CASE("the upper half of a 64-bit product is exact") {
    auto high = [](Type t, uint64_t a, uint64_t b) {
        return uint64_t(
            call(Fn::MulHigh, {Value::integer(t, int64_t(a)), Value::integer(t, int64_t(b))}, t).i);
    };
    CHECK(high(u64, UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    CHECK(high(u64, uint64_t(1) << 63, 6) == 3);
    CHECK(high(i64, UINT64_MAX, UINT64_MAX) == 0);
    CHECK(high(i64, uint64_t(1) << 63, uint64_t(1) << 63) == uint64_t(1) << 62);
}

TEST_CASE("divisions and shifts of famous faults") {
    CHECK(eval_op<Div>(num(i32, -3), num(i32, 6)).i == -1);  // H21
    CHECK(eval_op<Div>(num(i32, (-67 * 120) * (-85 - 73)), num(i32, 69)).i == 18410);
    int64_t in[] = {-5, -1, 0, 7, INT32_MIN}, out[] = {-1, -1, 0, 0, -1};  // H22
    for (int k = 0; k < 5; ++k)
        CHECK(eval_op<Shr>(Value::integer(i32, in[k]), num(i32, 31)).i == out[k]);
    CHECK(eval_op<Shr>(num(i8, -5), num(i8, 7)).i == -1);
    CHECK(eval_op<Shr>(Value::integer(i64, INT64_MIN), num(i64, 63)).i == -1);
    CHECK(eval_op<Shl>(num(i32, -1), num(i32, 31)).i == INT32_MIN);
    for (int n : {-1, 31, 32, 33})
        CHECK(eval_op<Shl>(num(i32, 1), num(i32, n)).i == (n == 31 ? INT32_MIN : 0));  // H23
    bool right = true;                                                                 // H24
    for (int base : {0, INT32_MAX - 300, INT32_MIN})
        for (int64_t d = 0; d < 300; ++d)
            for (int64_t b = 1; b < 60; ++b) {
                int64_t a = base + d, q = int64_t(floor_div(a, b));
                Value va = Value::integer(i32, a), vb = Value::integer(i32, b);
                right &= eval_op<Div>(va, vb).i == q && eval_op<Mod>(va, vb).i == a - q * b;
            }
    CHECK(right);
    for (Type t : {i8, i16, i32, i64}) {  // H25
        Value least = Value::integer(t, INT64_MIN >> (64 - t.bits));
        CHECK(same(eval_op<Div>(least, num(t, -1)), least));
        CHECK(same(eval_op<Mod>(least, num(t, -1)), num(t, 0)));
    }
    Value x = num(u8, 200);  // H26
    CHECK(eval_cast(i16, eval_op<Add>(x, x)).i == 144);
    CHECK(eval_op<Mul>(num(i64, 8), num(i64, 1'500'000'000)).i == 12'000'000'000);  // H27
    Value big = Value::integer(i64, (int64_t(1) << 53) + 1), one = num(i64, 1);     // H28
    CHECK(same(eval_op<Div>(big, one), big));
    CHECK(same(eval_op<Mul>(big, one), big));
    CHECK(same(eval_op<Max>(big, num(i64, 0)), big));
    CHECK(same(eval_cast(i64, big), big));
    for (Type t : {i32, u8, IndexType})  // H29
        for (int v : {0, 1, 100}) {
            CHECK(eval_op<Div>(num(t, v), num(t, 0)).i == 0);
            CHECK(eval_op<Mod>(num(t, v), num(t, 0)).i == 0);
        }
}

TEST_CASE("bool takes part in logic, equality and casts") {
    Value no = Value::boolean(false), yes = Value::boolean(true);
    CHECK(same(eval_op<Not>(no), yes));
    CHECK(same(eval_op<Not>(yes), no));
    CHECK(same(eval_op<And>(yes, no), no));
    CHECK(same(eval_op<Or>(yes, no), yes));
    CHECK(same(eval_op<Xor>(yes, yes), no));
    CHECK(same(eval_op<Ne>(yes, no), yes));
    CHECK(same(eval_cast(Bool, num(f32, none)), yes));
    CHECK(same(eval_cast(f16, yes), num(f16, 1)));
    unsigned char stored = 200;
    CHECK(same(load(Bool, &stored), yes));
}

TEST_CASE("float to integer truncates, saturates and makes NaN zero") {
    CHECK(eval_cast(u16, num(f32, -1.0)).i == 0);  // H42
    CHECK(eval_cast(u8, num(f32, 300.5)).i == 255);
    CHECK(eval_cast(i32, num(f32, none)).i == 0);
    CHECK(eval_cast(i32, num(f32, 1e20)).i == INT32_MAX);
    CHECK(eval_cast(i8, num(f32, -129.9)).i == -128);
    CHECK(eval_cast(i8, num(f64, -128.9)).i == -128);
    CHECK(eval_cast(i64, num(f64, 0x1p63)).i == INT64_MAX);
    CHECK(eval_cast(i64, num(f64, -inf)).i == INT64_MIN);
    CHECK(uint64_t(eval_cast(u64, num(f64, 0x1.8p63)).i) == uint64_t(3) << 62);
    CHECK(uint64_t(eval_cast(u64, num(f64, 0x1p64)).i) == UINT64_MAX);
    CHECK(eval_cast(u64, num(f64, -0.5)).i == 0);
    for (Type from : floats)
        for (Type to : integers)
            for (Value v : edges(from)) {
                long double x = v.f;
                Wide want = std::isnan(v.f) ? 0
                            : x >= 1e30L    ? most(to)
                            : x <= -1e30L   ? least(to)
                                            : Wide(x);
                CHECK(same(eval_cast(to, v), clamped(to, want)));
                CHECK(same(call(Fn::SaturatingCast, {v}, to), clamped(to, want)));
            }
}

TEST_CASE("all halves survive the way to wider types and back, by integer code and by hardware") {
    for (Type t : {f16, bf16}) {
        int wrong = 0;
        for (uint32_t bits = 0; bits < 65536; ++bits) {
            Value v = of_bits(t, bits);
            wrong += !same(eval_cast(t, eval_cast(f32, v)), v) ||
                     !same(eval_cast(t, eval_cast(f64, v)), v);
            wrong += !v.is_nan() && bits_of(v) != bits;
            if (t == bf16) wrong += !same(Value::real(f32, v.f), of_bits(f32, bits << 16));
        }
        CHECK(wrong == 0);
    }
#ifdef __FLT16_MAX__
    int wrong = 0;
    for (uint32_t bits = 0; bits < 65536; ++bits)
        wrong += !same(of_bits(f16, bits),
                       Value::real(f16, double(std::bit_cast<_Float16>(uint16_t(bits)))));
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 9973) {
        float v = std::bit_cast<float>(uint32_t(bits));
        wrong += !same(Value::real(f16, v), Value::real(f64, double(_Float16(v))).is_nan()
                                                ? num(f16, none)
                                                : Value{f16, {.f = double(_Float16(v))}});
    }
    CHECK(wrong == 0);
#endif
}

TEST_CASE("conversions to half round once, overflow to infinity and keep denormals") {
    double in[] = {65504, 65519, 65520, 70000, 1e10, -70000, inf, none};  // H44
    double out[] = {65504, 65504, inf, inf, inf, -inf, inf, none};
    for (int k = 0; k < 8; ++k)
        for (Type from : {f32, f64})
            CHECK(same(eval_cast(f16, num(from, in[k])), num(f16, out[k])));
    double tiny[] = {0x1p-25, 0x1.000002p-25, 0x1.8p-24, 0x1p-24},
           rounded[] = {0, 0x1p-24, 0x1p-23, 0x1p-24};  // H45
    for (int k = 0; k < 4; ++k)
        for (Type from : {f32, f64}) CHECK(eval_cast(f16, num(from, tiny[k])).f == rounded[k]);
    // H43
    CHECK(eval_cast(f32, eval_cast(f16, eval_op<Div>(num(f32, 1), num(f32, 7)))).f ==
          0.142822265625);
    // These round twice if they pass through f32 or f64.
    CHECK(eval_cast(f16, num(f64, 1 + 0x1p-11 + 0x1p-40)).f == 1 + 0x1p-10);
    CHECK(eval_cast(bf16, num(f64, 1 + 0x1p-8 + 0x1p-40)).f == 1 + 0x1p-7);
    CHECK(eval_cast(bf16, Value::integer(i64, (int64_t(1) << 62) + (int64_t(1) << 54) + 1)).f ==
          0x1.02p62);
    CHECK(eval_cast(bf16, Value::integer(u64, int64_t(UINT64_MAX))).f == 0x1p64);
    CHECK(eval_cast(f32, Value::integer(i64, (int64_t(1) << 54) + (int64_t(1) << 30) + 1)).f ==
          0x1.000002p54);
    CHECK(eval_cast(f16, Value::integer(i64, 65520)).f == inf);
    CHECK(eval_cast(f16, Value::integer(i64, -2049)).f == -2048);
}

TEST_CASE("integers and doubles become floats as the hardware rounds them") {
    for (Type from : integers)
        for (Value v : edges(from)) {
            bool is_unsigned = from.is_uint();
            CHECK(eval_cast(f32, v).f == (is_unsigned ? float(uint64_t(v.i)) : float(v.i)));
            CHECK(eval_cast(f64, v).f == (is_unsigned ? double(uint64_t(v.i)) : double(v.i)));
        }
    for (Value v : edges(f64))
        CHECK(same(eval_cast(f32, v), of_bits(f32, std::bit_cast<uint32_t>(float(v.f)))));
}

TEST_CASE("float arithmetic rounds once in its own type, and f16 and bf16 by way of f32") {
    for (Type t : floats)
        for (Value a : edges(t)) {
            for (Value b : edges(t)) {
                bool wide = t.bits == 64;
                float x = float(a.f), y = float(b.f);
                CHECK(same(eval_op<Add>(a, b), Value::real(t, wide ? a.f + b.f : double(x + y))));
                CHECK(same(eval_op<Sub>(a, b), Value::real(t, wide ? a.f - b.f : double(x - y))));
                CHECK(same(eval_op<Mul>(a, b), Value::real(t, wide ? a.f * b.f : double(x * y))));
                CHECK(same(eval_op<Div>(a, b), Value::real(t, wide ? a.f / b.f : double(x / y))));
                CHECK(same(
                    call(Fn::Fma, {a, b, a}, t),
                    Value::real(t, wide ? std::fma(a.f, b.f, a.f) : double(std::fma(x, y, x)))));
                CHECK(eval_op<Lt>(a, b).is_true() == (a.f < b.f));
                CHECK(eval_op<Le>(a, b).is_true() == (a.f <= b.f));
                CHECK(eval_op<Eq>(a, b).is_true() == (a.f == b.f));
                CHECK(eval_op<Ne>(a, b).is_true() == (a.f != b.f));
            }
            CHECK(call(Fn::IsNan, {a}, Bool).is_true() == std::isnan(a.f));
            CHECK(call(Fn::IsInf, {a}, Bool).is_true() == std::isinf(a.f));
            CHECK(call(Fn::IsFinite, {a}, Bool).is_true() == std::isfinite(a.f));
        }
    CHECK(eval_op<Add>(num(f32, 0x1p-149), num(f32, 0x1p-149)).f == 0x1p-148);  // denormals stay
    CHECK(same(eval_op<Add>(num(f32, inf), num(f32, -inf)), num(f32, none)));
}

TEST_CASE("minimum and maximum: NaN wins and -0 is below +0") {
    for (Type t : floats) {
        Value zero = num(t, 0.0), minus = num(t, -0.0), one = num(t, 1), bad = num(t, none);
        CHECK(same(eval_op<Min>(zero, minus), minus));
        CHECK(same(eval_op<Min>(minus, zero), minus));
        CHECK(same(eval_op<Max>(zero, minus), zero));
        CHECK(same(eval_op<Max>(minus, zero), zero));
        CHECK(same(eval_op<Max>(minus, minus), minus));
        for (Value v : {zero, one, num(t, inf), num(t, -inf)})
            for (auto [a, b] : {std::pair{v, bad}, std::pair{bad, v}}) {
                CHECK(same(eval_op<Min>(a, b), bad));
                CHECK(same(eval_op<Max>(a, b), bad));
            }
        CHECK(same(eval_op<Min>(one, num(t, -inf)), num(t, -inf)));
    }
}

TEST_CASE("rounding to whole numbers takes the even one at a tie and keeps the sign of zero") {
    for (Type t : floats) {
        double in[] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.25, inf},
               near[] = {0, 2, 2, -0.0, -2, -2, 1, -0.0, inf};
        for (int k = 0; k < 9; ++k)
            CHECK(same(call(Fn::Round, {num(t, in[k])}, t), num(t, near[k])));
        CHECK(call(Fn::Floor, {num(t, -1.5)}, t).f == -2);
        CHECK(call(Fn::Ceil, {num(t, 1.5)}, t).f == 2);
        CHECK(same(call(Fn::Trunc, {num(t, -0.5)}, t), num(t, -0.0)));
    }
}

TEST_CASE("reinterpret moves bits and reads every NaN as the canonical quiet one") {
    CHECK(call(Fn::Reinterpret, {num(f32, 1)}, i32).i == 0x3f800000);
    CHECK(call(Fn::Reinterpret, {num(i32, 0x3f800000)}, f32).f == 1);
    CHECK(call(Fn::Reinterpret, {of_bits(f32, 0xff812345)}, u32).i == 0x7fc00000);
    CHECK(call(Fn::Reinterpret, {of_bits(f64, 0xfff0000000000001)}, i64).i == 0x7ff8000000000000);
    CHECK(call(Fn::Reinterpret, {of_bits(f16, 0xfc01)}, u16).i == 0x7e00);
    CHECK(call(Fn::Reinterpret, {of_bits(bf16, 0xff81)}, i16).i == 0x7fc0);
    CHECK(call(Fn::Reinterpret, {num(u8, 200)}, i8).i == -56);
}

TEST_CASE("two NaNs are the same value, two zeros are not") {
    CHECK(same(of_bits(f32, 0x7fc00000), of_bits(f32, 0xff812345)));
    CHECK_FALSE(same(num(f32, 0.0), num(f32, -0.0)));
    CHECK_FALSE(same(num(f32, 1.0), num(f64, 1.0)));
    CHECK(to_string(num(f32, 0.1)) == "0.1");
    CHECK(to_string(Value::integer(u64, -1)) == "18446744073709551615");
}

TEST_CASE("in the defined mode nothing depends on what the caller had set") {
    int before = std::fegetround();
    std::fesetround(FE_UPWARD);
#ifdef __SSE2__
    unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040);  // flush denormals, read and written
#endif
    Value sum, tiny;
    {
        DefinedFloatMode mode;
        sum = eval_op<Add>(num(f32, 1), num(f32, 0x1p-30));
        tiny = eval_op<Mul>(of_bits(f64, 3), num(f64, 1));
    }
    int after = std::fegetround();
#ifdef __SSE2__
    CHECK((_mm_getcsr() & 0x8040) == 0x8040);
    _mm_setcsr(control);
#endif
    std::fesetround(before);
    CHECK(sum.f == 1);
    CHECK(bits_of(tiny) == 3);
    CHECK(after == FE_UPWARD);
}

TEST_CASE("narrow formats are rounded alike in every rounding mode of the caller") {
    int before = std::fegetround();
    std::fesetround(FE_UPWARD);
    Value half = Value::real(f16, 1 + 0x1p-12),
          from_int = eval_cast(f32, Value::integer(i64, (int64_t(1) << 40) + 1));
    std::fesetround(before);
    CHECK(half.f == 1);
    CHECK(from_int.f == 0x1p40);
}

TEST_CASE("functions and reduction operators are known by name, arity and type") {
    for (int k = 0; k <= int(Fn::Gelu); ++k) CHECK(fn_named(name(Fn(k))) == Fn(k));
    CHECK(arity(Fn::Fma) == 3);
    CHECK_FALSE(fn_named("sine"));
    CHECK(name(Fn::RoundingHalvingAdd) == "rounding_halving_add");
    CHECK(reduce_op_named("argmax") == ReduceOp::ArgMax);
    Type two[] = {i16, i16}, mixed[] = {i16, i32}, wide[] = {i64, i64}, x8[] = {f32.with_lanes(8)};
    CHECK(result_type(Fn::WideningMul, two) == i32);
    CHECK(result_type(Fn::Absd, two) == u16);
    CHECK(result_type(Fn::IsNan, x8) == Bool.with_lanes(8));
    CHECK_THROWS_WITH_AS(result_type(Fn::MulHigh, mixed),
                         doctest::Contains("mul_high mixes i16 and i32"), Error);
    CHECK_THROWS_WITH_AS(result_type(Fn::WideningMul, wide), doctest::Contains("does not take i64"),
                         Error);
    CHECK_THROWS_WITH_AS(result_type(Fn::Pow, x8), doctest::Contains("takes 2 arguments"), Error);
}
