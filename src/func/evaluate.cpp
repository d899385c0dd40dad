// Definitions on demand. A stage is one definition of a Func. Its slices are its points grouped by the coordinates that
// are pure Vars on its left side: a slice runs its whole domain in written order when one of its points is first asked
// for, and where it writes nothing, the value of the stage before stands. What a slice needs and does not have goes on
// a stack of its own, so no chain of stages is too long.
#include <burin/evaluate.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>

#include "base/float_mode.h"
#include "func/bind.h"
#include "func/point_map.h"
#include "ir/build.h"
#include "ir/program.h"

namespace burin {
namespace {

struct Stage {
    const FuncDef* func;
    const Definition* def;
    Stage* before = nullptr;
    std::vector<int> pure;  // positions on the left that hold a pure Var: the key of a slice
    // lo, hi of each RVar; the variables are the pure Vars, then these
    std::vector<std::pair<int64_t, int64_t>> domain;
    Program where, body;     // body: the arguments, then the values
    PointMap written, done;  // by all coordinates; slices by key
    bool is_point() const { return int(pure.size()) == func->rank(); }
};

struct Frame {  // a slice being run
    Stage* stage = nullptr;
    std::vector<int64_t> key;
    std::vector<Value> variables;
    Execution run;
    bool testing = false;  // at the where
};

class Evaluator {
public:
    Evaluator(const Binder& binder, const Binding& call)
        : binder_(binder), call_(call), a_(binder.algorithm()) {
        auto needed = needed_elements(a_);
        for (const FuncDef& f : a_.funcs) {
            Stage* before = nullptr;
            for (const Definition& d : f.defs)
                before = &prepare(f, d, before, needed[last_.size()]);
            last_.push_back(before);
        }
    }

    void fill_outputs() {
        size_t o = 0;
        for (const OutputDecl& decl : a_.outputs) {
            int f = a_.func_index(decl.func);
            for (size_t e = 0; e < a_.funcs[size_t(f)].types.size(); ++e) {
                const AnyBuffer& out = call_.outputs[o++];
                for_each_point(out.dims(), [&](std::span<const int64_t> at) {
                    store(value(last_[size_t(f)], at.data())[e], out.at(at));
                });
            }
        }
    }

private:
    Stage& prepare(const FuncDef& f, const Definition& d, Stage* before,
                   const std::vector<bool>& needed) {
        std::vector<Symbol> names;
        std::vector<int> pure;
        auto bound_here = [&](Symbol s) {
            return std::find(f.vars.begin(), f.vars.end(), s) != f.vars.end();
        };
        for (int i = 0; i < f.rank(); ++i)
            if (auto* v = d.args[size_t(i)].as<Var>(); v && bound_here(v->name)) {
                pure.push_back(i);
                names.push_back(v->name);
            }
        std::vector<std::pair<int64_t, int64_t>> domain;
        auto at_entry = [&](const Expr& e) {
            return eval_index(e, [&](const Expr& leaf) {
                return int64_t(bits_of(binder_.value_of(call_, leaf)));
            });
        };
        for (auto& r : d.domain) {
            domain.push_back({at_entry(r.lo), at_entry(r.hi)});
            names.push_back(r.name);
        }
        auto meaning = [&](const Expr& leaf) -> Meaning {
            if (auto* r = leaf.as<Read>()) {
                int func = a_.func_index(r->func);
                return func >= 0 ? ~func : int(a_.param(r->func) - a_.params.data());
            }
            if (auto* v = leaf.as<Var>())
                if (auto it = std::find(names.begin(), names.end(), v->name); it != names.end())
                    return int(it - names.begin());
            return binder_.value_of(call_, leaf);
        };
        std::vector<Expr> roots = d.args;
        for (auto& v : written_out(a_, f, d)) {
            size_t e = roots.size() - d.args.size();
            roots.push_back(needed[e] ? v : constant(f.types[e], 0));
        }
        Program where;
        if (d.where.defined()) where = flatten({d.where}, true, meaning);
        PointMap written(f.rank(), int(f.types.size())), done(int(pure.size()), 0);
        return stages_.emplace_back(
            Stage{&f, &d, before, std::move(pure), std::move(domain), std::move(where),
                  flatten(std::move(roots), true, meaning), std::move(written), std::move(done)});
    }

    const Value* value(Stage* stage, const int64_t* at) {
        for (;;) {
            if (const Value* v = find(stage, at, false)) return v;
            while (depth_ > 0)
                if (advance(frames_[depth_ - 1])) --depth_;
        }
    }

    // The values at a point after `stage`; null: a slice that has to run first is now on the stack. `running`: by the
    // slice of this stage that is being run, which sees what it has written so far.
    const Value* find(Stage* stage, const int64_t* at, bool running) {
        for (;; stage = stage->before, running = false) {
            if (const Value* v = stage->written.find(at)) return v;
            if (running) continue;
            key_.clear();
            for (int i : stage->pure) key_.push_back(at[i]);
            if (!stage->done.contains(key_.data())) {
                push(stage);
                return nullptr;
            }
        }
    }

    void push(Stage* stage) {
        if (depth_ == frames_.size()) frames_.emplace_back();
        Frame& f = frames_[depth_++];
        f.stage = stage;
        f.key = key_;
        f.variables.clear();
        for (int64_t c : key_) f.variables.push_back(Value::integer(IndexType, c));
        for (auto [lo, hi] : stage->domain) f.variables.push_back(Value::integer(IndexType, lo));
        start(f);
    }
    void start(Frame& f) {
        f.testing = f.stage->def->where.defined();
        f.run.start(f.testing ? f.stage->where : f.stage->body);
    }

