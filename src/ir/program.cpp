#include "ir/program.h"

#include <algorithm>
#include <unordered_map>

#include "ir/walk.h"

namespace burin {
namespace {

struct Flattener {
    bool lazy;
    const std::function<Meaning(const Expr&)>& meaning;
    Program p;
    std::unordered_map<const Node*, int> uses, slots;
    std::vector<Expr> pending;  // shared nodes whose steps are still to come

    static bool is_leaf(const Expr& e) {
        return e.as<Var>() || e.as<Meta>() || e.as<IntImm>() || e.as<FloatImm>();
    }
    void count(const Expr& root) {
        std::vector<Expr> todo{root};
        while (!todo.empty()) {
            Expr e = std::move(todo.back());
            todo.pop_back();
            if (!e.defined() || is_leaf(e) || uses[e.node()]++) continue;
            visit_children(e.node(), {&todo,
                                      [](void* t, const Expr& c) {
                                          static_cast<std::vector<Expr>*>(t)->push_back(c);
                                      },
                                      nullptr});
        }
    }

    int add(Step s) {
        p.steps.push_back(s);
        p.most += s.lanes;
        return int(p.steps.size()) - 1;
    }
    int add(Step::Op op, const Expr& e, int operands = 0, int popped = 0) {
        return add({op, uint8_t(operands), e.type().lanes, popped, 0, 0, e.node()});
    }
    int jump(Step::Op op) { return add({.op = op, .lanes = 0}); }
    void land(int from) { p.steps[size_t(from)].target = int(p.steps.size()); }

    void constant(const Expr& e, Value v) {
        p.steps[size_t(add(Step::Constant, e))].at = int(p.constants.size());
        p.constants.insert(p.constants.end(), e.type().lanes, v);
    }

    void use(const Expr& e) {
        if (is_leaf(e) || uses[e.node()] == 1) return compute(e);
        auto [slot, is_new] = slots.try_emplace(e.node(), p.shared);
        if (is_new) {
            p.shared += e.type().lanes;
            pending.push_back(e);
        }
        p.steps[size_t(add(Step::Shared, e))].at = slot->second;
    }

    // Operands in a row; a scalar one beside vectors is repeated.
    void apply(const Expr& e, const std::vector<Expr>& operands) {
        int lanes = e.type().lanes;
        for (auto& o : operands) {
            use(o);
            if (o.type().lanes != lanes)
                add({Step::Broadcast, 1, uint16_t(lanes), o.type().lanes, 0, 0, o.node()});
        }
        int at = add(Step::Apply, e, int(operands.size()), int(operands.size()) * lanes);
        p.steps[size_t(at)].at = !operands.empty() && !operands[0].type().is_index();
    }

    int all(const std::vector<Expr>& operands) {
        int popped = 0;
        for (auto& o : operands)
            if (o.defined()) use(o), popped += o.type().lanes;
        return popped;
    }
    void client(const Expr& e, std::vector<Expr> operands, const Expr& predicate) {
        if (predicate.defined()) operands.push_back(predicate);
        int popped = all(operands), at = add(Step::Leaf, e, int(operands.size()), popped);
        p.steps[size_t(at)].at = std::get<int>(meaning(e));
    }

    void compute(const Expr& e) {
        dispatch(e, [&](const auto& op) { node(e, op); });
    }

    void variable(const Expr& e) {
        Meaning m = meaning(e);
        if (auto* v = std::get_if<Value>(&m)) return constant(e, *v);
        p.steps[size_t(add(Step::Variable, e))].at = std::get<int>(m);
    }
    void node(const Expr& e, const Var&) { variable(e); }
    void node(const Expr& e, const Meta&) { variable(e); }
    void node(const Expr& e, const Read& op) { client(e, op.args, op.predicate); }
    void node(const Expr& e, const Load& op) { client(e, {op.index}, op.predicate); }
    void node(const Expr& e, const Ramp& op) {
        int popped = all({op.base, op.stride});
        add(Step::Ramp, e, 2, popped);
    }
    void node(const Expr& e, const Broadcast& op) { add(Step::Broadcast, e, 1, all({op.value})); }
    void node(const Expr& e, const Shuffle& op) {
        add(Step::Shuffle, e, int(op.vectors.size()), all(op.vectors));
    }
    void node(const Expr& e, const Combine& op) { add(Step::Combine, e, 1, all({op.value})); }
    void node(const Expr& e, const Select& op) {
        if (!lazy || !op.cond.type().is_scalar()) return apply(e, {op.cond, op.yes, op.no});
        use(op.cond);
        int branch = jump(Step::Branch);
        use(op.yes);
        int over = jump(Step::Jump);
        land(branch);
        use(op.no);
        land(over);
    }
    void node(const Expr& e, const And& op) { logic(e, op, Step::AndThen); }
    void node(const Expr& e, const Or& op) { logic(e, op, Step::OrElse); }
    template <class T>
    void logic(const Expr& e, const T& op, Step::Op short_cut) {
        if (!lazy || e.type() != Bool) return apply(e, {op.a, op.b});
        use(op.a);
        int over = jump(short_cut);
        use(op.b);
        land(over);
    }
    template <class T>
    void node(const Expr& e, const T& op) {
        if (!is_pure_scalar(e.node()))
            throw Error(ErrorKind::Internal, "no-value",
                        "an expression that has no value of its own");
        if constexpr (std::is_same_v<T, IntImm>) constant(e, Value::integer(e.type(), op.value));
        else if constexpr (std::is_same_v<T, FloatImm>)
            constant(e, Value::real(e.type(), op.value));
        else {
            std::vector<Expr> operands;
            visit_children(e.node(), {&operands,
                                      [](void* o, const Expr& c) {
                                          static_cast<std::vector<Expr>*>(o)->push_back(c);
                                      },
                                      nullptr});
            apply(e, operands);
        }
    }

