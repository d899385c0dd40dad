#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/deep.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/print.h"
#include "ir/value.h"

namespace burin {
namespace {

template <class T, class... Ts>
constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

// What is known of a name: by its binder, or by its first use where it is free.
struct Known {
    int depth = 0;  // of its binder among the open ones, from 1; 0: free; -1: no longer in scope
    std::vector<std::optional<Type>> types;  // of a variable, or of the elements of storage
    std::optional<size_t> rank;
};
struct Space {
    std::unordered_map<Symbol, Known> names;
    std::unordered_set<Symbol> declared;
};

class Verifier {
public:
    Verifier(Level level, const FreeNames* free) : level_(level), is_closed_(free != nullptr) {
        if (!free) return;
        variables_.declared.insert(free->variables.begin(), free->variables.end());
        storage_.declared.insert(free->buffers.begin(), free->buffers.end());
    }

    template <class R>
    void go(const R& r) {
        if (!r.defined()) broken("every operand is defined");
        const Node* n = r.node();
        bool is_shared = n->refs.load(std::memory_order_relaxed) > 1;
        if (is_shared) {
            if (auto at = seen_.find(n); at != seen_.end()) {
                const Needs& old = at->second;
                if (old.binds) broken("a name is bound once", brief(r));
                if (old.known && old.known->depth != old.depth)
                    broken("a name is used in its scope", brief(r));
                merge(old);
                return;
            }
        }
        Needs outer = std::exchange(needs_, {});
        dispatch(r, [&](const auto& op) { check(op); });
        Needs own = std::exchange(needs_, outer);
        if (is_shared) seen_.emplace(n, own);
        merge(own);
    }

private:
    // The innermost binder that a node depends on: a shared node is sound again wherever that one is
    // open, for those around it are open too. A shared statement that binds a name binds it twice.
    struct Needs {
        int depth = 0;
        const Known* known = nullptr;
        bool binds = false;
    };

    void merge(const Needs& n) {
        needs_.binds |= n.binds;
        if (n.known && n.depth > needs_.depth) {
            needs_.depth = n.depth;
            needs_.known = n.known;
        }
    }
    void go(const std::vector<Expr>& v) {
        for (auto& e : v) go(e);
    }
    void go_optional(const Expr& e) {
        if (e.defined()) go(e);
    }

    [[noreturn]] void broken(const char* rule, const std::string& text = "an undefined operand") {
        throw Error(ErrorKind::Internal, "verify", fmt::format("{}: {}", rule, text));
    }
    template <class T>
    void need(const T& op, bool ok, const char* rule) {
        if (!ok) broken(rule, brief(handle(op)));
    }

    // ---- names
    template <class T>
    Known& use(const T& op, Space& space, Symbol name) {
        auto [at, is_new] = space.names.try_emplace(name);
        Known& k = at->second;
        if (is_new && is_closed_)
            need(op, space.declared.contains(name), "a free name is declared");
        need(op, k.depth >= 0, "a name is used in its scope");
        if (k.depth > needs_.depth) {
            needs_.depth = k.depth;
            needs_.known = &k;
        }
        return k;
    }
    template <class T>
    void agree(const T& op, Known& k, size_t element, Type t, const char* rule) {
        if (k.depth > 0) need(op, element < k.types.size(), "a tuple has this element");
        if (element >= k.types.size()) k.types.resize(element + 1);
        if (!k.types[element]) k.types[element] = t;
        need(op, *k.types[element] == t, rule);
    }
    template <class T>
    void has_rank(const T& op, Known& k, size_t rank) {
        if (!k.rank) k.rank = rank;
        need(op, *k.rank == rank, "a stage has as many coordinates as dimensions");
    }
    template <class T>
    void bind(const T& op, Space& space, Symbol name, const std::vector<Type>& types,
              std::optional<size_t> rank) {
        auto [at, is_new] = space.names.try_emplace(name);
        Known& k = at->second;
        need(op, is_new || k.depth != 0, "a name is used in its scope");
        need(op, is_new, "a name is bound once");
        k = {++depth_, {types.begin(), types.end()}, rank};
        go(op.body);
        --depth_;
        k.depth = -1;
        needs_.binds = true;
    }

