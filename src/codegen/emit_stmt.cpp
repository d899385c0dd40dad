#include "base/deep.h"
#include "codegen/emitter.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "legal/dependences.h"

namespace burin {

Generated generate(const State& state, const std::string& entry,
                   const llvm::TargetMachine& machine) {
    Generated out;
    out.context = std::make_unique<llvm::LLVMContext>();
    out.module = std::make_unique<llvm::Module>(entry, *out.context);
    out.module->setDataLayout(machine.createDataLayout());
    out.module->setTargetTriple(machine.getTargetTriple());
    for (auto& f : state.algorithm().funcs)
        for (int d = 1; d < int(f.defs.size()); ++d)
            out.scans = out.scans || !dependences(f, d).self_reads.empty();
    bool has_avx512 = machine.getTargetTriple().isX86() &&
                      machine.getMCSubtargetInfo()->checkFeatures("+avx512dq,+avx512vl");
    run_deep(state.stmt.node()->depth, [&] { Emitter(state, out, entry, has_avx512).run(); });
    for (auto& f : *out.module) {
        if (f.isDeclaration()) continue;
        f.addFnAttr("target-cpu", machine.getTargetCPU());
        f.addFnAttr("target-features", machine.getTargetFeatureString());
        f.addFnAttr("prefer-vector-width", "512");
        f.addFnAttr("min-legal-vector-width", "512");
        f.addFnAttr(llvm::Attribute::NoUnwind);
        f.addFnAttr(llvm::Attribute::MustProgress);
    }
    return out;
}

Emitter::Emitter(const State& state, Generated& out, const std::string& entry, bool has_avx512)
    : state_(state),
      out_(out),
      entry_(entry),
      has_avx512_(has_avx512),
      c_(*out.context),
      m_(*out.module),
      b_(c_) {}

void Emitter::run() {
    auto* fn = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}, false);
    frame_.function = llvm::Function::Create(fn, llvm::Function::ExternalLinkage, entry_, m_);
    frame_.context = frame_.function->getArg(0);
    frame_.worker = frame_.function->getArg(1);
    b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "entry", frame_.function));
    collect_scalars();
    prologue();
    visit(state_.stmt, [&](const Produce&, auto&) { ++root_stages_; }, [](const For&, auto&) {});
    visit(state_.stmt, [&](const Store& op, auto&) { streams_ = streams_ || op.streamed; });
    stmt(state_.stmt);
    fence_streams();
    b_.CreateRetVoid();
}

// The body's leaves that come with the call.
void Emitter::collect_scalars() {
    std::unordered_set<Symbol> bound;
    visit(state_.stmt, overloaded{[&](const Let& op, auto& self) {
                                      bound.insert(op.name);
                                      self.descend(op);
                                  },
                                  [&](const For& op, auto& self) {
                                      bound.insert(op.name);
                                      self.descend(op);
                                  }});
    std::unordered_set<Expr, ExprHash, ExprEqual> seen;
    auto add = [&](const Expr& leaf) {
        if (seen.insert(leaf).second) out_.scalars.push_back(leaf);
    };
    visit(state_.stmt, overloaded{[&](const Meta& op, auto&) { add(handle(op)); },
                                  [&](const Var& op, auto&) {
                                      if (!bound.contains(op.name)) add(handle(op));
                                  }});
    if (!state_.checked) return;
    for (auto& p : state_.buffers)
        for (int d = 0; d < p.rank; ++d)
            for (MetaKind k : {MetaKind::Extent, MetaKind::Stride})
                add(make(Meta{p.buffer, k, d}, IndexType));
}

