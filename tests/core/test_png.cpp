#include <burin/io.h>
#include <doctest/doctest.h>
#include <zlib.h>

#include "base/files.h"
#include "error_of.h"
#include "file_fixture.h"

using namespace burin;
using namespace std::string_literals;

namespace {

std::string number(uint32_t n) { return {char(n >> 24), char(n >> 16), char(n >> 8), char(n)}; }

std::string chunk(const std::string& name, const std::string& data) {
    std::string body = name + data;
    uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size()));
    return number(uint32_t(data.size())) + body + number(uint32_t(sum));
}

// A PNG by hand. `raw` holds the rows, each after its filter byte.
std::string png(uint32_t w, uint32_t h, int depth, int colour, const std::string& raw,
                const std::string& extra = "", int interlace = 0) {
    uLongf size = compressBound(raw.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(raw.data()), raw.size());
    packed.resize(size);
    std::string head =
        number(w) + number(h) + std::string{char(depth), char(colour), 0, 0, char(interlace)};
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + extra + chunk("IDAT", packed) +
           chunk("IEND", "");
}

using Fixture = FileFixture<load_png>;

using Notes = std::vector<std::string>;
bool is_pixel(const Image& image, int64_t y, int64_t x, int r, int g, int b) {
    return image.pixels(0, y, x) == r && image.pixels(1, y, x) == g && image.pixels(2, y, x) == b;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a colour or grey picture written comes back planar, dense and exact") {
    for (auto [h, w] : {std::pair(1, 1), std::pair(3, 7), std::pair(64, 50)}) {
        Buffer<uint8_t> rgb({3, h, w});
        for (int64_t i = 0; i < rgb.size(); ++i) rgb.data()[i] = uint8_t(i * 37 + i / 7);
        save_png(path, rgb);
        Image image = load_png(path);
        CHECK(same(image.pixels, rgb));
        CHECK(image.pixels.is_dense());
        CHECK(image.notes.empty());
        save_png(path, rgb.slice(0, 1));
        image = load_png(path);
        CHECK(same(image.pixels.slice(0, 2), rgb.slice(0, 1)));
        CHECK(image.notes == Notes{"grey expanded to RGB"});
        save_png(path, rgb.reversed(2).translated({0, -3, 9}));
        CHECK(same(load_png(path).pixels, rgb.reversed(2)));
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "grey, alpha, palette and 16-bit pictures are converted and the notes say so") {
    Image grey = load(png(9, 1, 1, 0, "\0\xa0\x80"s));
    CHECK(is_pixel(grey, 0, 0, 255, 255, 255));
    CHECK(is_pixel(grey, 0, 1, 0, 0, 0));
    CHECK(is_pixel(grey, 0, 8, 255, 255, 255));
    CHECK(grey.notes == Notes{"grey expanded to RGB"});

    Image rgba = load(png(1, 2, 8, 6, "\0\1\2\3\4\0\5\6\7\0"s));
    CHECK(is_pixel(rgba, 0, 0, 1, 2, 3));
    CHECK(is_pixel(rgba, 1, 0, 5, 6, 7));
    CHECK(rgba.notes == Notes{"alpha dropped"});

    Image deep = load(png(2, 1, 16, 4, "\0\xff\xff\0\0\x80\x7f\xff\xff"s));
    CHECK(is_pixel(deep, 0, 0, 255, 255, 255));
    CHECK(is_pixel(deep, 0, 1, 128, 128, 128));
    CHECK(deep.notes == Notes{"grey expanded to RGB", "alpha dropped", "16-bit reduced to 8"});

    std::string palette = chunk("PLTE", "\1\2\3\x0a\x0b\x0c"s);
    Image indexed = load(png(2, 1, 1, 3, "\0\x40"s, palette + chunk("tRNS", "\x80"s)));
    CHECK(is_pixel(indexed, 0, 0, 1, 2, 3));
    CHECK(is_pixel(indexed, 0, 1, 10, 11, 12));
    CHECK(indexed.notes == Notes{"palette expanded to RGB", "alpha dropped"});

    // Interlaced, 2 x 2: three passes hold (0, 0), then (0, 1), then the second row.
    Image woven = load(png(2, 2, 8, 2, "\0\1\1\1\0\2\2\2\0\3\3\3\4\4\4"s, "", 1));
    CHECK(is_pixel(woven, 0, 1, 2, 2, 2));
    CHECK(is_pixel(woven, 1, 0, 3, 3, 3));
    CHECK(woven.notes.empty());
}

TEST_CASE_FIXTURE(
    Fixture,
    "pictures without pixels, too many pixels or too few bytes are refused before allocating") {
    CHECK(refusal(png(0, 0, 8, 2, "")) == " is no readable PNG: it is 0 x 0 pixels");
    CHECK(refusal(png(100000, 100000, 8, 2, ""), ErrorKind::Resource) ==
          " is 100000 x 100000 pixels; the limit is 536870912 in all");
    CHECK(refusal(png(~0u, ~0u, 8, 2, ""), ErrorKind::Resource).find("4294967295") !=
          std::string::npos);
    CHECK(
        refusal(png(20000, 20000, 8, 2, "")).ends_with("it is too short for 20000 x 20000 pixels"));
    CHECK(refusal("").ends_with("it is empty"));
    CHECK(refusal("GIF89a").ends_with("it does not start as one"));
    CHECK(refusal("\x89PNG\r\n\x1a\n").ends_with("it has no header"));
    CHECK(refusal(png(2, 2, 8, 2, "\0\1\2\3"s)).find("is no readable PNG: ") == 1);
    CHECK(refusal(png(1, 1, 7, 2, "\0\1\2\3"s)).find("is no readable PNG: ") == 1);
    CHECK(error_of([&] { load_png(folder / "none"); })
              .message()
              .ends_with("No such file or directory"));
    CHECK(error_of([&] { load_png(folder.path()); }).message().ends_with("Is a directory"));
}

TEST_CASE_FIXTURE(
    Fixture,
    "a picture cut at any byte is an Error and one with any bit flipped an Error or a picture") {
    const std::string whole =
        png(5, 2, 8, 2, "\0abcdefghijklmno\1ABCDEFGHIJKLMNO"s, chunk("tEXt", "Title\0x"s));
    CHECK(load(whole).pixels.extent(2) == 5);
    for (size_t n = 0; n < whole.size(); ++n) refusal(whole.substr(0, n));
    int loaded = 0;
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string bytes = whole;
        bytes[bit / 8] ^= char(1 << bit % 8);
        try {
            loaded += load(bytes).pixels.size() == 30;
        } catch (const Error& e) {
            REQUIRE(e.message().starts_with(path));
        }
    }
    CHECK(loaded > 8 * 7);  // those in the text, at least: it is no part of the picture
    CHECK(loaded < int(4 * whole.size()));
}

TEST_CASE_FIXTURE(Fixture, "what is no picture is not written, and a full disk leaves no file") {
    CHECK(error_of([&] { save_png(path, Buffer<uint8_t>({4, 2, 2})); }).message() ==
          "cannot write " + path + ": u8[4, 2, 2] is not a picture");
    CHECK(error_of([&] { save_png(path, Buffer<uint8_t>({3, 0, 2})); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { save_png(path, Buffer<uint8_t>({3})); }).kind() == ErrorKind::Shape);
    CHECK(error_of([&] { save_png("/dev/full", Buffer<uint8_t>({2, 2})); }).kind() ==
          ErrorKind::Resource);
    CHECK(error_of([&] { save_png(folder / "no/a.png", Buffer<uint8_t>({2, 2})); }).kind() ==
          ErrorKind::Value);
    CHECK(folder.files().empty());
}
