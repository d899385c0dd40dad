#include <algorithm>
#include <bit>
#include <map>

#include "arith/linear.h"
#include "codegen/emitter.h"
#include "codegen/halves.h"
#include "ir/build.h"

namespace burin {

// All buffers are apart: entry refuses overlaps.
void Emitter::make_scopes() {
    constexpr size_t most_scopes = 96;  // lists of scopes grow with their square
    std::vector<Symbol> buffers;
    auto add = [&](Symbol b) {
        if (std::find(buffers.begin(), buffers.end(), b) == buffers.end()) buffers.push_back(b);
    };
    visit(state_.stmt, overloaded{[&](const Load& op, auto& self) {
                                      add(op.buffer);
                                      self.descend(op);
                                  },
                                  [&](const Store& op, auto& self) {
                                      add(op.buffer);
                                      self.descend(op);
                                  }});
    if (buffers.size() > most_scopes) return;
    llvm::MDBuilder md(c_);
    auto* domain = md.createAnonymousAliasScopeDomain();
    std::vector<llvm::Metadata*> all;
    for (Symbol b : buffers) all.push_back(md.createAnonymousAliasScope(domain, b.hint()));
    for (size_t i = 0; i < buffers.size(); ++i) {
        std::vector<llvm::Metadata*> others = all;
        others.erase(others.begin() + i);
        scopes_[buffers[i]] = {llvm::MDNode::get(c_, {all[i]}), llvm::MDNode::get(c_, others)};
    }
}

void Emitter::tag(llvm::Instruction* i, Symbol buffer) {
    auto it = scopes_.find(buffer);
    if (it == scopes_.end()) return;
    i->setMetadata(llvm::LLVMContext::MD_alias_scope, it->second.first);
    i->setMetadata(llvm::LLVMContext::MD_noalias, it->second.second);
}

Emitter::V Emitter::from_memory(V v, Type t) {
    return t.is_bool() ? b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType())) : v;
}
Emitter::V Emitter::to_memory(V v, Type t) {
    return t.is_bool() ? b_.CreateZExt(v, memory_type(t)) : v;
}

Emitter::V Emitter::address(const Buffer& buffer, V lanes) {
    return b_.CreateGEP(memory_type(buffer.element), buffer.base,
                        b_.CreateSExt(lanes, lanes->getType()->getWithNewBitWidth(64)));
}

// Step by step, what changes most often last: the other steps move out of the loops, the last one is an offset in the
// instruction.
Emitter::V Emitter::address(const Buffer& buffer, const Expr& index) {
    llvm::Type* element = memory_type(buffer.element);
    Linear form = linear(index);
    std::map<int, V> steps;
    for (auto& [atom, coefficient] : form.terms) {
        V& sum = steps[depth_of(atom)];
        V term = coefficient == 1 ? expr(atom)
                                  : b_.CreateMul(expr(atom), constant(IndexType, coefficient));
        sum = sum ? b_.CreateAdd(sum, term) : term;
    }
    V at = buffer.base;
    for (auto& [depth, sum] : steps) at = b_.CreateGEP(element, at, sum);
    return form.constant ? b_.CreateGEP(element, at, constant(IndexType, form.constant)) : at;
}

Emitter::V Emitter::checked(const Buffer& buffer, V index, V predicate, int lanes) {
    if (!state_.checked || !buffer.hi) return predicate;
    V lo = splat_index(buffer.lo, lanes), hi = splat_index(buffer.hi, lanes);
    V inside = b_.CreateAnd(b_.CreateICmpSGE(index, lo), b_.CreateICmpSLE(index, hi));
    V bad = b_.CreateNot(inside);
    if (predicate) bad = b_.CreateAnd(bad, predicate);
    V any =
        lanes == 1 ? bad : intrinsic(llvm::Intrinsic::vector_reduce_or, {bad->getType()}, {bad});
    V first = lanes == 1 ? index : b_.CreateExtractElement(index, uint64_t(0));
    branch(any, [&] {
        auto failed = m_.getOrInsertFunction("burin_access_failed", b_.getVoidTy(), b_.getPtrTy(),
                                             b_.getInt64Ty(), b_.getInt64Ty());
        b_.CreateCall(failed, {frame_.context, b_.getInt64(buffer.index),
                               b_.CreateSExt(first, b_.getInt64Ty())});
    });
    return predicate ? b_.CreateAnd(predicate, inside) : inside;
}

