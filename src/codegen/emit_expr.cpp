#include <bit>
#include <cfloat>
#include <cmath>

#include "codegen/emitter.h"
#include "codegen/reciprocal.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/print.h"
#include "ir/value.h"

namespace burin {

using llvm::Intrinsic::ID;
namespace In = llvm::Intrinsic;

// 16-bit floats are carried as their bits: nothing but conversions looks into them.
llvm::Type* Emitter::type(Type t) {
    llvm::Type* one = t.is_bool()          ? b_.getInt1Ty()
                      : t.is_index()       ? (t.lanes == 1 ? index_type() : index_lane_type())
                      : t.is_small_float() ? b_.getInt16Ty()
                      : t.is_float()       ? (t.bits == 32 ? b_.getFloatTy() : b_.getDoubleTy())
                                           : static_cast<llvm::Type*>(b_.getIntNTy(t.bits));
    return t.lanes == 1 ? one : llvm::FixedVectorType::get(one, t.lanes);
}
llvm::Type* Emitter::memory_type(Type t) {
    return t.is_bool() ? type(Type{Type::UInt, 8, t.lanes}) : type(t);
}
Emitter::V Emitter::constant(Type t, int64_t v) {
    return llvm::ConstantInt::get(type(t), uint64_t(v), true);
}
Emitter::V Emitter::real(Type t, double v) { return llvm::ConstantFP::get(type(t), v); }

Emitter::V Emitter::expr(const Expr& e) {
    if (auto it = memo_.find(e.node()); it != memo_.end()) return it->second;
    V v = fresh_expr(e);
    return memo_[e.node()] = v;
}

void Emitter::bind(Symbol name, V v) {
    frame_.names[name] = v;
    frame_.depths[name] = depth_;
}

int Emitter::depth_of(const Expr& e) {
    int depth = 0;
    visit(e, overloaded{[&](const Var& v, auto&) {
                            if (auto it = frame_.depths.find(v.name); it != frame_.depths.end())
                                depth = std::max(depth, it->second);
                        },
                        [&](const Load&, auto&) { depth = depth_; }});
    return depth;
}

Emitter::V Emitter::predicate(const Expr& e) { return e.defined() ? expr(e) : nullptr; }

bool Emitter::is_tainted(const Expr& e) {
    if (auto it = tainted_.find(e.node()); it != tainted_.end()) return it->second;
    bool found = e.as<Load>() || (e.as<Cast>() && !e.as<Cast>()->value.type().is_index());
    std::pair<Emitter*, bool*> data{this, &found};
    visit_children(e.node(), {&data,
                              [](void* s, const Expr& c) {
                                  auto& [self, any] = *static_cast<decltype(data)*>(s);
                                  *any = *any || self->is_tainted(c);
                              },
                              [](void*, const Stmt&) {}});
    return tainted_[e.node()] = found;
}

// Coordinates do not overflow where they matter: entry has seen to it.
Emitter::V Emitter::arithmetic(llvm::Instruction::BinaryOps op, V a, V b, const Expr& e) {
    V v = b_.CreateBinOp(op, a, b);
    if (auto* i = llvm::dyn_cast<llvm::BinaryOperator>(v);
        i && e.type().is_index() && !is_tainted(e))
        i->setHasNoSignedWrap(true);
    return v;
}

Emitter::V Emitter::fresh_expr(const Expr& e) {
    Type t = e.type();
    bool real_type = t.is_float();
    auto operand_type = [](const auto& op) { return op.a.type(); };
    auto compare = [&](const auto& op, llvm::CmpInst::Predicate f, llvm::CmpInst::Predicate s,
                       llvm::CmpInst::Predicate u) {
        Type o = operand_type(op);
        V a = expr(op.a), b = expr(op.b);
        return o.is_float() ? b_.CreateFCmp(f, a, b) : b_.CreateICmp(o.is_signed() ? s : u, a, b);
    };
    auto extreme = [&](const auto& op, bool largest, ID s, ID u) {
        V a = expr(op.a), b = expr(op.b);
        return real_type ? float_extreme(largest, a, b, t)
                         : intrinsic(t.is_signed() ? s : u, {type(t)}, {a, b});
    };
    using P = llvm::CmpInst;
    using B = llvm::Instruction;
    if (auto* op = e.as<IntImm>()) return constant(t, op->value);
    if (auto* op = e.as<FloatImm>()) {
        if (!t.is_small_float()) return real(t, op->value);
        return constant(Type{Type::UInt, 16, 1}, int64_t(bits_of(Value::real(t, op->value))));
    }
    if (auto* op = e.as<Var>()) return frame_.names.at(op->name);
    if (e.as<Meta>()) return frame_.metas.at(e);
    if (auto* op = e.as<Cast>()) return cast(expr(op->value), op->value.type(), t);
    if (auto* op = e.as<Neg>()) {
        V a = expr(op->a);
        if (t.is_small_float()) return b_.CreateXor(a, llvm::ConstantInt::get(type(t), 0x8000));
        return real_type ? b_.CreateFNeg(a)
                         : arithmetic(B::Sub, llvm::Constant::getNullValue(type(t)), a, e);
    }
    if (auto* op = e.as<Not>()) return b_.CreateNot(expr(op->a));
    if (auto* op = e.as<Add>())
        return arithmetic(real_type ? B::FAdd : B::Add, expr(op->a), expr(op->b), e);
    if (auto* op = e.as<Sub>())
        return arithmetic(real_type ? B::FSub : B::Sub, expr(op->a), expr(op->b), e);
    if (auto* op = e.as<Mul>())
        return arithmetic(real_type ? B::FMul : B::Mul, expr(op->a), expr(op->b), e);
    if (auto* op = e.as<Div>()) {
        if (auto c = const_float(op->b);
            c && t.element() == f32 && t.lanes > 1 && has_reciprocal(*c))
            return divide_by_constant(expr(op->a), float(*c), t);
        if (real_type) return b_.CreateFDiv(expr(op->a), expr(op->b));
        return div_or_mod(false, expr(op->a), expr(op->b), op->b, t);
    }
    if (auto* op = e.as<Mod>()) return div_or_mod(true, expr(op->a), expr(op->b), op->b, t);
    if (auto* op = e.as<Min>()) return extreme(*op, false, In::smin, In::umin);
    if (auto* op = e.as<Max>()) return extreme(*op, true, In::smax, In::umax);
    if (auto* op = e.as<Shl>()) return shift(true, expr(op->a), expr(op->b), t);
    if (auto* op = e.as<Shr>()) return shift(false, expr(op->a), expr(op->b), t);
    if (auto* op = e.as<And>()) return b_.CreateAnd(expr(op->a), expr(op->b));
    if (auto* op = e.as<Or>()) return b_.CreateOr(expr(op->a), expr(op->b));
    if (auto* op = e.as<Xor>()) return b_.CreateXor(expr(op->a), expr(op->b));
    if (auto* op = e.as<Eq>()) return compare(*op, P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    if (auto* op = e.as<Ne>()) return compare(*op, P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    if (auto* op = e.as<Lt>()) return compare(*op, P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    if (auto* op = e.as<Le>()) return compare(*op, P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
    if (auto* op = e.as<Select>()) {
        auto* hint = op->cond.as<Call>();
        auto* guarded = op->yes.as<Load>();
        if (guarded && is_const(op->no) && equal(guarded->predicate, op->cond))
            return load(*guarded, t, llvm::cast<llvm::Constant>(to_memory(expr(op->no), t)));
        V cond = expr(op->cond), yes = expr(op->yes);
        if (!hint || hint->fn != Fn::Likely) return b_.CreateSelect(cond, yes, expr(op->no));
        return unless_any(b_.CreateNot(cond), yes,
                          [&] { return b_.CreateSelect(cond, yes, expr(op->no)); });
    }
    if (auto* op = e.as<Call>()) return call(*op, t);
    if (auto* op = e.as<Load>()) return load(*op, t);
    if (auto* op = e.as<Ramp>()) {
        auto wide = [&](const Expr& x) {
            return t.is_index() ? splat_index(expr(x), t.lanes) : splat(expr(x), t.lanes);
        };
        V base = wide(op->base), stride = wide(op->stride);
        std::vector<llvm::Constant*> steps;
        for (int i = 0; i < t.lanes; ++i)
            steps.push_back(llvm::ConstantInt::get(base->getType()->getScalarType(), i));
        V offset = arithmetic(B::Mul, stride, llvm::ConstantVector::get(steps), e);
        return arithmetic(B::Add, base, offset, e);
    }
    if (auto* op = e.as<Broadcast>()) {
        int n = op->value.type().lanes;
        if (n == 1)
            return t.is_index() ? splat_index(expr(op->value), t.lanes)
                                : splat(expr(op->value), t.lanes);
        std::vector<int> pick;
        for (int i = 0; i < t.lanes; ++i) pick.push_back(i % n);
        return b_.CreateShuffleVector(expr(op->value), pick);
    }
    if (auto* op = e.as<Shuffle>()) {
        auto wide = [&](const Expr& v) { return v.type().lanes > 1 ? expr(v) : splat(expr(v), 1); };
        if (op->vectors.size() == 1 && t.lanes == 1) {
            V lane = b_.CreateExtractElement(expr(op->vectors[0]), uint64_t(op->lanes[0]));
            return t.is_index() ? b_.CreateSExt(lane, type(t)) : lane;
        }
        // lane by lane: rare, and LLVM makes shuffles of it
        V all = llvm::PoisonValue::get(type(t));
        for (int i = 0; i < t.lanes; ++i) {
            int lane = op->lanes[i];
            size_t k = 0;
            while (lane >= op->vectors[k].type().lanes) lane -= op->vectors[k++].type().lanes;
            V v = wide(op->vectors[k]);
            if (op->vectors[k].type().lanes > 1) v = b_.CreateExtractElement(v, uint64_t(lane));
            all = b_.CreateInsertElement(all, v, uint64_t(i));
        }
        return all;
    }
    if (auto* op = e.as<Combine>()) return combine(*op, t);
    throw Error(ErrorKind::Internal, "codegen",
                "an expression that lowering should have removed: " + to_string(e));
}

// x / b as q - (q * b - x) * y, where y = 1 / b and q = x * y; divided where some lane is tiny. A NaN residue means an
// infinite (or NaN) x, for which q is the quotient already: any number does in its place.
Emitter::V Emitter::divide_by_constant(V x, float b, Type t) {
    V y = real(t, 1.0f / b), divisor = real(t, b), any_number = real(t, FLT_MAX);
    V q = b_.CreateFMul(x, y);
    V r = intrinsic(llvm::Intrinsic::fma, {type(t)}, {q, divisor, b_.CreateFNeg(x)});
    r = b_.CreateSelect(b_.CreateFCmpOLT(r, any_number), r, any_number);
    V quotient = intrinsic(llvm::Intrinsic::fma, {type(t)}, {b_.CreateFNeg(r), y, q});
    llvm::Type* bits = type(u32.with_lanes(t.lanes));
    V size = b_.CreateShl(b_.CreateBitCast(x, bits), llvm::ConstantInt::get(bits, 1));
    uint32_t limit = 2 * std::bit_cast<uint32_t>(smallest_dividend) - 1;
    V tiny = b_.CreateICmpULT(b_.CreateSub(size, llvm::ConstantInt::get(bits, 1)),
                              llvm::ConstantInt::get(bits, limit));
    return unless_any(tiny, quotient, [&] { return b_.CreateFDiv(x, divisor); });
}

// `usual`, or `otherwise` where a lane of `rare` is true; what that computed is not there afterwards.
Emitter::V Emitter::unless_any(V rare, V usual, const std::function<V()>& otherwise) {
    bool is_vector = rare->getType()->isVectorTy();
    V any = is_vector ? intrinsic(In::vector_reduce_or, {rare->getType()}, {rare}) : rare;
    auto* before = b_.GetInsertBlock();
    V other = nullptr;
    llvm::BasicBlock* from = nullptr;
    auto known = memo_;
    branch(any, [&] {
        other = otherwise();
        from = b_.GetInsertBlock();
    });
    memo_ = std::move(known);
    auto* phi = b_.CreatePHI(usual->getType(), 2);
    phi->addIncoming(other, from);
    phi->addIncoming(usual, before);
    return phi;
}

Emitter::V Emitter::combine(const Combine& op, Type t) {
    V v = expr(op.value);
    int groups = t.lanes, each = op.value.type().lanes / groups;
    std::vector<V> results;
    for (int g = 0; g < groups; ++g) {
        V part = v;
        if (groups > 1) {
            std::vector<int> pick;
            for (int i = 0; i < each; ++i) pick.push_back(g * each + i);
            part = b_.CreateShuffleVector(v, pick);
        }
        bool is_unsigned = t.is_uint() || t.is_bool();
        ID id;
        switch (op.op) {
            case ReduceOp::Sum:     id = In::vector_reduce_add; break;
            case ReduceOp::Product: id = In::vector_reduce_mul; break;
            case ReduceOp::And:     id = In::vector_reduce_and; break;
            case ReduceOp::Or:      id = In::vector_reduce_or; break;
            case ReduceOp::Xor:     id = In::vector_reduce_xor; break;
            case ReduceOp::Min:
                id = t.is_float()  ? In::vector_reduce_fminimum
                     : is_unsigned ? In::vector_reduce_umin
                                   : In::vector_reduce_smin;
                break;
            case ReduceOp::Max:
                id = t.is_float()  ? In::vector_reduce_fmaximum
                     : is_unsigned ? In::vector_reduce_umax
                                   : In::vector_reduce_smax;
                break;
            default:
                throw Error(ErrorKind::Internal, "codegen",
                            "no combination of lanes by argmin or argmax");
        }
        results.push_back(intrinsic(id, {part->getType()}, {part}));
    }
    if (groups == 1) return results[0];
    V all = llvm::PoisonValue::get(type(t));
    for (int g = 0; g < groups; ++g) all = b_.CreateInsertElement(all, results[g], uint64_t(g));
    return all;
}

Emitter::V Emitter::call(const Call& op, Type t) {
    std::vector<V> a;
    for (auto& x : op.args) a.push_back(expr(x));
    Type from = op.args[0].type();
    auto unary = [&](ID id) { return intrinsic(id, {type(t)}, {a[0]}); };
    switch (op.fn) {
        case Fn::Sqrt:       return unary(In::sqrt);
        case Fn::Floor:      return unary(In::floor);
        case Fn::Ceil:       return unary(In::ceil);
        case Fn::Trunc:      return unary(In::trunc);
        case Fn::Round:      return unary(In::roundeven);
        case Fn::Fma:        return intrinsic(In::fma, {type(t)}, a);
        case Fn::TimesPower: return times_power(a[0], a[1], t);
        case Fn::Abs:
            if (t.is_small_float())
                return b_.CreateAnd(a[0], llvm::ConstantInt::get(type(t), 0x7fff));
            return t.is_float() ? unary(In::fabs)
                                : b_.CreateIntrinsic(In::abs, {type(t)}, {a[0], b_.getFalse()});
        case Fn::IsNan: return b_.CreateFCmpUNO(a[0], a[0]);
        case Fn::IsInf:
            return b_.CreateFCmpOEQ(intrinsic(In::fabs, {type(from)}, {a[0]}),
                                    real(from, INFINITY));
        case Fn::IsFinite:
            return b_.CreateFCmpOLT(intrinsic(In::fabs, {type(from)}, {a[0]}),
                                    real(from, INFINITY));
        case Fn::Likely:
        case Fn::Masked:      return a[0];
        case Fn::Reinterpret: return reinterpret(a[0], from, t);
        default:              return idiom(op.fn, a, from, t);
    }
}

}  // namespace burin
