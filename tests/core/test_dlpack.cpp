#include <burin/buffer.h>
#include <burin/dlpack.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>

#include "error_of.h"
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

using namespace burin;

namespace {

// A foreign tensor that counts how often its deleter runs.
struct Foreign {
    float data[6] = {0, 1, 2, 3, 4, 5};
    int64_t shape[2] = {2, 3}, strides[2] = {1, 2};
    int deleted = 0;
    dlpack::ManagedTensor managed{
        {data, {dlpack::CPU, 0}, 2, {dlpack::Float, 32, 1}, shape, nullptr, 0},
        this,
        [](dlpack::ManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; }};
    dlpack::Tensor& tensor() { return managed.dl_tensor; }
    AnyBuffer take() {
        return AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(&managed));
    }
    Error refusal() {
        Error e = error_of([&] { take(); });
        CHECK(deleted == 1);
        return e;
    }
};

dlpack::ManagedTensor* exported(const AnyBuffer& b) {
    return reinterpret_cast<dlpack::ManagedTensor*>(b.to_dlpack());
}

}  // namespace

TEST_CASE(
    "a tensor without strides is row-major, and its deleter runs once, after the last handle") {
    Foreign f;
    {
        Buffer<float> b = f.take(), part = b.slice(0, 1);
        b = {};
        CHECK(f.deleted == 0);
        CHECK(part(2) == 5);
        CHECK(part.data() == f.data + 3);
    }
    CHECK(f.deleted == 1);
}

TEST_CASE("strides and the byte offset of a tensor are honoured") {
    Foreign f;
    f.tensor().strides = f.strides;
    f.tensor().shape = new (f.shape) int64_t[2]{2, 2};
    f.tensor().byte_offset = 4;
    Buffer<float> b = f.take();
    CHECK(b(1, 0) == 2);
    CHECK(b(0, 1) == 3);
}

TEST_CASE("tensors of other devices, unknown types and broken shapes are refused and given back") {
    Foreign gpu, vector, complex, broken, null, negative;
    gpu.tensor().device = {dlpack::CUDA, 1};
    CHECK(gpu.refusal().kind() == ErrorKind::Device);
    vector.tensor().dtype.lanes = 4;
    CHECK(vector.refusal().kind() == ErrorKind::Type);
    complex.tensor().dtype.code = 5;
    CHECK(complex.refusal().message() ==
          "a DLPack tensor has the type (code 5, 32 bits, 1 lanes), which is none of Burin's");
    broken.tensor().ndim = -1;
    CHECK(broken.refusal().kind() == ErrorKind::Value);
    null.tensor().data = nullptr;
    CHECK(null.refusal().kind() == ErrorKind::Value);
    negative.shape[1] = -3;
    CHECK(negative.refusal().kind() == ErrorKind::Shape);
    CHECK(error_of([] { AnyBuffer::from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }).kind() ==
          ErrorKind::Value);
}

TEST_CASE("an exported buffer keeps its memory until the deleter and carries strides and type") {
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64}) {
        AnyBuffer b = AnyBuffer(t, {2, 3}).transpose({1, 0}).reversed(1).translated({4, 4});
        dlpack::ManagedTensor* m = exported(b);
        std::byte* corner = b.data();
        b = {};
        CHECK(m->dl_tensor.data == corner);
        CHECK(m->dl_tensor.shape[0] == 3);
        CHECK(m->dl_tensor.strides[1] == -3);
        // takes it over
        AnyBuffer back = AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(m));
        CHECK(back.type() == t);
        CHECK(back.data() == corner);
        CHECK(back.min(0) == 0);
    }
    dlpack::ManagedTensor* m = exported(AnyBuffer(bf16, {}));
    CHECK(m->dl_tensor.dtype.code == dlpack::BFloat);
    m->deleter(m);
    m = exported(AnyBuffer(f32, {0, 3}));
    CHECK(m->dl_tensor.data == nullptr);
    CHECK(AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensor*>(m)).extent(1) == 3);
}

TEST_CASE(
    "the versioned form is shared too, copied when read-only, and refused when of another major "
    "version") {
    auto fresh = [](const AnyBuffer& b) {
        return reinterpret_cast<dlpack::ManagedTensorVersioned*>(b.to_dlpack_versioned());
    };
    auto take = [](dlpack::ManagedTensorVersioned* m) {
        return AnyBuffer::from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(m));
    };
    Buffer<int> b({3});
    b(2) = 8;
    CHECK(take(fresh(b)).data() == reinterpret_cast<std::byte*>(b.data()));
    auto* constant = fresh(b);
    constant->flags = dlpack::read_only;
    Buffer<int> copy = take(constant);
    CHECK(copy.data() != b.data());
    CHECK(copy(2) == 8);
    auto* later = fresh(b);
    later->version.major = 2;
    CHECK(error_of([&] { take(later); }).message() == "a DLPack tensor has version 2.0, not 1.x");
}

#if __has_include(<dlpack/dlpack.h>)
TEST_CASE("our layout is that of <dlpack/dlpack.h>") {
    CHECK(sizeof(dlpack::Tensor) == sizeof(::DLTensor));
    CHECK(offsetof(dlpack::Tensor, data) == offsetof(::DLTensor, data));
    CHECK(offsetof(dlpack::Tensor, device) == offsetof(::DLTensor, device));
    CHECK(offsetof(dlpack::Tensor, ndim) == offsetof(::DLTensor, ndim));
    CHECK(offsetof(dlpack::Tensor, dtype) == offsetof(::DLTensor, dtype));
    CHECK(offsetof(dlpack::Tensor, shape) == offsetof(::DLTensor, shape));
    CHECK(offsetof(dlpack::Tensor, strides) == offsetof(::DLTensor, strides));
    CHECK(offsetof(dlpack::Tensor, byte_offset) == offsetof(::DLTensor, byte_offset));
    CHECK(sizeof(dlpack::ManagedTensor) == sizeof(::DLManagedTensor));
    CHECK(offsetof(dlpack::ManagedTensor, manager_ctx) == offsetof(::DLManagedTensor, manager_ctx));
    CHECK(offsetof(dlpack::ManagedTensor, deleter) == offsetof(::DLManagedTensor, deleter));
    CHECK(int(dlpack::CPU) == int(kDLCPU));
    CHECK(int(dlpack::BFloat) == int(kDLBfloat));
#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
    CHECK(int(dlpack::Bool) == int(kDLBool));
    CHECK(sizeof(dlpack::ManagedTensorVersioned) == sizeof(::DLManagedTensorVersioned));
    CHECK(offsetof(dlpack::ManagedTensorVersioned, flags) ==
          offsetof(::DLManagedTensorVersioned, flags));
    CHECK(offsetof(dlpack::ManagedTensorVersioned, dl_tensor) ==
          offsetof(::DLManagedTensorVersioned, dl_tensor));
    CHECK(dlpack::read_only == DLPACK_FLAG_BITMASK_READ_ONLY);
#endif
}
#endif
