// emitter.h - the walk from statements to LLVM instructions. emit_stmt.cpp: statements; emit_memory.cpp: loads, stores,
// allocations; emit_expr.cpp: expressions; emit_cast.cpp: conversions; emit_integer.cpp: division, shifts and idioms.
#pragma once
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "codegen/abi.h"
#include "codegen/codegen.h"
#include "ir/equal.h"
#include "ir/walk.h"

namespace burin {

struct RegisterIds;

class Emitter {
public:
    Emitter(const State& state, Generated& out, const std::string& entry, bool has_avx512);
    void run();

private:
    using V = llvm::Value*;
    struct Buffer {
        V base = nullptr;
        Type element;
        int index = 0;  // BufferParam order, then scratch; -1: on the stack
        bool read_only = false;
        V lo = nullptr, hi = nullptr;  // checked: offsets that exist
    };
    // All that code can mention at a place. An outlined iteration starts with a copy of its own.
    struct Frame {
        llvm::Function* function = nullptr;
        V context = nullptr, worker = nullptr;
        std::unordered_map<Symbol, V> names;
        // how many loops are around where the name is bound; 0 is left out
        std::unordered_map<Symbol, int> depths;
        std::unordered_map<Expr, V, ExprHash, ExprEqual> metas;
        std::unordered_map<Symbol, Buffer> buffers;
    };

    // types
    llvm::Type* type(Type t);         // of a value in registers
    llvm::Type* memory_type(Type t);  // of a value in memory: a bool is a byte
    V constant(Type t, int64_t v);
    V real(Type t, double v);
    // Coordinates: 64 bits alone, where addresses want them; 32 in the vectors of a narrow body, twice as many to a register.
    llvm::IntegerType* index_type() { return b_.getInt64Ty(); }
    llvm::IntegerType* index_lane_type() { return b_.getIntNTy(state_.narrow ? 32 : 64); }

    // statements (emit_stmt.cpp)
    void collect_scalars();
    void prologue();
    void stmt(const Stmt& s);
    void for_loop(const For& op);
    void parallel(const For& op);
    void produce(const Produce& op);
    void inside_storage(const Allocate& op);
    void call_outlined(const Stmt& body, const std::string& name);
    std::pair<llvm::Function*, V> outline(const Stmt& body, const std::string& name,
                                          Symbol iteration);
    void serial(V first, V count, const std::function<void(V)>& body);
    void branch(V cond, const std::function<void()>& yes, const std::function<void()>& no = {});
    void count(const Count& op);

    // memory (emit_memory.cpp)
    void allocate(const Allocate& op);
    void store(const Store& op);
    void stream(V value, V at, Symbol buffer);
    void fence_streams();  // before others may read what was streamed
    void prefetch(const Load& op);
    // Lanes that are not to be read: 0, or what is given, as it lies in memory.
    V load(const Load& op, Type t, llvm::Constant* otherwise = nullptr);
    V in_memory(llvm::Constant* value);  // its address
    struct Mask {
        V all = nullptr, lanes = nullptr;  // both must hold; null: true
    };
    Mask mask_of(const Expr& predicate);
    Mask mask_of(const Buffer& buffer, const Expr& index, const Expr& predicate);  // and checked
    V address(const Buffer& buffer, V lanes);                                      // of each lane
    V address(const Buffer& buffer, const Expr& index);
    V checked(const Buffer& buffer, V index, V predicate,
              int lanes);  // the predicate less what is outside
    V strided_load(const Buffer& buffer, const Ramp& ramp, int64_t stride, Type t, Symbol name);
    void make_scopes();
    void tag(llvm::Instruction* i, Symbol buffer);
    V from_memory(V v, Type t);
    V to_memory(V v, Type t);

    // expressions (emit_expr.cpp)
    V expr(const Expr& e);  // within one statement each node is computed once
    V fresh_expr(const Expr& e);
    V call(const Call& op, Type t);
    V combine(const Combine& op, Type t);
    V unless_any(V rare, V usual, const std::function<V()>& otherwise);
    V divide_by_constant(V x, float b, Type t);
    V predicate(const Expr& e);  // null if undefined
    V arithmetic(llvm::Instruction::BinaryOps op, V a, V b, const Expr& e);
    void bind(Symbol name, V v);
    int depth_of(const Expr& e);  // the deepest of its names
    // depends on loaded data: may be any number on lanes that do not count
    bool is_tainted(const Expr& e);

    V cast(V v, Type from, Type to);  // emit_cast.cpp
    V to_small(V v, Type from, Type to);
    V saturate(V v, Type from, Type to);
    V odd_f32(V v, Type from);
    V from_small(V v, Type from);
    V reinterpret(V v, Type from, Type to);

    V float_extreme(bool largest, V a, V b, Type t);  // emit_float.cpp
    V times_power(V a, V n, Type t);
    V by_registers(const RegisterIds& ids, V a, V b, V immediate, Type t);

    V div_or_mod(bool want_mod, V a, V b, const Expr& divisor, Type t);  // emit_integer.cpp
    V shift(bool left, V a, V n, Type t);
    V idiom(Fn fn, std::vector<V> a, Type operand, Type t);

    V intrinsic(llvm::Intrinsic::ID id, std::vector<llvm::Type*> types, std::vector<V> args) {
        return b_.CreateIntrinsic(id, types, args);
    }
    V splat(V v, int lanes) { return lanes == 1 ? v : b_.CreateVectorSplat(lanes, v); }
    V splat_index(V v, int lanes) {
        return lanes == 1 ? v : splat(b_.CreateTrunc(v, index_lane_type()), lanes);
    }

    const State& state_;
    Generated& out_;
    std::string entry_;
    bool has_avx512_;  // with DQ and VL
    llvm::LLVMContext& c_;
    llvm::Module& m_;
    llvm::IRBuilder<> b_;
    Frame frame_;
    bool streams_ = false;                    // some store goes past the caches
    int depth_ = 0;                           // loops around
    int root_stages_ = 0, root_storage_ = 0;  // Produce and Allocate statements outside all loops
    std::unordered_map<const Node*, V> memo_;
    std::unordered_map<const Node*, bool> tainted_;
    std::unordered_map<llvm::Constant*, V> in_memory_;
    // of each buffer: its own, all others
    std::unordered_map<Symbol, std::pair<llvm::MDNode*, llvm::MDNode*>> scopes_;
};

}  // namespace burin
