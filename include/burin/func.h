// func.h - what an algorithm is written with: sizes, inputs, coordinates, domains and Funcs.
//
//   Size h("h"), w("w");
//   Input<float> in("in", {h, w});
//   Var y("y"), x("x");                                        // Var: burin/expr.h
//   Func blur("blur");
//   blur(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
//   Pipeline p("p", {in}, {blur({h, w - 2})});
//
// All handles are values: a copy is the same Func, Input, ..., and what was moved from is still usable. Coordinates are
// row-major, the last one is contiguous.
// Mistakes are E-type where they are written; the rest is found when the Pipeline is made.
#pragma once
#include <burin/expr.h>
#include <burin/pipeline.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

struct Declaration;  // src/func/draft.h
struct FuncDraft;
struct Domain;
using Loc = std::source_location;

// What is a bare name in an expression.
class Named {
public:
    Named(const Named&) = default;  // moving copies
    Named& operator=(const Named&) = default;
    const std::string& name() const;
    operator Expr() const { return e_; }

protected:
    explicit Named(Expr e) : e_(std::move(e)) {}
    Expr e_;
    friend struct InputRef;
    friend struct Over;
};

// An extent, bound from the buffers at the call; two of one name are the same and must agree. Its type is Index.
class Size : public Named {
public:
    explicit Size(std::string_view name, Loc where = Loc::current());
};

// A number passed at the call, in the pipeline's list of inputs.
Expr parameter(std::string_view name, Type type, Loc where);
template <class T>
class Param : public Named {
public:
    explicit Param(std::string_view name, Loc where = Loc::current())
        : Named(parameter(name, type_of<T>(), where)) {}
};

struct Range {
    Expr lo, hi;  // lo <= i < hi
};
struct Extent {  // n stands for 0..n
    Range range;
    Extent(Range r) : range(std::move(r)) {}
    template <std::convertible_to<Expr> T>
    Extent(const T& n) : range{Expr(0), Expr(n)} {}
};

// A variable of an RDom.
class RVar : public Named {
    using Named::Named;
    friend class RDom;
};

// What an update or a reduction runs over, in lexicographic order, the first variable outermost. Bounds use sizes and
// parameters only. RDom r(k, "r") has the variable r; RDom r({m, Range{1, n}}, "r") has r0 and r1.
class RDom {
public:
    RDom(std::initializer_list<Extent> extents, std::string_view name, Loc where = Loc::current());
    template <std::convertible_to<Extent> T>
    RDom(const T& extent, std::string_view name, Loc where = Loc::current())
        : RDom({Extent(extent)}, name, where) {}

    RDom(const RDom&) = default;
    RDom& operator=(const RDom&) = default;
    RDom& where(At condition);  // only points where this holds; further conditions are joined by &&
    RVar operator[](int i) const;
    int rank() const { return int(vars_.size()); }
    operator Expr() const;  // of rank 1

private:
    friend struct Over;
    std::shared_ptr<Domain> domain_;
    std::vector<RVar> vars_;
};

// ---- inputs ----

struct Rank {
    int n;
    explicit Rank(int n) : n(n) {}
    std::vector<Expr> shape(std::string_view input, Loc where) const;  // E-shape: it is negative
};

// A buffer passed at the call. Only extents are declared (an undefined Expr: any); the minima are the buffer's own.
class InputBase {
public:
    InputBase(std::string_view name, Type type, std::span<const Expr> shape, Loc where);
    InputBase(const InputBase&) = default;
    InputBase& operator=(const InputBase&) = default;
    const std::string& name() const;
    Type type() const;
    int rank() const;

