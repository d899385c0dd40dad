#include "arith/eval_index.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "arith/integers.h"
#include "base/deep.h"
#include "ir/equal.h"
#include "ir/print.h"
#include "ir/value.h"
#include "ir/walk.h"

namespace burin {
namespace {

int64_t raw(Value v) { return v.type.is_float() ? std::bit_cast<int64_t>(v.f) : v.i; }

Value value_of(Type type, int64_t raw) {
    Value v;
    v.type = type;
    if (type.is_float()) v.f = std::bit_cast<double>(raw);
    else v.i = raw;
    return v;
}

// An operation on coordinates alone; nothing if it is not one of those that are worth a line here.
std::optional<IndexValue> on_index(uint16_t kind, int64_t a, int64_t b) {
    IndexValue r;
    switch (kind) {
        case kind_of<Add>: r.overflow = __builtin_add_overflow(a, b, &r.value); return r;
        case kind_of<Sub>: r.overflow = __builtin_sub_overflow(a, b, &r.value); return r;
        case kind_of<Mul>: r.overflow = __builtin_mul_overflow(a, b, &r.value); return r;
        case kind_of<Neg>: r.overflow = __builtin_sub_overflow(int64_t(0), a, &r.value); return r;
        case kind_of<Div>:
            if (a == INT64_MIN && b == -1) r.overflow = true;
            else r.value = floor_div(a, b);
            return r;
        case kind_of<Mod>: r.value = floor_mod(a, b); return r;
        case kind_of<Min>: r.value = std::min(a, b); return r;
        case kind_of<Max>: r.value = std::max(a, b); return r;
        case kind_of<Lt>:  r.value = a < b; return r;
        case kind_of<Le>:  r.value = a <= b; return r;
        case kind_of<Eq>:  r.value = a == b; return r;
        case kind_of<Ne>:  r.value = a != b; return r;
        default:           return {};
    }
}

std::vector<Expr> children_of(const Expr& e) {
    std::vector<Expr> out;
    visit_children(
        e.node(),
        {&out, [](void* v, const Expr& c) { static_cast<std::vector<Expr>*>(v)->push_back(c); },
         [](void*, const Stmt&) {}});
    return out;
}

}  // namespace

class IndexCompiler {
public:
    explicit IndexCompiler(IndexProgram& p) : p_(p) {}
    void leaf(const Expr& e) {
        slots_.emplace(e, add_slot({}));
        p_.leaves_.push_back(e.type());
    }
    uint32_t compile(const Expr& e) {
        if (auto it = slots_.find(e); it != slots_.end()) return it->second;
        std::vector<Expr> children = children_of(e);
        if (!is_pure_scalar(e.node()) || !e.type().is_scalar() || children.size() > 3)
            throw Error(ErrorKind::Internal, "not-known-at-entry",
                        fmt::format("{} cannot be computed from sizes, shapes and parameters",
                                    to_string(e)));
        uint32_t slot;
        if (children.empty()) {
            slot = add_slot({raw(eval_node(e.node(), {})), false});
        } else {
            IndexProgram::Step s;
            s.node = e.node();
            s.arity = uint8_t(children.size());
            for (size_t k = 0; k < children.size(); ++k) {
                s.in[k] = compile(children[k]);
                s.types[k] = children[k].type();
                s.all_index &= s.types[k].is_index();
            }
            slot = s.out = add_slot({});
            p_.steps_.push_back(s);
        }
        slots_.emplace(e, slot);
        return slot;
    }

private:
    uint32_t add_slot(IndexValue v) {
        p_.slots_.push_back(v);
        return uint32_t(p_.slots_.size() - 1);
    }
    IndexProgram& p_;
    std::unordered_map<Expr, uint32_t, ExprHash, ExprEqual> slots_;
};

IndexProgram::IndexProgram(std::vector<Expr> roots, const std::vector<Expr>& leaves)
    : roots_(std::move(roots)) {
    IndexCompiler compiler(*this);
    for (auto& l : leaves) compiler.leaf(l);
    uint32_t depth = 0;
    for (auto& r : roots_) depth = std::max(depth, r.node()->depth);
    run_deep(depth, [&] {
        for (auto& r : roots_) outputs_.push_back(compiler.compile(r));
    });
}

IndexValue IndexProgram::compute(const Step& s, const IndexValue (&in)[3]) {
    uint16_t kind = s.node->kind;
    if (kind == kind_of<Select>) {
        if (in[0].overflow) return in[0];
        return in[0].value ? in[1] : in[2];
    }
    if ((kind == kind_of<And> || kind == kind_of<Or>) && s.node->type.is_bool()) {
        bool deciding = kind == kind_of<Or>;  // a side that decides alone does
        for (int k : {0, 1})
            if (!in[k].overflow && (in[k].value != 0) == deciding) return in[k];
    }
    bool overflow = false;
    for (int k = 0; k < s.arity; ++k) overflow |= in[k].overflow;
    if (s.all_index) {
        if (auto r = on_index(kind, in[0].value, in[1].value))
            return {r->value, r->overflow || overflow};
    }
    Value values[3];
    for (int k = 0; k < s.arity; ++k) values[k] = value_of(s.types[k], in[k].value);
    if (s.node->type.is_index() && s.types[0] == u64) overflow |= in[0].value < 0;
    return {raw(eval_node(s.node, {values, s.arity})), overflow};
}

void IndexProgram::run(std::span<const int64_t> inputs, std::span<IndexValue> results) const {
    IndexValue few[64];
    std::vector<IndexValue> many;
    IndexValue* slots = few;
    if (slots_.size() > std::size(few)) {
        many.resize(slots_.size());
        slots = many.data();
    }
    std::copy(slots_.begin(), slots_.end(), slots);
    for (size_t k = 0; k < leaves_.size(); ++k)
        slots[k].value =
            leaves_[k].is_index() ? inputs[k] : raw(of_bits(leaves_[k], uint64_t(inputs[k])));
    for (auto& s : steps_) {
        const IndexValue in[3] = {slots[s.in[0]], slots[s.in[1]], slots[s.in[2]]};
        slots[s.out] = compute(s, in);
    }
    for (size_t k = 0; k < outputs_.size(); ++k) results[k] = slots[outputs_[k]];
}

Error index_overflow(const Expr& e) {
    return Error(ErrorKind::Bounds, "index-overflow",
                 fmt::format("{} cannot be computed in 64 bits for these shapes", to_string(e)));
}

int64_t eval_index(const Expr& e, const std::function<int64_t(const Expr&)>& lookup) {
    std::vector<Expr> leaves;
    std::vector<int64_t> inputs;
    auto leaf = [&](const auto& op, auto&) {
        leaves.push_back(handle(op));
        inputs.push_back(lookup(leaves.back()));
    };
    visit(
        e, [&](const Var& op, auto& self) { leaf(op, self); },
        [&](const Meta& op, auto& self) { leaf(op, self); });
    IndexValue result;
    IndexProgram({e}, leaves).run(inputs, {&result, 1});
    if (result.overflow) throw index_overflow(e);
    return result.value;
}

}  // namespace burin
