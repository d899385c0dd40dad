#include <burin/io.h>

#include <png.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/files.h"

namespace burin {
namespace {

constexpr int64_t max_file = int64_t(1) << 32;
constexpr int64_t deflate_ratio = 1032;  // the most that one byte of a zlib stream can stand for

// libpng reports errors by longjmp. It is called through run() only, and what run() is given
// creates nothing that has a destructor.
class Png {
public:
    Png() = default;
    Png(const Png&) = delete;
    ~Png() {
        if (is_writer_) png_destroy_write_struct(&png, &info);
        else png_destroy_read_struct(&png, &info, nullptr);
    }
    bool open_reader() {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
        return start();
    }
    bool open_writer() {
        is_writer_ = true;
        png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
        return start();
    }
    template <class F>
    bool run(F f) {
        if (setjmp(png_jmpbuf(png))) return false;
        f();
        return true;
    }
    const char* error() const { return error_; }

    png_structp png = nullptr;
    png_infop info = nullptr;

private:
    bool start() {
        if (png) info = png_create_info_struct(png);
        if (!info) return false;
        png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // max_pixels is the limit
        return true;
    }
    [[noreturn]] static void fail(png_structp png, const char* message) {
        auto* self = static_cast<Png*>(png_get_error_ptr(png));
        std::strncpy(self->error_, message, sizeof self->error_ - 1);
        png_longjmp(png, 1);
    }
    static void ignore(png_structp, const char*) {}

    bool is_writer_ = false;
    char error_[120] = "out of memory";
};

void read_bytes(png_structp png, png_bytep to, size_t n) {
    auto* rest = static_cast<std::string_view*>(png_get_io_ptr(png));
    if (n > rest->size()) png_error(png, "it ends early");
    std::memcpy(to, rest->data(), n);
    rest->remove_prefix(n);
}

void append_bytes(png_structp png, png_bytep from, size_t n) {
    bool is_full = false;
    try {
        static_cast<std::string*>(png_get_io_ptr(png))
            ->append(reinterpret_cast<const char*>(from), n);
    } catch (const std::bad_alloc&) {
        is_full = true;
    }
    if (is_full) png_error(png, "out of memory");
}

void no_flush(png_structp) {}

int64_t big_endian(std::string_view bytes) {
    int64_t n = 0;
    for (unsigned char c : bytes) n = n << 8 | c;
    return n;
}

std::vector<png_bytep> rows_of(const Buffer<uint8_t>& dense) {
    std::vector<png_bytep> rows;
    for (int64_t y = 0; y < dense.extent(0); ++y)
        rows.push_back(dense.data() + y * dense.stride(0));
    return rows;
}

}  // namespace

Image load_png(const std::string& path) {
    auto fail = [&](std::string_view what) {
        throw Error(ErrorKind::Value, "bad-png",
                    fmt::format("{} is no readable PNG: {}", path, what));
    };
    const std::string bytes = read_file(path, max_file);
    std::string_view rest = bytes;
    if (!rest.starts_with("\x89PNG\r\n\x1a\n"))
        fail(rest.empty() ? "it is empty" : "it does not start as one");
    if (rest.size() < 33 || rest.substr(12, 4) != "IHDR") fail("it has no header");
    const int64_t w = big_endian(rest.substr(16, 4)), h = big_endian(rest.substr(20, 4));
    if (w == 0 || h == 0) fail(fmt::format("it is {} x {} pixels", w, h));
    if (w > max_pixels / h)
        throw Error(
            ErrorKind::Resource, "picture-too-large",
            fmt::format("{} is {} x {} pixels; the limit is {} in all", path, w, h, max_pixels));

    Png reader;
    if (!reader.open_reader()) fail(reader.error());
    png_structp png = reader.png;
    int depth = 0, colour = 0;
    bool has_key = false;
    bool is_open = reader.run([&] {
        png_set_read_fn(png, &rest, read_bytes);
        png_read_info(png, reader.info);
        depth = png_get_bit_depth(png, reader.info);
        colour = png_get_color_type(png, reader.info);
        has_key = png_get_valid(png, reader.info, PNG_INFO_tRNS);
        png_set_scale_16(png);
        png_set_expand(png);
        png_set_strip_alpha(png);
        png_set_gray_to_rgb(png);
    });
    if (!is_open) fail(reader.error());
    if (w * h / 8 * depth / deflate_ratio > int64_t(bytes.size()))
        fail(fmt::format("it is too short for {} x {} pixels", w, h));
    Buffer<uint8_t> interleaved({h, w, 3});
    std::vector<png_bytep> rows = rows_of(interleaved);
    bool is_read = reader.run([&] {
        png_set_interlace_handling(png);
        png_read_update_info(png, reader.info);
        if (png_get_rowbytes(png, reader.info) != size_t(3 * w))
            png_error(png, "its rows are not RGB");
        png_read_image(png, rows.data());
        png_read_end(png, nullptr);
    });
    if (!is_read) fail(reader.error());

    Image image{interleaved.transpose({2, 0, 1}).copy(), {}};
    if (colour == PNG_COLOR_TYPE_PALETTE) image.notes.push_back("palette expanded to RGB");
    if (!(colour & PNG_COLOR_MASK_COLOR)) image.notes.push_back("grey expanded to RGB");
    if ((colour & PNG_COLOR_MASK_ALPHA) || has_key) image.notes.push_back("alpha dropped");
    if (depth == 16) image.notes.push_back("16-bit reduced to 8");
    return image;
}

void save_png(const std::string& path, const Buffer<uint8_t>& pixels) {
    const bool is_grey = pixels.rank() == 2;
    if (!(is_grey || (pixels.rank() == 3 && pixels.extent(0) == 3)) || pixels.size() == 0)
        throw Error(ErrorKind::Shape, "not-a-picture",
                    fmt::format("cannot write {}: {} is not a picture", path, to_string(pixels)))
            .help("[3, h, w] for RGB, [h, w] for grey, at least one pixel");
    Buffer<uint8_t> dense = (is_grey ? pixels : pixels.transpose({1, 2, 0})).copy();
    auto fail = [&](const char* what) {
        throw Error(ErrorKind::Resource, "cannot-encode",
                    fmt::format("cannot write {}: {}", path, what));
    };
    if (std::max(dense.extent(0), dense.extent(1)) > PNG_UINT_31_MAX)
        fail("more than 2^31 - 1 pixels in a row");
    std::string bytes;
    std::vector<png_bytep> rows = rows_of(dense);
    Png writer;
    if (!writer.open_writer()) fail(writer.error());
    bool is_written = writer.run([&] {
        png_set_write_fn(writer.png, &bytes, append_bytes, no_flush);
        png_set_compression_level(writer.png,
                                  1);  // three times as fast as the default for a tenth more bytes
        png_set_IHDR(writer.png, writer.info, png_uint_32(dense.extent(1)),
                     png_uint_32(dense.extent(0)), 8,
                     is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(writer.png, writer.info);
        png_write_image(writer.png, rows.data());
        png_write_end(writer.png, nullptr);
    });
    if (!is_written) fail(writer.error());
    write_file(path, bytes);
}

}  // namespace burin
