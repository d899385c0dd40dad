#include <doctest/doctest.h>
#include <z3++.h>

#include <random>

#include "arith/fold.h"
#include "arith/rules.h"
#include "core/arith_eval.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/print.h"

using namespace burin;
using arith_eval::Env;
using arith_eval::eval;

namespace {

constexpr Type every_type[] = {Bool, i8,  i16, i32,  i64, u8,  u16,
                               u32,  u64, f16, bf16, f32, f64, IndexType};

std::vector<const Var*> variables(const TypedRule& r, std::vector<Type>& types) {
    std::vector<const Var*> out;
    auto add = [&](const Var& v, auto&) {
        for (auto* o : out)
            if (o->name == v.name) return;
        out.push_back(&v);
        types.push_back(handle(v).type());
    };
    for (auto& e : {r.from, r.to, r.when}) visit(e, add);
    return out;
}

std::vector<Value> edge_values(Type t) {
    std::vector<Value> out;
    if (t.is_bool()) return {Value::boolean(false), Value::boolean(true)};
    if (t.is_float()) {
        int digits = t.bits == 64 ? 52 : t.bits == 32 ? 23 : t.code == Type::BFloat ? 7 : 10;
        double eps = std::ldexp(1, -digits), big = t.bits == 64 ? 1.7e308
                                                   : t.bits == 32 || t.code == Type::BFloat ? 3e38
                                                                                            : 65504;
        double tiny = t.bits == 64             ? 0x1p-1074
                      : t.bits == 32           ? 0x1p-149
                      : t.code == Type::BFloat ? 0x1p-133
                                               : 0x1p-24;
        for (double v : {0.0, tiny, 3 * tiny, tiny / eps, 1 / 3., 0.5, 1 - eps / 2, 1.0, 1 + eps,
                         1.5, 2.0, 3.0, 10.0, 1 / eps, 2 / eps + 2, big / 2, big, double(INFINITY)})
            for (double s : {v, -v}) out.push_back(Value::real(t, s));
        out.push_back(Value::real(t, NAN));
        return out;
    }
    for (int64_t v : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 64, 127})
        for (int64_t s : {v, -v}) out.push_back(Value::integer(t, s));
    if (t.is_index()) return out;
    int64_t lowest = INT64_MIN >> (64 - t.bits);
    for (int64_t s : {lowest, ~lowest, (int64_t(1) << (t.bits / 2)) + 1})
        out.push_back(Value::integer(t, s));
    return out;
}

// Calls f with an environment for every choice of values, or for `most` random ones where there are more.
template <class F>
void for_choices(const std::vector<const Var*>& vars, const std::vector<std::vector<Value>>& values,
                 size_t most, F f) {
    std::mt19937_64 random(7);
    size_t total = 1;
    for (auto& v : values) total = std::min(total * v.size(), size_t(1) << 40);
    bool all = total <= most;
    for (size_t n = 0; n < (all ? total : most); ++n) {
        Env env;
        size_t rest = n;
        for (size_t k = 0; k < vars.size(); ++k) {
            size_t at = all ? rest % values[k].size() : random() % values[k].size();
            rest /= values[k].size();
            env[vars[k]->name] = values[k][at];
        }
        f(env);
    }
}

std::string shown(const TypedRule& r) {
    return std::string(r.rule->from) + " -> " + r.rule->to + " in " + to_string(r.from.type()) +
           (*r.rule->when ? " when " : "") + r.rule->when;
}

