// number.h - the two kinds of number that a function is written for (elementary.h): Plain<T>, a machine
// number, and Term<T>, an expression of element type T with any lanes. The same operations on both give the
// same bits.
#pragma once
#include <algorithm>
#include <bit>

#include "ir/apply.h"
#include "ir/build.h"

namespace burin {

template <class T>
struct Plain;
template <class T>
struct Term;

// The operators, for either kind; a C++ number on one side is a constant.
template <template <class> class N, class T>
struct Operators {
    friend N<T> operator+(N<T> a, N<T> b) { return N<T>::template op<Add, T>(a, b); }
    friend N<T> operator-(N<T> a, N<T> b) { return N<T>::template op<Sub, T>(a, b); }
    friend N<T> operator*(N<T> a, N<T> b) { return N<T>::template op<Mul, T>(a, b); }
    friend N<T> operator/(N<T> a, N<T> b) { return N<T>::template op<Div, T>(a, b); }
    friend N<T> operator<<(N<T> a, N<T> b) { return N<T>::template op<Shl, T>(a, b); }
    friend N<T> operator>>(N<T> a, N<T> b) { return N<T>::template op<Shr, T>(a, b); }
    friend N<T> operator&(N<T> a, N<T> b) { return N<T>::template op<And, T>(a, b); }
    friend N<T> operator|(N<T> a, N<T> b) { return N<T>::template op<Or, T>(a, b); }
    friend N<bool> operator==(N<T> a, N<T> b) { return N<T>::template op<Eq, bool>(a, b); }
    friend N<bool> operator!=(N<T> a, N<T> b) { return N<T>::template op<Ne, bool>(a, b); }
    friend N<bool> operator<(N<T> a, N<T> b) { return N<T>::template op<Lt, bool>(a, b); }
    friend N<bool> operator<=(N<T> a, N<T> b) { return N<T>::template op<Le, bool>(a, b); }
    friend N<bool> operator>(N<T> a, N<T> b) { return b < a; }
    friend N<T> operator-(N<T> a) { return N<T>::negative(a); }
    friend N<T> fma(N<T> a, N<T> b, N<T> c) { return N<T>::fused(a, b, c); }
    friend N<T> select(N<bool> c, N<T> yes, N<T> no) { return N<T>::choice(c, yes, no); }
};

template <class T>
struct Plain : Operators<Plain, T> {
    T v;
    Plain(T v) : v(v) {}
    template <class Op, class R>
    static Plain<R> op(Plain a, Plain b) {
        return apply<Op>(a.v, b.v, 8 * int(sizeof(T)));
    }
    static Plain negative(Plain a) { return T(-a.v); }
    static Plain fused(Plain a, Plain b, Plain c) { return std::fma(a.v, b.v, c.v); }
    static Plain choice(Plain<bool> c, Plain yes, Plain no) { return c.v ? yes : no; }
};
template <class T>
Plain<T> abs(Plain<T> a) {
    return std::fabs(a.v);
}
template <class T>
Plain<T> sqrt(Plain<T> a) {
    return std::sqrt(a.v);
}
template <class T>
Plain<T> floor(Plain<T> a) {
    return std::floor(a.v);
}
// a 2^n, rounded once; n is a whole number from -1080 to 1080 or NaN, and a is in [1/2, 2] or NaN if n is. Algorithms have no
// word for it.
template <class T>
Plain<T> times_power(Plain<T> a, Plain<T> n) {
    return n.v == n.v ? std::scalbn(a.v, int(std::clamp(n.v, T(-2000), T(2000)))) : n.v;
}
template <class To, class T>
Plain<To> convert(Plain<T> a) {
    return To(a.v);
}
template <class To, class T>
Plain<To> bits_as(Plain<T> a) {
    return std::bit_cast<To>(a.v == a.v ? a.v : std::numeric_limits<T>::quiet_NaN());
}

// Where c nearly always holds: the other side is left out where it can be.
template <class Yes, class No>
auto usually(Plain<bool> c, const Yes& yes, const No& no) {
    return c.v ? yes() : no();
}

inline Plain<uint64_t> mul_high(Plain<uint64_t> a, Plain<uint64_t> b) {
    __extension__ typedef unsigned __int128 Wide;
    return uint64_t(Wide(a.v) * b.v >> 64);
}

template <class T>
struct Term : Operators<Term, T> {
    Expr e;
    explicit Term(Expr e) : e(std::move(e)) {}
    Term(T v) {
        if constexpr (std::is_floating_point_v<T>) e = float_imm(type_of<T>(), v);
        else e = imm(type_of<T>(), v);
    }
    Type type() const { return e.type(); }
    Expr wide(int lanes) const { return broadcast(e, lanes); }
    template <class Op, class R>
    static Term<R> op(const Term& a, const Term& b) {
        int lanes = std::max(a.type().lanes, b.type().lanes);
        return Term<R>(make(Op{a.wide(lanes), b.wide(lanes)}, type_of<R>().with_lanes(lanes)));
    }
    static Term negative(const Term& a) { return Term(make(Neg{a.e}, a.type())); }
    static Term fused(const Term& a, const Term& b, const Term& c) {
        int lanes = std::max({a.type().lanes, b.type().lanes, c.type().lanes});
        return Term(call(Fn::Fma, a.type().with_lanes(lanes),
                         {a.wide(lanes), b.wide(lanes), c.wide(lanes)}));
    }
    static Term choice(const Term<bool>& c, const Term& yes, const Term& no) {
        int lanes = std::max({c.type().lanes, yes.type().lanes, no.type().lanes});
        return Term(make(Select{c.wide(lanes), yes.wide(lanes), no.wide(lanes)},
                         yes.type().with_lanes(lanes)));
    }
};
template <class T>
Term<T> abs(const Term<T>& a) {
    return Term<T>(call(Fn::Abs, a.type(), {a.e}));
}
template <class T>
Term<T> sqrt(const Term<T>& a) {
    return Term<T>(call(Fn::Sqrt, a.type(), {a.e}));
}
template <class T>
Term<T> floor(const Term<T>& a) {
    return Term<T>(call(Fn::Floor, a.type(), {a.e}));
}
template <class T>
Term<T> times_power(const Term<T>& a, const Term<T>& n) {
    return Term<T>(call(Fn::TimesPower, a.type(), {a.e, n.e}));
}
template <class To, class T>
Term<To> convert(const Term<T>& a) {
    return Term<To>(make(Cast{a.e}, type_of<To>().with_lanes(a.type().lanes)));
}
template <class To, class T>
Term<To> bits_as(const Term<T>& a) {
    return Term<To>(call(Fn::Reinterpret, type_of<To>().with_lanes(a.type().lanes), {a.e}));
}
template <class Yes, class No>
auto usually(const Term<bool>& c, const Yes& yes, const No& no) {
    return select(Term<bool>(call(Fn::Likely, c.type(), {c.e})), yes(), no());
}
inline Term<uint64_t> mul_high(const Term<uint64_t>& a, const Term<uint64_t>& b) {
    return Term<uint64_t>(call(Fn::MulHigh, a.type(), {a.e, b.e}));
}

}  // namespace burin