    // ---- rules shared by several nodes
    bool is_coordinate(Type t) const {
        return t.is_index() || (level_ != Level::Nest && t.element() == i32);
    }
    template <class T>
    void coordinates(const T& op, const std::vector<Expr>& v) {
        go(v);
        for (auto& e : v) need(op, is_coordinate(e.type()), "a coordinate is an Index");
    }
    template <class T>
    void scalars(const T& op, const std::vector<Expr>& v) {
        coordinates(op, v);
        for (auto& e : v) need(op, e.type().is_scalar(), "lanes exist and agree");
    }
    template <class T>
    void predicate(const T& op, const Expr& p, int lanes) {
        go_optional(p);
        if (!p.defined()) return;
        need(op, p.type().is_bool(), "a condition is a bool");
        need(op, p.type().lanes == lanes, "lanes exist and agree");
    }
    template <class T>
    void flat(const T& op) {
        need(op, level_ != Level::Nest, "no flat access at this level");
    }
    template <class T>
    void nest(const T& op) {
        need(op, level_ == Level::Nest, "no call of a stage at this level");
    }

    // ---- expressions
    template <class T>
    void check(const T& op)
        requires is_expr_node<T>
    {
        Type t = box(op).type;
        auto is = [&](bool ok, const char* rule) { need(op, ok, rule); };
        auto has_type = [&](Type expected) {
            is(t == expected, "the result has the type of the operation");
        };
        if constexpr (std::is_same_v<T, IntImm>) {
            is(t.is_scalar() && !t.is_float() && Value::integer(t, op.value).i == op.value,
               "a constant fits its type");
        } else if constexpr (std::is_same_v<T, FloatImm>) {
            is(t.is_scalar() && t.is_float() &&
                   (std::isnan(op.value) || Value::real(t, op.value).f == op.value),
               "a constant fits its type");
        } else if constexpr (is_one_of<T, Literal, Reduction>) {
            is(false, "no bare number, reduction, owner or untyped read is left");
        } else if constexpr (std::is_same_v<T, Var>) {
            is(!op.owner.p, "no bare number, reduction, owner or untyped read is left");
            agree(op, use(op, variables_, op.name), 0, t, "a name has one type");
        } else if constexpr (std::is_same_v<T, Meta>) {
            has_type(IndexType);
            is(use(op, storage_, op.buffer).depth == 0, "shapes are those of the call's buffers");
        } else if constexpr (std::is_same_v<T, Cast>) {
            go(op.value);
            is(t.lanes == op.value.type().lanes, "lanes exist and agree");
        } else if constexpr (is_one_of<T, Neg, Not>) {
            go(op.a);
            has_type(op.a.type());
            is(std::is_same_v<T, Neg> ? !t.is_bool() : t.is_bool() || t.is_integer(),
               "an operator takes operands of this type");
        } else if constexpr (requires {
                                 op.a;
                                 op.b;
                             }) {
            go(op.a);
            go(op.b);
            Type a = op.a.type();
            is(a == op.b.type(), "operands agree in type and lanes");
            constexpr bool is_order = is_one_of<T, Lt, Le>, is_equality = is_one_of<T, Eq, Ne>;
            constexpr bool is_bitwise = is_one_of<T, And, Or, Xor>,
                           is_shift = is_one_of<T, Shl, Shr>;
            bool takes = is_equality || (is_bitwise               ? a.is_bool() || a.is_integer()
                                         : is_shift               ? a.is_integer()
                                         : std::is_same_v<T, Mod> ? a.is_integer() || a.is_index()
                                                                  : !a.is_bool());
            is(takes, "an operator takes operands of this type");
            has_type(is_order || is_equality ? Bool.with_lanes(a.lanes) : a);
        } else if constexpr (std::is_same_v<T, Select>) {
            go(op.cond);
            go(op.yes);
            go(op.no);
            is(op.cond.type().is_bool(), "a condition is a bool");
            is(op.yes.type() == op.no.type(), "operands agree in type and lanes");
            is(op.cond.type().lanes == t.lanes, "lanes exist and agree");
            has_type(op.yes.type());
        } else if constexpr (std::is_same_v<T, Call>) {
            go(op.args);
            is(level_ != Level::Emit || is_primitive(op.fn),
               "no function above the primitives at this level");
            is(int(op.args.size()) == arity(op.fn), "a function has its arguments");
            if (op.fn == Fn::SaturatingCast || op.fn == Fn::Reinterpret) {
                is(t.lanes == op.args[0].type().lanes, "lanes exist and agree");
                return;
            }
            std::vector<Type> types;
            for (auto& a : op.args) types.push_back(a.type());
            try {
                has_type(result_type(op.fn, types));
            } catch (const Error& e) {
                if (e.kind() == ErrorKind::Internal) throw;
                is(false, "a function has its arguments");
            }
        } else if constexpr (std::is_same_v<T, Read>) {
            nest(op);
            is(!op.owner.p && t != untyped,
               "no bare number, reduction, owner or untyped read is left");
            coordinates(op, op.args);
            predicate(op, op.predicate, t.lanes);
            int lanes = op.predicate.defined() ? t.lanes : 1;
            for (auto& a : op.args) lanes = std::max<int>(lanes, a.type().lanes);
            is(lanes == t.lanes && agreeing(op.args, lanes), "lanes exist and agree");
            Known& k = use(op, storage_, op.func);
            has_rank(op, k, op.args.size());
            agree(op, k, size_t(op.element), t.element(),
                  "an access has the element type of its storage");
        } else if constexpr (std::is_same_v<T, Load>) {
            flat(op);
            go(op.index);
            is(is_coordinate(op.index.type()), "a coordinate is an Index");
            is(t.lanes == op.index.type().lanes, "lanes exist and agree");
            predicate(op, op.predicate, t.lanes);
            agree(op, use(op, storage_, op.buffer), 0, t.element(),
                  "an access has the element type of its storage");
        } else if constexpr (std::is_same_v<T, Ramp>) {
            go(op.base);
            go(op.stride);
            Type b = op.base.type();
            is(b == op.stride.type(), "operands agree in type and lanes");
            is(!b.is_bool(), "an operator takes operands of this type");
            is(op.lanes > 1 && t.lanes == op.lanes * b.lanes, "lanes exist and agree");
            has_type(b.with_lanes(t.lanes));
        } else if constexpr (std::is_same_v<T, Broadcast>) {
            go(op.value);
            is(op.lanes > 1 && t.lanes == op.lanes * op.value.type().lanes,
               "lanes exist and agree");
            has_type(op.value.type().with_lanes(t.lanes));
        } else if constexpr (std::is_same_v<T, Shuffle>) {
            go(op.vectors);
            int lanes = 0;
            for (auto& v : op.vectors) {
                is(v.type().element() == t.element(), "operands agree in type and lanes");
                lanes += v.type().lanes;
            }
            is(t.lanes == op.lanes.size() && t.lanes > 0, "lanes exist and agree");
            for (int i : op.lanes) is(i >= 0 && i < lanes, "lanes exist and agree");
        } else if constexpr (std::is_same_v<T, Combine>) {
            go(op.value);
            Type v = op.value.type();
            bool takes = op.op <= ReduceOp::Product ? v.is_integer() || v.is_index()
                         : op.op <= ReduceOp::Max
                             ? !v.is_bool()
                             : op.op >= ReduceOp::And && (v.is_bool() || v.is_integer());
            is(takes, "an operator takes operands of this type");
            is(t.lanes > 0 && t.lanes < v.lanes && v.lanes % t.lanes == 0, "lanes exist and agree");
            has_type(v.with_lanes(t.lanes));
        }
    }
    static bool agreeing(const std::vector<Expr>& v, int lanes) {
        return std::ranges::all_of(
            v, [&](auto& e) { return e.type().lanes == 1 || e.type().lanes == lanes; });
    }

