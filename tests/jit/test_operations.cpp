// Every operation of every element type, as scalars and as vectors of even and odd lengths, against direct evaluation.
#include <burin/burin.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <xmmintrin.h>
#include <bit>
#include <limits>

#include "base/float_mode.h"
#include "ir/value.h"

using namespace burin;

namespace {

std::vector<Value> edges(Type t) {
    std::vector<Value> v;
    if (t.is_bool()) return {Value::boolean(false), Value::boolean(true)};
    if (t.is_float()) {
        for (double d : {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         0.5,
                         1.5,
                         2.5,
                         -2.5,
                         3.0,
                         7.0,
                         -7.25,
                         100.0,
                         1e-3,
                         255.5,
                         65504.0,
                         65520.0,
                         -129.9,
                         127.75,
                         -128.5,
                         -0.75,
                         255.75,
                         32767.5,
                         -32769.0,
                         65535.75,
                         2147483520.0,
                         -2147483648.0,
                         4294967040.0,
                         9223371487098961920.0,
                         2147483648.0,
                         -2147483649.0,
                         4294967296.0,
                         9.3e18,
                         -9.3e18,
                         1.9e19,
                         1e30,
                         -1e30,
                         3.4e38,
                         1.7e308,
                         5e-324,
                         1e-45,
                         6e-8,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()})
            v.push_back(Value::real(t, d));
        return v;
    }
    int64_t top = t.bits == 64 ? INT64_MAX : (int64_t(1) << (t.bits - 1)) - 1;
    for (int64_t i : {int64_t(0),
                      int64_t(1),
                      int64_t(-1),
                      int64_t(2),
                      int64_t(-2),
                      int64_t(3),
                      int64_t(7),
                      int64_t(-7),
                      int64_t(8),
                      int64_t(31),
                      int64_t(33),
                      int64_t(55),
                      int64_t(63),
                      int64_t(64),
                      int64_t(100),
                      top,
                      top - 1,
                      -top - 1,
                      -top,
                      top / 2,
                      int64_t(1) << 53,
                      (int64_t(1) << 53) + 1,
                      (int64_t(1) << 50) + 3})
        v.push_back(Value::integer(t, i));
    return v;
}

// All pairs of edge values in two columns.
std::pair<AnyBuffer, AnyBuffer> grid(Type t) {
    auto e = edges(t);
    int64_t n = int64_t(e.size() * e.size());
    AnyBuffer a(t, {n}), b(t, {n});
    for (size_t i = 0; i < size_t(n); ++i) {
        store(e[i / e.size()], a.data() + i * size_t(t.bytes()));
        store(e[i % e.size()], b.data() + i * size_t(t.bytes()));
    }
    return {a, b};
}

const char* integer_terms[] = {"a(i) + b(i)",
                               "a(i) - b(i)",
                               "a(i) * b(i)",
                               "a(i) / b(i)",
                               "a(i) % b(i)",
                               "min(a(i), b(i))",
                               "max(a(i), b(i))",
                               "a(i) << b(i)",
                               "a(i) >> b(i)",
                               "a(i) & b(i)",
                               "a(i) | b(i)",
                               "a(i) ^ b(i)",
                               "~a(i)",
                               "-a(i)",
                               "abs(a(i))",
                               "a(i) == b(i)",
                               "a(i) != b(i)",
                               "a(i) < b(i)",
                               "a(i) <= b(i)",
                               "select(a(i) < b(i), a(i), b(i))",
                               "a(i) / 7",
                               "a(i) % 7",
                               "a(i) / 8",
                               "a(i) % 8",
                               "saturating_add(a(i), b(i))",
                               "saturating_sub(a(i), b(i))",
                               "halving_add(a(i), b(i))",
                               "rounding_halving_add(a(i), b(i))",
                               "absd(a(i), b(i))",
                               "mul_high(a(i), b(i))",
                               "popcount(a(i))",
                               "clz(a(i))",
                               "ctz(a(i))",
                               "a(i) >> 3",
                               "a(i) << 3"};
const char* float_terms[] = {"a(i) + b(i)",     "a(i) - b(i)",
                             "a(i) * b(i)",     "a(i) / b(i)",
                             "min(a(i), b(i))", "max(a(i), b(i))",
                             "-a(i)",           "abs(a(i))",
                             "sqrt(a(i))",      "fma(a(i), b(i), a(i))",
                             "floor(a(i))",     "ceil(a(i))",
                             "trunc(a(i))",     "round(a(i))",
                             "is_nan(a(i))",    "is_inf(a(i))",
                             "is_finite(a(i))", "a(i) == b(i)",
                             "a(i) != b(i)",    "a(i) < b(i)",
                             "a(i) <= b(i)",    "select(a(i) < b(i), a(i), b(i))",
                             "a(i) / 3",        "a(i) / 7",
                             "a(i) / 0.3"};

void check_terms(Type t, const std::vector<std::string>& terms) {
    std::string head, body;
    for (size_t k = 0; k < terms.size(); ++k) {
        head += fmt::format("{}o{}[n]", k ? ", " : "", k);
        body += fmt::format("o{}(i) = {}\n", k, terms[k]);
    }
    Pipeline p = parse_pipeline(
        fmt::format("pipeline ops(a: {0}[n], b: {0}[n]) -> {1}\n{2}", to_string(t), head, body));
    auto [a, b] = grid(t);
    Results expected = evaluate(p, {a, b});
    for (int lanes : {1, 3, 4, 8, 16}) {
        std::string s = "schedule 1 for ops\n";
        for (size_t k = 0; k < terms.size() && lanes > 1; ++k)
            s += fmt::format("stage o{}\n  vectorize(i, {})\n", k, lanes);
        Results got = compile(p, parse_schedule(p, s))(a, b);
        for (size_t k = 0; k < terms.size(); ++k) {
            CAPTURE(to_string(t));
            CAPTURE(lanes);
            CAPTURE(terms[k]);
            CHECK(same(got[int(k)], expected[int(k)]));
        }
    }
}

std::vector<std::string> list(std::span<const char* const> terms) {
    return {terms.begin(), terms.end()};
}

}  // namespace

