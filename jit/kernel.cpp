#include <burin/kernel.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/float_mode.h"
#include "jit/host/runtime.h"
#include "jit/orc.h"
#include "lower/entry.h"

namespace burin {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) {
    return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
}

constexpr const char* entry_name = "burin_body";

// One compiled body, narrow or wide.
struct Body {
    Body(Lowered from, const Plan& plan, const Target& target, const Binder& binder);

    struct Scalar {  // where the value of BodyFn's k-th scalar comes from
        int let = -1;
        Binder::Leaf leaf{};
    };
    Lowered lowered;
    Entry entry;
    std::vector<Scalar> scalars;
    std::unique_ptr<Code> code;
    CompileTimes times;
};

LowerOptions lower_options(bool narrow, const Target& target, CompileOptions options) {
    LowerOptions o;
    o.narrow = narrow;
    o.checked = target.checks;
    o.counted = options.counted;
    return o;
}

Body::Body(Lowered from, const Plan& plan, const Target& target, const Binder& binder)
    : lowered(std::move(from)), entry(lowered.state, binder) {
    auto start = Clock::now();
    auto machine = target_machine(target.cpu, target.features);
    Generated generated = generate(lowered.state, entry_name, *machine);
    for (auto& leaf : generated.scalars) {
        Scalar s;
        auto& lets = lowered.state.entry_lets;
        for (size_t i = 0; i < lets.size(); ++i)
            if (auto* v = leaf.as<Var>(); v && v->name == lets[i].first) s.let = int(i);
        if (s.let < 0) s.leaf = binder.find(leaf);
        scalars.push_back(s);
    }
    optimize(generated, *machine);
    code = std::make_unique<Code>(std::move(generated), *machine, entry_name, plan.pipeline.name());
    times.lower = lowered.ms;
    times.codegen = ms_since(start);
    times.total = times.lower + times.codegen;
}

// A plan, or one variant of it.
struct Compiled {
    Compiled(const Plan& p, const Target& t, CompileOptions o, const Binder& b, const Lowering& l)
        : plan(p), target(t), options(o), binder(b), lowering(l), narrow(body(true)) {}

    Body body(bool is_narrow) const {
        LowerOptions o = lower_options(is_narrow, target, options);
        return {lowering ? lowering(plan, o) : lower(plan, o), plan, target, binder};
    }
    const Body& wide_body() const {
        std::call_once(wide_once, [&] { wide = std::make_unique<Body>(body(false)); });
        return *wide;
    }

    const Plan& plan;
    const Target& target;
    CompileOptions options;
    const Binder& binder;
    Lowering lowering;
    Body narrow;
    mutable std::once_flag wide_once;
    mutable std::unique_ptr<Body> wide;  // at its first need
    std::vector<size_t> names;           // of each Func: its place in Kernel::func_names
};

// All that a call works out from shapes and numbers; the next call with the same ones takes it over.
struct Prepared {
    std::vector<Dim> dims;          // of inputs, then outputs, one after the other
    std::vector<uint64_t> numbers;  // bits and type of each argument that is a number
    std::vector<Type> number_types;
    const Compiled* of = nullptr;
    const Body* body = nullptr;  // null: every output is empty
    std::vector<int64_t> scalars;
    std::vector<size_t> scratch_at;  // offset of each in the block
    std::vector<int64_t> scratch_stride;
    size_t scratch_bytes = 0;
    std::vector<int64_t> required_points;
};

// Not std::atomic<std::shared_ptr>: reading that is a data race in libstdc++ 12.
class Latest {
public:
    std::shared_ptr<const Prepared> get() const {
        std::lock_guard hold(lock_);
        return prepared_;
    }
    void set(std::shared_ptr<const Prepared> p) {
        std::lock_guard hold(lock_);
        prepared_.swap(p);
    }

private:
    mutable std::mutex lock_;
    std::shared_ptr<const Prepared> prepared_;
};

// Bytes that a buffer reaches from and to.
std::pair<uintptr_t, uintptr_t> reach(const AnyBuffer& b) {
    auto at = reinterpret_cast<uintptr_t>(b.data());
    int64_t lo = 0, hi = 0, bytes = b.type().bytes();
    for (const Dim& d : b.dims()) {
        if (d.extent == 0) return {at, at};
        (d.stride < 0 ? lo : hi) += (d.extent - 1) * d.stride;
    }
    return {at + lo * bytes, at + (hi + 1) * bytes};
}

}  // namespace

struct KernelState {
    KernelState(const Plan& p, const Target& t, CompileOptions o, const Lowering& lowering)
        : plan(p), target(t), options(o), binder(p.pipeline.shared()), dispatch(p, binder) {
        for (auto* v : plan.all()) {
            compiled.push_back(std::make_unique<Compiled>(*v, target, options, binder, lowering));
            add_names(*compiled.back());
        }
        auto& a = plan.pipeline.algorithm();
        auto add = [&](Type type, int rank) {
            arg_types.push_back(type);
            arg_ranks.push_back(rank);
        };
        for (auto& param : a.params) add(param.type, param.rank());
        for (auto& out : a.outputs)
            for (Type type : a.func(out.func)->types) add(type, a.func(out.func)->rank());
    }

