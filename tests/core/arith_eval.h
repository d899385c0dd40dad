// arith_eval.h - plain evaluation of expressions of variables, the judge of the tests of arith.
#pragma once
#include <unordered_map>

#include "ir/value.h"
#include "ir/walk.h"

namespace arith_eval {

using Env = std::unordered_map<burin::Symbol, burin::Value>;

// The value of one lane.
inline burin::Value eval(const burin::Expr& e, const Env& env, int lane = 0) {
    using namespace burin;
    if (auto* v = e.as<Var>()) return env.at(v->name);
    if (auto* b = e.as<Broadcast>()) return eval(b->value, env, lane % b->value.type().lanes);
    if (auto* r = e.as<Ramp>()) {
        int m = r->base.type().lanes;
        Value base = eval(r->base, env, lane % m), stride = eval(r->stride, env, lane % m);
        Value at = Value::integer(base.type, lane / m);
        return eval_op<Add>(base, eval_op<Mul>(at, stride));
    }
    struct Children {
        const Env& env;
        int lane;
        std::vector<Value> values;
    } c{env, lane, {}};
    visit_children(e.node(),
                   {&c,
                    [](void* p, const Expr& x) {
                        auto& c = *static_cast<Children*>(p);
                        c.values.push_back(eval(x, c.env, x.type().is_scalar() ? 0 : c.lane));
                    },
                    [](void*, const Stmt&) {}});
    return eval_node(e.node(), c.values);
}

}  // namespace arith_eval
