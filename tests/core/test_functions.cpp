#include <doctest/doctest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/build.h"
#include "ir/calls.h"
#include "ir/functions.h"
#include "ir/value.h"
#include "ir/walk.h"

using namespace burin;

namespace {

const double inf = std::numeric_limits<double>::infinity(),
             none = std::numeric_limits<double>::quiet_NaN();
const Fn all[] = {Fn::Exp, Fn::Log, Fn::Sin,   Fn::Cos,     Fn::Tanh,
                  Fn::Erf, Fn::Pow, Fn::Rsqrt, Fn::Sigmoid, Fn::Gelu};
const double half_root = 0.70710678118654752440;

bool is_long() {
    const char* fuzz = std::getenv("BURIN_FUZZ");
    return fuzz && std::string(fuzz) == "long";
}

// The C library's double, some 2^29 times finer than a float.
double reference(Fn fn, double x, double y) {
    switch (fn) {
        case Fn::Exp:     return std::exp(x);
        case Fn::Log:     return std::log(x);
        case Fn::Sin:     return std::sin(x);
        case Fn::Cos:     return std::cos(x);
        case Fn::Tanh:    return std::tanh(x);
        case Fn::Erf:     return std::erf(x);
        case Fn::Pow:     return std::pow(x, y);
        case Fn::Rsqrt:   return 1 / std::sqrt(x);
        case Fn::Sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
        default:          return x == -inf ? 0 : x / 2 * std::erfc(-x * half_root);
    }
}

// The same by MPFR, in 160 bits.
class Exact {
public:
    Exact() { mpfr_inits2(160, x_, y_, t_, nullptr); }
    ~Exact() { mpfr_clears(x_, y_, t_, nullptr); }
    long double operator()(Fn fn, double x, double y) {
        mpfr_set_d(x_, x, MPFR_RNDN);
        mpfr_set_d(y_, y, MPFR_RNDN);
        switch (fn) {
            case Fn::Exp:   mpfr_exp(t_, x_, MPFR_RNDN); break;
            case Fn::Log:   mpfr_log(t_, x_, MPFR_RNDN); break;
            case Fn::Sin:   mpfr_sin(t_, x_, MPFR_RNDN); break;
            case Fn::Cos:   mpfr_cos(t_, x_, MPFR_RNDN); break;
            case Fn::Tanh:  mpfr_tanh(t_, x_, MPFR_RNDN); break;
            case Fn::Erf:   mpfr_erf(t_, x_, MPFR_RNDN); break;
            case Fn::Pow:   mpfr_pow(t_, x_, y_, MPFR_RNDN); break;
            case Fn::Rsqrt: mpfr_rec_sqrt(t_, x_, MPFR_RNDN); break;
            case Fn::Sigmoid:
                mpfr_neg(t_, x_, MPFR_RNDN);
                mpfr_exp(t_, t_, MPFR_RNDN);
                mpfr_add_ui(t_, t_, 1, MPFR_RNDN);
                mpfr_ui_div(t_, 1, t_, MPFR_RNDN);
                break;
            default:
                mpfr_sqrt_ui(t_, 2, MPFR_RNDN);
                mpfr_div(t_, x_, t_, MPFR_RNDN);
                mpfr_neg(t_, t_, MPFR_RNDN);
                mpfr_erfc(t_, t_, MPFR_RNDN);
                mpfr_mul(t_, t_, x_, MPFR_RNDN);
                mpfr_div_ui(t_, t_, 2, MPFR_RNDN);
        }
        return mpfr_get_ld(t_, MPFR_RNDN);
    }

private:
    mpfr_t x_, y_, t_;
};

// The largest distance from the truth seen, in units in the last place of T.
template <class T>
struct Worst {
    double ulp = 0, x = 0, y = 0;
    int special = 0;  // NaN or infinity where the truth has none, or the reverse
    void see(T got, long double want, double at_x, double at_y) {
        T rounded = T(want);
        if (!std::isfinite(rounded) || !std::isfinite(got)) {
            special += !(rounded == got || (std::isnan(rounded) && std::isnan(got)));
            return;
        }
        using Limits = std::numeric_limits<T>;
        int e = want == 0 ? Limits::min_exponent - 1
                          : std::max(std::ilogb(want), Limits::min_exponent - 1);
        double error = double(std::fabs(got - want) / std::ldexp(1.0L, e - Limits::digits + 1));
        if (error > ulp) *this = {error, at_x, at_y, special};
    }
};

double bound(Fn fn) {
    if (fn == Fn::Gelu) return 4;
    return fn == Fn::Rsqrt || fn == Fn::Sigmoid || fn == Fn::Pow ? 2 : 1;
}

// Lane by lane, by the definition of each node.
using Memo = std::unordered_map<const Node*, std::vector<Value>>;
std::vector<Value> lanes_of(const Expr& e, Memo& memo) {
    if (auto it = memo.find(e.node()); it != memo.end()) return it->second;
    std::vector<std::vector<Value>> children;
    auto visit = std::pair<std::vector<std::vector<Value>>*, Memo*>{&children, &memo};
    visit_children(e.node(), {&visit,
                              [](void* p, const Expr& child) {
                                  auto& [out, m] = *static_cast<decltype(visit)*>(p);
                                  out->push_back(lanes_of(child, *m));
                              },
                              nullptr});
    std::vector<Value> out;
    for (int lane = 0; lane < e.type().lanes; ++lane) {
        if (e.as<Broadcast>()) {
            out.push_back(children[0][0]);
            continue;
        }
        std::vector<Value> args;
        for (auto& c : children) args.push_back(c[lane]);
        out.push_back(eval_node(e.node(), args));
    }
    return memo[e.node()] = out;
}

std::vector<double> interesting() {
    std::vector<double> out;
    for (double v : {0.0,     1e-45,  1e-40,  1.17549435e-38, 1e-30, 1e-5, 0.01,
                     0.25,    0.5,    0.75,   0.9375,         1.0,   1.5,  2.0,
                     3.0,     4.0,    7.5,    10.0,           14.3,  17.0, 88.0,
                     88.7228, 89.0,   100.0,  103.9,          700.0, 1e5,  1e8,
                     0x1p48,  0x1p71, 0x1p94, 0x1p117,        3.4e38})
        out.insert(out.end(), {v, -v});
    out.insert(out.end(), {inf, -inf, none});
    return out;
}

}  // namespace

