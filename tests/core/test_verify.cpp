#include <doctest/doctest.h>

#include <cmath>

#include "base/deep.h"
#include "error_of.h"
#include "ir/build.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"

using namespace burin;

namespace {

const Symbol f = Symbol::named("f"), g = Symbol::named("g"), x = Symbol::named("x"),
             y = Symbol::named("y");

// The rule that is broken; empty if the statement is sound.
std::string broken(const Stmt& s, Level level = Level::Nest, const FreeNames* free = nullptr) {
    try {
        verify(s, level, free);
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::Internal);
        CHECK(e.id() == "verify");
        return e.message().substr(0, e.message().find(':'));
    }
    return {};
}
std::string broken(const char* text, Level level = Level::Nest) {
    return broken(parse_stmt(text), level);
}

// The statement f() = value.
Stmt of(Expr value) { return make(Provide{f, {}, {std::move(value)}}); }
std::string broken_in(Expr value, Level level = Level::Nest) {
    return broken(level == Level::Nest ? of(value) : make(Store{f, index_imm(0), value, {}}),
                  level);
}

const char* nest_text = R"(
func in: f32
scalar p: f32
let n = extent(in, 0)
realize t: {f32, i64}[0: n, 2: 3] in Stack {
  produce t {
    parallel for y in 0 .. n {
      vectorized for x in 2 .. 5 {
        t(y, x) = {in(y, x) * p, i64(x)}
      }
    }
  }
  if n < 3 && p < 1 {
    out(0) = select(p == 3.0, t(0, 2), exp(p)) / f32(t(0, 3)[1])
  } else {
    count 0 += n
  }
}
)";
const char* flat_text = R"(
buffer in: u8
unrolled for y in 0 .. extent(in, 0) {
  allocate t: u8[8] in Stack {
    t[ramp(0, 1, 8)] = in[ramp(y, 1, 8) if ramp(y, 1, 8) < 3] + 1 if broadcast(y < 3, 8)
    t[y] = combine_sum(t[ramp(0, 1, 8)], 1) & shuffle(t[ramp(0, 1, 4)], t[ramp(4, 1, 4)])[7]
    out[i32(y)] = gelu(f32(t[0])) - reinterpret_f32(i32(y))
  }
}
)";

}  // namespace

TEST_CASE("sound statements pass at their levels") {
    CHECK(broken(nest_text) == "");
    CHECK(broken(flat_text, Level::Flat) == "");
    CHECK(broken(flat_text, Level::Device) == "");
    CHECK(broken("for i in 0 .. n {\n f[i] = sqrt(1.0)\n}", Level::Emit) == "");
    verify(Stmt(), Level::Nest);
}

TEST_CASE("every operand is defined") {
    CHECK(broken_in(make(Add{var(x), Expr()}, IndexType)) == "every operand is defined");
    CHECK(broken(make(Block{{Stmt()}})) == "every operand is defined");
    CHECK(broken(make(If{Expr(), make(Block{}), {}})) == "every operand is defined");
    CHECK(broken(make(Produce{f, Stmt()})) == "every operand is defined");
}

TEST_CASE("no bare number, reduction, owner or untyped read is left") {
    const std::string rule = "no bare number, reduction, owner or untyped read is left";
    CHECK(broken_in(Expr(3)) == rule);
    CHECK(broken_in(
              make(Reduction{ReduceOp::Sum, {x}, {index_imm(0)}, {index_imm(3)}, {}, var(x), 0, {}},
                   IndexType)) == rule);
    Owner owner{std::make_shared<int>(3)};
    CHECK(broken_in(make(Var{x, owner}, IndexType)) == rule);
    CHECK(broken_in(make(Read{g, 0, {}, {}, owner}, f32)) == rule);
    CHECK(broken_in(make(Read{g, 0, {}, {}, {}}, untyped)) == rule);
}

TEST_CASE("a constant fits its type") {
    CHECK(broken_in(make(IntImm{256}, u8)) == "a constant fits its type");
    CHECK(broken_in(make(IntImm{2}, Bool)) == "a constant fits its type");
    CHECK(broken_in(make(IntImm{1}, f32)) == "a constant fits its type");
    CHECK(broken_in(make(FloatImm{0.1}, f32)) == "a constant fits its type");
    CHECK(broken_in(make(FloatImm{0.5}, i32)) == "a constant fits its type");
    CHECK(broken_in(make(IntImm{1}, i32.with_lanes(4))) == "a constant fits its type");
    CHECK(broken_in(make(FloatImm{0.1}, f64)) == "");
    CHECK(broken_in(float_imm(f16, 1e9)) == "");
    CHECK(broken_in(float_imm(bf16, NAN)) == "");
}

