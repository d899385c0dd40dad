#include "tools/data.h"

#include <burin/io.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "ir/value.h"

namespace burin {
namespace {

enum class FileKind { Npy, Png };

FileKind kind_of_file(const std::string& path) {
    std::string end = std::filesystem::path(path).extension();
    if (end == ".npy") return FileKind::Npy;
    if (end == ".png") return FileKind::Png;
    throw Error(ErrorKind::Value, "file-kind",
                fmt::format("{} is no kind of file that is known", path))
        .help("data is kept in .npy files and .png pictures");
}

Value number(Type type, double v) {
    return type.is_float() ? Value::real(type, v) : Value::integer(type, int64_t(v));
}
double as_double(Value v) {
    return v.type.is_float() ? v.f : v.type == u64 ? double(uint64_t(v.i)) : double(v.i);
}

// The same box in another type, element by element.
template <class F>
AnyBuffer converted(const AnyBuffer& from, Type type, F f) {
    std::vector<int64_t> extents;
    for (auto& d : from.dims()) extents.push_back(d.extent);
    AnyBuffer to(type, extents);
    std::byte* next = to.data();
    for_each_point(from.dims(), [&](auto at) {
        store(f(load(from.type(), from.at(at))), next);
        next += type.bytes();
    });
    return to;
}

Buffer<uint8_t> grey(const Buffer<uint8_t>& rgb) {
    int64_t h = rgb.extent(1), w = rgb.extent(2);
    Buffer<uint8_t> out({h, w});
    const uint8_t *r = rgb.data(), *g = r + h * w, *b = g + h * w;
    for (int64_t i = 0; i < h * w; ++i)
        out.data()[i] = uint8_t(std::lround(0.299 * r[i] + 0.587 * g[i] + 0.114 * b[i]));
    return out;
}

template <class T>
void fill(const AnyBuffer& b, uint64_t seed, double lo, double hi) {
    auto* to = reinterpret_cast<T*>(b.data());
    for (int64_t i = 0; i < b.size(); ++i) to[i] = draw<T>(seed, uint64_t(i), lo, hi);
}

}  // namespace

Bounds64 usual_range(Type type) {
    if (type.is_bool()) return {0, 1};
    if (type.is_float()) return {-1, 1};
    if (type.bits > 16) return {type.is_uint() ? 0.0 : -1000.0, 1000};
    double n = std::ldexp(1, type.bits);
    return type.is_uint() ? Bounds64{0, n - 1} : Bounds64{-n / 2, n / 2 - 1};
}

void fill_random(const AnyBuffer& b, uint64_t seed, double lo, double hi) {
    if (b.type() == f32) return fill<float>(b, seed, lo, hi);
    if (b.type() == u8) return fill<uint8_t>(b, seed, lo, hi);
    if (b.type() == u16) return fill<uint16_t>(b, seed, lo, hi);
    for (int64_t i = 0; i < b.size(); ++i) {
        double v = b.type().is_float() ? draw<double>(seed, uint64_t(i), lo, hi)
                                       : double(draw<int64_t>(seed, uint64_t(i), lo, hi));
        store(number(b.type(), v), b.data() + i * b.type().bytes());
    }
}

AnyBuffer load_data(const std::string& path, Type type, int rank, std::vector<std::string>& notes) {
    if (kind_of_file(path) == FileKind::Npy) return load_npy(path);
    Image image = load_png(path);
    for (auto& n : image.notes) notes.push_back(path + ": " + n);
    if (rank == 2) {
        notes.push_back(path + ": its luminance is taken");
        image.pixels = grey(image.pixels);
    }
    if (type == u8) return image.pixels;
    notes.push_back(fmt::format("{}: u8 converted to {}", path, to_string(type)));
    return converted(image.pixels, type, [&](Value v) { return number(type, double(v.i)); });
}

void save_data(const std::string& path, const AnyBuffer& buffer, std::vector<std::string>& notes) {
    if (kind_of_file(path) == FileKind::Npy) return save_npy(path, buffer);
    if (buffer.type() == u8) return save_png(path, buffer);
    notes.push_back(fmt::format("{}: {} rounded to u8", path, to_string(buffer.type())));
    save_png(path, converted(buffer, u8, [](Value v) {
                 return eval_cast(u8, Value::real(f64, std::nearbyint(as_double(v))));
             }));
}

void check_can_write(const std::string& path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    struct stat info;
    bool exists = ::stat(path.c_str(), &info) == 0;
    int error = exists || errno == ENOENT ? 0 : errno;
    if (error) {
    } else if (exists && S_ISDIR(info.st_mode)) error = EISDIR;
    else if (exists && ::access(path.c_str(), W_OK) != 0) error = errno;
    else if ((!exists || S_ISREG(info.st_mode)) && ::access(folder.c_str(), W_OK | X_OK) != 0)
        error = errno;
    if (error)
        throw Error(ErrorKind::Value, "cannot-write",
                    fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

void check_can_save(const std::string& path, const AnyBuffer& buffer) {
    if (kind_of_file(path) == FileKind::Png) {
        bool planes = buffer.rank() == 3 && buffer.extent(0) == 3;
        if ((buffer.rank() != 2 && !planes) || buffer.size() == 0)
            throw Error(
                ErrorKind::Shape, "not-a-picture",
                fmt::format("{} cannot be written as a picture to {}", to_string(buffer), path))
                .help("a picture is [h, w] or [3, h, w]; .npy takes every shape");
    }
    check_can_write(path);
}

}  // namespace burin
