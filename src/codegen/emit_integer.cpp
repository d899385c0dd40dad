#include "codegen/emitter.h"
#include "ir/build.h"
#include "ir/calls.h"

namespace burin {

namespace In = llvm::Intrinsic;

// Floors; by 0 gives 0, MIN / -1 gives MIN: LLVM's own division may meet neither.
Emitter::V Emitter::div_or_mod(bool want_mod, V a, V b, const Expr& divisor, Type t) {
    V zero = llvm::Constant::getNullValue(type(t)), one = constant(t, 1);
    auto c = const_int(divisor);
    if (!t.is_signed()) {
        V safe = c && *c != 0 ? b : b_.CreateSelect(b_.CreateICmpEQ(b, zero), one, b);
        V v = want_mod ? b_.CreateURem(a, safe) : b_.CreateUDiv(a, safe);
        return c && *c != 0 ? v : b_.CreateSelect(b_.CreateICmpEQ(b, zero), zero, v);
    }
    if (c && *c > 0 && (*c & (*c - 1)) == 0) {
        if (want_mod) return b_.CreateAnd(a, constant(t, *c - 1));
        return b_.CreateAShr(a, constant(t, __builtin_ctzll(uint64_t(*c))));
    }
    bool easy = c && *c != 0 && *c != -1;
    V is_zero = nullptr, is_minus_one = nullptr, safe = b;
    if (!easy) {
        is_zero = b_.CreateICmpEQ(b, zero);
        is_minus_one = b_.CreateICmpEQ(b, constant(t, -1));
        safe = b_.CreateSelect(b_.CreateOr(is_zero, is_minus_one), one, b);
    }
    V q = b_.CreateSDiv(a, safe), r = b_.CreateSub(a, b_.CreateMul(q, safe));
    // Rounded towards zero, and past the floor if the remainder has the other sign than the divisor.
    V past = b_.CreateAnd(b_.CreateICmpNE(r, zero), b_.CreateICmpSLT(b_.CreateXor(r, safe), zero));
    if (want_mod) {
        r = b_.CreateSelect(past, b_.CreateAdd(r, safe), r);
        return easy ? r : b_.CreateSelect(b_.CreateOr(is_zero, is_minus_one), zero, r);
    }
    q = b_.CreateSelect(past, b_.CreateSub(q, one), q);
    if (easy) return q;
    q = b_.CreateSelect(is_minus_one, b_.CreateSub(zero, a), q);
    return b_.CreateSelect(is_zero, zero, q);
}

// Counts outside [0, width) shift everything out.
Emitter::V Emitter::shift(bool left, V a, V n, Type t) {
    V width = constant(t, t.bits), zero = llvm::Constant::getNullValue(type(t));
    V inside = b_.CreateICmpULT(n, width);
    if (!left && t.is_signed())
        return b_.CreateAShr(a, b_.CreateSelect(inside, n, constant(t, t.bits - 1)));
    V safe = b_.CreateSelect(inside, n, zero);
    return b_.CreateSelect(inside, left ? b_.CreateShl(a, safe) : b_.CreateLShr(a, safe), zero);
}

Emitter::V Emitter::idiom(Fn fn, std::vector<V> a, Type from, Type t) {
    bool is_signed = from.is_signed();
    auto widened = [&](V v, int bits) {
        llvm::Type* wide = v->getType()->getWithNewBitWidth(bits);
        return is_signed ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide);
    };
    auto half = [&](V v) {
        return is_signed ? b_.CreateAShr(v, constant(from, 1))
                         : b_.CreateLShr(v, constant(from, 1));
    };
    auto two = [&](llvm::Intrinsic::ID s, llvm::Intrinsic::ID u) {
        return intrinsic(is_signed ? s : u, {type(from)}, a);
    };
    switch (fn) {
        case Fn::SaturatingAdd: return two(In::sadd_sat, In::uadd_sat);
        case Fn::SaturatingSub: return two(In::ssub_sat, In::usub_sat);
        case Fn::HalvingAdd:
            return b_.CreateAdd(b_.CreateAnd(a[0], a[1]), half(b_.CreateXor(a[0], a[1])));
        case Fn::RoundingHalvingAdd:
            return b_.CreateSub(b_.CreateOr(a[0], a[1]), half(b_.CreateXor(a[0], a[1])));
        case Fn::WideningMul: return b_.CreateMul(widened(a[0], t.bits), widened(a[1], t.bits));
        case Fn::Absd:        return b_.CreateSub(two(In::smax, In::umax), two(In::smin, In::umin));
        case Fn::MulHigh:     {
            V product = b_.CreateMul(widened(a[0], from.bits * 2), widened(a[1], from.bits * 2));
            return b_.CreateTrunc(
                b_.CreateLShr(product, llvm::ConstantInt::get(product->getType(), from.bits)),
                type(t));
        }
        case Fn::Popcount:       return intrinsic(In::ctpop, {type(t)}, a);
        case Fn::Clz:            return b_.CreateIntrinsic(In::ctlz, {type(t)}, {a[0], b_.getFalse()});
        case Fn::Ctz:            return b_.CreateIntrinsic(In::cttz, {type(t)}, {a[0], b_.getFalse()});
        case Fn::SaturatingCast: {
            V v = widened(a[0], 128);  // narrowed again by LLVM where that is exact
            auto* wide = v->getType();
            llvm::APInt lo = t.is_signed() ? llvm::APInt::getSignedMinValue(t.bits).sext(128)
                                           : llvm::APInt(128, 0);
            llvm::APInt hi = t.is_signed() ? llvm::APInt::getSignedMaxValue(t.bits).sext(128)
                                           : llvm::APInt::getMaxValue(t.bits).zext(128);
            v = intrinsic(In::smax, {wide}, {v, llvm::ConstantInt::get(wide, lo)});
            v = intrinsic(In::smin, {wide}, {v, llvm::ConstantInt::get(wide, hi)});
            return b_.CreateTrunc(v, type(t));
        }
        default:
            throw Error(ErrorKind::Internal, "codegen",
                        "no code for the function " + std::string(name(fn)));
    }
}

}  // namespace burin