TEST_CASE("operands agree in type and lanes") {
    const std::string rule = "operands agree in type and lanes";
    CHECK(broken_in(make(Add{var(x), var(y, i64)}, IndexType)) == rule);
    CHECK(broken_in(make(Add{broadcast(var(x), 4), var(x)}, IndexType.with_lanes(4))) == rule);
    CHECK(broken_in(make(Select{bool_imm(true), var(x), var(y, i64)}, IndexType)) == rule);
    CHECK(broken_in(make(Ramp{var(x), imm(i32, 1), 4}, IndexType.with_lanes(4))) == rule);
    CHECK(broken_in(make(Shuffle{{broadcast(var(x), 2), broadcast(var(y, i64), 2)}, {0}},
                         IndexType)) == rule);
    CHECK(broken(make(For{x, index_imm(0), imm(i32, 4), LoopKind::Serial, make(Block{})}),
                 Level::Flat) == rule);
}

TEST_CASE("an operator takes operands of this type") {
    const std::string rule = "an operator takes operands of this type";
    Expr b = bool_imm(true), r = float_imm(f32, 1);
    CHECK(broken_in(make(Add{b, b}, Bool)) == rule);
    CHECK(broken_in(make(Neg{b}, Bool)) == rule);
    CHECK(broken_in(make(Not{r}, f32)) == rule);
    CHECK(broken_in(make(Mod{r, r}, f32)) == rule);
    CHECK(broken_in(make(Shl{r, r}, f32)) == rule);
    CHECK(broken_in(make(And{var(x), var(x)}, IndexType)) == rule);
    CHECK(broken_in(make(Lt{b, b}, Bool)) == rule);
    CHECK(broken_in(make(Ramp{b, b, 4}, Bool.with_lanes(4))) == rule);
    CHECK(broken_in(make(Combine{ReduceOp::Sum, broadcast(r, 4)}, f32)) == rule);
    CHECK(broken_in(make(Combine{ReduceOp::ArgMax, broadcast(r, 4)}, f32)) == rule);
    CHECK(broken_in(make(Combine{ReduceOp::Max, broadcast(r, 4)}, f32)) == "");
}

TEST_CASE("the result has the type of the operation") {
    const std::string rule = "the result has the type of the operation";
    Expr r = float_imm(f32, 1);
    CHECK(broken_in(make(Add{r, r}, f64)) == rule);
    CHECK(broken_in(make(Lt{r, r}, f32)) == rule);
    CHECK(broken_in(make(Select{bool_imm(true), r, r}, i32)) == rule);
    CHECK(broken_in(make(Meta{g, MetaKind::Extent, 0}, i32)) == rule);
    CHECK(broken_in(call(Fn::Sqrt, f64, {r})) == rule);
    CHECK(broken_in(make(Broadcast{r, 4}, f64.with_lanes(4))) == rule);
    CHECK(broken_in(make(Ramp{var(x), var(x), 4}, i32.with_lanes(4))) == rule);
}

TEST_CASE("a condition is a bool") {
    CHECK(broken_in(make(Select{var(x), var(x), var(x)}, IndexType)) == "a condition is a bool");
    CHECK(broken(make(If{var(x), make(Block{}), {}})) == "a condition is a bool");
    CHECK(broken_in(make(Read{g, 0, {}, var(x), {}}, f32)) == "a condition is a bool");
    CHECK(broken(make(Store{g, var(x), var(x), var(x)}), Level::Flat) == "a condition is a bool");
}

TEST_CASE("a coordinate is an Index, or an i32 once accesses are flat") {
    const std::string rule = "a coordinate is an Index";
    CHECK(broken_in(make(Read{g, 0, {imm(i64, 3)}, {}, {}}, f32)) == rule);
    CHECK(broken(make(Provide{f, {imm(u8, 3)}, {var(x)}})) == rule);
    CHECK(broken(make(For{x, imm(i32, 0), imm(i32, 4), LoopKind::Serial, make(Block{})})) == rule);
    CHECK(broken(make(For{x, imm(i32, 0), imm(i32, 4), LoopKind::Serial, make(Block{})}),
                 Level::Flat) == "");
    CHECK(broken_in(make(Load{g, imm(i64, 3), {}}, f32), Level::Flat) == rule);
    CHECK(broken(make(Realize{
              f, {f32}, {imm(i64, 0)}, {index_imm(3)}, Memory::Auto, make(Block{})})) == rule);
    CHECK(broken(make(Allocate{f, f32, {imm(i64, 3)}, Memory::Auto, make(Block{})}), Level::Flat) ==
          rule);
}

