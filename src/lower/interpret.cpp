// A statement becomes a tree of closures, its expressions flat programs; names are resolved to places on the way.
#include "lower/interpret.h"

#include "base/float_mode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include "base/deep.h"
#include "base/hash.h"
#include "ir/program.h"

namespace burin {
namespace {

constexpr std::byte poison{0xCB};

struct Storage {
    std::string name;
    Type type;
    std::vector<Dim> dims;             // an allocation of the Flat level has one
    std::byte* data = nullptr;         // the corner at the minima
    int64_t lowest = 0, highest = -1;  // the elements there are, counted from the corner
    std::vector<std::byte> own;

    void set_reach() {
        lowest = highest = 0;
        for (const Dim& d : dims) {
            if (d.extent == 0) {
                highest = lowest - 1;
                return;
            }
            (d.stride < 0 ? lowest : highest) += d.stride * (d.extent - 1);
        }
    }
};

using Action = std::function<void()>;

class Interpreter {
public:
    Interpreter(const State& state, const Binder& binder, const Binding& call,
                const Admission& admission, const InterpretOptions& options)
        : binder_(binder), call_(call), options_(options), shuffle_(options.shuffle) {
        counts_.points.resize(state.plan->funcs.size());
        for (size_t i = 0; i < state.entry_lets.size(); ++i)
            lets_[state.entry_lets[i].first] = Value::integer(IndexType, admission.lets[i]);
        std::vector<int> first_element(1, 0);  // in call.outputs, of each output
        for (auto& decl : state.algorithm().outputs)
            first_element.push_back(first_element.back() +
                                    int(state.algorithm().func(decl.func)->types.size()));
        for (const BufferParam& p : state.buffers) {
            const AnyBuffer& b =
                p.param >= 0 ? call.inputs[size_t(p.param)]
                             : call.outputs[size_t(first_element[size_t(p.output)] + p.element)];
            int slot = add_storage(p.buffer.hint(), p.type);
            Storage& s = storages_[size_t(slot)];
            s.dims.assign(b.dims().begin(), b.dims().end());
            s.data = b.data();
            s.set_reach();
            places_[{p.buffer, 0}] = slot;
            if (p.output >= 0)
                places_[{state.algorithm().outputs[size_t(p.output)].func, p.element}] = slot;
        }
        body_ = compile(state.stmt);
    }
    Counts run() {
        body_();
        counts_.operations = execution_.operations();
        return std::move(counts_);
    }

private:
    // ---- names and programs ------------------------------------------------------------------------------------
    int add_storage(std::string name, Type type) {
        storages_.push_back({std::move(name), type, {}, nullptr, 0, -1, {}});
        return int(storages_.size()) - 1;
    }
    int add_variable(Symbol name, Type type) {
        int slot = variables_[name] = int(values_.size());
        values_.resize(values_.size() + type.lanes);
        return slot;
    }
    int place(Symbol buffer, int element) const {
        auto it = places_.find({buffer, element});
        if (it == places_.end())
            throw Error(ErrorKind::Internal, "unknown-buffer",
                        fmt::format("no buffer {} is in sight", buffer.hint()));
        return it->second;
    }
    Meaning meaning(const Expr& leaf) const {
        if (auto* r = leaf.as<Read>()) return place(r->func, r->element);
        if (auto* l = leaf.as<Load>()) return place(l->buffer, 0);
        if (auto* v = leaf.as<Var>()) {
            if (auto it = variables_.find(v->name); it != variables_.end()) return it->second;
            if (auto it = lets_.find(v->name); it != lets_.end()) return it->second;
        }
        return binder_.value_of(call_, leaf);
    }
    const Program* program(std::vector<Expr> roots) {
        std::erase_if(roots, [](const Expr& e) { return !e.defined(); });
        return &programs_.emplace_back(flatten(std::move(roots), options_.lazy,
                                               [&](const Expr& leaf) { return meaning(leaf); }));
    }
    const Value* eval(const Program* p) {
        execution_.start(*p);
        execution_.run(values_.data(), [&](const Step& step, Value* operands) {
            if (auto* node = step.node; node->kind == kind_of<Read>) read(step, operands);
            else load_lanes(step, operands);
            return true;
        });
        return execution_.results();
    }