TEST_CASE("f32 functions stay within their bounds all over the floats") {
    const uint64_t stride = is_long() ? 1 : 2 * 997;
    for (Fn fn : all) {
        Worst<float> worst;
        if (fn == Fn::Pow) {
            std::mt19937_64 random(3);
            for (int i = 0; i < (is_long() ? 300'000'000 : 1'000'000); ++i) {
                uint64_t r = random(), s = random();
                float x = std::bit_cast<float>(uint32_t(r)),
                      y = std::bit_cast<float>(uint32_t(r >> 32));
                if (s & 1)
                    x = float(std::ldexp(double(s >> 11),
                                         -52 + int(s >> 1 & 7)));  // results of every size
                if (s & 1) y = float(std::ldexp(double(int64_t(r)), -63 + int(s >> 4 & 7)));
                if ((s & 0xf00) == 0) y = std::nearbyint(y);
                if ((s & 0xf000) == 0) x = -x;
                worst.see(eval_function(fn, x, y), std::pow(double(x), double(y)), x, y);
            }
        } else {
            for (uint64_t i = 0; i < uint64_t(1) << 32; i += stride) {
                float x = std::bit_cast<float>(uint32_t(i));
                worst.see(eval_function(fn, x, x), reference(fn, x, x), x, x);
            }
        }
        CHECK_MESSAGE(worst.ulp <= bound(fn), std::string(name(fn)), " at ", worst.x, ", ",
                      worst.y);
        CHECK_MESSAGE(worst.special == 0, std::string(name(fn)));
        if (is_long())
            MESSAGE(std::string(name(fn)), ": ", worst.ulp, " ulp at ", worst.x, ", ", worst.y);
    }
}

