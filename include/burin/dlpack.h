// dlpack.h - the memory layout of DLPack's structs, as its specification (1.x) gives it;
// <dlpack/dlpack.h> is not needed, and does not clash, for the names here live in a namespace of
// their own.
#pragma once
#include <cstdint>

namespace burin::dlpack {

enum DeviceType : int32_t { CPU = 1, CUDA = 2, CUDAHost = 3 };
enum TypeCode : uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };

struct Device {
    int32_t device_type;
    int32_t device_id;
};
struct DataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};
struct Tensor {
    void* data;
    Device device;
    int32_t ndim;
    DataType dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; null: row-major without gaps
    uint64_t byte_offset;
};
struct ManagedTensor {
    Tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(ManagedTensor*);
};
struct Version {
    uint32_t major;
    uint32_t minor;
};
constexpr Version version{1, 0};
constexpr uint64_t read_only = 1;  // flag
struct ManagedTensorVersioned {
    Version version;  // of another major number only this, manager_ctx and deleter may be used
    void* manager_ctx;
    void (*deleter)(ManagedTensorVersioned*);
    uint64_t flags;
    Tensor dl_tensor;
};

}  // namespace burin::dlpack