// Translation to Z3: Index as integers, wrapping integers as 8-bit vectors. Throws z3::exception for what it
// cannot say.
class Prover8 {
public:
    explicit Prover8(z3::context& c) : c_(c) {}
    z3::expr of(const Expr& e) {
        Type t = e.type();
        if (auto* v = e.as<Var>()) {
            std::string n = v->name.hint();
            return t.is_bool()    ? c_.bool_const(n.c_str())
                   : t.is_index() ? c_.int_const(n.c_str())
                                  : c_.bv_const(n.c_str(), 8);
        }
        if (auto* i = e.as<IntImm>())
            return t.is_bool() ? c_.bool_val(i->value != 0) : number(t, i->value);
        if (auto* s = e.as<Select>()) return z3::ite(of(s->cond), of(s->yes), of(s->no));
        if (auto* n = e.as<Neg>()) return -of(n->a);
        if (auto* n = e.as<Not>()) return t.is_bool() ? !of(n->a) : ~of(n->a);
        if (auto* call = e.as<Call>()) {
            z3::expr a = of(call->args[0]);
            if (call->fn == Fn::Likely) return a;
            if (call->fn == Fn::Abs) return z3::ite(a < 0, -a, a);
            throw z3::exception("no such function");
        }
        return dispatch(e, [&]<class T>(const T& op) -> z3::expr {
            if constexpr (requires {
                              op.a;
                              op.b;
                          })
                return binary<T>(op.a.type(), of(op.a), of(op.b));
            else throw z3::exception("no such node");
        });
    }

private:
    z3::expr number(Type t, int64_t v) { return t.is_index() ? c_.int_val(v) : c_.bv_val(v, 8); }
    template <class T>
    z3::expr binary(Type t, const z3::expr& a, const z3::expr& b) {
        bool index = t.is_index(), is_signed = t.is_signed();
        auto below = [&](const z3::expr& x, const z3::expr& y) {
            return index || is_signed ? x < y : z3::ult(x, y);
        };
        if constexpr (std::is_same_v<T, Add>) return a + b;
        else if constexpr (std::is_same_v<T, Sub>) return a - b;
        else if constexpr (std::is_same_v<T, Mul>) return a * b;
        else if constexpr (std::is_same_v<T, Eq>) return a == b;
        else if constexpr (std::is_same_v<T, Ne>) return a != b;
        else if constexpr (std::is_same_v<T, Lt>) return below(a, b);
        else if constexpr (std::is_same_v<T, Le>) return !below(b, a);
        else if constexpr (std::is_same_v<T, Min>) return z3::ite(below(a, b), a, b);
        else if constexpr (std::is_same_v<T, Max>) return z3::ite(below(a, b), b, a);
        else if constexpr (std::is_same_v<T, And>) return t.is_bool() ? a && b : a & b;
        else if constexpr (std::is_same_v<T, Or>) return t.is_bool() ? a || b : a | b;
        else if constexpr (std::is_same_v<T, Xor>) return t.is_bool() ? a != b : a ^ b;
        else if constexpr (std::is_same_v<T, Shl>) return z3::shl(a, b);
        else if constexpr (std::is_same_v<T, Shr>)
            return is_signed ? z3::ashr(a, b) : z3::lshr(a, b);
        else if constexpr (std::is_same_v<T, Div>)
            return z3::ite(b == number(t, 0), number(t, 0), quotient(t, a, b));
        else if constexpr (std::is_same_v<T, Mod>)
            return z3::ite(b == number(t, 0), number(t, 0), remainder(t, a, b));
        else throw z3::exception("no such operator");
    }
    z3::expr quotient(Type t, const z3::expr& a, const z3::expr& b) {
        if (t.is_index()) return z3::ite(b > 0, a / b, (-a) / (-b));
        if (!t.is_signed()) return z3::udiv(a, b);
        z3::expr q = a / b, r = z3::srem(a, b);
        return z3::ite(r != 0 && (r < 0) != (b < 0), q - 1, q);
    }
    z3::expr remainder(Type t, const z3::expr& a, const z3::expr& b) {
        if (t.is_index()) return a - b * quotient(t, a, b);
        return t.is_signed() ? z3::smod(a, b) : z3::urem(a, b);
    }
    z3::context& c_;
};

enum class Answer { Proved, Refuted, None };
Answer ask_z3(const TypedRule& r) {
    try {
        z3::context context;
        z3::solver solver(context);
        z3::params params(context);
        params.set("timeout", 1000u);
        solver.set(params);
        Prover8 to(context);
        if (r.when.defined()) solver.add(to.of(r.when));
        solver.add(to.of(r.from) != to.of(r.to));
        auto result = solver.check();
        return result == z3::unsat ? Answer::Proved
               : result == z3::sat ? Answer::Refuted
                                   : Answer::None;
    } catch (z3::exception&) {
        return Answer::None;
    }
}

}  // namespace