TEST_CASE("a function has its arguments") {
    Expr r = float_imm(f32, 1);
    CHECK(broken_in(call(Fn::Pow, f32, {r})) == "a function has its arguments");
    CHECK(broken_in(call(Fn::Fma, f32, {r, r, float_imm(f64, 1)})) ==
          "a function has its arguments");
    CHECK(broken_in(call(Fn::Popcount, f32, {r})) == "a function has its arguments");
    CHECK(broken_in(call(Fn::SaturatingCast, u8, {})) == "a function has its arguments");
}

TEST_CASE("lanes exist and agree") {
    const std::string rule = "lanes exist and agree";
    Expr v = broadcast(var(x), 4), c = broadcast(bool_imm(true), 2);
    CHECK(broken_in(make(Cast{v}, i32)) == rule);
    CHECK(broken_in(make(Select{c, v, v}, v.type())) == rule);
    CHECK(broken_in(make(Broadcast{v, 2}, IndexType.with_lanes(4))) == rule);
    CHECK(broken_in(make(Ramp{v, v, 2}, IndexType.with_lanes(4))) == rule);
    CHECK(broken_in(make(Shuffle{{v}, {0, 4}}, IndexType.with_lanes(2))) == rule);
    CHECK(broken_in(make(Shuffle{{v}, {}}, IndexType)) == rule);
    CHECK(broken_in(make(Combine{ReduceOp::Max, v}, IndexType.with_lanes(3))) == rule);
    CHECK(broken_in(make(Read{g, 0, {v, broadcast(var(x), 2)}, {}, {}}, f32.with_lanes(4))) ==
          rule);
    CHECK(broken_in(make(Read{g, 0, {v}, {}, {}}, f32)) == rule);
    CHECK(broken_in(make(Load{g, v, c}, f32.with_lanes(4)), Level::Flat) == rule);
    CHECK(broken_in(make(Load{g, v, {}}, f32), Level::Flat) == rule);
    CHECK(broken(make(Store{g, v, var(x), {}}), Level::Flat) == rule);
    CHECK(broken(make(Provide{g, {v}, {var(x)}})) == rule);
    CHECK(broken(make(If{c, make(Block{}), {}})) == rule);
    CHECK(broken(make(For{y, v, v, LoopKind::Serial, make(Block{})})) == rule);
}

TEST_CASE("a tuple has this element") {
    CHECK(broken("realize t: f32[] {\n out() = t()\n t() = {1.0, 2.0}\n}") ==
          "a tuple has this element");
    CHECK(broken("realize t: {f32, f32}[] {\n t() = 1.0\n}") == "a tuple has this element");
    Stmt s = make(Realize{g, {f32}, {}, {}, Memory::Auto, of(make(Read{g, 1, {}, {}, {}}, f32))});
    CHECK(broken(s) == "a tuple has this element");
}

TEST_CASE("a stage has as many coordinates as dimensions") {
    const std::string rule = "a stage has as many coordinates as dimensions";
    CHECK(broken("realize t: f32[0: 3] {\n out() = t(0, 0)\n}") == rule);
    CHECK(broken("func in: f32\nout() = in(0) + in(0, 1)") == rule);
    CHECK(broken("out() = 1\nout(0) = 1") == rule);
    CHECK(broken(make(Realize{g, {f32}, {index_imm(0)}, {}, Memory::Auto, make(Block{})})) == rule);
}

TEST_CASE("an access has the element type of its storage") {
    const std::string rule = "an access has the element type of its storage";
    CHECK(broken("realize t: f32[] {\n t() = 3\n}") == rule);
    CHECK(broken("allocate t: f32[3] {\n t[0] = 3\n}", Level::Flat) == rule);
    CHECK(broken("t[0] = 3\nt[1] = 3.0", Level::Flat) == rule);
    CHECK(broken("buffer in: f32\nin[0] = 3\nout[0] = in[0]", Level::Flat) == rule);
}

TEST_CASE("a counter counts whole numbers") {
    CHECK(broken(make(Count{0, float_imm(f32, 1)})) == "a counter counts whole numbers");
    CHECK(broken(make(Count{-1, index_imm(1)})) == "a counter counts whole numbers");
    CHECK(broken(make(Count{0, broadcast(var(x), 4)})) == "a counter counts whole numbers");
}

TEST_CASE("a name has one type") {
    CHECK(broken(make(Let{x, imm(i32, 3), of(var(x))})) == "a name has one type");
    CHECK(broken(make(Block{{of(make(Eq{var(x), var(x)}, Bool)),
                             make(Provide{g, {}, {var(x, i32)}})}})) == "a name has one type");
    CHECK(broken(make(For{x, index_imm(0), index_imm(3), LoopKind::Serial, of(var(x, i64))})) ==
          "a name has one type");
}