void Emitter::allocate(const Allocate& op) {
    Buffer buffer{nullptr, op.element, -1, false};
    V elements = constant(IndexType, 1);
    int64_t constant_size = 1;
    for (auto& n : op.extents) {
        elements = b_.CreateMul(elements, expr(n));
        if (auto c = const_int(n)) constant_size *= *c;
    }
    if (op.memory == Memory::Heap) {
        auto slot = std::find_if(state_.scratch.begin(), state_.scratch.end(),
                                 [&](auto& x) { return x.buffer == op.buffer; });
        int k = int(slot - state_.scratch.begin());
        auto field = [&](size_t offset) {
            return b_.CreateLoad(b_.getPtrTy(),
                                 b_.CreateConstGEP1_64(b_.getInt8Ty(), frame_.context, offset));
        };
        V base = b_.CreateLoad(
            b_.getPtrTy(),
            b_.CreateConstGEP1_64(b_.getPtrTy(), field(offsetof(CallContext, scratch)), k));
        V stride = b_.CreateLoad(
            b_.getInt64Ty(), b_.CreateConstGEP1_64(
                                 b_.getInt64Ty(), field(offsetof(CallContext, scratch_stride)), k));
        buffer.base = b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateMul(stride, frame_.worker));
        buffer.index = int(state_.buffers.size()) + k;
    } else {
        llvm::IRBuilder<> top(&frame_.function->getEntryBlock(),
                              frame_.function->getEntryBlock().begin());
        auto* a = top.CreateAlloca(
            llvm::ArrayType::get(memory_type(op.element), std::max<int64_t>(constant_size, 1)));
        a->setAlignment(llvm::Align(64));
        buffer.base = a;
    }
    if (state_.checked) {
        buffer.lo = constant(IndexType, 0);
        buffer.hi = b_.CreateSub(elements, constant(IndexType, 1));
    }
    frame_.buffers[op.buffer] = buffer;
    inside_storage(op);
}

void Emitter::store(const Store& op) {
    const Buffer& buffer = frame_.buffers.at(op.buffer);
    int lanes = op.value.type().lanes;
    llvm::Align align(buffer.element.bytes());
    auto* ramp = op.index.as<Ramp>();
    V value = to_memory(expr(op.value), op.value.type());
    if (lanes > 1 && !(ramp && is_int(ramp->stride, 1))) {
        V index = expr(op.index);
        V mask = checked(buffer, index, predicate(op.predicate), lanes);
        tag(b_.CreateMaskedScatter(value, address(buffer, index), align, mask), op.buffer);
        return;
    }
    Mask mask = mask_of(buffer, op.index, op.predicate);
    auto write = [&] {
        V at = address(buffer, lanes == 1 ? op.index : ramp->base);
        if (mask.lanes) tag(b_.CreateMaskedStore(value, at, align, mask.lanes), op.buffer);
        else if (op.streamed && lanes > 1) stream(value, at, op.buffer);
        else tag(b_.CreateAlignedStore(value, at, align), op.buffer);
    };
    mask.all ? branch(mask.all, write) : write();
}

// The instruction wants the address of a whole vector; elsewhere the store is like others.
void Emitter::stream(V value, V at, Symbol buffer) {
    uint64_t bytes = m_.getDataLayout().getTypeStoreSize(value->getType());
    llvm::Align whole(std::min<uint64_t>(bytes, 64)),
        element(frame_.buffers.at(buffer).element.bytes());
    V misplaced = b_.CreateAnd(b_.CreatePtrToInt(at, b_.getInt64Ty()), whole.value() - 1);
    branch(
        b_.CreateICmpEQ(misplaced, b_.getInt64(0)),
        [&] {
            auto* s = b_.CreateAlignedStore(value, at, whole);
            auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
            s->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(c_, {one}));
            tag(s, buffer);
        },
        [&] { tag(b_.CreateAlignedStore(value, at, element), buffer); });
}