    Plan plan;
    Target target;
    CompileOptions options;
    Binder binder;
    Dispatch dispatch;
    std::vector<std::unique_ptr<Compiled>> compiled;  // as Plan::all
    std::vector<std::string> func_names;
    mutable ScratchPool pool;
    mutable Latest last;
    std::vector<Type> arg_types;  // parameters, then outputs
    std::vector<int> arg_ranks;

    size_t params() const { return binder.algorithm().params.size(); }

    // Variants have the same Funcs but for private copies.
    void add_names(Compiled& c) {
        for (auto& f : c.plan.pipeline.algorithm().funcs) {
            auto at = std::ranges::find(func_names, f.name.hint());
            c.names.push_back(size_t(at - func_names.begin()));
            if (at == func_names.end()) func_names.push_back(f.name.hint());
        }
    }
    std::vector<int64_t> by_name(const Compiled& c, const std::vector<int64_t>& values,
                                 int64_t otherwise) const {
        std::vector<int64_t> all(func_names.size(), otherwise);
        for (size_t f = 0; f < values.size(); ++f) all[c.names[f]] = values[f];
        return all;
    }

    // Whether `p` was made for arguments like these (outputs included), none of which overlap.
    bool fits(const Prepared& p, std::span<const Arg> args) const {
        size_t d = 0, n = 0, expected = params() + binder.output_names().size();
        if (args.size() != expected) return false;
        auto& kinds = binder.algorithm().params;
        for (size_t i = 0; i < args.size(); ++i) {
            bool number = i < kinds.size() && kinds[i].kind != Parameter::Input;
            if (args[i].is_number() != number) return false;
            if (number) {
                if (p.numbers[n] != args[i].bits() || p.number_types[n] != args[i].type())
                    return false;
                ++n;
                continue;
            }
            const AnyBuffer& b = args[i].buffer();
            if (!b.defined() || b.type() != arg_types[i]) return false;
            auto dims = b.dims();
            if (d + dims.size() > p.dims.size() || dims.size() != size_t(arg_ranks[i]))
                return false;
            if (!std::equal(dims.begin(), dims.end(), p.dims.begin() + d)) return false;
            d += dims.size();
        }
        for (size_t o = params(); o < args.size(); ++o) {
            auto [lo, hi] = reach(args[o].buffer());
            for (size_t i = 0; i < o; ++i) {
                if (args[i].is_number()) continue;
                auto [from, to] = reach(args[i].buffer());
                if (lo < to && from < hi) return false;  // perhaps an overlap: bind looks closer
            }
        }
        return true;
    }
    std::shared_ptr<const Prepared> prepare(const Binding& call) const {
        auto p = std::make_shared<Prepared>();
        for (auto* list : {&call.inputs, &call.outputs})
            for (auto& b : *list)
                if (b.defined()) p->dims.insert(p->dims.end(), b.dims().begin(), b.dims().end());
        const Compiled& c = *compiled[dispatch.choose(call)];
        const Body* body = &c.narrow;
        Admission a = body->entry.admit(call);
        if (a.empty) return p;
        if (!a.narrow) {
            body = &c.wide_body();
            a = body->entry.admit(call);
        }
        p->of = &c;
        p->body = body;
        p->required_points = by_name(c, a.required_points, -1);
        for (auto& s : body->scalars)
            p->scalars.push_back(s.let >= 0 ? a.lets[s.let] : Binder::read(call, s.leaf));
        auto& scratch = body->lowered.state.scratch;
        for (size_t k = 0; k < scratch.size(); ++k) {
            // a vector may reach past the last element
            int64_t bytes = (a.scratch_bytes[k] + 127) / 64 * 64;
            p->scratch_at.push_back(p->scratch_bytes);
            p->scratch_stride.push_back(scratch[k].per_worker ? bytes : 0);
            int64_t total = 0;
            if (__builtin_mul_overflow(bytes, scratch[k].per_worker ? max_workers() : 1, &total) ||
                total > int64_t(1) << 46)
                throw Error(ErrorKind::Resource, "out-of-memory",
                            fmt::format("the intermediates of {} would take {} bytes each",
                                        scratch[k].func.hint(), bytes));
            p->scratch_bytes += size_t(total);
        }
        return p;
    }

