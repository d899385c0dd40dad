// Random expressions: simplify() keeps their values, prove() and interval_of() never claim too much.
#include <doctest/doctest.h>

#include <random>

#include "arith/interval.h"
#include "arith/modulus.h"
#include "arith/simplify.h"
#include "core/arith_eval.h"
#include "ir/build.h"
#include "ir/equal.h"
#include "ir/print.h"

using namespace burin;
using arith_eval::Env;
using arith_eval::eval;

namespace {

class Random {
public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    int below(int n) { return int(engine_() % uint64_t(n)); }
    uint64_t bits() { return engine_(); }

    Expr leaf(Type t) {
        if (t.is_bool())
            return below(4) ? var(Symbol::named(below(2) ? "p" : "q"), Bool) : bool_imm(below(2));
        if (below(3))
            return var(Symbol::named(std::string(1, "xyz"[below(3)]) +
                                     (t.is_index() ? "" : "_" + to_string(t))),
                       t);
        if (t.is_float())
            return float_imm(
                t, std::vector<double>{0, -0.0, 1, -1, 2, 0.5, 3, INFINITY, NAN}[size_t(below(9))]);
        return imm(
            t, std::vector<int64_t>{0, 1, -1, 2, 3, 4, 7, 8, 16, -8, 5, 100}[size_t(below(12))]);
    }
    Expr of(Type t, int depth) {
        if (depth == 0 || below(8) == 0) return leaf(t);
        auto sub = [&] { return of(t, depth - 1); };
        if (t.is_bool()) {
            switch (below(6)) {
                case 0:  return sub() && sub();
                case 1:  return sub() || sub();
                case 2:  return !sub();
                case 3:  return select(sub(), sub(), sub());
                default: return comparison(depth);
            }
        }
        switch (below(t.is_integer() ? 16 : 11)) {
            case 0:
            case 1: return sub() + sub();
            case 2: return sub() - sub();
            case 3: return t.is_index() ? sub() * leaf_constant(t) : sub() * sub();
            case 4: return sub() / (t.is_index() ? leaf_constant(t) : sub());
            case 5:
                return t.is_float() ? -sub() : sub() % (t.is_index() ? leaf_constant(t) : sub());
            case 6: return min(sub(), sub());
            case 7: return max(sub(), sub());
            case 8: return select(of(Bool, depth - 1), sub(), sub());
            case 9: return -sub();
            case 10:
                return t.is_index()   ? sub() * sub()
                       : t.is_float() ? fma(sub(), sub(), sub())
                                      : other(t, depth);
            case 11: return sub() & sub();
            case 12: return sub() | sub();
            case 13: return sub() ^ sub();
            case 14: return sub() << sub();
            default: return sub() >> sub();
        }
    }
    Expr leaf_constant(Type t) {
        return imm(t, std::vector<int64_t>{1, 2, 3, 4, 8, 7, -1, -2, 0, 32}[size_t(below(10))]);
    }
    Expr other(Type t, int depth) {
        Type from = data_types[below(int(std::size(data_types)))];
        return from == t ? leaf(t) : cast(t, of(from, depth - 1));
    }
    Expr comparison(int depth) {
        Type t = type;
        Expr a = of(t, depth - 1), b = of(t, depth - 1);
        switch (below(4)) {
            case 0:  return a < b;
            case 1:  return a <= b;
            case 2:  return a == b;
            default: return a != b;
        }
    }
    Type type = IndexType;  // of comparisons
    static constexpr Type data_types[] = {i8, i16, i32, u8, u16, u32, i64, u64, f32, f16, f64};

private:
    std::mt19937_64 engine_;
};

Env environment(Random& r, const Expr& e) {
    Env env;
    visit(e, [&](const Var& v, auto&) {
        Type t = handle(v).type();
        if (t.is_index())
            env[v.name] = Value::integer(t, r.below(5) ? r.below(41) - 20 : r.below(2001) - 1000);
        else if (t.is_float())
            env[v.name] = r.below(3) ? Value::real(t, (r.below(17) - 8) / 2.0)
                                     : of_bits(t, r.bits() & (~uint64_t(0) >> (64 - t.bits)));
        else env[v.name] = Value::integer(t, r.below(2) ? r.below(9) - 4 : int64_t(r.bits()));
    });
    return env;
}

std::string shown(const Env& env) {
    std::string s;
    for (auto& [name, v] : env) s += name.hint() + " = " + to_string(v) + "  ";
    return s;
}

}  // namespace

TEST_CASE("simplify keeps the value of random index expressions") {  // H21, H31
    Random r(1);
    for (int n = 0; n < 6000; ++n) {
        Expr e = r.of(r.below(4) ? IndexType : Bool, 1 + n % 5), s = simplify(e);
        for (int k = 0; k < 12; ++k) {
            Env env = environment(r, e);
            if (same(eval(e, env), eval(s, env))) continue;
            INFO(to_string(e) << "\n" << to_string(s) << "\n" << shown(env));
            CHECK(to_string(eval(s, env)) == to_string(eval(e, env)));
            break;
        }
    }
}