void Emitter::prologue() {
    make_scopes();
    auto field = [&](size_t offset) {
        return b_.CreateLoad(b_.getPtrTy(),
                             b_.CreateConstGEP1_64(b_.getInt8Ty(), frame_.context, offset));
    };
    V buffers = field(offsetof(CallContext, buffers)),
      scalars = field(offsetof(CallContext, scalars));
    for (size_t i = 0; i < out_.scalars.size(); ++i) {
        const Expr& leaf = out_.scalars[i];
        Type t = leaf.type();
        V at = b_.CreateConstGEP1_64(b_.getInt64Ty(), scalars, i);
        V v = b_.CreateLoad(b_.getInt64Ty(), at);
        if (t.is_bool()) v = b_.CreateICmpNE(v, b_.getInt64(0));
        else if (!t.is_index())
            v = b_.CreateBitCast(b_.CreateTrunc(v, b_.getIntNTy(t.bits)), type(t));
        if (auto* var = leaf.as<Var>()) frame_.names[var->name] = v;
        else frame_.metas[leaf] = v;
    }
    for (size_t i = 0; i < state_.buffers.size(); ++i) {
        auto& p = state_.buffers[i];
        Buffer buffer{
            b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), buffers, i)), p.type,
            int(i), p.output < 0};
        if (state_.checked) {
            buffer.lo = buffer.hi = constant(IndexType, 0);
            for (int d = 0; d < p.rank; ++d) {
                V extent = frame_.metas.at(make(Meta{p.buffer, MetaKind::Extent, d}, IndexType));
                V stride = frame_.metas.at(make(Meta{p.buffer, MetaKind::Stride, d}, IndexType));
                V reach = b_.CreateMul(b_.CreateSub(extent, constant(IndexType, 1)), stride);
                V zero = constant(IndexType, 0);
                buffer.lo = b_.CreateAdd(
                    buffer.lo, intrinsic(llvm::Intrinsic::smin, {index_type()}, {reach, zero}));
                buffer.hi = b_.CreateAdd(
                    buffer.hi, intrinsic(llvm::Intrinsic::smax, {index_type()}, {reach, zero}));
            }
        }
        frame_.buffers[p.buffer] = buffer;
    }
}

void Emitter::stmt(const Stmt& s) {
    memo_.clear();
    if (auto* op = s.as<Block>()) {
        for (auto& t : op->stmts) stmt(t);
    } else if (auto* op = s.as<Let>()) {
        bind(op->name, expr(op->value));
        stmt(op->body);
    } else if (auto* op = s.as<For>()) {
        for_loop(*op);
    } else if (auto* op = s.as<If>()) {
        V cond = expr(op->cond);
        branch(
            cond, [&] { stmt(op->yes); },
            op->no.defined() ? std::function<void()>([&] { stmt(op->no); }) : nullptr);
    } else if (auto* op = s.as<Produce>()) {
        produce(*op);
    } else if (auto* op = s.as<Allocate>()) {
        allocate(*op);
    } else if (auto* op = s.as<Store>()) {
        store(*op);
    } else if (auto* op = s.as<Prefetch>()) {
        prefetch(*op->what.as<Load>());
    } else if (auto* op = s.as<Count>()) {
        count(*op);
    } else {
        throw Error(
            ErrorKind::Internal, "codegen",
            "a statement that lowering should have removed: " + std::to_string(s.node()->kind));
    }
    memo_.clear();
}

void Emitter::branch(V cond, const std::function<void()>& yes, const std::function<void()>& no) {
    auto* then = llvm::BasicBlock::Create(c_, "then", frame_.function);
    auto* otherwise = no ? llvm::BasicBlock::Create(c_, "else", frame_.function) : nullptr;
    auto* after = llvm::BasicBlock::Create(c_, "after", frame_.function);
    b_.CreateCondBr(cond, then, no ? otherwise : after);
    b_.SetInsertPoint(then);
    yes();
    b_.CreateBr(after);
    if (no) {
        b_.SetInsertPoint(otherwise);
        no();
        b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
}

void Emitter::for_loop(const For& op) {
    if (op.kind == LoopKind::Parallel) return parallel(op);
    if (op.kind != LoopKind::Serial)
        throw Error(ErrorKind::Internal, "codegen",
                    "a loop kind that lowering should have removed");
    V first = expr(op.min), count = expr(op.extent);
    ++depth_;
    serial(first, count, [&](V v) {
        bind(op.name, v);
        stmt(op.body);
    });
    --depth_;
}

void Emitter::serial(V first, V count, const std::function<void(V)>& body) {
    auto* ty = index_type();
    V end = b_.CreateNSWAdd(first, count);
    auto* before = b_.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(c_, "loop", frame_.function);
    auto* after = llvm::BasicBlock::Create(c_, "after", frame_.function);
    b_.CreateCondBr(b_.CreateICmpSGT(count, llvm::ConstantInt::get(ty, 0)), loop, after);
    b_.SetInsertPoint(loop);
    auto* v = b_.CreatePHI(ty, 2);
    v->addIncoming(first, before);
    body(v);
    V next = b_.CreateNSWAdd(v, llvm::ConstantInt::get(ty, 1));
    v->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, after);
    b_.SetInsertPoint(after);
}