TEST_CASE("every rule keeps the value, on edge and random values of every type it holds for") {
    for (Type t : every_type)
        for (auto& r : rules_for(t)) {
            INFO(shown(r));
            std::vector<Type> types;
            auto vars = variables(r, types);
            std::vector<std::vector<Value>> values;
            std::mt19937_64 random(3);
            for (Type vt : types) {
                auto v = edge_values(vt);
                for (int k = 0; k < 20 && !vt.is_bool() && !vt.is_index(); ++k)
                    v.push_back(of_bits(vt, random() & (~uint64_t(0) >> (64 - vt.bits))));
                values.push_back(std::move(v));
            }
            int64_t differences = 0, seen = 0;
            for_choices(vars, values, 4000, [&](const Env& env) {
                if (r.when.defined() && !eval(r.when, env).is_true()) return;
                ++seen;
                bool equal = same(eval(r.from, env), eval(r.to, env));
                if (!equal && r.rule->labels == 0 && differences == 0) {
                    std::string at;
                    for (auto* v : vars)
                        at += v->name.hint() + " = " + to_string(env.at(v->name)) + "  ";
                    INFO(at);
                    CHECK(to_string(eval(r.from, env)) == to_string(eval(r.to, env)));
                }
                differences += !equal;
            });
            CHECK(seen > 0);
            if (r.rule->labels) CHECK(differences > 0);  // else it needs no label
            else CHECK(differences == 0);
        }
}

TEST_CASE("every integer and bool rule is proved, or checked at all 8-bit values") {
    int proved = 0, enumerated = 0;
    for (Type t : {Bool, i8, u8, IndexType})
        for (auto& r : rules_for(t)) {
            INFO(shown(r));
            Answer a = ask_z3(r);
            CHECK(a != Answer::Refuted);
            if (a == Answer::Proved) {
                ++proved;
                continue;
            }
            ++enumerated;
            std::vector<Type> types;
            auto vars = variables(r, types);
            std::vector<std::vector<Value>> values(types.size());
            int reach = t.is_index() || vars.size() > 2 ? 12 : 128;
            for (size_t k = 0; k < types.size(); ++k)
                for (int v = -reach; v < reach; ++v)
                    values[k].push_back(Value::integer(types[k], types[k].is_bool() ? v & 1 : v));
            for_choices(vars, values, 1 << 17, [&](const Env& env) {
                if (r.when.defined() && !eval(r.when, env).is_true()) return;
                if (!same(eval(r.from, env), eval(r.to, env)))
                    CHECK(to_string(eval(r.from, env)) == to_string(eval(r.to, env)));
            });
        }
    CHECK(proved > 8 * enumerated);
    MESSAGE(proved << " proved, " << enumerated << " enumerated");
}

TEST_CASE("unlabelled float rules hold at every choice from the special values of f16") {
    for (auto& r : rules_for(f16)) {
        if (r.rule->labels) continue;
        INFO(shown(r));
        std::vector<Type> types;
        auto vars = variables(r, types);
        std::vector<std::vector<Value>> values;
        for (Type t : types) values.push_back(edge_values(t));
        for_choices(vars, values, 1 << 18, [&](const Env& env) {
            if (r.when.defined() && !eval(r.when, env).is_true()) return;
            if (!same(eval(r.from, env), eval(r.to, env)))
                CHECK(to_string(eval(r.from, env)) == to_string(eval(r.to, env)));
        });
    }
}

TEST_CASE("a cast of a cast becomes one only where no edge value shows it") {
    int folded = 0;
    for (Type from : every_type)
        for (Type between : every_type)
            for (Type to : every_type) {
                if ((to.is_index() && between.is_float()) ||
                    (between.is_index() && from.is_float()))
                    continue;
                Symbol x = Symbol::named("x");
                Expr e = make(Cast{make(Cast{var(x, from)}, between)}, to), f = fold_cast(e);
                if (!f.defined()) continue;
                ++folded;
                for (const Value& v : edge_values(from)) {
                    Env env{{x, v}};
                    if (!same(eval(e, env), eval(f, env))) {
                        CAPTURE(to_string(v));
                        CHECK_MESSAGE(false, to_string(e));
                    }
                }
            }
    CHECK(folded > 500);
}
