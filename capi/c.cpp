#include <burin/c.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>

#include <new>

#include "base/dlpack.h"
#include "base/nearest.h"
#include "func/bind.h"
#include "ir/print.h"
#include "schedules/library.h"

using namespace burin;

static_assert(sizeof(burin_tensor) == sizeof(dlpack::Tensor));
static_assert(offsetof(burin_tensor, dtype) == offsetof(dlpack::Tensor, dtype));
static_assert(offsetof(burin_tensor, byte_offset) == offsetof(dlpack::Tensor, byte_offset));
static_assert(BURIN_E_INTERNAL == int(ErrorKind::Internal) + 1);

// Every handle opens with a tag, by which a handle of another kind is told.
struct burin_pipeline {
    const char* tag = kind;
    Pipeline pipeline;
    Binder binder{pipeline.shared()};
    std::vector<std::string> names, shapes;
    std::vector<burin_argument> arguments;

    static constexpr const char* kind = "pipeline";
    explicit burin_pipeline(Pipeline p);
};
struct burin_schedule {
    const char* tag = kind;
    Schedule schedule;
    std::string text = schedule.text();

    static constexpr const char* kind = "schedule";
    explicit burin_schedule(Schedule s) : schedule(std::move(s)) {}
};
struct burin_kernel {
    const char* tag = kind;
    Kernel kernel;
    std::shared_ptr<const burin_pipeline> described;

    static constexpr const char* kind = "kernel";
    explicit burin_kernel(Kernel k)
        : kernel(std::move(k)), described(std::make_shared<burin_pipeline>(kernel.pipeline())) {}
};
struct burin_call {
    const char* tag = kind;
    Kernel kernel;
    std::shared_ptr<const burin_pipeline> described;
    std::vector<std::optional<Arg>> args;  // as described->arguments
    struct Written {
        AnyBuffer buffer;
        std::vector<int64_t> shape, strides;
    };
    std::vector<Written> written;  // by the last run

    static constexpr const char* kind = "call";
    explicit burin_call(const burin_kernel& k)
        : kernel(k.kernel), described(k.described), args(described->arguments.size()) {}
};

namespace {

// ---- failures ----

struct LastError {
    std::string id, message, report;
    burin_error error{BURIN_OK, "", "", ""};
};
thread_local LastError last;

burin_status fail(burin_status status, std::string_view id, std::string_view message,
                  std::string_view report) noexcept {
    try {
        last.id = id;
        last.message = message;
        last.report = report;
        last.error = {status, last.id.c_str(), last.message.c_str(), last.report.c_str()};
    } catch (...) {
        last.error = {status, "", "", ""};
    }
    return status;
}

// Runs f, whose exceptions become a status.
template <class F>
burin_status status_of(F f) noexcept {
    try {
        f();
        return BURIN_OK;
    } catch (const Error& e) {
        return fail(burin_status(int(e.kind()) + 1), e.id(), e.message(), e.what());
    } catch (const std::bad_alloc&) {
        return fail(BURIN_E_RESOURCE, "out-of-memory", "there is not enough memory",
                    "error: there is not enough memory");
    } catch (const std::exception& e) {
        return fail(BURIN_E_INTERNAL, "exception", e.what(), e.what());
    } catch (...) {
        return fail(BURIN_E_INTERNAL, "exception", "an unknown exception", "an unknown exception");
    }
}

Error null_argument(const char* what) {
    return Error(ErrorKind::Value, "null-argument", fmt::format("{} is NULL", what));
}
template <class T>
T& given(T* p, const char* what) {
    if (!p) throw null_argument(what);
    return *p;
}
template <class Handle>
Handle& opened(Handle* h) {
    using H = std::remove_const_t<Handle>;
    if (given(h, H::kind).tag != H::kind)
        throw Error(ErrorKind::Value, "not-a-handle",
                    fmt::format("what is given for a {} is none", H::kind));
    return *h;
}
template <class Handle>
void free_handle(Handle* h) noexcept {
    if (h && h->tag == Handle::kind) delete h;
}
// *to = new Handle(make()), or null if that fails.
template <class Handle, class F>
burin_status make_handle(Handle** to, F make) noexcept {
    return status_of([&] {
        given(to, "the place for the handle") = nullptr;
        *to = new Handle(make());
    });
}

// ---- what a call takes ----

burin_type type_of_argument(Type t) {
    if (t.is_index()) t = i64;
    dlpack::DataType d = to_dlpack_type(t);
    return {d.code, d.bits, d.lanes};
}

size_t index_of(const burin_call& call, const char* name) {
    given(name, "the name of an argument");
    auto& names = call.described->names;
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return i;
    throw Error(ErrorKind::Value, "unknown-argument",
                fmt::format("{} has no argument {}{}", call.described->pipeline.name(), name,
                            did_you_mean(name, names)))
        .help("it has " + listed(names));
}

size_t output_index(const burin_call& call, const char* name) {
    size_t i = index_of(call, name), inputs = call.kernel.pipeline().algorithm().params.size();
    if (i < inputs)
        throw Error(ErrorKind::Value, "not-an-output", fmt::format("{} is no output", name));
    return i - inputs;
}

template <class T>
burin_status set_number(burin_call* call, const char* name, T value) {
    return status_of([&] {
        size_t i = index_of(opened(call), name);
        bool truth = call->described->arguments[i].type.code == dlpack::Bool;
        call->args[i] = truth && (value == T(0) || value == T(1)) ? Arg(value == T(1)) : Arg(value);
    });
}

// The inputs and numbers, then the outputs if they are set; all of them have to be.
std::vector<Arg> arguments_of(const burin_call& call, bool with_outputs) {
    std::vector<Arg> args;
    std::string missing;
    bool outputs = false;
    for (size_t i = 0; i < call.args.size(); ++i) {
        const burin_argument& a = call.described->arguments[i];
        bool output = a.role == BURIN_OUTPUT;
        if (output && !with_outputs) break;
        outputs |= output && call.args[i];
        if (call.args[i]) args.push_back(*call.args[i]);
        else if (missing.empty() && !output) missing = a.name;
    }
    if (outputs)
        for (size_t i = call.args.size(); i-- > 0;)
            if (!call.args[i]) missing = call.described->names[i];
    if (!missing.empty())
        throw Error(ErrorKind::Value, "argument-not-set",
                    fmt::format("{} of {} is not set", missing, call.described->pipeline.name()));
    return args;
}

const LibraryEntry& entry_of(const Pipeline& p) {
    const LibraryEntry& e = library_entry(p.name());
    if (!(e.make() == p))
        throw Error(ErrorKind::Value, "not-of-the-library",
                    fmt::format("the library's {} is another algorithm", p.name()));
    return e;
}

}  // namespace