    void execute(const Prepared& p, std::span<const AnyBuffer* const> buffers,
                 CallOptions call_options, CallReport* report) const {
        auto& state = p.body->lowered.state;
        std::array<void*, 24> few;
        std::vector<void*> many;
        void** pointers = few.data();
        if (state.buffers.size() > few.size()) {
            many.resize(state.buffers.size());
            pointers = many.data();
        }
        int output = 0;
        for (size_t i = 0; i < state.buffers.size(); ++i) {
            auto& b = state.buffers[i];
            pointers[i] =
                buffers[b.output >= 0 ? params() + size_t(output++) : size_t(b.param)]->data();
        }
        ScratchPool::Block block = pool.take(p.scratch_bytes);
        struct GiveBack {
            ScratchPool& pool;
            ScratchPool::Block block;
            ~GiveBack() { pool.give(block); }
        } give_back{pool, block};
        std::array<char*, 24> few_scratch;
        std::vector<char*> many_scratch;
        char** scratch = few_scratch.data();
        if (p.scratch_at.size() > few_scratch.size()) {
            many_scratch.resize(p.scratch_at.size());
            scratch = many_scratch.data();
        }
        for (size_t k = 0; k < p.scratch_at.size(); ++k) scratch[k] = block.data + p.scratch_at[k];
        CallContext context;
        context.buffers = pointers;
        context.scalars = p.scalars.data();
        context.scratch = scratch;
        context.scratch_stride = p.scratch_stride.data();
        context.threads = call_options.threads;
        std::vector<int64_t> counters;
        if (options.counted) counters.assign(p.of->plan.funcs.size(), 0);
        context.counters = counters.data();
        struct Job {
            BodyFn body;
            CallContext* context;
        } job{p.body->code->entry(), &context};
        auto run = [](void* j) {
            DefinedFloatMode mode;
            static_cast<Job*>(j)->body(static_cast<Job*>(j)->context, 0);
        };
        with_threads(call_options.threads, run, &job);
        if (report) {
            report->scratch_bytes = int64_t(p.scratch_bytes);
            report->points = options.counted ? by_name(*p.of, counters, 0) : std::vector<int64_t>();
            report->required_points = p.required_points;
            report->narrow = p.body == &p.of->narrow;
        }
        if (context.failures.load() > 0) {
            size_t b = size_t(context.failed_buffer);
            std::string name = b < state.buffers.size()
                                   ? state.buffers[b].buffer.hint()
                                   : state.scratch[b - state.buffers.size()].buffer.hint();
            throw Error(ErrorKind::Internal, "out-of-bounds",
                        fmt::format("{} accesses outside their buffer; the first: {}, offset {}",
                                    context.failures.load(), name, context.failed_index));
        }
    }
};

Kernel compile_plan(const Plan& plan, const Target& target, CompileOptions options,
                    const Lowering& lowering) {
    if (!lowering) check(plan);
    return Kernel(std::make_shared<KernelState>(plan, target, options, lowering));
}

Results Kernel::call(std::span<const Arg> args, CallOptions options, CallReport* report) const {
    const KernelState& k = *state_;
    if (options.threads < 0)
        throw Error(ErrorKind::Value, "thread-count",
                    fmt::format("{} threads cannot run a kernel", options.threads))
            .help("1 or more; 0 is all there are");
    std::shared_ptr<const Prepared> p = k.last.get();
    std::vector<AnyBuffer> outputs;
    std::array<const AnyBuffer*, 48> buffers;
    if (args.size() <= buffers.size() && p && p->body && k.fits(*p, args)) {
        for (size_t i = 0; i < args.size(); ++i) buffers[i] = &args[i].buffer();
        k.execute(*p, std::span(buffers.data(), args.size()), options, report);
        for (size_t i = k.params(); i < args.size(); ++i) outputs.push_back(args[i].buffer());
    } else {
        Binding call = k.binder(args);
        auto fresh = std::make_shared<Prepared>(*k.prepare(call));
        for (auto& a : args) {
            if (!a.is_number()) continue;
            fresh->numbers.push_back(a.bits());
            fresh->number_types.push_back(a.type());
        }
        if (fresh->body) {
            std::vector<const AnyBuffer*> all;
            for (auto& b : call.inputs) all.push_back(&b);
            for (auto& b : call.outputs) all.push_back(&b);
            k.execute(*fresh, all, options, report);
        }
        k.last.set(std::move(fresh));
        outputs = std::move(call.outputs);
    }
    return Results(std::move(outputs), k.binder.output_names());
}

const Pipeline& Kernel::pipeline() const { return state_->plan.derived(); }
const Target& Kernel::target() const { return state_->target; }
CompileTimes Kernel::compile_times() const {
    CompileTimes all;
    for (auto& c : state_->compiled) {
        all.lower += c->narrow.times.lower;
        all.codegen += c->narrow.times.codegen;
        all.total += c->narrow.times.total;
    }
    return all;
}

std::vector<std::string> Kernel::func_names() const { return state_->func_names; }

namespace {
// text(module, machine) of every variant, each under a line that says when it runs.
template <class F>
std::string texts(const KernelState& k, const char* comment, F text) {
    std::string all;
    for (auto& c : k.compiled) {
        auto machine = target_machine(k.target.cpu, k.target.features);
        Generated g = generate(c->narrow.lowered.state, entry_name, *machine);
        optimize(g, *machine);
        if (k.compiled.size() > 1) all += comment + heading(c->plan) + "\n";
        all += text(g, *machine);
    }
    return all;
}
}  // namespace

std::string Kernel::llvm() const {
    return texts(*state_, "; ", [](Generated& g, auto&) { return llvm_text(*g.module); });
}
std::string Kernel::assembly() const {
    return texts(*state_, "# ",
                 [](Generated& g, auto& machine) { return assembly_text(*g.module, machine); });
}

}  // namespace burin