    // ---- memory ------------------------------------------------------------------------------------------------
    [[noreturn]] void outside(const Storage& s, const char* what,
                              std::span<const int64_t> at) const {
        std::vector<std::string> box;
        for (const Dim& d : s.dims) box.push_back(fmt::format("{} .. {}", d.min, d.min + d.extent));
        throw Error(ErrorKind::Internal, "out-of-bounds",
                    fmt::format("{} is {} at [{}], it holds [{}]", s.name, what,
                                fmt::join(at, ", "), fmt::join(box, ", ")));
    }
    std::byte* at_point(Storage& s, const char* what, const Value* coordinates, size_t rank) {
        at_.clear();
        for (size_t d = 0; d < rank; ++d) at_.push_back(coordinates[d].i);
        int64_t offset = 0;
        for (size_t d = 0; d < rank; ++d) {
            if (d >= s.dims.size() || !s.dims[d].contains(at_[d])) outside(s, what, at_);
            offset += (at_[d] - s.dims[d].min) * s.dims[d].stride;
        }
        return s.data + offset * s.type.bytes();
    }
    std::byte* at_index(Storage& s, const char* what, int64_t index) {
        if (index < s.lowest || index > s.highest) outside(s, what, {&index, 1});
        return s.data + index * s.type.bytes();
    }
    Value loaded(const Storage& s, const std::byte* from) {
        ++counts_.loads;
        counts_.bytes_loaded += s.type.bytes();
        return burin::load(s.type, from);
    }
    void stored(const Storage& s, Value v, std::byte* to) {
        ++counts_.stores;
        counts_.bytes_stored += s.type.bytes();
        store(v.type.bytes() == s.type.bytes() ? v : eval_cast(s.type, v), to);
    }
    Value garbage(Type type) const { return of_bits(type, 0xCBCBCBCBCBCBCBCB); }

    void read(const Step& step, Value* operands) {
        auto& op = *static_cast<const Box<Read>*>(step.node);
        Storage& s = storages_[size_t(step.at)];
        bool live = !op.predicate.defined() || operands[step.popped - 1].is_true();
        *operands =
            live ? loaded(s, at_point(s, "read", operands, op.args.size())) : garbage(s.type);
    }
    void load_lanes(const Step& step, Value* operands) {
        auto& op = *static_cast<const Box<Load>*>(step.node);
        Storage& s = storages_[size_t(step.at)];
        const Value* predicate =
            op.predicate.defined() ? operands + op.index.type().lanes : nullptr;
        bool one = predicate && op.predicate.type().is_scalar();
        bool all = one && predicate->is_true();
        for (int l = 0; l < step.lanes; ++l) {
            bool live = !predicate || (one ? all : predicate[l].is_true());
            operands[l] = live ? loaded(s, at_index(s, "read", operands[l].i)) : garbage(s.type);
        }
    }

    // Gives storage a box of its own while `body` runs.
    void with_memory(std::span<const int> slots, const std::vector<Dim>& box, const Action& body) {
        int64_t elements = 1, bytes = 0;
        for (const Dim& d : box) elements *= d.extent;
        for (int slot : slots) {
            Storage& s = storages_[size_t(slot)];
            s.dims = box;
            s.set_reach();
            s.own.assign(size_t(elements * s.type.bytes()), poison);
            s.data = s.own.data();
            bytes += int64_t(s.own.size());
        }
        live_bytes_ += bytes;
        counts_.peak_bytes = std::max(counts_.peak_bytes, live_bytes_);
        body();
        live_bytes_ -= bytes;
    }

    // ---- statements --------------------------------------------------------------------------------------------
    Action compile(const Stmt& s) {
        if (!s.defined()) return [] {};
        return dispatch(s, [&](const auto& op) { return action(op); });
    }

