// Replaces a vectorised loop by its body on vectors, one lane per iteration.
//
// before:
//   buffer g: i32
//   vectorized for x in 0 .. 8 { if x < n { f[i + x] = g[x] * 2 } }
// after:
//   f[ramp(i, 1, 8)] = g[ramp(0, 1, 8) if ramp(0, 1, 8) < n] * 2 if ramp(0, 1, 8) < n
//
// Correct because the iterations are independent (replay refuses others): a lane where a condition fails neither loads
// nor stores, and lanes never mix.
#include <fmt/format.h>

#include <algorithm>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Vectorizer {
public:
    Vectorizer(Symbol loop, const Expr& min, int lanes) : lanes_(lanes) {
        lane_of_[loop] = make(Ramp{min, index_imm(1), lanes}, IndexType.with_lanes(lanes));
    }

    Stmt operator()(const Stmt& s) {
        Stmt out;
        uint32_t origin = s.node()->origin;
        if (auto* op = s.as<Let>()) {
            Expr value = (*this)(op->value);
            if (value.type() == op->value.type())
                return make(Let{op->name, value, (*this)(op->body)}, {}, origin);
            Symbol wide = Symbol::fresh(op->name.hint());
            lane_of_[op->name] = var(wide, value.type());
            return make(Let{wide, value, (*this)(op->body)}, {}, origin);
        }
        if (auto* op = s.as<For>()) {
            Expr min = (*this)(op->min), extent = (*this)(op->extent);
            if (min.type().lanes > 1 || extent.type().lanes > 1 || op->kind == LoopKind::Vectorized)
                throw Error(ErrorKind::Schedule, "vectorize-outer",
                            fmt::format("the loop {} inside a vectorized loop {}", op->name.hint(),
                                        op->kind == LoopKind::Vectorized ? "is vectorized too"
                                                                         : "depends on its lane"))
                    .help("vectorize the innermost loop");
            return make(For{op->name, min, extent, op->kind, (*this)(op->body)}, {}, origin);
        }
        if (auto* op = s.as<If>()) {
            Expr cond = (*this)(op->cond);
            if (cond.type().lanes == 1)
                return make(If{cond, (*this)(op->yes), op->no.defined() ? (*this)(op->no) : op->no},
                            {}, origin);
            Stmt yes = under(cond, op->yes);
            return op->no.defined() ? block({yes, under(!strip(cond), op->no)}) : yes;
        }
        if (auto* op = s.as<Block>()) {
            std::vector<Stmt> stmts;
            for (auto& b : op->stmts) stmts.push_back((*this)(b));
            return block(std::move(stmts));
        }
        if (auto* op = s.as<Produce>())
            return make(Produce{op->func, (*this)(op->body)}, {}, origin);
        if (auto* op = s.as<Store>()) return store(*op, origin);
        if (auto* op = s.as<Count>()) {
            Expr n = broadcast((*this)(op->amount), lanes_);
            if (mask_.defined())
                n = make(Select{broadcast(mask_, lanes_), n, imm(n.type(), 0)}, n.type());
            return make(Count{op->counter, n}, {}, origin);
        }
        throw Error(ErrorKind::Schedule, "storage-in-vector", "storage inside a vectorized loop")
            .help("place it at a loop outside the vectorized one");
    }

    Expr operator()(const Expr& e) {
        if (!e.defined()) return e;
        return rewrite(
            e,
            [this](const Var& op, auto&) -> Expr {
                auto it = lane_of_.find(op.name);
                return it == lane_of_.end() ? handle(op) : it->second;
            },
            [this](const Load& op, auto& self) { return load(op, self); },
            [this](const Ramp& op, auto& self) -> Expr { return already_wide(op, self); },
            [this](const Shuffle& op, auto& self) -> Expr { return already_wide(op, self); },
            [this](const Combine& op, auto& self) -> Expr { return already_wide(op, self); },
            [this](const Call& op, auto& self) -> Expr {
                std::vector<Expr> v = self(op.args);
                Type t = widened(v, handle(op).type());
                return equal_handles(v, op.args) ? handle(op) : make(Call{op.fn, v}, t);
            },
            [this]<class T>(const T& op, auto& self) -> Expr
                requires(std::is_same_v<decltype(T::a), Expr> && requires { op.b; })
                        {
                            std::vector<Expr> old{op.a, op.b}, v = self(old);
                            if (Expr r = ramp_of<T>(v[0], v[1]); r.defined()) return r;
                            Type t = widened(v, handle(op).type());
                            return equal_handles(v, old) ? handle(op) : make(T{v[0], v[1]}, t);
                        },
                        [this]<class T>(const T& op, auto& self) -> Expr
                            requires(std::is_same_v<T, Cast> || std::is_same_v<T, Neg> ||
                                     std::is_same_v<T, Not>)
            {
                Expr old = std::get<0>(fields(op)), v = self(old);
                return v.same_as(old) ? handle(op)
                                      : make(T{v}, handle(op).type().with_lanes(v.type().lanes));
            },
            [this](const Select& op, auto& self) -> Expr {
                std::vector<Expr> old{op.cond, op.yes, op.no}, v = self(old);
                Type t = widened(v, handle(op).type());
                return equal_handles(v, old) ? handle(op) : make(Select{v[0], v[1], v[2]}, t);
            });
    }