    // in(y, x): one coordinate a dimension, Index or a number.
    template <std::convertible_to<Expr>... A>
    Expr operator()(At first, const A&... rest) const {
        return at({std::move(first.e), Expr(rest)...}, first.where);
    }
    Expr operator()(Loc where = Loc::current()) const { return at({}, where); }

private:
    Expr at(const std::vector<Expr>& args, const Where& where) const;
    friend struct InputRef;
    friend class Bordered;
    friend Expr extent(const InputBase&, int, Loc);
    friend Expr origin(const InputBase&, int, Loc);
    friend Expr stride(const InputBase&, int, Loc);
    Expr meta(int what, int dim, const Where& where) const;
    std::shared_ptr<const Declaration> d_;
};

template <class T>
class Input : public InputBase {
public:
    Input(std::string_view name, std::initializer_list<Expr> shape, Loc where = Loc::current())
        : InputBase(name, type_of<T>(), std::span(shape.begin(), shape.size()), where) {}
    Input(std::string_view name, int rank, Loc where = Loc::current())
        : Input(name, Rank(rank), where) {}
    Input(std::string_view name, Rank rank, Loc where = Loc::current())
        : InputBase(name, type_of<T>(), rank.shape(name, where), where) {}
};

// Of the buffer at the call, as Index. E-shape: no such dimension.
Expr extent(const InputBase& in, int dim, Loc where = Loc::current());
Expr origin(const InputBase& in, int dim, Loc where = Loc::current());  // the least coordinate
Expr stride(const InputBase& in, int dim, Loc where = Loc::current());  // in elements

// ---- Funcs ----

// Several values of one point: f(x) = {a, b}; element i is f(x)[i].
struct Tuple {
    std::vector<Expr> elements;
    const Expr& operator[](size_t i) const;  // E-type: there is none
};

// f(y, x): read as an Expr, or defined by = and its kin. The first = with bare Vars is the pure definition, everything
// else an update. Without a pure definition += -= |= ^= start at 0, *= at 1, &= at all ones, f = max(f, e) at the lowest
// value and f = min(f, e) at the highest. f(..) += a * b is fma(a, b, f(..)) in floating point.
class FuncRef {
public:
    operator Expr() const;
    Expr operator[](int element) const;

    void operator=(const FuncRef& value) { define("=", {Expr(value)}); }
    void operator=(At value) { define("=", {std::move(value.e)}); }
    void operator=(std::initializer_list<Expr> tuple) { define("=", tuple); }
    void operator=(const Tuple& tuple) { define("=", tuple.elements); }
    void operator+=(At value) { define("+=", {std::move(value.e)}); }
    void operator-=(At value) { define("-=", {std::move(value.e)}); }
    void operator*=(At value) { define("*=", {std::move(value.e)}); }
    void operator&=(At value) { define("&=", {std::move(value.e)}); }
    void operator|=(At value) { define("|=", {std::move(value.e)}); }
    void operator^=(At value) { define("^=", {std::move(value.e)}); }
    void operator+=(std::initializer_list<Expr> tuple) { define("+=", tuple); }

    FuncRef(const FuncRef&) = default;

private:
    friend class Func;
    FuncRef(std::shared_ptr<FuncDraft> f, std::vector<Expr> args, Where where)
        : f_(std::move(f)), args_(std::move(args)), where_(std::move(where)) {}
    void define(const char* op, std::vector<Expr> values);

    std::shared_ptr<FuncDraft> f_;
    std::vector<Expr> args_;
    Where where_;
};

// f.update(n), as a stage of a schedule.
struct Stage {
    std::string func;
    int update = -1;  // -1: the whole Func
};

struct OutputRef {
    std::shared_ptr<FuncDraft> func;
    std::vector<Expr> shape;
};

class Func {
public:
    explicit Func(std::string_view name, Loc where = Loc::current());
    Func(Loc where = Loc::current());  // named f, or f1, f2, ... in the Pipeline
    Func(const Func&) = default;
    Func& operator=(const Func&) = default;

    const std::string& name() const;

    template <std::convertible_to<Expr>... A>
    FuncRef operator()(At first, const A&... rest) const {
        return {f_, {std::move(first.e), Expr(rest)...}, first.where};
    }
    FuncRef operator()(Loc where = Loc::current()) const { return {f_, {}, where}; }