    Action action(const Let& op) {
        const Program* value = program({op.value});
        int lanes = op.value.type().lanes, slot = add_variable(op.name, op.value.type());
        return [this, value, lanes, slot, body = compile(op.body)] {
            std::copy_n(eval(value), lanes, &values_[size_t(slot)]);
            body();
        };
    }
    Action action(const For& op) {
        const Program* range = program({op.min, op.extent});
        int slot = add_variable(op.name, op.min.type());
        bool shuffled = op.kind == LoopKind::Parallel && options_.shuffle;
        return [this, range, slot, shuffled, body = compile(op.body)] {
            const Value* r = eval(range);
            Value i = r[0];
            int64_t first = i.i, extent = r[1].i;
            std::vector<int64_t> order;
            if (shuffled) {
                order.resize(size_t(std::max<int64_t>(0, extent)));
                std::iota(order.begin(), order.end(), int64_t(0));
                for (size_t k = order.size(); k > 1; --k) {
                    shuffle_ = hash_combine(shuffle_, k);
                    std::swap(order[k - 1], order[shuffle_ % k]);
                }
            }
            for (int64_t k = 0; k < extent; ++k) {
                i.i = first + (shuffled ? order[size_t(k)] : k);
                values_[size_t(slot)] = i;
                body();
            }
        };
    }
    Action action(const If& op) {
        const Program* cond = program({op.cond});
        return [this, cond, yes = compile(op.yes), no = compile(op.no)] {
            (eval(cond)->is_true() ? yes : no)();
        };
    }
    Action action(const Block& op) {
        std::vector<Action> all;
        for (auto& s : op.stmts) all.push_back(compile(s));
        return [all = std::move(all)] {
            for (auto& a : all) a();
        };
    }
    Action action(const Produce& op) { return compile(op.body); }
    Action action(const Realize& op) {
        std::vector<int> slots;
        for (size_t e = 0; e < op.types.size(); ++e)
            slots.push_back(places_[{op.func, int(e)}] = add_storage(op.func.hint(), op.types[e]));
        std::vector<Expr> roots = op.mins;
        roots.insert(roots.end(), op.extents.begin(), op.extents.end());
        return [this, slots, rank = op.mins.size(), box = program(std::move(roots)),
                body = compile(op.body)] {
            const Value* v = eval(box);
            std::vector<Dim> dims(rank);
            int64_t stride = 1;
            for (size_t d = rank; d-- > 0;) {
                dims[d] = {v[d].i, std::max<int64_t>(0, v[rank + d].i), stride};
                stride *= dims[d].extent;
            }
            with_memory(slots, dims, body);
        };
    }
    Action action(const Allocate& op) {
        int slot = places_[{op.buffer, 0}] = add_storage(op.buffer.hint(), op.element);
        return [this, slot, n = op.extents.size(), extents = program(op.extents),
                body = compile(op.body)] {
            const Value* v = eval(extents);
            int64_t elements = 1;
            for (size_t d = 0; d < n; ++d) elements *= std::max<int64_t>(0, v[d].i);
            with_memory({&slot, 1}, {{0, elements, 1}}, body);
        };
    }
    Action action(const Provide& op) {
        std::vector<int> slots;
        for (size_t e = 0; e < op.values.size(); ++e) slots.push_back(place(op.func, int(e)));
        std::vector<Expr> roots = op.args;
        roots.insert(roots.end(), op.values.begin(), op.values.end());
        return [this, slots, rank = op.args.size(), all = program(std::move(roots))] {
            const Value* v = eval(all);
            for (size_t e = 0; e < slots.size(); ++e) {
                Storage& s = storages_[size_t(slots[e])];
                stored(s, v[rank + e], at_point(s, "written", v, rank));
            }
        };
    }
    Action action(const Store& op) {
        bool masked = op.predicate.defined();
        int lanes = op.value.type().lanes, flags = masked ? op.predicate.type().lanes : 0;
        return [this, slot = place(op.buffer, 0), lanes, flags,
                all = program({op.index, op.value, op.predicate})] {
            const Value* v = eval(all);
            Storage& s = storages_[size_t(slot)];
            const Value* predicate = v + 2 * lanes;
            for (int l = 0; l < lanes; ++l)
                if (!flags || predicate[flags == 1 ? 0 : l].is_true())
                    stored(s, v[lanes + l], at_index(s, "written", v[l].i));
        };
    }
    Action action(const Prefetch&) {
        return [] {};
    }
    Action action(const Count& op) {
        return [this, counter = size_t(op.counter), amount = program({op.amount})] {
            counts_.points.at(counter) += eval(amount)->i;
        };
    }

    const Binder& binder_;
    const Binding& call_;
    InterpretOptions options_;
    uint64_t shuffle_;
    std::unordered_map<Symbol, Value> lets_;
    std::unordered_map<Symbol, int> variables_;     // first place in values_
    std::map<std::pair<Symbol, int>, int> places_;  // of storage, by buffer and tuple element
    std::vector<Value> values_;
    std::deque<Storage> storages_;
    std::deque<Program> programs_;
    Execution execution_;
    std::vector<int64_t> at_;
    int64_t live_bytes_ = 0;
    Counts counts_;
    Action body_;
};

}  // namespace

Counts interpret(const State& state, const Binder& binder, const Binding& call,
                 const InterpretOptions& options) {
    DefinedFloatMode mode;
    return interpret(state, binder, call, Entry(state, binder).admit(call), options);
}

Counts interpret(const State& state, const Binder& binder, const Binding& call,
                 const Admission& admission, const InterpretOptions& options) {
    if (admission.empty) return {};
    DefinedFloatMode mode;
    return run_deep(depth_of(state.stmt),
                    [&] { return Interpreter(state, binder, call, admission, options).run(); });
}

}  // namespace burin