TEST_CASE("simplify keeps every bit of random data expressions") {
    Random r(2);
    for (int n = 0; n < 6000; ++n) {
        Type t = Random::data_types[r.below(int(std::size(Random::data_types)))];
        r.type = t;
        Expr e = r.of(r.below(4) ? t : Bool, 1 + n % 5), s = simplify(e);
        for (int k = 0; k < 12; ++k) {
            Env env = environment(r, e);
            if (same(eval(e, env), eval(s, env))) continue;
            INFO(to_string(e) << "\n" << to_string(s) << "\n" << shown(env));
            CHECK(to_string(eval(s, env)) == to_string(eval(e, env)));
            break;
        }
    }
}

TEST_CASE("simplified expressions are not simplified further, and no search gives up") {  // H75
    Random r(3);
    int again = 0;
    for (int n = 0; n < 6000; ++n) {
        Type t =
            n % 2 ? IndexType : Random::data_types[r.below(int(std::size(Random::data_types)))];
        r.type = t;
        SimplifyWork work;
        Expr from = r.of(t, 1 + n % 6), e = simplify(from, {}, {.work = &work});
        INFO(to_string(from));
        CHECK_FALSE(work.gave_up);
        again += !equal(simplify(e), e);
    }
    CHECK(again < 60);
}

TEST_CASE("under facts, simplify keeps values, and what is proved is true") {
    Random r(4);
    int proofs = 0;
    for (int n = 0; n < 6000; ++n) {
        Expr x = var(Symbol::named("x")), y = var(Symbol::named("y")), z = var(Symbol::named("z"));
        int lo = r.below(9) - 4, width = r.below(12), k = 1 + r.below(9);
        Facts facts;
        facts.bound(Symbol::named("x"), index_imm(lo), index_imm(lo + width));
        facts.bound(Symbol::named("y"), x - k, x + r.below(4));
        if (n % 3 == 0) facts.assume(z % k == 0);
        if (n % 3 == 1) facts.assume(z <= min(y, x + 1) && z >= 0);
        Expr e = r.of(r.below(2) ? IndexType : Bool, 1 + n % 5), s = simplify(e, facts);
        Expr c = e.type().is_bool() ? e : e <= r.of(IndexType, 1);
        bool proved = prove(c, facts);
        proofs += proved;
        auto low = e.type().is_index() ? lower_bound(e, facts) : std::nullopt,
             high = e.type().is_index() ? upper_bound(e, facts) : std::nullopt;
        Modulus m = e.type().is_index() ? modulus_of(e, facts) : Modulus{};
        for (int j = 0; j < 40; ++j) {
            int64_t vx = lo + r.below(width + 1), vy = vx - k + r.below(k + 1),
                    vz = r.below(40) - 10;
            if (n % 3 == 0) vz = vz * k;
            if (n % 3 == 1 && (vz > std::min(vy, vx + 1) || vz < 0)) continue;
            Env env = {{Symbol::named("x"), Value::integer(IndexType, vx)},
                       {Symbol::named("y"), Value::integer(IndexType, vy)},
                       {Symbol::named("z"), Value::integer(IndexType, vz)},
                       {Symbol::named("p"), Value::boolean(r.below(2))},
                       {Symbol::named("q"), Value::boolean(r.below(2))}};
            INFO(to_string(e) << "\n"
                              << to_string(s) << "\n"
                              << to_string(c) << "\n"
                              << shown(env));
            int64_t v = eval(e, env).i;
            bool holds =
                same(eval(e, env), eval(s, env)) && (!proved || eval(c, env).is_true()) &&
                (!low || *low <= v) && (!high || v <= *high) &&
                (m.modulus == 0 ? m.remainder == v
                                : ((v - m.remainder) % m.modulus) == 0 || !e.type().is_index());
            CHECK(holds);
            if (!holds) break;
        }
    }
    CHECK(proofs > 500);
}

TEST_CASE("an interval contains every value of a random expression") {
    Random r(5);
    int bounded = 0;
    for (int n = 0; n < 6000; ++n) {
        Symbol xs = Symbol::named("x"), ys = Symbol::named("y");
        Expr x = var(xs), z = var(Symbol::named("z"));
        int a = r.below(9) - 4, w = r.below(9), k = r.below(9), d = r.below(5);
        Bounds scope = {{xs, {z + a, z + (a + w)}}, {ys, {x - k, n % 2 ? x + d : max(x, z) + d}}};
        Expr e = r.of(IndexType, 1 + n % 5);
        Interval i = interval_of(e, scope);
        bounded += i.is_bounded();
        for (int j = 0; j < 30; ++j) {
            int64_t vz = r.below(61) - 30, vx = vz + a + r.below(w + 1),
                    top = n % 2 ? vx + d : std::max(vx, vz) + d,
                    vy = vx - k + r.below(int(top - vx) + k + 1);
            Env env = {{xs, Value::integer(IndexType, vx)},
                       {ys, Value::integer(IndexType, vy)},
                       {Symbol::named("z"), Value::integer(IndexType, vz)},
                       {Symbol::named("p"), Value::boolean(r.below(2))},
                       {Symbol::named("q"), Value::boolean(r.below(2))}};
            int64_t v = eval(e, env).i;
            bool inside = (!i.lo.defined() || eval(i.lo, env).i <= v) &&
                          (!i.hi.defined() || v <= eval(i.hi, env).i);
            INFO(to_string(e) << " in " << (i.lo.defined() ? to_string(i.lo) : "-") << " .. "
                              << (i.hi.defined() ? to_string(i.hi) : "-") << "\n"
                              << shown(env));
            CHECK(inside);
            if (!inside) break;
        }
    }
    CHECK(bounded > 3000);
}