    // Runs the slice on; true when it is finished, false when it waits for the one now above it on the stack.
    bool advance(Frame& f) {
        Stage& s = *f.stage;
        for (auto [lo, hi] : s.domain)
            if (lo >= hi) return finish(f);
        auto leaf = [&](const Step& step, Value* operands) { return read(f, step, operands); };
        for (;;) {
            if (!f.run.run(f.variables.data(), leaf)) return false;
            if (!f.testing) write(f);
            else if (f.run.results()->is_true()) {
                f.testing = false;
                f.run.start(s.body);
                continue;
            }
            if (!next(f)) return finish(f);
            start(f);
        }
    }
    bool next(Frame& f) {  // the next point of the domain, the last variable fastest
        const Stage& s = *f.stage;
        for (size_t d = s.domain.size(); d-- > 0;) {
            int64_t& at = f.variables[s.pure.size() + d].i;
            if (++at < s.domain[d].second) return true;
            at = s.domain[d].first;
        }
        return false;
    }
    bool finish(Frame& f) {
        if (!f.stage->is_point() || !f.stage->written.contains(f.key.data()))
            f.stage->done.insert(f.key.data());
        return true;
    }

    void write(Frame& f) {
        Stage& s = *f.stage;
        const Value* results = f.run.results();
        at_.clear();
        for (int d = 0; d < s.func->rank(); ++d) at_.push_back(results[d].i);
        Value* to = s.written.insert(at_.data());
        for (size_t e = 0; e < s.func->types.size(); ++e) {
            Value v = results[size_t(s.func->rank()) + e];
            to[e] = v.type == s.func->types[e] ? v : eval_cast(s.func->types[e], v);
        }
    }

    bool read(const Frame& f, const Step& step, Value* operands) {
        at_.clear();
        for (int d = 0; d < step.operands; ++d) at_.push_back(operands[d].i);
        if (step.at >= 0) {
            *operands = input(f, step.at);
            return true;
        }
        const FuncDef* func = &a_.funcs[size_t(~step.at)];
        bool running = func == f.stage->func;
        const Value* v = find(running ? f.stage : last_[size_t(~step.at)], at_.data(), running);
        if (v) *operands = v[static_cast<const Box<Read>*>(step.node)->element];
        return v;
    }

    Value input(const Frame& f, int param) const {
        const AnyBuffer& b = call_.inputs[size_t(param)];
        std::span<const Dim> dims = b.dims();
        int64_t offset = 0;
        for (size_t d = 0; d < at_.size(); ++d) {
            const Dim& dim = dims[d];
            if (!dim.contains(at_[d])) throw outside(f, param, int(d));
            offset += (at_[d] - dim.min) * dim.stride;
        }
        return load(b.type(), b.data() + offset * b.type().bytes());
    }
    Error outside(const Frame& f, int param, int d) const {
        const Dim& dim = call_.inputs[size_t(param)].dims()[size_t(d)];
        std::vector<int64_t> coordinates;
        for (auto& v : f.variables) coordinates.push_back(v.i);
        return Error(ErrorKind::Bounds, "read-outside-input",
                     fmt::format("{} is read at {}, dimension {} holds {} .. {}",
                                 a_.params[size_t(param)].name.hint(), fmt::join(at_, ", "), d,
                                 dim.min, dim.min + dim.extent))
            .at(f.stage->def->source)
            .note(fmt::format("for {} at {}", f.stage->func->name.hint(),
                              fmt::join(coordinates, ", ")));
    }

    const Binder& binder_;
    const Binding& call_;
    const Algorithm& a_;
    std::deque<Stage> stages_;
    std::vector<Stage*> last_;  // of each Func
    std::deque<Frame> frames_;  // the first depth_ are in use
    size_t depth_ = 0;
    std::vector<int64_t> key_, at_;
};

Results run(const Binder& binder, std::span<const Arg> args) {
    DefinedFloatMode mode;
    Binding call = binder(args);
    Evaluator(binder, call).fill_outputs();
    return Results(call.outputs, binder.output_names());
}

}  // namespace

Results evaluate(const Pipeline& p, std::span<const Arg> args) {
    return run(Binder(p.shared()), args);
}

Results evaluate(const Pipeline& p, std::span<const Arg> inputs,
                 std::span<const std::vector<Dim>> boxes) {
    Binder binder(p.shared());
    std::vector<Arg> args(inputs.begin(), inputs.end());
    size_t o = 0;
    for (auto& decl : p.algorithm().outputs)
        for (Type type : p.algorithm().func(decl.func)->types) {
            if (o >= boxes.size()) break;
            std::vector<int64_t> extents, minima;
            for (const Dim& d : boxes[o++]) {
                extents.push_back(d.extent);
                minima.push_back(d.min);
            }
            args.push_back(AnyBuffer(type, extents).translated(minima));
        }
    if (o != boxes.size() || o != binder.output_names().size())
        throw Error(ErrorKind::Shape, "box-count",
                    fmt::format("{} boxes are given for the {} outputs of {}", boxes.size(),
                                binder.output_names().size(), p.name()));
    return run(binder, args);
}

}  // namespace burin