    void run() {
        for (auto& r : p.roots) count(r);
        for (auto& r : p.roots) use(r);
        add({.op = Step::Stop, .lanes = 0});
        std::unordered_map<int, int> begins;  // of the steps of a shared node, by its slot
        while (!pending.empty()) {
            Expr e = std::move(pending.back());
            pending.pop_back();
            int slot = slots[e.node()];
            begins[slot] = int(p.steps.size());
            compute(e);
            p.steps[size_t(add(Step::Return, e))].at = slot;
        }
        for (Step& s : p.steps)
            if (s.op == Step::Shared) s.target = begins[s.at];
    }
};

}  // namespace

Program flatten(std::vector<Expr> roots, bool lazy,
                const std::function<Meaning(const Expr&)>& meaning) {
    Flattener f{lazy, meaning, {}, {}, {}, {}};
    f.p.roots = std::move(roots);
    run_deep(depth_of(f.p.roots), [&] { f.run(); });
    return std::move(f.p);
}

void Execution::start(const Program& p) {
    program_ = &p;
    if (stack_.size() < size_t(p.most)) stack_.resize(size_t(p.most));
    if (shared_.size() < size_t(p.shared)) shared_.resize(size_t(p.shared));
    known_.assign(size_t(p.shared), false);
    returns_.clear();
    top_ = stack_.data();
    pc_ = p.steps.data();
}

void Execution::step(const Step& s, const Value* variables) {
    const Program& p = *program_;
    Value* operands = top_ - s.popped;
    int lanes = s.lanes;
    ++pc_;
    auto push = [&](const Value* from) {
        for (int l = 0; l < lanes; ++l) *top_++ = from[l];
    };
    switch (s.op) {
        case Step::Constant: push(&p.constants[size_t(s.at)]); return;
        case Step::Variable: push(variables + s.at); return;
        case Step::Apply:    {
            if (s.at) operations_ += lanes;
            top_ = operands + lanes;
            if (lanes == 1) {
                *operands = eval_node(s.node, {operands, s.operands});
                return;
            }
            Value of_lane[8];
            for (int l = 0; l < lanes; ++l) {
                for (int k = 0; k < s.operands; ++k) of_lane[k] = operands[k * lanes + l];
                operands[l] = eval_node(s.node, {of_lane, s.operands});
            }
            return;
        }
        case Step::Ramp: {
            int n = s.popped / 2;
            std::vector<Value> base(operands, operands + n), stride(operands + n, top_);
            for (int l = 0; l < lanes; ++l) {
                Value step =
                    eval_op<Mul>(Value::integer(base[0].type, l / n), stride[size_t(l % n)]);
                operands[l] = eval_op<Add>(base[size_t(l % n)], step);
            }
            top_ = operands + lanes;
            return;
        }
        case Step::Broadcast:
            for (int l = s.popped; l < lanes; ++l) operands[l] = operands[l - s.popped];
            top_ = operands + lanes;
            return;
        case Step::Shuffle: {
            std::vector<Value> from(operands, top_);
            auto& pick = static_cast<const Box<Shuffle>*>(s.node)->lanes;
            for (int l = 0; l < lanes; ++l) operands[l] = from[size_t(pick[size_t(l)])];
            top_ = operands + lanes;
            return;
        }
        case Step::Combine: {
            auto& op = *static_cast<const Box<Combine>*>(s.node);
            int group = s.popped / lanes;
            for (int l = 0; l < lanes; ++l) {
                Value v = operands[l * group];
                for (int k = 1; k < group; ++k) v = eval_combine(op.op, v, operands[l * group + k]);
                operands[l] = v;
            }
            top_ = operands + lanes;
            operations_ += s.popped - lanes;
            return;
        }
        case Step::Branch:
            if (!(--top_)->is_true()) pc_ = &p.steps[size_t(s.target)];
            return;
        case Step::AndThen:
            if (!top_[-1].is_true()) pc_ = &p.steps[size_t(s.target)];
            else --top_;
            return;
        case Step::OrElse:
            if (top_[-1].is_true()) pc_ = &p.steps[size_t(s.target)];
            else --top_;
            return;
        case Step::Jump: pc_ = &p.steps[size_t(s.target)]; return;
        case Step::Shared:
            if (known_[size_t(s.at)]) return push(&shared_[size_t(s.at)]);
            returns_.push_back(pc_ - 1);
            pc_ = &p.steps[size_t(s.target)];
            return;
        case Step::Return:
            top_ -= lanes;
            std::copy_n(top_, lanes, &shared_[size_t(s.at)]);
            known_[size_t(s.at)] = true;
            pc_ = returns_.back();
            returns_.pop_back();
            return;
        case Step::Leaf:
        case Step::Stop: return;
    }
}

}  // namespace burin