// The body becomes a function of its own (an IterationFn); what it uses from outside travels in a struct on the stack.
std::pair<llvm::Function*, llvm::Value*> Emitter::outline(const Stmt& body, const std::string& name,
                                                          Symbol iteration) {
    Frame inner;  // of all that is outside, what the body mentions
    auto use = [&](Symbol buffer) {
        if (auto it = frame_.buffers.find(buffer); it != frame_.buffers.end())
            inner.buffers.insert(*it);
    };
    visit(body, overloaded{[&](const Var& v, auto&) {
                               auto it = frame_.names.find(v.name);
                               if (it == frame_.names.end()) return;
                               inner.names.insert(*it);
                               if (auto d = frame_.depths.find(v.name); d != frame_.depths.end())
                                   inner.depths.insert(*d);
                           },
                           [&](const Meta& v, auto&) {
                               inner.metas.insert(*frame_.metas.find(handle(v)));
                           },
                           [&](const Load& l, auto& self) {
                               use(l.buffer);
                               self.descend(l);
                           },
                           [&](const Store& l, auto& self) {
                               use(l.buffer);
                               self.descend(l);
                           }});
    std::vector<llvm::Type*> fields;
    std::vector<V> values;
    // into the nodes of inner's maps, which stay where they are when the maps move
    std::vector<V*> slots;
    auto capture = [&](V& slot) {
        if (!slot || llvm::isa<llvm::Constant>(slot)) return;
        fields.push_back(slot->getType());
        values.push_back(slot);
        slots.push_back(&slot);
    };
    for (auto& [used, v] : inner.names) capture(v);
    for (auto& [leaf, v] : inner.metas) capture(v);
    for (auto& [used, buffer] : inner.buffers) {
        capture(buffer.base);
        capture(buffer.lo);
        capture(buffer.hi);
    }
    auto* record = llvm::StructType::get(c_, fields);
    llvm::IRBuilder<> top(&frame_.function->getEntryBlock(),
                          frame_.function->getEntryBlock().begin());
    V captures = top.CreateAlloca(record);
    for (size_t i = 0; i < values.size(); ++i)
        b_.CreateStore(values[i], b_.CreateStructGEP(record, captures, i));

    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
    auto* fn =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, entry_ + "." + name, m_);
    auto saved_point = b_.saveIP();
    Frame outer = std::exchange(frame_, std::move(inner));
    frame_.function = fn;
    frame_.context = fn->getArg(0);
    frame_.worker = fn->getArg(3);
    b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "entry", fn));
    for (size_t i = 0; i < slots.size(); ++i)
        *slots[i] = b_.CreateLoad(fields[i], b_.CreateStructGEP(record, fn->getArg(1), i));
    depth_ += iteration.defined();
    if (iteration.defined()) bind(iteration, fn->getArg(2));
    stmt(body);
    depth_ -= iteration.defined();
    fence_streams();
    b_.CreateRetVoid();
    frame_ = std::move(outer);
    b_.restoreIP(saved_point);
    return {fn, captures};
}

void Emitter::parallel(const For& op) {
    V first = expr(op.min), extent = expr(op.extent);
    auto [fn, captures] = outline(op.body, op.name.hint(), op.name);
    fence_streams();
    auto par_for =
        m_.getOrInsertFunction("burin_par_for", b_.getVoidTy(), b_.getPtrTy(), b_.getPtrTy(),
                               b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty());
    b_.CreateCall(par_for, {frame_.context, fn, captures, first, extent, frame_.worker});
}

// LLVM takes more than twice as long for a function of twice the size: of many stages at the root each gets its own,
// and so does every sixteenth of what is nested in their storage.
constexpr int many_stages = 16;

void Emitter::produce(const Produce& op) {
    bool apart = depth_ == 0 && root_stages_ > many_stages;
    apart ? call_outlined(op.body, op.func.hint()) : stmt(op.body);
}

void Emitter::inside_storage(const Allocate& op) {
    bool apart = depth_ == 0 && root_stages_ > many_stages && ++root_storage_ % many_stages == 0;
    apart ? call_outlined(op.body, op.buffer.hint() + ".on") : stmt(op.body);
}

void Emitter::call_outlined(const Stmt& body, const std::string& name) {
    auto [fn, captures] = outline(body, name, {});
    b_.CreateCall(fn, {frame_.context, captures, b_.getInt64(0), frame_.worker});
}

void Emitter::count(const Count& op) {
    V n = expr(op.amount);
    if (op.amount.type().lanes > 1)
        n = intrinsic(llvm::Intrinsic::vector_reduce_add, {n->getType()}, {n});
    V counters = b_.CreateLoad(
        b_.getPtrTy(),
        b_.CreateConstGEP1_64(b_.getInt8Ty(), frame_.context, offsetof(CallContext, counters)));
    V at = b_.CreateConstGEP1_64(b_.getInt64Ty(), counters, op.counter);
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, at, b_.CreateSExt(n, b_.getInt64Ty()),
                       llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
}

}  // namespace burin