TEST_CASE("f32 functions stay within their bounds beside every threshold, against MPFR") {
    Exact exact;
    for (Fn fn : all) {
        Worst<float> worst;
        for (double center : interesting()) {
            if (std::isnan(center)) continue;
            float x = float(center);
            for (int k = 0; k < 40; ++k) x = std::nextafter(x, 0.f);
            for (int k = 0; k < 80; ++k) {
                x = std::nextafter(x, center < 0 ? -INFINITY : INFINITY);
                if (std::isinf(x)) break;
                for (float y : {0.5f, -3.f, 1.5f, 40.f}) {
                    worst.see(eval_function(fn, x, y), exact(fn, x, y), x, y);
                    if (fn != Fn::Pow) break;
                }
            }
        }
        CHECK_MESSAGE(worst.ulp <= bound(fn), std::string(name(fn)), " at ", worst.x, ", ",
                      worst.y);
        CHECK_MESSAGE(worst.special == 0, std::string(name(fn)));
    }
}

TEST_CASE("f64 functions stay within two units on samples, against MPFR") {
    Exact exact;
    std::mt19937_64 random(5);
    for (Fn fn : all) {
        Worst<double> worst;
        for (int i = 0; i < (is_long() ? 2'000'000 : 10'000); ++i) {
            double x = std::bit_cast<double>(random()),
                   y = 8 * std::ldexp(double(int64_t(random())), -63);
            if (i % 4) x = std::ldexp(double(int64_t(random())), -63 + int(random() % 12));
            if (i % 5 == 0) y = std::nearbyint(y * 16);
            worst.see(eval_function(fn, x, y), exact(fn, x, y), x, y);
        }
        CHECK_MESSAGE(worst.ulp <= 2, std::string(name(fn)), " at ", worst.x, ", ", worst.y);
        CHECK_MESSAGE(worst.special == 0, std::string(name(fn)));
        if (is_long())
            MESSAGE(std::string(name(fn)), " f64: ", worst.ulp, " ulp at ", worst.x, ", ", worst.y);
    }
    CHECK(eval_function(Fn::Sin, 1e22, 0.0) == -0.8522008497671888);
    CHECK(eval_function(Fn::Cos, 0x1.8p1023, 0.0) == std::cos(0x1.8p1023));
}

TEST_CASE("special values of functions are IEEE's and C's") {
    struct Row {
        Fn fn;
        double x, y, want;
    };
    const Row rows[] = {
        {Fn::Exp, -inf, 0, 0},     {Fn::Exp, inf, 0, inf},     {Fn::Exp, 0, 0, 1},
        {Fn::Exp, -0.0, 0, 1},     {Fn::Exp, none, 0, none},   {Fn::Exp, 1e30, 0, inf},
        {Fn::Exp, -1e30, 0, 0},    {Fn::Log, 0, 0, -inf},      {Fn::Log, -0.0, 0, -inf},
        {Fn::Log, -1, 0, none},    {Fn::Log, inf, 0, inf},     {Fn::Log, -inf, 0, none},
        {Fn::Log, 1, 0, 0},        {Fn::Log, none, 0, none},   {Fn::Sin, 0, 0, 0},
        {Fn::Sin, -0.0, 0, -0.0},  {Fn::Sin, inf, 0, none},    {Fn::Sin, -inf, 0, none},
        {Fn::Sin, none, 0, none},  {Fn::Cos, 0, 0, 1},         {Fn::Cos, -inf, 0, none},
        {Fn::Cos, none, 0, none},  {Fn::Tanh, inf, 0, 1},      {Fn::Tanh, -inf, 0, -1},
        {Fn::Tanh, -0.0, 0, -0.0}, {Fn::Tanh, none, 0, none},  {Fn::Erf, inf, 0, 1},
        {Fn::Erf, -inf, 0, -1},    {Fn::Erf, -0.0, 0, -0.0},   {Fn::Erf, none, 0, none},
        {Fn::Rsqrt, 0, 0, inf},    {Fn::Rsqrt, -0.0, 0, -inf}, {Fn::Rsqrt, inf, 0, 0},
        {Fn::Rsqrt, -1, 0, none},  {Fn::Rsqrt, 4, 0, 0.5},     {Fn::Sigmoid, inf, 0, 1},
        {Fn::Sigmoid, -inf, 0, 0}, {Fn::Sigmoid, 0, 0, 0.5},   {Fn::Sigmoid, none, 0, none},
        {Fn::Gelu, inf, 0, inf},   {Fn::Gelu, -inf, 0, -0.0},  {Fn::Gelu, 0, 0, 0},
        {Fn::Gelu, -0.0, 0, -0.0}, {Fn::Gelu, none, 0, none},  {Fn::Gelu, -100, 0, -0.0},
        {Fn::Gelu, 100, 0, 100},
    };
    for (const Row& r : rows)
        for (Type t : {f16, bf16, f32, f64}) {
            if (t == f16 && std::fabs(r.x) > 65504 && !std::isinf(r.x)) continue;
            Value x = Value::real(t, r.x);
            Value got = eval_call(r.fn, std::vector{x}, t);
            CHECK_MESSAGE(same(got, Value::real(t, r.want)), std::string(name(r.fn)), "(", r.x,
                          ") is ", to_string(got));
        }
    int wrong = 0;
    std::vector<double> grid = interesting();
    grid.insert(grid.end(), {-3, -5, 5, 16777216, 16777215, -0.5, 0x1p53, 0x1p53 - 1});
    for (double x : grid)
        for (double y : grid) {
            double want = std::pow(x, y), got = eval_function(Fn::Pow, x, y);
            bool is_near = std::fabs(got - want) <= std::fabs(want) * 1e-15 + 1e-323;
            wrong += !same(Value::real(f64, got), Value::real(f64, want)) &&
                     (!is_near || std::signbit(got) != std::signbit(want));
            float fx = float(x), fy = float(y), fgot = eval_function(Fn::Pow, fx, fy),
                  fwant = float(std::pow(double(fx), double(fy)));
            bool close = std::fabs(fgot - fwant) <= std::fabs(fwant) * 2e-7f + 2e-45f;
            wrong += !same(Value::real(f32, fgot), Value::real(f32, fwant)) &&
                     (!close || std::signbit(fgot) != std::signbit(fwant));
        }
    CHECK(wrong == 0);
}

TEST_CASE(
    "an expanded function is made of primitive nodes and gives the bits of the immediate one, in "
    "every "
    "lane") {
    std::mt19937_64 random(7);
    for (Type t : {f16, bf16, f32, f64})
        for (Fn fn : all)
            for (int lanes : {1, 4}) {
                Type type = t.with_lanes(lanes);
                Expr x = var(Symbol::named("x"), type), y = var(Symbol::named("y"), type);
                Expr e = expand_function(fn, arity(fn) == 2 ? std::vector{x, y} : std::vector{x});
                CHECK(e.type() == type);
                visit(e, [&](const Call& op, auto& self) {
                    CHECK(is_primitive(op.fn));
                    self.descend(op);
                });
                int wrong = 0;
                std::vector<double> points = interesting();
                for (int i = 0; i < 200; ++i)
                    points.push_back(
                        std::ldexp(double(int64_t(random())), -60 + int(random() % 8)));
                for (int i = 0; i < 100; ++i)
                    points.push_back(
                        Value(of_bits(t, random() & (t.bits == 64 ? ~0ull : (1ull << t.bits) - 1)))
                            .f);
                for (size_t i = 0; i + lanes <= points.size(); i += lanes) {
                    Memo memo;
                    for (int l = 0; l < lanes; ++l) {
                        memo[x.node()].push_back(Value::real(t, points[i + l]));
                        memo[y.node()].push_back(
                            Value::real(t, points[(i * 7 + l * 3) % points.size()]));
                    }
                    std::vector<Value> got = lanes_of(e, memo);
                    for (int l = 0; l < lanes; ++l) {
                        std::vector<Value> args{memo[x.node()][l]};
                        if (arity(fn) == 2) args.push_back(memo[y.node()][l]);
                        wrong += !same(got[l], eval_call(fn, args, t));
                    }
                }
                CHECK_MESSAGE(wrong == 0, std::string(name(fn)), " ", to_string(type));
            }
}

TEST_CASE("f16 and bf16 functions are the f32 function, rounded") {
    for (Type t : {f16, bf16})
        for (Fn fn : all) {
            int wrong = 0;
            for (uint32_t bits = 0; bits < 65536; bits += 7) {
                Value x = of_bits(t, bits);
                std::vector<Value> args(size_t(arity(fn)), x);
                wrong += !same(eval_call(fn, args, t),
                               Value::real(t, eval_function(fn, float(x.f), float(x.f))));
            }
            CHECK(wrong == 0);
        }
}