private:
    // If any is a vector, all become one; the type of the result, which was t.
    Type widened(std::vector<Expr>& v, Type t) {
        bool wide = std::any_of(v.begin(), v.end(), [](auto& e) { return e.type().lanes > 1; });
        for (auto& e : v)
            if (wide) e = broadcast(e, lanes_);
        return wide ? t.with_lanes(lanes_) : t;
    }
    static bool equal_handles(const std::vector<Expr>& a, const std::vector<Expr>& b) {
        return std::equal(a.begin(), a.end(), b.begin(),
                          [](auto& x, auto& y) { return x.same_as(y); });
    }

    // Sums and multiples of coordinates stay ramps, whose loads and stores are dense.
    template <class T>
    Expr ramp_of(const Expr& a, const Expr& b) {
        auto *r = a.as<Ramp>(), *q = b.as<Ramp>();
        bool a_scalar = a.type().lanes == 1, b_scalar = b.type().lanes == 1;
        if (!a.type().is_index() || (a_scalar && b_scalar) || (r && r->base.type().lanes > 1) ||
            (q && q->base.type().lanes > 1))
            return {};
        auto ramp = [&](const Expr& base, const Expr& stride) {
            return make(Ramp{base, stride, lanes_}, a.type().with_lanes(lanes_));
        };
        if constexpr (std::is_same_v<T, Add>) {
            if (r && q) return ramp(r->base + q->base, simplify(r->stride + q->stride));
            if (r && b_scalar) return ramp(r->base + b, r->stride);
            if (q && a_scalar) return ramp(a + q->base, q->stride);
        } else if constexpr (std::is_same_v<T, Sub>) {
            if (r && q) return ramp(r->base - q->base, simplify(r->stride - q->stride));
            if (r && b_scalar) return ramp(r->base - b, r->stride);
            if (q && a_scalar) return ramp(a - q->base, simplify(-q->stride));
        } else if constexpr (std::is_same_v<T, Mul>) {
            if (r && b_scalar) return ramp(r->base * b, simplify(r->stride * b));
            if (q && a_scalar) return ramp(a * q->base, simplify(a * q->stride));
        }
        return {};
    }
    template <class T, class Walker>
    Expr already_wide(const T& op, Walker& self) {
        Expr e = self.descend(op);
        if (!e.same_as(handle(op)))
            throw Error(ErrorKind::Internal, "vectorize",
                        "a vector inside a vectorized loop depends on it");
        return e;
    }

    static Expr strip(const Expr& cond) {
        auto* c = cond.as<Call>();
        return c && is_hint(c->fn) ? c->args[0] : cond;
    }
    Stmt under(const Expr& cond, const Stmt& s) {
        Expr saved = mask_;
        mask_ = mask_.defined() ? broadcast(mask_, lanes_) && cond : cond;
        Stmt out = (*this)(s);
        mask_ = saved;
        return out;
    }
    Expr masked(const Expr& own) {
        if (!mask_.defined()) return own;
        return own.defined() ? broadcast(mask_, lanes_) && broadcast(own, lanes_) : mask_;
    }

    template <class Walker>
    Expr load(const Load& op, Walker& self) {
        Expr index = self(op.index),
             predicate = masked(op.predicate.defined() ? self(op.predicate) : op.predicate);
        Type t = handle(op).type();
        if (index.type().lanes == 1) {  // one load for all lanes, if any of them wants it
            if (predicate.defined() && predicate.type().lanes > 1)
                predicate = make(Combine{ReduceOp::Or, strip(predicate)}, Bool);
            return make(Load{op.buffer, index, predicate}, t);
        }
        if (predicate.defined()) predicate = broadcast(predicate, lanes_);
        return make(Load{op.buffer, index, predicate}, t.with_lanes(lanes_));
    }

    Stmt store(const Store& op, uint32_t origin) {
        Expr index = (*this)(op.index), value = (*this)(op.value),
             predicate = masked((*this)(op.predicate));
        bool wide = index.type().lanes > 1 || value.type().lanes > 1 ||
                    (predicate.defined() && predicate.type().lanes > 1);
        if (!wide) return make(Store{op.buffer, index, value, predicate, op.streamed}, {}, origin);
        bool masked = predicate.defined() && predicate.type().lanes > 1;
        if (index.type().lanes == 1 && !masked)
            throw Error(ErrorKind::Internal, "vectorize",
                        fmt::format("all lanes write one element of {}", op.buffer.hint()));
        if (predicate.defined()) predicate = broadcast(predicate, lanes_);
        return make(Store{op.buffer, broadcast(index, lanes_), broadcast(value, lanes_), predicate,
                          op.streamed},
                    {}, origin);
    }

    int lanes_;
    std::unordered_map<Symbol, Expr> lane_of_;
    Expr mask_;  // bool, maybe a vector: lanes that take part
};

}  // namespace

State vectorize_loops(State s) {
    s.stmt = rewrite(s.stmt, [](const For& op, auto& self) -> Stmt {
        if (op.kind != LoopKind::Vectorized) return self.descend(op);
        auto lanes = const_int(simplify(op.extent));
        if (!lanes || *lanes > 1024)
            throw Error(
                ErrorKind::Schedule, "vectorize-extent",
                fmt::format(
                    "the loop {} cannot be vectorized: its extent {} is not a constant up to 1024",
                    op.name.hint(), to_string(op.extent, IndexType)))
                .help(fmt::format("vectorize({}, 16) splits it first", op.name.hint()));
        if (*lanes == 1) return substitute(self(op.body), op.name, op.min);
        return Vectorizer(op.name, op.min, int(*lanes))(op.body);
    });
    return s;
}

}  // namespace burin
