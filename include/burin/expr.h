// expr.h - expressions: counted handles to immutable nodes, and the operators and functions that build them.
//
// Every builder below checks types at once and throws E-type with the caller's line; design: README.md, "What an
// algorithm means". A C++ number is a literal: it takes the type of the other side, which must hold it exactly if
// that is an integer type and rounds it once if it is a floating one.
#pragma once
#include <burin/error.h>
#include <burin/symbol.h>
#include <burin/type.h>

#include <atomic>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace burin {

// The head of every node; what follows is private to the compiler (src/ir/nodes.h).
struct Node {
    mutable std::atomic<uint32_t> refs{0};
    uint16_t kind;
    Type type;           // of an expression's value; unused by statements
    uint32_t depth = 1;  // 1 + the deepest child's
    // statements: where this line comes from (0: unknown); not part of equality or hash
    uint32_t origin = 0;
    mutable std::atomic<uint64_t> hash{0};  // structural hash once asked for
    Node(uint16_t kind, Type type) : kind(kind), type(type) {}
};
void release(const Node* node) noexcept;  // gives up one reference; frees without recursion

template <class Tag>
class Ref {
public:
    Ref() = default;
    explicit Ref(const Node* p) : p_(p) {
        if (p_) p_->refs.fetch_add(1, std::memory_order_relaxed);
    }
    Ref(const Ref& o) : Ref(o.p_) {}
    Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    Ref& operator=(Ref o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    ~Ref() {
        if (p_) release(p_);
    }

    // no operator bool: it would make && and ! ambiguous
    bool defined() const { return p_ != nullptr; }
    bool same_as(const Ref& o) const { return p_ == o.p_; }
    const Node* node() const { return p_; }
    Type type() const { return p_->type; }
    // the node's data if it is a T, else null (src/ir/nodes.h)
    template <class T>
    const T* as() const;

protected:
    const Node* p_ = nullptr;
};

template <class T>
concept Number = std::is_arithmetic_v<T>;

class Expr : public Ref<struct ExprTag> {
public:
    using Ref::Ref;
    Expr() = default;
    Expr(const Ref<ExprTag>& r) : Ref(r) {}
    template <Number T>
    Expr(T value) : Expr(literal(value)) {}

private:
    static Expr literal(bool v);
    static Expr literal(int64_t v, Type natural);
    static Expr literal(uint64_t v, Type natural);
    static Expr literal(double v, Type natural);
    template <Number T>
    static Expr literal(T v) {
        if constexpr (std::is_same_v<T, bool>) return literal(bool(v));
        else if constexpr (std::is_floating_point_v<T>)
            return literal(double(v), sizeof(T) == 4 ? f32 : f64);
        else if constexpr (std::is_signed_v<T>)
            return literal(int64_t(v), sizeof(T) < 8 ? i32 : i64);
        else return literal(uint64_t(v), sizeof(T) < 4 ? i32 : type_of<T>());
    }
};

class Stmt : public Ref<struct StmtTag> {
public:
    using Ref::Ref;
    Stmt() = default;
    Stmt(const Ref<StmtTag>& r) : Ref(r) {}
};

// What a node keeps alive without being made of it: equality and hash ignore it.
struct Owner {
    std::shared_ptr<const void> p;
    friend bool operator==(const Owner&, const Owner&) { return true; }
};

// A coordinate: Var x("x"); any two of one name are the same. Also the IR's node of everything that is a bare name.
struct Var {
    Symbol name;
    Owner owner;
    Var(Symbol name, Owner owner) : name(name), owner(std::move(owner)) {}
    explicit Var(std::string_view name) : Var(Symbol::named(name), {}) {}
    operator Expr() const;  // Index
};

// Anything an expression can be made of, plus the caller's line.
struct At {
    Expr e;
    Where where;
    template <std::convertible_to<Expr> T>
    At(const T& v, std::source_location loc = std::source_location::current()) : e(v), where(loc) {}
    At(Expr e, Where where) : e(std::move(e)), where(std::move(where)) {}
};

// Arithmetic: both sides of one type. Integers wrap; / and % floor, x/0 = x%0 = 0.
Expr operator+(At a, At b);
Expr operator-(At a, At b);
Expr operator*(At a, At b);
Expr operator/(At a, At b);
Expr operator%(At a, At b);  // integers and Index
Expr operator-(At a);
Expr operator<<(At a, At b);  // integers; by n >= width or n < 0: 0
Expr operator>>(At a, At b);  // integers; then 0 or -1
Expr operator&(At a, At b);   // integers and bool
Expr operator|(At a, At b);
Expr operator^(At a, At b);
Expr operator~(At a);
// Comparisons give bool; logic takes bool.
Expr operator==(At a, At b);
Expr operator!=(At a, At b);
Expr operator<(At a, At b);
Expr operator<=(At a, At b);
Expr operator>(At a, At b);
Expr operator>=(At a, At b);
Expr operator&&(At a, At b);
Expr operator||(At a, At b);
Expr operator!(At a);

Expr min(At a, At b);  // floats: IEEE 754-2019 minimum: NaN wins, -0 < +0
Expr max(At a, At b);
Expr clamp(At v, At lo, At hi);  // min(max(v, lo), hi): hi wins
Expr select(At condition, At yes,
            At no);  // both arms have a value; a read in an arm is needed only where it is taken
Expr mux(At index, std::initializer_list<Expr> values);  // values[index], the last one beyond
Expr cast(Type type, At a);  // one rounding; float to integer saturates, NaN gives 0
template <class T>
Expr cast(At a) {
    return cast(type_of<T>(), std::move(a));
}
Expr saturating_cast(Type type, At a);
template <class T>
Expr saturating_cast(At a) {
    return saturating_cast(type_of<T>(), std::move(a));
}
Expr reinterpret(Type type, At a);  // the bits; of a NaN, the canonical quiet one
template <class T>
Expr reinterpret(At a) {
    return reinterpret(type_of<T>(), std::move(a));
}
// data as a coordinate; its interval must be finite: an 8-, 16- or 32-bit integer or a clamp
Expr index(At a);

// Integer idioms, exact as if computed in enough bits.
Expr saturating_add(At a, At b);
Expr saturating_sub(At a, At b);
Expr halving_add(At a, At b);           // floor((a + b) / 2)
Expr rounding_halving_add(At a, At b);  // floor((a + b + 1) / 2)
Expr widening_mul(At a, At b);          // the product in twice the bits (8, 16 and 32-bit operands)
Expr absd(At a, At b);                  // |a - b|, unsigned for integers
Expr mul_high(At a, At b);              // the upper half of the double-width product
Expr popcount(At a);
Expr clz(At a);  // of 0: the width
Expr ctz(At a);  // of 0: the width

// Floating point. Bounds in units in the last place of f32 over all finite inputs stand in src/ir/README.md.
Expr abs(At a);  // integers too: abs(MIN) = MIN
Expr sqrt(At a);
Expr fma(At a, At b, At c);  // a * b + c, rounded once
Expr floor(At a);
Expr ceil(At a);
Expr trunc(At a);
Expr round(At a);  // half to even
Expr is_nan(At a);
Expr is_inf(At a);
Expr is_finite(At a);
Expr lerp(At a, At b, At t);  // a + (b - a) * t, for floats
Expr exp(At a);
Expr log(At a);
Expr sin(At a);
Expr cos(At a);
Expr tanh(At a);
Expr erf(At a);
Expr pow(At a, At b);
Expr rsqrt(At a);
Expr sigmoid(At a);
Expr gelu(At a);    // x * Phi(x), by erf
// a itself: a hint that this condition holds in the middle of a loop. As the condition of a select: its other side is
// computed where a lane asks for it.
Expr likely(At a);

}  // namespace burin
