// buffer.h - memory with a type, a box of coordinates and strides: what kernels read and write.
//
//   Buffer<float> image({480, 640});           // zero; row-major: the last coordinate is contiguous
//   image(3, 5) = 1.5f;                        // checked: E-bounds outside the box
//   auto top = image.crop(0, 0, 240);          // shares the memory, as copies of a Buffer do
//   auto mine = Buffer<uint8_t>::view(pixels, {h, w});
#pragma once
#include <burin/error.h>
#include <burin/type.h>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct DLManagedTensor;  // DLPack; its layout: burin/dlpack.h or <dlpack/dlpack.h>
struct DLManagedTensorVersioned;

namespace burin {

// Coordinates min .. min + extent - 1; a step of one moves `stride` elements, which may be negative
// or zero.
struct Dim {
    int64_t min = 0, extent = 0, stride = 0;
    bool contains(int64_t c) const { return uint64_t(c) - uint64_t(min) < uint64_t(extent); }
    friend bool operator==(const Dim&, const Dim&) = default;
};

// Calls f(std::span<const int64_t>) with each point of the box, the last coordinate fastest.
template <class F>
void for_each_point(std::span<const Dim> box, F f) {
    std::vector<int64_t> at;
    for (const Dim& d : box) {
        if (d.extent == 0) return;
        at.push_back(d.min);
    }
    for (;;) {
        f(std::span<const int64_t>(at));
        size_t d = box.size();
        for (; d > 0; --d) {
            if (++at[d - 1] < box[d - 1].min + box[d - 1].extent) break;
            at[d - 1] = box[d - 1].min;
        }
        if (d == 0) return;
    }
}

// A counted handle: copies and slices share the memory, and may be made and dropped in any thread.
// Any rank, 0 included. Bool takes one byte, 0 or 1 (any other value reads as true); Index is no
// element type (E-type).
class AnyBuffer {
public:
    AnyBuffer() = default;  // undefined; everything but defined() is E-value then
    // Allocated, aligned to 64 bytes, zero. E-shape: a negative extent; E-resource: too large or no
    // memory.
    AnyBuffer(Type type, std::initializer_list<int64_t> extents);
    AnyBuffer(Type type, std::span<const int64_t> extents);
    // Existing memory: `data` is the address of the corner at the minima. `owner` keeps it alive;
    // without one the memory must outlive the handles.
    AnyBuffer(Type type, void* data, std::vector<Dim> dims, std::shared_ptr<void> owner = {});

    bool defined() const { return state_ != nullptr; }
    Type type() const { return state().type; }
    int rank() const { return int(state().dims.size()); }
    std::span<const Dim> dims() const { return state().dims; }
    const Dim& dim(int d) const;  // E-shape: no such dimension
    int64_t min(int d) const { return dim(d).min; }
    int64_t extent(int d) const { return dim(d).extent; }
    int64_t stride(int d) const { return dim(d).stride; }
    int64_t size() const;  // in elements; size_bytes: of the elements, gaps not counted
    int64_t size_bytes() const { return size() * type().bytes(); }
    bool is_dense() const;                            // row-major and without gaps
    std::byte* data() const { return state().data; }  // the corner at the minima

    // The address of one element. E-bounds outside the box, E-shape for a wrong number of
    // coordinates.
    void* at(std::span<const int64_t> coordinates) const {
        const State& s = state();
        if (coordinates.size() != s.dims.size()) wrong_rank(coordinates.size());
        int64_t offset = 0;
        for (size_t d = 0; d < s.dims.size(); ++d) {
            const Dim& dim = s.dims[d];
            if (!dim.contains(coordinates[d])) out_of_range(d, coordinates[d]);
            offset += (coordinates[d] - dim.min) * dim.stride;
        }
        return s.data + offset * s.type.bytes();
    }

    // Parts and other orders of the same memory. Dimension d of a transpose is order[d]; reversed
    // lets the coordinates c and min + max - c trade places.
    AnyBuffer crop(int d, int64_t min, int64_t extent) const;  // E-bounds: not inside
    AnyBuffer slice(int d, int64_t coordinate) const;          // one dimension less
    AnyBuffer transpose(const std::vector<int>& order) const;
    AnyBuffer reversed(int d) const;
    AnyBuffer translated(const std::vector<int64_t>& by) const;