burin_pipeline::burin_pipeline(Pipeline p) : pipeline(std::move(p)) {
    auto& a = pipeline.algorithm();
    auto add = [&](std::string name, burin_role role, Type type, const std::vector<Expr>& shape) {
        std::string text;
        for (auto& d : shape)
            text += (text.empty() ? "" : ", ") + (d.defined() ? to_string(d) : "_");
        bool tensor = role == BURIN_INPUT || role == BURIN_OUTPUT;
        names.push_back(std::move(name));
        shapes.push_back(tensor ? "[" + text + "]" : "");
        arguments.push_back(
            {nullptr, role, type_of_argument(type), int32_t(shape.size()), nullptr});
    };
    for (auto& param : a.params)
        add(param.name.hint(), burin_role(param.kind), param.type, param.shape);
    auto name = binder.output_names().begin();
    for (auto& out : a.outputs)
        for (Type type : a.func(out.func)->types) add(*name++, BURIN_OUTPUT, type, out.shape);
    for (size_t i = 0; i < arguments.size(); ++i) {
        arguments[i].name = names[i].c_str();
        arguments[i].shape = shapes[i].c_str();
    }
}

const burin_error* burin_last_error() { return &last.error; }
const char* burin_version() { return BURIN_VERSION; }

burin_status burin_pipeline_load(const char* path, burin_pipeline** pipeline) {
    return make_handle(pipeline, [&] { return load_pipeline(&given(path, "path")); });
}
burin_status burin_pipeline_parse(const char* text, burin_pipeline** pipeline) {
    return make_handle(pipeline, [&] { return parse_pipeline(&given(text, "text")); });
}
burin_status burin_pipeline_library(const char* name, burin_pipeline** pipeline) {
    return make_handle(pipeline, [&] { return library_entry(&given(name, "name")).make(); });
}
burin_status burin_pipeline_text(const burin_pipeline* pipeline, const char** text) {
    return status_of([&] {
        given(text, "the place for the text") = nullptr;
        *text = opened(pipeline).pipeline.text().c_str();
    });
}
burin_status burin_pipeline_arguments(const burin_pipeline* pipeline,
                                      const burin_argument** arguments, int32_t* count) {
    return status_of([&] {
        given(arguments, "the place for the arguments") = nullptr;
        given(count, "the place for their number") = 0;
        *arguments = opened(pipeline).arguments.data();
        *count = int32_t(pipeline->arguments.size());
    });
}
void burin_pipeline_free(burin_pipeline* pipeline) { free_handle(pipeline); }

