// Turns coordinates into offsets: Funcs become allocations, reads and definitions become loads and stores.
//
// before:
//   pipeline p(n: size, a: i32[_, _]) -> g[n, n]
//   f(y, x) = a(y, x) * 2
//   g(y, x) = f(y, x + 1)
//   schedule 1 for p
//   stage f
//     compute_at(g, y)
// after:
//   produce g {
//     for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
//       allocate f: i32[1, extent(g, 1)] in Heap {
//         produce f_1 {
//           for f.x in origin(g, 1) + 1 .. origin(g, 1) + 1 + extent(g, 1) {
//             f[f.x - origin(g, 1) - 1] = a[(g.y - origin(a, 0)) * stride(a, 0) + f.x - origin(a, 1)] * 2 } }
//         for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
//           g[(g.y - origin(g, 0)) * stride(g, 0) + g.x - origin(g, 1)] = f[g.x - origin(g, 1)] }
//       }
//     }
//   }
//
// Correct because within its region every point has an offset of its own: dense row-major, or as transform_layout says.
#include <fmt/format.h>

#include "arith/linear.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "legal/storage.h"
#include "lower/passes.h"

namespace burin {
namespace {

constexpr int64_t largest_automatic_stack = 32 << 10;  // bytes

struct Storage {
    std::vector<Symbol> buffers;  // one per tuple element
    std::vector<Expr> mins, strides;
    bool own = false;  // an allocation, no buffer of the call
    const Layout* layout = nullptr;
};

class Flattener {
public:
    explicit Flattener(State& s) : s_(s) {
        for (auto& b : s.buffers) {
            Symbol name = b.output >= 0 ? s.algorithm().outputs[b.output].func : b.buffer;
            Storage& st = params_[{name, b.element}];
            st.buffers.assign(b.element + 1, b.buffer);
            for (int d = 0; d < b.rank; ++d) {
                st.mins.push_back(make(Meta{b.buffer, MetaKind::Min, d}, IndexType));
                bool dense = s.narrow && d == b.rank - 1;
                st.strides.push_back(dense ? index_imm(1)
                                           : make(Meta{b.buffer, MetaKind::Stride, d}, IndexType));
            }
        }
    }

    Stmt run(const Stmt& s) {
        return rewrite(
            s, [this](const Realize& op, auto& self) { return realize(op, self, box(op).origin); },
            [this](const Provide& op, auto& self) { return provide(op, self, box(op).origin); },
            [this](const Let& op, auto& self) {
                if (op.value.type() == IndexType) note(op.name, op.value);
                return self.descend(op);
            },
            [](const If& op, auto& self) -> Stmt {
                Stmt s = self.descend(op);
                auto* hint = s.as<If>() ? s.as<If>()->cond.template as<Call>() : nullptr;
                return hint && hint->fn == Fn::Masked ? under(handle(*hint), s.as<If>()->yes) : s;
            },
            [this](const Read& op, auto& self) -> Expr {
                std::vector<Expr> args = self(op.args);
                const Storage& st = storage(op.func, op.element);
                return make(Load{st.buffers[op.element], offset(st, args), self(op.predicate)},
                            handle(op).type());
            });
    }

private:
    const Storage& storage(Symbol func, int element) {
        if (auto it = funcs_.find(func); it != funcs_.end()) return it->second;
        return params_.at({func, element});
    }

    // A coordinate of a loop that runs once is a sum of others, of which little is left where storage begins there.
    void note(Symbol name, const Expr& value) {
        Linear l = linear(value);
        bool is_sum = l.terms.size() != 1 || l.constant != 0, reads = false;
        visit(
            value, [&](const Read&, auto&) { reads = true; },
            [&](const Load&, auto&) { reads = true; });
        if (is_sum && !reads) sums_[name] = substitute(value, sums_);
    }
    Expr from(const Expr& begin, const Expr& at) const {
        Expr named = at - begin, summed = substitute(named, sums_);
        bool is_less =
            !summed.same_as(named) && linear(summed).terms.size() < linear(named).terms.size();
        return is_less ? summed : named;
    }

    Expr offset(const Storage& st, const std::vector<Expr>& args) const {
        std::vector<Expr> at;
        for (size_t d = 0; d < args.size(); ++d)
            at.push_back(st.own ? from(st.mins[d], args[d]) : args[d] - st.mins[d]);
        if (st.layout) at = laid_out(*st.layout, at);
        Expr sum = index_imm(0);
        for (size_t d = 0; d < at.size(); ++d) sum = sum + at[d] * st.strides[d];
        return simplify(sum);
    }
    static std::vector<Expr> laid_out(const Layout& layout, const std::vector<Expr>& at) {
        Substitution by;
        for (size_t d = 0; d < at.size(); ++d) by[layout.from[d]] = at[d];
        std::vector<Expr> to;
        for (auto& e : layout.to) to.push_back(simplify(substitute(e, by)));
        return to;
    }