    AnyBuffer copy() const;  // new dense memory over the same box

    // DLPack: the memory is shared. Minima are not part of it: to_dlpack drops them, from_dlpack
    // gives 0. from_dlpack takes the tensor over and calls its deleter once, also when it throws:
    // E-device not in CPU memory, E-type no such element type, E-value not to be understood. A
    // read-only tensor is copied.
    static AnyBuffer from_dlpack(DLManagedTensor* tensor);
    static AnyBuffer from_dlpack(DLManagedTensorVersioned* tensor);
    DLManagedTensor* to_dlpack() const;  // the receiver calls its deleter
    DLManagedTensorVersioned* to_dlpack_versioned() const;

protected:
    void fill_with(const void* element) const;
    void check_type(Type wanted) const;

private:
    struct State {
        Type type;
        std::byte* data;
        std::vector<Dim> dims;
        std::shared_ptr<void> owner;
    };
    const State& state() const {
        if (!state_) undefined();
        return *state_;
    }
    AnyBuffer with(std::byte* data, std::vector<Dim> dims) const;
    [[noreturn]] static void undefined();
    [[noreturn]] void wrong_rank(size_t given) const;
    [[noreturn]] void out_of_range(size_t d, int64_t coordinate) const;

    std::shared_ptr<const State> state_;
};

// A buffer whose element type is known to C++: T is bool, an integer, float16_t, bfloat16_t, float
// or double.
template <class T>
class Buffer : public AnyBuffer {
public:
    Buffer() = default;
    explicit Buffer(std::initializer_list<int64_t> extents) : AnyBuffer(type_of<T>(), extents) {}
    explicit Buffer(std::span<const int64_t> extents) : AnyBuffer(type_of<T>(), extents) {}
    Buffer(AnyBuffer other) : AnyBuffer(std::move(other)) {  // E-type if its elements are not T
        if (defined()) check_type(type_of<T>());
    }
    static Buffer view(T* data, std::initializer_list<int64_t> extents,
                       std::shared_ptr<void> owner = {});
    static Buffer view(T* data, std::vector<Dim> dims, std::shared_ptr<void> owner = {}) {
        return AnyBuffer(type_of<T>(), data, std::move(dims), std::move(owner));
    }

    template <std::convertible_to<int64_t>... I>
    T& operator()(I... coordinates) const {  // checked, as at() is
        const int64_t c[sizeof...(I) + 1] = {int64_t(coordinates)...};
        return *static_cast<T*>(at({c, sizeof...(I)}));
    }
    T* data() const { return reinterpret_cast<T*>(AnyBuffer::data()); }
    void fill(T value) const { fill_with(&value); }

    Buffer crop(int d, int64_t min, int64_t extent) const {
        return AnyBuffer::crop(d, min, extent);
    }
    Buffer slice(int d, int64_t coordinate) const { return AnyBuffer::slice(d, coordinate); }
    Buffer transpose(const std::vector<int>& order) const { return AnyBuffer::transpose(order); }
    Buffer reversed(int d) const { return AnyBuffer::reversed(d); }
    Buffer translated(const std::vector<int64_t>& by) const { return AnyBuffer::translated(by); }
    Buffer copy() const { return AnyBuffer::copy(); }
};

// The strides of a row-major box without gaps. E-shape, E-resource as for an allocation.
std::vector<Dim> dense_dims(std::span<const int64_t> extents);

template <class T>
Buffer<T> Buffer<T>::view(T* data, std::initializer_list<int64_t> extents,
                          std::shared_ptr<void> owner) {
    return view(data, dense_dims({extents.begin(), extents.size()}), std::move(owner));
}

// Equal type, box and elements: floats by bits but any NaN equals any other, bools as true or
// false.
bool same(const AnyBuffer& a, const AnyBuffer& b);
// The first point, in row-major order, at which they differ. E-type, E-shape: not of one type, not
// over one box.
std::optional<std::vector<int64_t>> first_difference(const AnyBuffer& a, const AnyBuffer& b);

// Whether an element of a and an element of b share a byte. Interleaved strides are told apart; in
// cases whose exact answer would take long it says true.
bool overlaps(const AnyBuffer& a, const AnyBuffer& b);

// "f32[480, 640]", "u8[-1:3, 2]" for minima that are not 0.
std::string to_string(const AnyBuffer& buffer);

}  // namespace burin