TEST_CASE(
    "integer operations of compiled code equal direct evaluation for every width, sign and number "
    "of lanes") {
    for (Type t : {i8, i16, i32, i64, u8, u16, u32, u64}) {
        auto terms = list(integer_terms);
        if (t.bits < 64) terms.push_back("widening_mul(a(i), b(i))");
        for (Type to : {i8, i16, i32, i64, u8, u16, u32, u64})
            terms.push_back(fmt::format("saturating_cast_{}(a(i))", to_string(to)));
        check_terms(t, terms);
    }
}

TEST_CASE(
    "floating-point operations of compiled code equal direct evaluation for every type and number "
    "of lanes") {
    for (Type t : {f16, bf16, f32, f64}) check_terms(t, list(float_terms));
}

TEST_CASE("logic of compiled code equals direct evaluation") {
    check_terms(Bool, {"a(i) && b(i)", "a(i) || b(i)", "a(i) ^ b(i)", "!a(i)", "a(i) == b(i)",
                       "a(i) != b(i)", "select(a(i), b(i), a(i))", "i32(a(i))", "f32(b(i))"});
}

TEST_CASE("casts of compiled code round once and saturate as direct evaluation does") {
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64}) {
        std::vector<std::string> terms;
        for (Type to : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64})
            if (!(to == t)) terms.push_back(fmt::format("{}(a(i))", to_string(to)));
        for (Type to : {i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64})
            if (!(to == t) && to.bits == t.bits && !t.is_bool())
                terms.push_back(fmt::format("reinterpret_{}(a(i))", to_string(to)));
        check_terms(t, terms);
    }
}

TEST_CASE("a cast of a vector to integers stays a vector") {
    for (const char* to : {"i8", "u8", "i16", "u16", "i32", "u32"}) {
        Pipeline p =
            parse_pipeline(fmt::format("pipeline casts(a: f32[n]) -> o[n]\no(i) = {}(a(i))\n", to));
        Kernel k = compile(
            p, parse_schedule(p, "schedule 1 for casts\nstage o\n  vectorize(i, 8, predicate)\n"));
        CHECK(k.llvm().find(".sat.") == std::string::npos);
    }
}

TEST_CASE("functions of compiled code equal direct evaluation") {
    for (Type t : {f16, bf16, f32, f64})
        check_terms(t,
                    {"exp(a(i))", "log(a(i))", "sin(a(i))", "cos(a(i))", "tanh(a(i))", "erf(a(i))",
                     "pow(a(i), b(i))", "rsqrt(a(i))", "sigmoid(a(i))", "gelu(a(i))"});
}

TEST_CASE("maxima and minima with a constant keep NaN and the sign of zero") {
    for (Type t : {f16, f32, f64}) {
        std::vector<std::string> terms;
        for (const char* term :
             {"max(a(i), {0}(0.0))", "max({0}(0.0), a(i))", "max(a(i), {0}(-0.0))",
              "min(a(i), {0}(0.0))", "min({0}(-0.0), a(i))", "clamp(a(i), {0}(0.0), {0}(6.0))",
              "max({0}(1.0), a(i))", "max(a(i) + b(i), {0}(0.0))",
              "clamp(b(i) + a(i), {0}(0.0), {0}(6.0))", "max({0}(0.0), a(i) + {0}(-0.0))",
              "max(a(i) - b(i), {0}(0.0))"})
            terms.push_back(fmt::format(fmt::runtime(term), to_string(t)));
        check_terms(t, terms);
    }
}

