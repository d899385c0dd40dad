// arg.h - what a call takes and what it gives back.
#pragma once
#include <burin/buffer.h>

#include <cstring>

namespace burin {

// One argument of a call: a buffer or a number. A number is converted to its parameter's type at the call.
class Arg {
public:
    Arg(AnyBuffer buffer) : buffer_(std::move(buffer)) {}
    template <class T>
    Arg(Buffer<T> buffer) : buffer_(std::move(buffer)) {}
    template <class T>
        requires std::is_arithmetic_v<T>
    Arg(T number) : Arg(&number, type_of<T>()) {}
    Arg(float16_t number) : Arg(&number, f16) {}
    Arg(bfloat16_t number) : Arg(&number, bf16) {}

    bool is_number() const { return is_number_; }
    const AnyBuffer& buffer() const { return buffer_; }
    Type type() const { return type_; }  // of a number, with bits() as in memory
    uint64_t bits() const { return bits_; }

private:
    Arg(const void* number, Type type) : is_number_(true), type_(type) {
        std::memcpy(&bits_, number, size_t(type.bytes()));
    }

    AnyBuffer buffer_;
    bool is_number_ = false;
    Type type_;
    uint64_t bits_ = 0;
};

// The outputs of a call. The elements of a tuple f are outputs of their own: "f", "f.1", ...
//
//   Buffer<float> out = kernel(photo);    // the only output; E-value if there are several
//   Results r = kernel(photo);            // r[0], r["luma"], r.get<float>(1)
class Results {
public:
    Results(std::vector<AnyBuffer> outputs, std::vector<std::string> names)
        : outputs_(std::move(outputs)), names_(std::move(names)) {}

    int size() const { return int(outputs_.size()); }
    const AnyBuffer& operator[](int i) const;  // E-value: there is none
    const AnyBuffer& operator[](std::string_view name) const;
    template <class T>
    Buffer<T> get(int i) const {  // E-type: its elements are not T
        return (*this)[i];
    }
    template <class T>
    operator Buffer<T>() const {
        return only();
    }

private:
    const AnyBuffer& only() const;

    std::vector<AnyBuffer> outputs_;
    std::vector<std::string> names_;
};

}  // namespace burin
