// nodes.h - the whole IR, one line a node. Everything else about a node (equality, hash, visit, rewrite, print,
// parse) follows from its fields by reflection; see walk.h, equal.h, print.h.
#pragma once
#include <burin/expr.h>
#include <burin/placement.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "ir/reflect.h"

namespace burin {

template <>
consteval int field_count<Var>() {  // it has constructors, which are not counted
    return 2;
}

enum class LoopKind : uint8_t { Serial, Parallel, Vectorized, Unrolled };
enum class MetaKind : uint8_t { Min, Extent, Stride };  // stride in elements
enum class ReduceOp : uint8_t { Sum, Product, Min, Max, ArgMin, ArgMax, And, Or, Xor };

// clang-format off
// Functions and idioms by name; name(), arity and the like stand in calls.h.
enum class Fn : uint8_t {
    Sqrt, Fma, Abs, Floor, Ceil, Trunc, Round, IsNan, IsInf, IsFinite,             // primitive, floats
    SaturatingCast, SaturatingAdd, SaturatingSub, HalvingAdd, RoundingHalvingAdd,  // primitive, integers
    WideningMul, Absd, MulHigh, Popcount, Clz, Ctz, Reinterpret,
    Likely, Masked,                                                                // the value of its argument: hints
    TimesPower,                                                                    // a 2^b for the b that exp makes
    Exp, Log, Sin, Cos, Tanh, Erf, Pow, Rsqrt, Sigmoid, Gelu,                      // until expand_functions
};

// ---- expressions ---------------------------------------------------------------------------------------------
struct IntImm    { int64_t value; };                       // bool, integers (u64 by its bits), Index
struct FloatImm  { double value; };                        // exact in the node's type; compared by bits, one NaN
struct Literal   { int64_t integer; double real; Type natural; };  // a bare number that met no typed side yet
// struct Var    { Symbol name; Owner owner; };            // loop variable, let, size or parameter; in burin/expr.h
struct Meta      { Symbol buffer; MetaKind what; int dim; };       // Index: a buffer argument's shape
struct Cast      { Expr value; };
struct Neg       { Expr a; };
struct Not       { Expr a; };                              // bool: logical; integers: every bit
struct Add       { Expr a, b; };
struct Sub       { Expr a, b; };
struct Mul       { Expr a, b; };
struct Div       { Expr a, b; };                           // integers floor, x/0 = 0
struct Mod       { Expr a, b; };                           // integers; sign of b, x%0 = 0
struct Min       { Expr a, b; };
struct Max       { Expr a, b; };
struct Shl       { Expr a, b; };
struct Shr       { Expr a, b; };
struct And       { Expr a, b; };                           // bool: &&; integers: &
struct Or        { Expr a, b; };
struct Xor       { Expr a, b; };
struct Eq        { Expr a, b; };
struct Ne        { Expr a, b; };
struct Lt        { Expr a, b; };
struct Le        { Expr a, b; };
struct Select    { Expr cond, yes, no; };
struct Call      { Fn fn; std::vector<Expr> args; };
struct Read      { Symbol func; int element; std::vector<Expr> args; Expr predicate; Owner owner; };  // Nest: f(args)[element]; where the predicate (if any) fails, any value
struct Reduction { ReduceOp op; std::vector<Symbol> vars; std::vector<Expr> lo, hi; Expr where, value; int element; Symbol as; };  // sugar: sum(e for v: lo..hi); gone in a frozen Pipeline
struct Load      { Symbol buffer; Expr index, predicate; };  // Flat: in elements; where the predicate (if any) fails, any value
struct Ramp      { Expr base, stride; int lanes; };        // base + lane * stride; concatenated if base is a vector
struct Broadcast { Expr value; int lanes; };               // the whole value, lanes times
struct Shuffle   { std::vector<Expr> vectors; std::vector<int> lanes; };   // lanes of the concatenated vectors
struct Combine   { ReduceOp op; Expr value; };             // an exact reduction of a vector's lanes to fewer (adjacent groups)
// ---- statements ----------------------------------------------------------------------------------------------
struct Let       { Symbol name; Expr value; Stmt body; };
struct For       { Symbol name; Expr min, extent; LoopKind kind; Stmt body; };
struct If        { Expr cond; Stmt yes, no; };             // no may be undefined
struct Block     { std::vector<Stmt> stmts; };             // empty: does nothing
struct Produce   { Symbol func; Stmt body; };              // a mark for readers: body computes func
struct Realize   { Symbol func; std::vector<Type> types; std::vector<Expr> mins, extents; Memory memory; Stmt body; };  // Nest
struct Provide   { Symbol func; std::vector<Expr> args, values; };     // Nest: f(args) = {values}, all read before any is written
struct Allocate  { Symbol buffer; Type element; std::vector<Expr> extents; Memory memory; Stmt body; };  // Flat; uninitialised
struct Store     { Symbol buffer; Expr index, value, predicate; bool streamed = false; };  // Flat: nothing where the predicate (if any) fails; streamed: past the caches
struct Prefetch  { Expr what; };                           // a Read (Nest) or Load (Flat) that will come: no more than a hint
struct Count     { int counter; Expr amount; };            // adds to a counter of the call, atomically; nothing else reads it
// --------------------------------------------------------------------------------------------------------------
// clang-format on

template <class...>
struct List {};
using Exprs = List<IntImm, FloatImm, Literal, Var, Meta, Cast, Neg, Not, Add, Sub, Mul, Div, Mod,
                   Min, Max, Shl, Shr, And, Or, Xor, Eq, Ne, Lt, Le, Select, Call, Read, Reduction,
                   Load, Ramp, Broadcast, Shuffle, Combine>;
using Stmts =
    List<Let, For, If, Block, Produce, Realize, Provide, Allocate, Store, Prefetch, Count>;

// Likely: a condition that holds in the middle of a loop. Masked: one under which every load and store
// of a loop stands, middle or not.
constexpr bool is_hint(Fn fn) { return fn == Fn::Likely || fn == Fn::Masked; }

template <class... As, class... Bs>
List<As..., Bs...> cat(List<As...>, List<Bs...>);
using Nodes = decltype(cat(Exprs{}, Stmts{}));

template <class T, class... Ts>
consteval int index_in(List<Ts...>) {
    int i = 0, at = -1;
    ((std::is_same_v<T, Ts> ? at = i : 0, ++i), ...);
    return at;
}
template <class T>
constexpr int kind_of = index_in<T>(Nodes{});
template <class T>
constexpr bool is_expr_node = index_in<T>(Exprs{}) >= 0;
template <class T>
using HandleOf = std::conditional_t<is_expr_node<T>, Expr, Stmt>;

template <class T>
struct Box final : Node, T {
    Box(Type type, T data) : Node(uint16_t(kind_of<T>), type), T(std::move(data)) {}
};
template <class T>
const Box<T>& box(const T& op) {
    return static_cast<const Box<T>&>(op);
}
template <class T>
HandleOf<T> handle(const T& op) {
    return HandleOf<T>(&box(op));
}
template <class Tag>
template <class T>
const T* Ref<Tag>::as() const {
    static_assert(kind_of<T> >= 0, "not an IR node");
    return p_ && p_->kind == kind_of<T> ? static_cast<const Box<T>*>(p_) : nullptr;
}

// The deepest tree that exists: a deeper one is E-resource when it is made. Recursive code that may meet such a tree
// runs under run_deep (base/deep.h).
constexpr uint32_t max_depth = 100'000;
void check_depth(uint32_t depth);  // throws E-resource

template <class X>
uint32_t depth_of(const X& x) {
    if constexpr (std::is_same_v<X, Expr> || std::is_same_v<X, Stmt>) {
        return x.defined() ? x.node()->depth : 0;
    } else if constexpr (std::is_same_v<X, std::vector<Expr>> ||
                         std::is_same_v<X, std::vector<Stmt>>) {
        uint32_t d = 0;
        for (auto& e : x) d = std::max(d, depth_of(e));
        return d;
    } else {
        return 0;
    }
}

// The one place where nodes are made. No check but depth: the typed builders are in burin/expr.h and build.h.
template <class T>
HandleOf<T> make(T data, Type type = {}, uint32_t origin = 0) {
    uint32_t depth =
        std::apply([](auto&... x) { return std::max({0u, depth_of(x)...}); }, fields(data)) + 1;
    if (depth > max_depth) check_depth(depth);
    auto* p = new Box<T>(type, std::move(data));
    p->depth = depth;
    p->origin = origin;
    return HandleOf<T>(p);
}

// Calls f with the node's own type.
template <class F, class... Ts>
decltype(auto) dispatch_in(const Node* n, F&& f, List<Ts...>) {
    using First = std::tuple_element_t<0, std::tuple<Ts...>>;
    using R = decltype(f(std::declval<const First&>()));
    using Fn = R (*)(const Node*, F&);
    static constexpr std::array<Fn, sizeof...(Ts)> table{+[](const Node* p, F& g) -> R {
        return g(static_cast<const Ts&>(*static_cast<const Box<Ts>*>(p)));
    }...};
    return table[n->kind - kind_of<First>](n, f);
}
template <class F>
decltype(auto) dispatch(const Expr& e, F&& f) {
    return dispatch_in(e.node(), f, Exprs{});
}
template <class F>
decltype(auto) dispatch(const Stmt& s, F&& f) {
    return dispatch_in(s.node(), f, Stmts{});
}

}  // namespace burin