TEST_CASE("the other side of a likely condition is there for the lanes that ask for it") {
    Size n("n");
    Input<float> a("a", {n});
    Var i("i");
    Func o("o");
    Expr other = exp(a(i));  // of one side, and of what follows
    o(i) = select(likely(a(i) < 3), a(i) * 2, other) + other;
    Pipeline p("usual", {a}, {o({n})});
    auto values = grid(f32).first;
    Results expected = evaluate(p, {values});
    for (int lanes : {1, 3, 4, 16}) {
        CAPTURE(lanes);
        Schedule s(p);
        if (lanes > 1) s[o].vectorize(i, lanes);
        CHECK(same(compile(p, s)(values)[0], expected[0]));
    }
}

TEST_CASE("trees of maxima and minima test for NaN once, wherever one is") {
    for (const char* type : {"f32", "f64"}) {
        Pipeline p = parse_pipeline(fmt::format(
            "pipeline p(v: {0}[n]) -> m[n - 6], l[n - 6], t[n - 6]\n"
            "m(i) = max(m(i), v(i + r)) for r: 0..7\nl(i) = min(l(i), v(i + r)) for r: 0..6\n"
            "t(i) = max(min(max(v(i), v(i + 1)), max(v(i + 2), v(i))), max(v(i + 1), {0}(-inf)))\n",
            type));
        auto text = [](int lanes) {
            std::string all = "schedule 1 for p\n";
            for (const char* f : {"m", "l"})
                all += fmt::format(
                    "stage {0}\n  vectorize(i, {1})\nstage {0}.update(0)\n"
                    "  io, ii = split(i, {1})\n  reorder(io, r, ii)\n  unroll(r)\n"
                    "  vectorize(ii)\n  cache_write(io, Register)\n",
                    f, lanes);
            return all + fmt::format("stage t\n  vectorize(i, {})\n", lanes);
        };
        // most windows without a NaN, some with one, at each place
        uint64_t state = 7;
        auto number = [&](int64_t i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            constexpr double of[] = {0.0,
                                     -0.0,
                                     1,
                                     -2,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity()};
            return i % 23 == 5 ? std::numeric_limits<double>::quiet_NaN() : of[(state >> 40) % 6];
        };
        AnyBuffer v;
        if (type[1] == '3') {
            Buffer<float> b({1000});
            for (int64_t i = 0; i < 1000; ++i) b(i) = float(number(i));
            v = b;
        } else {
            Buffer<double> b({1000});
            for (int64_t i = 0; i < 1000; ++i) b(i) = number(i);
            v = b;
        }
        Results expected = evaluate(p, {v});
        for (int lanes : {4, 8, 16}) {
            CAPTURE(lanes);
            Results got = compile(p, parse_schedule(p, text(lanes)))(v);
            for (size_t k = 0; k < 3; ++k) CHECK(same(got[k], expected[k]));
        }
        std::string code =
            compile(p, parse_schedule(p, text(type[1] == '3' ? 16 : 8)), Target::parse("x86-64-v4"))
                .llvm();
        auto count = [&](const std::string& word) {
            int n = 0;
            for (size_t at = 0; (at = code.find(word, at)) != std::string::npos; ++at) ++n;
            return n;
        };
        CHECK(count("mask.range.p") >
              8 * count("fcmp uno"));  // loops that are not unrolled have some
    }
}

TEST_CASE("a caller's rounding mode and flushing change nothing and are back afterwards") {
    Pipeline p =
        parse_pipeline("pipeline third(a: f32[n]) -> o[n]\no(i) = a(i) / 3 + a(i) * 1e-40\n");
    Kernel k = compile(p, parse_schedule(p, "schedule 1 for third\nstage o\n  parallel(i, 8)\n"));
    Buffer<float> a({100});
    for (int i = 0; i < 100; ++i) a(i) = float(i) * 1.7e-37f;
    Buffer<float> expected = k(a);
    unsigned before = _mm_getcsr();
    unsigned odd = before | 0xe040;  // towards zero, flush, denormals are zero
    _mm_setcsr(odd);
    Buffer<float> got = k(a);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK((after & ~0x3fu) == (odd & ~0x3fu));
    CHECK(same(got, expected));
}
