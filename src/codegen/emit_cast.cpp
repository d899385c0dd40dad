#include <cmath>

#include "codegen/emitter.h"

namespace burin {

namespace In = llvm::Intrinsic;

// Every cast rounds once; see eval_cast in ir/value.h for the definition.
Emitter::V Emitter::cast(V v, Type from, Type to) {
    llvm::Type* target = type(to);
    if (from.is_small_float()) {
        if (to.is_small_float() && from.code == to.code) return v;
        return cast(from_small(v, from), f32.with_lanes(from.lanes), to);
    }
    if (to.is_small_float()) return to_small(v, from, to);
    if (to.is_bool()) {
        V zero = llvm::Constant::getNullValue(type(from));
        return from.is_float() ? b_.CreateFCmpUNE(v, zero) : b_.CreateICmpNE(v, zero);
    }
    if (from.is_bool())
        return to.is_float() ? b_.CreateUIToFP(v, target) : b_.CreateZExt(v, target);
    if (from.is_float()) {
        if (to.is_float())
            return to.bits > from.bits ? b_.CreateFPExt(v, target) : b_.CreateFPTrunc(v, target);
        if (from.lanes > 1) return saturate(v, from, to);
        return intrinsic(to.is_signed() ? In::fptosi_sat : In::fptoui_sat, {target, v->getType()},
                         {v});
    }
    if (to.is_float())
        return from.is_signed() ? b_.CreateSIToFP(v, target) : b_.CreateUIToFP(v, target);
    return from.is_signed() ? b_.CreateSExtOrTrunc(v, target) : b_.CreateZExtOrTrunc(v, target);
}

// fptosi.sat and fptoui.sat, which LLVM takes apart lane by lane for vectors: clamp, then convert what is inside.
Emitter::V Emitter::saturate(V v, Type from, Type to) {
    bool is_signed = to.is_signed();
    auto number = [&](double x) { return llvm::ConstantFP::get(v->getType(), x); };
    V lo = number(is_signed ? -std::ldexp(1, to.bits - 1) : 0);
    V inside = b_.CreateSelect(b_.CreateFCmpOGT(v, lo), v, lo);  // a NaN is lo now
    double end = std::ldexp(1, to.bits - is_signed);             // the first number above
    // The largest result is a number of the type before. Else what the conversion makes of larger ones is not chosen.
    bool exact = to.bits <= (from.bits == 64 ? 53 : 24);
    if (exact) {
        V hi = number(end - 1);
        inside = b_.CreateSelect(b_.CreateFCmpOLT(inside, hi), inside, hi);
    }
    if (is_signed) inside = b_.CreateSelect(b_.CreateFCmpORD(v, v), inside, number(0));
    if (to.bits < 32)
        return b_.CreateTrunc(b_.CreateFPToSI(inside, type(i32.with_lanes(to.lanes))), type(to));
    V whole = is_signed ? b_.CreateFPToSI(inside, type(to)) : b_.CreateFPToUI(inside, type(to));
    if (exact) return whole;
    auto bits = unsigned(to.bits);
    llvm::APInt hi =
        is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    return b_.CreateSelect(b_.CreateFCmpOGE(v, number(end)), llvm::ConstantInt::get(type(to), hi),
                           whole);
}

// The value as an f32 that rounds further as the exact one would: inexact values get an odd last bit.
Emitter::V Emitter::odd_f32(V v, Type from) {
    int lanes = from.lanes;
    llvm::Type *single = type(f32.with_lanes(lanes)), *whole = type(f64.with_lanes(lanes)),
               *bits = type(i32.with_lanes(lanes));
    if (from.is_float() && from.bits == 32) return v;
    if (!from.is_float()) {
        if (!from.is_bool() && from.bits == 64) {
            // Beyond 2^50 the lowest 12 bits only matter as zero or not.
            llvm::Type* wide = v->getType()->getWithNewBitWidth(64);
            v = from.is_signed() ? b_.CreateSExt(v, wide) : v;
            auto c = [&](uint64_t n) { return llvm::ConstantInt::get(wide, n); };
            V rest = b_.CreateAnd(v, c(0xfff)), kept = b_.CreateAnd(v, c(~uint64_t(0xfff)));
            V sticky =
                b_.CreateOr(kept, b_.CreateSelect(b_.CreateICmpEQ(rest, c(0)), c(0), c(0x800)));
            V size = from.is_signed() ? b_.CreateIntrinsic(In::abs, {wide}, {v, b_.getFalse()}) : v;
            v = b_.CreateSelect(b_.CreateICmpULT(size, c(uint64_t(1) << 50)), v, sticky);
        }
        v = from.is_signed() && !from.is_bool() ? b_.CreateSIToFP(v, whole)
                                                : b_.CreateUIToFP(v, whole);
    }
    V near = b_.CreateFPTrunc(v, single), back = b_.CreateFPExt(near, whole);
    V n = b_.CreateBitCast(near, bits);
    V inexact = b_.CreateFCmpONE(back, v);
    V too_large =
        b_.CreateFCmpOGT(intrinsic(In::fabs, {whole}, {back}), intrinsic(In::fabs, {whole}, {v}));
    V truncated = b_.CreateSub(n, b_.CreateZExt(too_large, bits));
    V odd = b_.CreateOr(truncated, llvm::ConstantInt::get(bits, 1));
    return b_.CreateBitCast(b_.CreateSelect(inexact, odd, n), single);
}

Emitter::V Emitter::to_small(V v, Type from, Type to) {
    int lanes = from.lanes;
    V single = odd_f32(v, from);
    llvm::Type *bits = type(i32.with_lanes(lanes)), *small = type(to);
    V is_nan = b_.CreateFCmpUNO(single, single);
    if (to.code == Type::Float) {
        llvm::Type* half = b_.getHalfTy();
        if (lanes > 1) half = llvm::FixedVectorType::get(half, lanes);
        V rounded = b_.CreateBitCast(b_.CreateFPTrunc(single, half), small);
        return b_.CreateSelect(is_nan, llvm::ConstantInt::get(small, 0x7e00), rounded);
    }
    V n = b_.CreateBitCast(single, bits);
    auto c = [&](uint64_t x) { return llvm::ConstantInt::get(bits, x); };
    V last = b_.CreateAnd(b_.CreateLShr(n, c(16)), c(1));
    V rounded = b_.CreateLShr(b_.CreateAdd(n, b_.CreateAdd(last, c(0x7fff))), c(16));
    return b_.CreateSelect(is_nan, llvm::ConstantInt::get(small, 0x7fc0),
                           b_.CreateTrunc(rounded, small));
}

Emitter::V Emitter::from_small(V v, Type from) {
    llvm::Type* single = type(f32.with_lanes(from.lanes));
    if (from.code == Type::Float) {
        llvm::Type* half = b_.getHalfTy();
        if (from.lanes > 1) half = llvm::FixedVectorType::get(half, from.lanes);
        return b_.CreateFPExt(b_.CreateBitCast(v, half), single);
    }
    llvm::Type* bits = type(i32.with_lanes(from.lanes));
    return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(v, bits), llvm::ConstantInt::get(bits, 16)),
                            single);
}

Emitter::V Emitter::reinterpret(V v, Type from, Type to) {
    if (!from.is_float()) return b_.CreateBitCast(v, type(to));
    V value = from.is_small_float() ? from_small(v, from) : v;
    uint64_t canonical = from.bits == 64            ? 0x7ff8000000000000
                         : from.bits == 32          ? 0x7fc00000
                         : from.code == Type::Float ? 0x7e00
                                                    : 0x7fc0;
    llvm::Type* bits = type(Type{Type::UInt, from.bits, from.lanes});
    V clean = b_.CreateSelect(b_.CreateFCmpUNO(value, value),
                              llvm::ConstantInt::get(bits, canonical), b_.CreateBitCast(v, bits));
    return b_.CreateBitCast(clean, type(to));
}

}  // namespace burin