    // ---- statements
    void check(const Let& op) {
        go(op.value);
        bind(op, variables_, op.name, {op.value.type()}, {});
    }
    void check(const For& op) {
        scalars(op, {op.min, op.extent});
        need(op, op.min.type() == op.extent.type(), "operands agree in type and lanes");
        bool is_plain = op.kind == LoopKind::Serial || op.kind == LoopKind::Parallel;
        need(op, level_ != Level::Emit || is_plain, "no vectorised or unrolled loop at this level");
        bind(op, variables_, op.name, {op.min.type()}, {});
    }
    void check(const If& op) {
        if (!op.cond.defined()) broken("every operand is defined");
        predicate(op, op.cond, 1);
        go(op.yes);
        if (op.no.defined()) go(op.no);
    }
    void check(const Block& op) {
        for (auto& s : op.stmts) go(s);
    }
    void check(const Produce& op) { go(op.body); }
    void check(const Realize& op) {
        nest(op);
        scalars(op, op.mins);
        scalars(op, op.extents);
        need(op, op.mins.size() == op.extents.size(),
             "a stage has as many coordinates as dimensions");
        bind(op, storage_, op.func, op.types, op.mins.size());
    }
    void check(const Provide& op) {
        nest(op);
        coordinates(op, op.args);
        go(op.values);
        Known& k = use(op, storage_, op.func);
        has_rank(op, k, op.args.size());
        int lanes = 1;
        for (auto& a : op.args) lanes = std::max<int>(lanes, a.type().lanes);
        need(op, agreeing(op.args, lanes), "lanes exist and agree");
        for (size_t i = 0; i < op.values.size(); ++i) {
            Type t = op.values[i].type();
            need(op, t.lanes == lanes, "lanes exist and agree");
            agree(op, k, i, t.element(), "an access has the element type of its storage");
        }
        need(op, op.values.size() == k.types.size(), "a tuple has this element");
    }
    void check(const Allocate& op) {
        flat(op);
        scalars(op, op.extents);
        need(op, op.element.is_scalar(), "lanes exist and agree");
        bind(op, storage_, op.buffer, {op.element}, {});
    }
    void check(const Store& op) {
        flat(op);
        go(op.index);
        go(op.value);
        Type t = op.value.type();
        need(op, is_coordinate(op.index.type()), "a coordinate is an Index");
        need(op, op.index.type().lanes == t.lanes, "lanes exist and agree");
        predicate(op, op.predicate, t.lanes);
        agree(op, use(op, storage_, op.buffer), 0, t.element(),
              "an access has the element type of its storage");
    }
    void check(const Prefetch& op) {
        go(op.what);
        need(op, op.what.as<Read>() || op.what.as<Load>(), "what is prefetched is a read");
        need(op, op.what.type().lanes == 1, "lanes exist and agree");
    }
    void check(const Count& op) {
        go(op.amount);
        Type t = op.amount.type();
        need(op, op.counter >= 0 && t.is_scalar() && (t.is_integer() || t.is_index()),
             "a counter counts whole numbers");
    }

    Level level_;
    bool is_closed_;
    Space variables_, storage_;
    int depth_ = 0;
    Needs needs_;
    std::unordered_map<const Node*, Needs> seen_;
};

}  // namespace

void verify(const Stmt& s, Level level, const FreeNames* free) {
    if (s.defined()) run_deep(s.node()->depth, [&] { Verifier(level, free).go(s); });
}

}  // namespace burin
