// What AVX-512 does in one instruction and LLVM's IR has no word for.
#include <cmath>

#include "codegen/emitter.h"

namespace burin {

namespace In = llvm::Intrinsic;

// f32, f64: of registers of 128, 256 and 512 bits
struct RegisterIds {
    In::ID ids[2][3];
};

namespace {

// The smaller or larger of two numbers, -0 being below +0; of a number and a NaN the number.
constexpr RegisterIds vrange{{{In::x86_avx512_mask_range_ps_128, In::x86_avx512_mask_range_ps_256,
                               In::x86_avx512_mask_range_ps_512},
                              {In::x86_avx512_mask_range_pd_128, In::x86_avx512_mask_range_pd_256,
                               In::x86_avx512_mask_range_pd_512}}};
// a 2^b
constexpr RegisterIds vscalef{
    {{In::x86_avx512_mask_scalef_ps_128, In::x86_avx512_mask_scalef_ps_256,
      In::x86_avx512_mask_scalef_ps_512},
     {In::x86_avx512_mask_scalef_pd_128, In::x86_avx512_mask_scalef_pd_256,
      In::x86_avx512_mask_scalef_pd_512}}};

}  // namespace

// Register by register; null where the target or the number of lanes does not allow it.
Emitter::V Emitter::by_registers(const RegisterIds& ids, V a, V b, V immediate, Type t) {
    int bits = t.bits * t.lanes, width = bits % 512 ? bits : 512;
    int size = width == 512 ? 2 : width == 256 ? 1 : 0;
    if (!has_avx512_ || width != 128 << size) return nullptr;
    int lanes = width / t.bits;
    auto* part = type(t.with_lanes(lanes));
    V all = llvm::PoisonValue::get(type(t));
    for (int k = 0; k < t.lanes; k += lanes) {
        V at = b_.getInt64(uint64_t(k));
        bool is_whole = lanes == t.lanes;
        std::vector<V> args{is_whole ? a : b_.CreateExtractVector(part, a, at),
                            is_whole ? b : b_.CreateExtractVector(part, b, at)};
        if (immediate) args.push_back(immediate);
        args.push_back(llvm::Constant::getNullValue(part));  // where the mask, which is full, is 0
        args.push_back(llvm::Constant::getAllOnesValue(b_.getIntNTy(unsigned(std::max(lanes, 8)))));
        if (width == 512) args.push_back(b_.getInt32(4));  // the rounding mode that is set
        V r = b_.CreateIntrinsic(ids.ids[t.bits == 64][size], {}, args);
        all = is_whole ? r : b_.CreateInsertVector(type(t), all, r, at);
    }
    return all;
}

// LLVM's own takes seven instructions where nothing is known of both sides, this takes three; and of a number and +0 three
// where two do: one that keeps a NaN, and -0, as it is, and a sum that makes +0 of -0. Of x + y one does, and a sum that
// is often there already, as that of a bias is: x + (y + 0) is the same, but never -0.
Emitter::V Emitter::float_extreme(bool largest, V a, V b, Type t) {
    auto is_zero = [](V v) { return v == llvm::Constant::getNullValue(v->getType()); };
    if (largest && is_zero(a)) std::swap(a, b);
    if (largest && is_zero(b)) {
        auto at_least_0 = [&](V x) { return b_.CreateSelect(b_.CreateFCmpOLT(x, b), b, x); };
        auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(a);
        if (!sum || sum->getOpcode() != llvm::Instruction::FAdd)
            return b_.CreateFAdd(at_least_0(a), b);
        return at_least_0(b_.CreateFAdd(sum->getOperand(0), b_.CreateFAdd(sum->getOperand(1), b)));
    }
    if (!llvm::isa<llvm::Constant>(a) && !llvm::isa<llvm::Constant>(b))
        if (V r = by_registers(vrange, a, b, b_.getInt32(largest ? 5 : 4), t))
            return b_.CreateSelect(b_.CreateFCmpUNO(a, b), llvm::ConstantFP::getNaN(type(t)), r);
    return intrinsic(largest ? In::maximum : In::minimum, {type(t)}, {a, b});
}

// number.h says for which numbers. Elsewhere two factors, of which the last one overflows or makes denormals, so that
// those round once.
Emitter::V Emitter::times_power(V a, V n, Type t) {
    if (V r = by_registers(vscalef, a, n, nullptr, t)) return r;
    int fraction = t.bits == 64 ? 52 : 23, bias = t.bits == 64 ? 1023 : 127;
    auto number = [&](double x) { return real(t, x); };
    auto* bits = type(Type{Type::Int, t.bits, t.lanes});
    auto whole = [&](int64_t x) { return llvm::ConstantInt::get(bits, uint64_t(x), true); };
    V is_small = b_.CreateFCmpOLT(n, number(-bias / 2));
    // n stands in the lowest bits of n + 1.5 * 2^fraction
    V shifted = b_.CreateBitCast(b_.CreateFAdd(n, number(std::ldexp(1.5, fraction))), bits);
    V exponent = b_.CreateAdd(
        shifted, b_.CreateSelect(is_small, whole(bias + fraction + 2), whole(bias - 1)));
    V first = b_.CreateBitCast(b_.CreateShl(exponent, whole(fraction)), type(t));
    V last = b_.CreateSelect(is_small, number(std::ldexp(1, -fraction - 2)), number(2));
    return b_.CreateFMul(b_.CreateFMul(a, first), last);
}

}  // namespace burin