burin_status burin_schedule_load(const burin_pipeline* pipeline, const char* path,
                                 burin_schedule** schedule) {
    return make_handle(
        schedule, [&] { return load_schedule(opened(pipeline).pipeline, &given(path, "path")); });
}
burin_status burin_schedule_parse(const burin_pipeline* pipeline, const char* text,
                                  burin_schedule** schedule) {
    return make_handle(
        schedule, [&] { return parse_schedule(opened(pipeline).pipeline, &given(text, "text")); });
}
burin_status burin_schedule_auto(const burin_pipeline* pipeline, burin_schedule** schedule) {
    return make_handle(schedule, [&] { return auto_schedule(opened(pipeline).pipeline); });
}
burin_status burin_schedule_library(const burin_pipeline* pipeline, const char* name,
                                    burin_schedule** schedule) {
    return make_handle(schedule, [&] {
        const Pipeline& p = opened(pipeline).pipeline;
        const LibraryEntry& e = entry_of(p);
        return library_schedule(e, p, name ? std::string_view(name) : e.best);
    });
}
burin_status burin_schedule_text(const burin_schedule* schedule, const char** text) {
    return status_of([&] {
        given(text, "the place for the text") = nullptr;
        *text = opened(schedule).text.c_str();
    });
}
void burin_schedule_free(burin_schedule* schedule) { free_handle(schedule); }

burin_status burin_compile(const burin_pipeline* pipeline, const burin_schedule* schedule,
                           const char* target, burin_kernel** kernel) {
    return make_handle(kernel, [&] {
        const Pipeline& p = opened(pipeline).pipeline;
        Schedule s = schedule ? opened(schedule).schedule : Schedule(p);
        return compile(p, s, Target::parse(target ? target : "host"));
    });
}
void burin_kernel_free(burin_kernel* kernel) { free_handle(kernel); }

burin_status burin_call_new(const burin_kernel* kernel, burin_call** call) {
    return make_handle(call, [&]() -> const burin_kernel& { return opened(kernel); });
}
burin_status burin_call_set_tensor(burin_call* call, const char* name, const burin_tensor* tensor) {
    return status_of([&] {
        size_t i = index_of(opened(call), name);
        const burin_argument& a = call->described->arguments[i];
        if (given(tensor, "tensor").ndim != a.rank)  // before its shape is read
            throw Error(ErrorKind::Shape, "wrong-rank",
                        fmt::format("{}: a tensor of {} dimensions is given, its shape is {}", name,
                                    tensor->ndim, a.shape));
        auto* managed = new dlpack::ManagedTensor{
            {}, nullptr, [](dlpack::ManagedTensor* self) { delete self; }};
        std::memcpy(&managed->dl_tensor, tensor, sizeof *tensor);
        call->args[i] = Arg(AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(managed)));
    });
}
burin_status burin_call_set_int(burin_call* call, const char* name, int64_t value) {
    return set_number(call, name, value);
}
burin_status burin_call_set_uint(burin_call* call, const char* name, uint64_t value) {
    return set_number(call, name, value);
}
burin_status burin_call_set_float(burin_call* call, const char* name, double value) {
    return set_number(call, name, value);
}
burin_status burin_call_output_shape(const burin_call* call, const char* name, int64_t* shape,
                                     int32_t rank) {
    return status_of([&] {
        size_t o = output_index(opened(call), name);
        Binding bound = call->described->binder(arguments_of(*call, false));  // as run would
        auto dims = bound.outputs[o].dims();
        if (size_t(rank) != dims.size())
            throw Error(
                ErrorKind::Shape, "wrong-rank",
                fmt::format("{} has {} dimensions, room is given for {}", name, dims.size(), rank));
        if (rank) given(shape, "the place for the shape");
        for (size_t d = 0; d < dims.size(); ++d) shape[d] = dims[d].extent;
    });
}
burin_status burin_call_run(burin_call* call, int32_t threads) {
    return status_of([&] {
        Results results = opened(call).kernel.call(arguments_of(*call, true), {.threads = threads});
        std::vector<burin_call::Written> written;
        for (int o = 0; o < results.size(); ++o) {
            burin_call::Written w{results[o], {}, {}};
            for (const Dim& d : w.buffer.dims())
                w.shape.push_back(d.extent), w.strides.push_back(d.stride);
            written.push_back(std::move(w));
        }
        call->written = std::move(written);
    });
}
burin_status burin_call_get_output(const burin_call* call, const char* name, burin_tensor* tensor) {
    return status_of([&] {
        given(tensor, "the place for the tensor") = {};
        size_t o = output_index(opened(call), name);
        if (call->written.empty())
            throw Error(ErrorKind::Value, "not-run", "the call has not been run");
        const burin_call::Written& w = call->written[o];
        *tensor = {w.buffer.data(),
                   1,
                   0,
                   int32_t(w.shape.size()),
                   type_of_argument(w.buffer.type()),
                   const_cast<int64_t*>(w.shape.data()),
                   const_cast<int64_t*>(w.strides.data()),
                   0};
    });
}
void burin_call_free(burin_call* call) { free_handle(call); }