void Emitter::fence_streams() {
    if (streams_) b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

void Emitter::prefetch(const Load& op) {
    V at = address(frame_.buffers.at(op.buffer), op.index);
    intrinsic(
        llvm::Intrinsic::prefetch, {at->getType()},
        {at, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});  // to read, in all caches, data
}

Emitter::V Emitter::in_memory(llvm::Constant* value) {
    V& place = in_memory_[value];
    if (place) return place;
    auto* global = new llvm::GlobalVariable(m_, value->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, value, "otherwise");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return place = global;
}

// Lanes that have the same value everywhere are apart from those that do not.
Emitter::Mask Emitter::mask_of(const Expr& predicate) {
    if (!predicate.defined()) return {};
    if (auto* op = predicate.as<And>()) {
        auto both = [&](V a, V b) { return a && b ? b_.CreateAnd(a, b) : a ? a : b; };
        Mask a = mask_of(op->a), b = mask_of(op->b);
        return {both(a.all, b.all), both(a.lanes, b.lanes)};
    }
    if (predicate.type().lanes == 1) return {expr(predicate), nullptr};
    if (auto* op = predicate.as<Broadcast>(); op && op->value.type().lanes == 1)
        return {expr(op->value), nullptr};
    return {nullptr, expr(predicate)};
}

// Of a scalar or of elements side by side.
Emitter::Mask Emitter::mask_of(const Buffer& buffer, const Expr& index, const Expr& wanted) {
    if (!state_.checked) return mask_of(wanted);
    int lanes = index.type().lanes;
    V both = checked(buffer, expr(index), predicate(wanted), lanes);
    return lanes == 1 ? Mask{both, nullptr} : Mask{nullptr, both};
}

// What must not be read has something else read in its place, which costs less than a branch; and less than a mask where
// that is off in all lanes: a processor may take 50 cycles to find that a page which is not there is not wanted either.
Emitter::V Emitter::load(const Load& op, Type t, llvm::Constant* otherwise) {
    const Buffer& buffer = frame_.buffers.at(op.buffer);
    llvm::Align align(buffer.element.bytes());
    llvm::Type* memory = memory_type(t);
    auto* ramp = op.index.as<Ramp>();
    if (!otherwise) otherwise = llvm::Constant::getNullValue(memory);
    auto done = [&](llvm::Instruction* i) -> V {
        tag(i, op.buffer);
        if (buffer.read_only && llvm::isa<llvm::LoadInst>(i))
            i->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
        return from_memory(i, t);
    };
    auto gathered = [&] {
        V index = expr(op.index);
        V mask = checked(buffer, index, predicate(op.predicate), t.lanes);
        V at = address(buffer, index);
        if (!mask || buffer.element.bytes() >= 4)
            return done(b_.CreateMaskedGather(memory, at, align, mask, otherwise));
        // No instruction gathers elements so narrow; likewise no branch for each lane.
        at = b_.CreateSelect(mask, at, splat(in_memory(otherwise->getSplatValue()), t.lanes));
        return done(b_.CreateMaskedGather(memory, at, align));
    };
    // The elements that the lanes are picked from lie side by side; which lane takes which depends on x being even.
    auto halved_load = [&](const Halves& h) {
        V x = expr(h.x);
        V sum = b_.CreateMul(b_.CreateAShr(x, 1), constant(IndexType, h.halves));
        for (auto& [e, times] : h.terms)
            sum = b_.CreateAdd(sum, b_.CreateMul(expr(e), constant(IndexType, times)));
        int64_t lo = std::min(std::ranges::min(h.even), std::ranges::min(h.odd));
        int64_t hi = std::max(std::ranges::max(h.even), std::ranges::max(h.odd));
        auto span = std::bit_ceil(uint64_t(hi - lo + 1));
        auto taken = [&](const std::vector<int64_t>& lanes) {
            std::vector<bool> all(span);
            for (int64_t v : lanes) all[size_t(v - lo)] = true;
            std::vector<llvm::Constant*> bits;
            for (bool b : all) bits.push_back(b_.getInt1(b));
            return llvm::ConstantVector::get(bits);
        };
        auto picked = [&](V wide, const std::vector<int64_t>& lanes) {
            std::vector<int> pick;
            for (int64_t v : lanes) pick.push_back(int(v - lo));
            return b_.CreateShuffleVector(wide, pick);
        };
        V at = b_.CreateGEP(memory_type(buffer.element), buffer.base,
                            b_.CreateAdd(sum, constant(IndexType, lo)));
        V is_odd = b_.CreateTrunc(x, b_.getInt1Ty());
        V some = b_.CreateSelect(is_odd, taken(h.odd), taken(h.even));
        llvm::Type* wide = memory_type(t.with_lanes(int(span)));
        auto* loaded =
            b_.CreateMaskedLoad(wide, at, align, some, llvm::Constant::getNullValue(wide));
        tag(loaded, op.buffer);
        return from_memory(b_.CreateSelect(is_odd, picked(loaded, h.odd), picked(loaded, h.even)),
                           t);
    };
    if (t.lanes == 1 || (ramp && is_int(ramp->stride, 1) && ramp->base.type().lanes == 1)) {
        Mask mask = mask_of(buffer, op.index, op.predicate);
        V at = address(buffer, t.lanes == 1 ? op.index : ramp->base);
        if (mask.all) at = b_.CreateSelect(mask.all, at, in_memory(otherwise));
        if (!mask.lanes) return done(b_.CreateAlignedLoad(memory, at, align));
        return done(b_.CreateMaskedLoad(memory, at, align, mask.lanes, otherwise));
    }
    if (state_.checked || op.predicate.defined()) return gathered();
    if (ramp && ramp->base.type().lanes == 1) {
        auto stride = const_int(ramp->stride);
        if (stride && (*stride == -1 || (*stride >= 2 && *stride <= 4)))
            return strided_load(buffer, *ramp, *stride, t, op.buffer);
        return gathered();
    }
    auto halves = halves_of(op.index);
    return halves ? halved_load(*halves) : gathered();
}

// All elements from the first lane's to the last one's, of which the lanes are picked: they lie in one row of the buffer.
Emitter::V Emitter::strided_load(const Buffer& buffer, const Ramp& ramp, int64_t stride, Type t,
                                 Symbol name) {
    int n = t.lanes, span = int(std::abs(stride)) * (n - 1) + 1;
    V base = expr(ramp.base);
    if (stride < 0) base = b_.CreateNSWSub(base, constant(IndexType, span - 1));
    auto* wide = b_.CreateAlignedLoad(memory_type(t.with_lanes(span)), address(buffer, base),
                                      llvm::Align(buffer.element.bytes()));
    tag(wide, name);
    std::vector<int> pick;
    for (int i = 0; i < n; ++i) pick.push_back(stride < 0 ? span - 1 - i : int(stride) * i);
    return from_memory(b_.CreateShuffleVector(wide, pick), t);
}

}  // namespace burin