    // Everything runs, but loads, stores and counts only where the mask holds.
    static Stmt under(const Expr& mask, const Stmt& s) {
        auto both = [&](const Expr& own) { return own.defined() ? mask && own : mask; };
        return rewrite(
            s,
            [&](const Load& op, auto& self) -> Expr {
                Load l = *self.descend(op).template as<Load>();
                l.predicate = both(l.predicate);
                return make(std::move(l), handle(op).type());
            },
            [&](const Store& op, auto& self) -> Stmt {
                Store st = *self.descend(op).template as<Store>();
                st.predicate = both(st.predicate);
                return make(std::move(st), {}, box(op).origin);
            },
            [&](const Count& op, auto& self) -> Stmt {
                Expr amount = self(op.amount);
                return make(Count{op.counter, select(mask, amount, imm(amount.type(), 0))}, {},
                            box(op).origin);
            });
    }

    template <class Walker>
    Stmt provide(const Provide& op, Walker& self, uint32_t origin) {
        std::vector<Expr> args = self(op.args), values = self(op.values);
        std::vector<std::pair<Symbol, Expr>> lets;
        std::vector<Stmt> stores;
        int f = s_.algorithm().func_index(op.func);
        bool streamed = f >= 0 && s_.plan->funcs[f].stream_directive >= 0;
        for (size_t e = 0; e < values.size(); ++e) {
            if (values.size() > 1) {  // all are read before any is written
                lets.push_back(
                    {Symbol::fresh(fmt::format("{}.value{}", op.func.hint(), e)), values[e]});
                values[e] = var(lets.back().first, values[e].type());
            }
            const Storage& st = storage(op.func, int(e));
            stores.push_back(
                make(Store{st.buffers[e], offset(st, args), values[e], {}, streamed}, {}, origin));
        }
        Stmt s = block(std::move(stores));
        for (size_t i = lets.size(); i-- > 0;)
            s = make(Let{lets[i].first, lets[i].second, s}, {}, origin);
        return s;
    }

    template <class Walker>
    Stmt realize(const Realize& op, Walker& self, uint32_t origin) {
        int f = s_.algorithm().func_index(op.func);
        Storage st;
        st.mins = op.mins;
        st.own = true;
        if (f >= 0 && s_.plan->funcs[f].layout) st.layout = &*s_.plan->funcs[f].layout;
        std::vector<Expr> extents;
        for (auto& e : op.extents) extents.push_back(simplify(max(e, index_imm(0))));
        extents = rounded_up(std::move(extents));
        if (st.layout) extents = laid_out_extents(*st.layout, extents);
        // Strides that are not constants or single values get a name.
        std::vector<std::pair<Symbol, Expr>> lets;
        st.strides.assign(extents.size(), index_imm(1));
        for (size_t d = extents.size(); d-- > 1;) {
            Expr stride = simplify(st.strides[d] * extents[d]);
            if (!const_int(stride) && !stride.as<Var>() && !stride.as<Meta>()) {
                lets.push_back(
                    {Symbol::fresh(fmt::format("{}.stride{}", op.func.hint(), d - 1)), stride});
                stride = var(lets.back().first);
            }
            st.strides[d - 1] = stride;
        }
        for (size_t e = 0; e < op.types.size(); ++e)
            st.buffers.push_back(
                Symbol::fresh(e == 0 ? op.func.hint() : fmt::format("{}.{}", op.func.hint(), e)));
        funcs_[op.func] = st;
        Stmt body = self(op.body);
        for (size_t e = op.types.size(); e-- > 0;)
            body = make(Allocate{st.buffers[e], op.types[e], extents,
                                 memory(op, extents, op.types[e]), body},
                        {}, origin);
        for (size_t i = lets.size(); i-- > 0;)
            body = make(Let{lets[i].first, lets[i].second, body}, {}, origin);
        return body;
    }

    // Small storage of constant size goes on the stack unless told otherwise.
    static Memory memory(const Realize& op, const std::vector<Expr>& extents, Type type) {
        auto bytes = constant_bytes(extents, type);
        if (op.memory == Memory::Auto)
            return bytes && *bytes <= largest_automatic_stack ? Memory::Stack : Memory::Heap;
        if (is_automatic(op.memory) && !bytes)
            throw Error(ErrorKind::Internal, "storage-not-constant",
                        op.func.hint() + " was to be of constant size");
        return op.memory;
    }

    State& s_;
    std::map<std::pair<Symbol, int>, Storage> params_;
    std::unordered_map<Symbol, Storage> funcs_;
    Substitution sums_;  // values of lets
};

}  // namespace

State flatten_storage(State s) {
    s.stmt = Flattener(s).run(s.stmt);
    return s;
}

}  // namespace burin