TEST_CASE("a name is bound once") {
    Stmt s = make(Let{x, index_imm(3), of(var(x))});
    CHECK(broken(make(Block{{s, make(Let{x, index_imm(4), of(var(x))})}})) ==
          "a name is bound once");
    CHECK(broken(make(Block{{s, s}})) == "a name is bound once");
    CHECK(broken(make(Let{x, index_imm(3), s})) == "a name is bound once");
    CHECK(broken(make(For{x, index_imm(0), index_imm(3), LoopKind::Serial, s})) ==
          "a name is bound once");
    Stmt r = make(Realize{f, {IndexType}, {}, {}, Memory::Auto, of(var(x))});
    CHECK(broken(make(Realize{f, {IndexType}, {}, {}, Memory::Auto, r})) == "a name is bound once");
    CHECK(broken(make(Realize{x, {IndexType}, {}, {}, Memory::Auto, s})) == "");  // two namespaces
}

TEST_CASE("a name is used in its scope") {
    const std::string rule = "a name is used in its scope";
    Stmt s = make(Let{x, index_imm(3), of(var(x))});
    CHECK(broken(make(Block{{s, of(var(x))}})) == rule);
    CHECK(broken(make(Block{{of(var(x)), s}})) == rule);
    CHECK(broken(make(Let{x, var(x), make(Block{})})) == rule);
    Expr shared = var(x) + 1;  // sound where it is seen first
    CHECK(broken(make(Block{{make(Let{x, index_imm(3), of(shared)}), of(shared)}})) == rule);
    CHECK(broken(make(Let{x, index_imm(3), make(Block{{of(shared), of(shared)}})})) == "");
    Stmt reader = make(Provide{g, {}, {make(Read{f, 0, {}, {}, {}}, IndexType)}});
    Stmt none = make(Realize{f, {IndexType}, {}, {}, Memory::Auto, make(Block{})});
    CHECK(broken(make(Block{{none, reader}})) == rule);
}

TEST_CASE("a free name is declared, if the free names are given") {
    FreeNames free{{y}, {f}};
    CHECK(broken(of(var(y)), Level::Nest, &free) == "");
    CHECK(broken(make(Let{x, var(y), of(var(x))}), Level::Nest, &free) == "");
    CHECK(broken(of(var(x)), Level::Nest, &free) == "a free name is declared");
    CHECK(broken(make(Provide{g, {}, {var(y)}}), Level::Nest, &free) == "a free name is declared");
    CHECK(broken(of(make(Meta{g, MetaKind::Min, 0}, IndexType)), Level::Nest, &free) ==
          "a free name is declared");
}

TEST_CASE("shapes are those of the call's buffers") {
    CHECK(broken("realize t: f32[] {\n out() = extent(t, 0)\n}") ==
          "shapes are those of the call's buffers");
}

TEST_CASE("each level refuses what it must not hold") {
    CHECK(broken("buffer in: f32\nout() = in[0]") == "no flat access at this level");
    CHECK(broken("out[0] = 1") == "no flat access at this level");
    CHECK(broken("allocate t: f32[3] {\n}") == "no flat access at this level");
    for (Level level : {Level::Flat, Level::Device, Level::Emit}) {
        CHECK(broken("func in: f32\nout[0] = in(0)", level) == "no call of a stage at this level");
        CHECK(broken("out(0) = 1", level) == "no call of a stage at this level");
        CHECK(broken("realize t: f32[] {\n}", level) == "no call of a stage at this level");
    }
    CHECK(broken("vectorized for i in 0 .. 4 {\n}", Level::Emit) ==
          "no vectorised or unrolled loop at this level");
    CHECK(broken("unrolled for i in 0 .. 4 {\n}", Level::Emit) ==
          "no vectorised or unrolled loop at this level");
    CHECK(broken("f[0] = exp(1.0)", Level::Emit) ==
          "no function above the primitives at this level");
}

TEST_CASE(
    "a broken rule is told with the text that breaks it, and a DAG doubled 60 times is verified at "
    "once") {
    Error e = error_of([] { verify(of(make(Add{var(x), var(y, i64)}, IndexType)), Level::Nest); });
    CHECK(e.message() == "operands agree in type and lanes: x + y");
    Expr sum = var(x);
    for (int i = 0; i < 60; ++i) sum = sum + sum;
    Stmt s = of(sum);
    for (int i = 0; i < 60; ++i) s = make(Block{{s, s}});
    verify(make(Let{x, index_imm(3), s}), Level::Nest);
    CHECK(broken(make(Block{{make(Let{x, index_imm(3), s}), s}})) == "a name is used in its scope");
    Stmt deep = of(var(x));
    while (deep.node()->depth < std::min<uint32_t>(90'000, deepest_depth / 2))
        deep = make(If{bool_imm(true), deep, {}});
    verify(deep, Level::Nest);
}