    // As an output: its shape, in sizes and parameters. The computed box starts at 0 in allocated outputs.
    OutputRef operator()(std::initializer_list<Expr> shape) const { return {f_, shape}; }
    OutputRef shape(std::initializer_list<Expr> shape) const { return {f_, shape}; }

    Stage update(int n) const;        // E-schedule: n is negative
    int rank() const;                 // -1: no definition yet
    std::vector<Type> types() const;  // one for each element; empty: no definition yet

private:
    friend class Bordered;
    friend class Schedule;
    friend struct StageRef;
    Func(std::shared_ptr<FuncDraft> f) : f_(std::move(f)) {}
    std::shared_ptr<FuncDraft> f_;
};

// ---- inline reductions: sum(r, a(i, r) * b(r, j)) ----

// An RDom, a variable of one, or several of them, outermost first.
struct Over {
    std::shared_ptr<const Domain> domain;
    Over(const RDom& r);
    Over(const RVar& v);
    Over(std::initializer_list<Over> all);
};

// A stage of its own, named reader_sum, or `name`. It is the Func itself where it is the whole right side of its pure
// definition. Sums start at 0; the float + and * keep the written order.
Expr sum(const Over& over, At value, std::string_view name = {});
Expr product(const Over& over, At value, std::string_view name = {});
Expr minimum(const Over& over, At value,
             std::string_view name = {});  // the highest value over nothing
Expr maximum(const Over& over, At value, std::string_view name = {});
// {value, coordinates as i64...}; NaN first, then the value, then the first point. Over nothing the coordinates are -1.
Tuple argmin(const Over& over, At value, std::string_view name = {});
Tuple argmax(const Over& over, At value, std::string_view name = {});

// ---- borders: a Func that has a value everywhere ----
//
//   Func f = clamped(in);             // ... a a | a b c | c c ...    in every dimension
//   Func g = mirrored(in, {1, 2});    // ... c b | a b c | b a ...    in dimensions 1 and 2
//   Func h = reflected(g, {3, h, w}); // ... b a | a b c | c b ...    a Func's box is given: extents or Ranges
//
// Named in_clamped, ...; right for every extent from 1 on. An empty input is out of range (E-bounds at the call), but
// for padded, which reads nothing outside.
using IntList = std::initializer_list<int>;  // dimensions; none: all
using ExtentList = std::initializer_list<Extent>;
Func clamped(const InputBase& in, IntList dims = {}, Loc where = Loc::current());
Func mirrored(const InputBase& in, IntList dims = {}, Loc where = Loc::current());
Func reflected(const InputBase& in, IntList dims = {}, Loc where = Loc::current());
Func wrapped(const InputBase& in, IntList dims = {},
             Loc where = Loc::current());                       // ... b c | a b c | a b ...
Func padded(const InputBase& in, At value, IntList dims = {});  // value outside
Func clamped(const Func& f, ExtentList box, IntList dims = {}, Loc where = Loc::current());
Func mirrored(const Func& f, ExtentList box, IntList dims = {}, Loc where = Loc::current());
Func reflected(const Func& f, ExtentList box, IntList dims = {}, Loc where = Loc::current());
Func wrapped(const Func& f, ExtentList box, IntList dims = {}, Loc where = Loc::current());
Func padded(const Func& f, ExtentList box, At value, IntList dims = {});

// ---- what a Pipeline takes ----

struct InputRef {
    std::shared_ptr<const Declaration> d;
    InputRef(const InputBase& in) : d(in.d_) {}
    InputRef(const Size& size) : InputRef(size.e_) {}
    template <class T>
    InputRef(const Param<T>& p) : InputRef(static_cast<const Named&>(p).e_) {}

private:
    InputRef(const Expr& named);
};

}  // namespace burin
