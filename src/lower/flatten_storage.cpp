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

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "lower/nest.h"
#include "lower/passes.h"

namespace burin {
namespace {

constexpr int64_t largest_automatic_stack = 32 << 10;  // bytes

struct Storage {
    std::vector<Symbol> buffers;  // one per tuple element
    std::vector<Expr> mins, strides;
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
                st.strides.push_back(dense ? index_imm(1) : make(Meta{b.buffer, MetaKind::Stride, d}, IndexType));
            }
        }
    }

    Stmt run(const Stmt& s) {
        return rewrite(s, [this](const Realize& op, auto& self) { return realize(op, self, box(op).origin); },
                       [this](const Provide& op, auto& self) { return provide(op, self, box(op).origin); },
                       [this](const Read& op, auto& self) -> Expr {
                           std::vector<Expr> args = self(op.args);
                           const Storage& st = storage(op.func, op.element);
                           return make(Load{st.buffers[op.element], offset(st, args), self(op.predicate)}, handle(op).type());
                       });
    }

private:
    const Storage& storage(Symbol func, int element) {
        if (auto it = funcs_.find(func); it != funcs_.end()) return it->second;
        return params_.at({func, element});
    }

    static Expr offset(const Storage& st, const std::vector<Expr>& args) {
        std::vector<Expr> at;
        for (size_t d = 0; d < args.size(); ++d) at.push_back(args[d] - st.mins[d]);
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

    template <class Walker>
    Stmt provide(const Provide& op, Walker& self, uint32_t origin) {
        std::vector<Expr> args = self(op.args), values = self(op.values);
        std::vector<std::pair<Symbol, Expr>> lets;
        std::vector<Stmt> stores;
        for (size_t e = 0; e < values.size(); ++e) {
            if (values.size() > 1) {  // all are read before any is written
                lets.push_back({Symbol::fresh(fmt::format("{}.value{}", op.func.hint(), e)), values[e]});
                values[e] = var(lets.back().first, values[e].type());
            }
            const Storage& st = storage(op.func, int(e));
            stores.push_back(make(Store{st.buffers[e], offset(st, args), values[e], {}}, {}, origin));
        }
        Stmt s = block(std::move(stores));
        for (size_t i = lets.size(); i-- > 0;) s = make(Let{lets[i].first, lets[i].second, s}, {}, origin);
        return s;
    }

    template <class Walker>
    Stmt realize(const Realize& op, Walker& self, uint32_t origin) {
        int f = s_.algorithm().func_index(op.func);
        Storage st;
        st.mins = op.mins;
        if (f >= 0 && s_.plan->funcs[f].layout) st.layout = &*s_.plan->funcs[f].layout;
        std::vector<Expr> extents;
        for (auto& e : op.extents) {
            extents.push_back(bounded(simplify(max(e, index_imm(0)))));
        }
        if (st.layout) extents = laid_out_extents(op.func, *st.layout, extents);
        // Strides that are not constants or single values get a name.
        std::vector<std::pair<Symbol, Expr>> lets;
        st.strides.assign(extents.size(), index_imm(1));
        for (size_t d = extents.size(); d-- > 1;) {
            Expr stride = simplify(st.strides[d] * extents[d]);
            if (!const_int(stride) && !stride.as<Var>() && !stride.as<Meta>()) {
                lets.push_back({Symbol::fresh(fmt::format("{}.stride{}", op.func.hint(), d - 1)), stride});
                stride = var(lets.back().first);
            }
            st.strides[d - 1] = stride;
        }
        for (size_t e = 0; e < op.types.size(); ++e)
            st.buffers.push_back(Symbol::fresh(e == 0 ? op.func.hint() : fmt::format("{}.{}", op.func.hint(), e)));
        funcs_[op.func] = st;
        Stmt body = self(op.body);
        for (size_t e = op.types.size(); e-- > 0;)
            body = make(Allocate{st.buffers[e], op.types[e], extents, memory(op, extents, op.types[e]), body}, {}, origin);
        for (size_t i = lets.size(); i-- > 0;) body = make(Let{lets[i].first, lets[i].second, body}, {}, origin);
        return body;
    }

    static Expr bounded(const Expr& n) {  // constant strides are worth a few elements
        auto bound = upper_bound(n);
        return bound ? index_imm(*bound) : n;
    }

    std::vector<Expr> laid_out_extents(Symbol func, const Layout& layout, const std::vector<Expr>& extents) {
        Bounds ranges;
        Substitution fresh;  // the layout's own names may be those of Sizes
        for (size_t d = 0; d < extents.size(); ++d) {
            ranges.push_back({Symbol::fresh(layout.from[d].hint()), {index_imm(0), simplify(extents[d] - 1)}});
            fresh[layout.from[d]] = var(ranges.back().name);
        }
        std::vector<Expr> out;
        for (auto& to : layout.to) {
            Expr e = substitute(to, fresh);
            Interval i = interval_of(e, ranges);
            if (!i.hi.defined())
                throw Error(ErrorKind::Schedule, "layout-unbounded", fmt::format("transform_layout of {}: {} has no bound", func.hint(), to_string(e, IndexType)));
            out.push_back(bounded(simplify(max(i.hi + 1, index_imm(0)))));
        }
        return out;
    }

    // Small storage of constant size goes on the stack unless told otherwise.
    Memory memory(const Realize& op, const std::vector<Expr>& extents, Type type) {
        int64_t bytes = type.bytes();
        bool is_constant = true;
        for (auto& n : extents) {
            auto c = const_int(n);
            is_constant = is_constant && c && !__builtin_mul_overflow(bytes, *c, &bytes);
        }
        if (op.memory == Memory::Auto) return is_constant && bytes <= largest_automatic_stack ? Memory::Stack : Memory::Heap;
        if (op.memory != Memory::Heap && !is_constant)
            throw Error(ErrorKind::Schedule, "storage-not-constant",
                        fmt::format("{} cannot be kept in {}: its size is not a constant there", op.func.hint(), op.memory == Memory::Stack ? "Stack" : "Register"))
                .help("store_in(Heap), or split the consumer's loops by constants and store it inside");
        if (op.memory != Memory::Heap && bytes > 1 << 20)
            throw Error(ErrorKind::Resource, "stack-too-large", fmt::format("{} would take {} bytes of stack; the limit is {}", op.func.hint(), bytes, 1 << 20))
                .help("store_in(Heap)");
        return op.memory;
    }

    State& s_;
    std::map<std::pair<Symbol, int>, Storage> params_;
    std::unordered_map<Symbol, Storage> funcs_;
};

}  // namespace

State flatten_storage(State s) {
    s.stmt = Flattener(s).run(s.stmt);
    return s;
}

}  // namespace burin
