#include "base/dlpack.h"

#include <burin/buffer.h>
#include <fmt/format.h>

namespace burin {

dlpack::DataType to_dlpack_type(Type t) {
    uint8_t code = t.is_bool()   ? dlpack::Bool
                   : t.is_int()  ? dlpack::Int
                   : t.is_uint() ? dlpack::UInt
                   : t == bf16   ? dlpack::BFloat
                                 : dlpack::Float;
    return {code, t.bits, 1};
}

namespace {

constexpr Type storable[] = {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64};

Type from_dlpack_type(dlpack::DataType d) {
    for (Type t : storable) {
        dlpack::DataType known = to_dlpack_type(t);
        if (known.code == d.code && known.bits == d.bits && d.lanes == 1) return t;
    }
    throw Error(
        ErrorKind::Type, "dlpack-type",
        fmt::format(
            "a DLPack tensor has the type (code {}, {} bits, {} lanes), which is none of Burin's",
            d.code, d.bits, d.lanes));
}

Error bad_tensor(std::string what) {
    return Error(ErrorKind::Value, "dlpack-tensor", "a DLPack tensor " + std::move(what));
}

AnyBuffer import(const dlpack::Tensor& t, std::shared_ptr<void> owner) {
    if (t.device.device_type != dlpack::CPU)
        throw Error(ErrorKind::Device, "dlpack-device",
                    fmt::format("a DLPack tensor lies on device {}:{}, not in CPU memory (1)",
                                t.device.device_type, t.device.device_id));
    if (t.ndim < 0 || (t.ndim > 0 && !t.shape))
        throw bad_tensor(fmt::format("has {} dimensions and no shape", t.ndim));
    Type type = from_dlpack_type(t.dtype);
    std::vector<Dim> dims =
        t.strides ? std::vector<Dim>(size_t(t.ndim)) : dense_dims({t.shape, size_t(t.ndim)});
    if (t.strides)
        for (int d = 0; d < t.ndim; ++d) dims[d] = {0, t.shape[d], t.strides[d]};
    char* data = t.data ? static_cast<char*>(t.data) + t.byte_offset : nullptr;
    return AnyBuffer(type, data, std::move(dims), std::move(owner));
}

// Takes the tensor over: its deleter runs when the last handle goes, or here if this throws.
template <class Managed>
std::shared_ptr<void> take(Managed* tensor) {
    if (!tensor) throw bad_tensor("is null");
    return std::shared_ptr<void>(tensor, [tensor](void*) {
        if (tensor->deleter) tensor->deleter(tensor);
    });
}

template <class Managed>
Managed* export_as(const AnyBuffer& b) {
    struct Holder {
        Managed managed{};
        AnyBuffer buffer;
        std::vector<int64_t> shape, strides;
    };
    auto holder = std::make_unique<Holder>();
    holder->buffer = b;
    for (const Dim& d : b.dims())
        holder->shape.push_back(d.extent), holder->strides.push_back(d.stride);
    Managed& m = holder->managed;
    if constexpr (requires { m.version; }) m.version = dlpack::version;
    m.dl_tensor = {
        b.size() ? b.data() : nullptr, {dlpack::CPU, 0},       b.rank(), to_dlpack_type(b.type()),
        holder->shape.data(),          holder->strides.data(), 0};
    m.manager_ctx = holder.get();
    m.deleter = [](Managed* self) { delete static_cast<Holder*>(self->manager_ctx); };
    return &holder.release()->managed;
}

}  // namespace

AnyBuffer AnyBuffer::from_dlpack(DLManagedTensor* tensor) {
    auto* t = reinterpret_cast<dlpack::ManagedTensor*>(tensor);
    std::shared_ptr<void> owner = take(t);
    return import(t->dl_tensor, std::move(owner));
}

AnyBuffer AnyBuffer::from_dlpack(DLManagedTensorVersioned* tensor) {
    auto* t = reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor);
    std::shared_ptr<void> owner = take(t);
    if (t->version.major != dlpack::version.major)
        throw bad_tensor(fmt::format("has version {}.{}, not {}.x", t->version.major,
                                     t->version.minor, dlpack::version.major));
    bool is_read_only = t->flags & dlpack::read_only;
    AnyBuffer b = import(t->dl_tensor, std::move(owner));
    return is_read_only ? b.copy() : b;
}

DLManagedTensor* AnyBuffer::to_dlpack() const {
    return reinterpret_cast<DLManagedTensor*>(export_as<dlpack::ManagedTensor>(*this));
}

DLManagedTensorVersioned* AnyBuffer::to_dlpack_versioned() const {
    return reinterpret_cast<DLManagedTensorVersioned*>(
        export_as<dlpack::ManagedTensorVersioned>(*this));
}

}  // namespace burin
