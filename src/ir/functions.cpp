#include "ir/functions.h"

#include "ir/angles.h"
#include "ir/calls.h"
#include "ir/powers.h"

namespace burin {
namespace {

template <class X>
X apply_function(Fn fn, const X& x, const X& y) {
    switch (fn) {
        case Fn::Exp:     return functions::exp(x);
        case Fn::Log:     return functions::log(x);
        case Fn::Sin:     return functions::sin(x);
        case Fn::Cos:     return functions::cos(x);
        case Fn::Tanh:    return functions::tanh(x);
        case Fn::Erf:     return functions::erf(x);
        case Fn::Pow:     return functions::pow(x, y);
        case Fn::Rsqrt:   return functions::rsqrt(x);
        case Fn::Sigmoid: return functions::sigmoid(x);
        case Fn::Gelu:    return functions::gelu(x);
        default:          break;
    }
    throw Error(ErrorKind::Internal, "no-such-function",
                std::string(name(fn)) + " has no definition here");
}

}  // namespace

double eval_function(Fn fn, double x, double y) {
    return apply_function(fn, Plain<double>(x), Plain<double>(y)).v;
}
float eval_function(Fn fn, float x, float y) {
    return apply_function(fn, Plain<float>(x), Plain<float>(y)).v;
}

Expr expand_function(Fn fn, const std::vector<Expr>& args) {
    const Expr &x = args[0], &y = args.back();
    Type t = x.type();
    if (t.bits == 64) return apply_function(fn, Term<double>(x), Term<double>(y)).e;
    if (t.bits == 32) return apply_function(fn, Term<float>(x), Term<float>(y)).e;
    auto widen = [&](const Expr& e) { return Term<float>(make(Cast{e}, f32.with_lanes(t.lanes))); };
    return make(Cast{apply_function(fn, widen(x), widen(y)).e}, t);
}

}  // namespace burin
