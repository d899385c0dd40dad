#include <burin/io.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/files.h"

namespace burin {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t max_header = 1 << 20;

struct Header {
    std::string descr;
    bool is_fortran = false;
    std::vector<int64_t> shape;
};

// The header: a Python dict of three known keys. `fail` throws the Error that names the file.
template <class Fail>
class HeaderParser {
public:
    HeaderParser(std::string_view text, Fail fail) : text_(text), fail_(fail) {}

    Header parse() {
        Header h;
        int seen = 0;
        expect('{');
        while (!accept('}')) {
            std::string key = quoted();
            expect(':');
            if (key == "descr") seen |= 1, h.descr = descr();
            else if (key == "fortran_order") seen |= 2, h.is_fortran = boolean();
            else if (key == "shape") seen |= 4, h.shape = shape();
            else fail_(fmt::format("its header has the unknown key '{}'", key));
            if (!accept(',') && peek() != '}') fail_("its header is not a dict");
        }
        peek();
        if (!text_.empty()) fail_("its header goes on after the dict");
        if (seen != 7) fail_("its header lacks descr, fortran_order or shape");
        return h;
    }

private:
    char peek() {
        text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t"), text_.size()));
        return text_.empty() ? '\0' : text_[0];
    }
    bool accept(char c) {
        if (peek() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail_(fmt::format("its header lacks a '{}'", c));
    }
    std::string quoted() {
        char quote = peek();
        size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : text_.npos;
        if (end == text_.npos) fail_("its header lacks a quoted name");
        std::string s(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return s;
    }
    std::string descr() {
        if (peek() != '[') return quoted();
        size_t end = text_.rfind(']');  // a structured type: one field list, refused by name later
        if (end == text_.npos) fail_("its header lacks a ']'");
        std::string s(text_.substr(0, end + 1));
        text_.remove_prefix(end + 1);
        return s;
    }
    bool boolean() {
        peek();
        for (bool value : {false, true}) {
            std::string_view word = value ? "True" : "False";
            if (!text_.starts_with(word)) continue;
            text_.remove_prefix(word.size());
            return value;
        }
        fail_("fortran_order is neither True nor False");
        return false;
    }
    std::vector<int64_t> shape() {
        std::vector<int64_t> extents;
        expect('(');
        while (!accept(')')) {
            peek();
            int64_t n = -1;
            auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
            if (error != std::errc() || n < 0) fail_("its shape is not a tuple of sizes");
            text_.remove_prefix(size_t(end - text_.data()));
            accept('L');  // as Python 2 wrote long integers
            extents.push_back(n);
            if (!accept(',') && peek() != ')') fail_("its shape is not a tuple of sizes");
        }
        return extents;
    }

    std::string_view text_;
    Fail fail_;
};

// "f4" for f32: a kind letter and the size in bytes. Empty: the format has no name for it.
std::string npy_name(Type t) {
    if (t == bf16) return {};
    char kind = t.is_bool() ? 'b' : t.is_int() ? 'i' : t.is_uint() ? 'u' : 'f';
    return fmt::format("{}{}", kind, t.bytes());
}

std::optional<Type> npy_type(std::string_view name) {
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64})
        if (name == npy_name(t)) return t;
    return {};
}

// Bytes as this machine and C++ want them: little-endian, bools 0 or 1.
void normalise(const AnyBuffer& b, bool is_big_endian) {
    auto* p = reinterpret_cast<unsigned char*>(b.data());
    size_t width = size_t(b.type().bytes()), bytes = size_t(b.size_bytes());
    if (b.type().is_bool()) std::transform(p, p + bytes, p, [](unsigned char c) { return c != 0; });
    if (is_big_endian && width > 1)
        for (size_t i = 0; i < bytes; i += width) std::reverse(p + i, p + i + width);
}

}  // namespace

AnyBuffer load_npy(const std::string& path) {
    auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::Value, "bad-npy",
                    fmt::format("{} is no readable .npy file: {}", path, what));
    };
    InputFile file(path);
    unsigned char start[12] = {};
    if (file.size() < 0) fail("it is not a regular file");
    if (file.read(start, 10) < 10 || std::memcmp(start, magic.data(), magic.size()) != 0)
        fail("it does not start as one");
    int version = start[6];
    if (version < 1 || version > 3) fail(fmt::format("its version is {}, not 1, 2 or 3", version));
    size_t before = version == 1 ? 10 : 12, length = start[8] | size_t(start[9]) << 8;
    if (version > 1) {
        if (file.read(start + 10, 2) < 2) fail("it ends inside its header");
        length |= size_t(start[10]) << 16 | size_t(start[11]) << 24;
    }
    int64_t rest = file.size() - int64_t(before + length);
    if (rest < 0) fail("it ends inside its header");
    if (length > max_header)
        fail(fmt::format("its header of {} bytes is longer than {}", length, max_header));
    std::string text(length, '\0');
    if (file.read(text.data(), length) < length) fail("it ends inside its header");
    Header h = HeaderParser(text, fail).parse();

    bool has_order =
        !h.descr.empty() && std::string_view("<>=|").find(h.descr[0]) != std::string_view::npos;
    std::optional<Type> type = npy_type(std::string_view(h.descr).substr(has_order));
    if (!type)
        throw Error(ErrorKind::Type, "npy-type",
                    fmt::format("{} has elements of type '{}', which is none of Burin's", path,
                                h.descr.substr(0, 60)));
    if (h.is_fortran) std::reverse(h.shape.begin(), h.shape.end());
    __int128 bytes = type->bytes(), span = bytes;  // span: as if no extent were 0
    for (int64_t n : h.shape) {
        bytes *= n, span *= std::max<int64_t>(n, 1);
        if (span > INT64_MAX) fail("its shape takes more than 2^63 bytes");
    }
    if (bytes != rest)
        fail(fmt::format("its shape takes {} bytes, {} follow the header", int64_t(bytes), rest));
    AnyBuffer b(*type, h.shape);
    if (file.read(b.data(), size_t(rest)) < size_t(rest)) fail("it ends inside its data");
    normalise(b, h.descr[0] == '>');
    if (!h.is_fortran || b.rank() < 2) return b;
    std::vector<int> reverse;
    for (int d = b.rank(); d-- > 0;) reverse.push_back(d);
    return b.transpose(reverse).copy();
}

void save_npy(const std::string& path, const AnyBuffer& buffer) {
    std::string name = npy_name(buffer.type());
    if (name.empty())
        throw Error(ErrorKind::Type, "npy-type",
                    fmt::format("cannot write {}: the .npy format has no type {}", path,
                                to_string(buffer.type())))
            .help("cast to f32 first: it holds every bf16");
    std::string shape;
    for (const Dim& d : buffer.dims())
        shape += fmt::format("{}{}", shape.empty() ? "" : ", ", d.extent);
    if (buffer.rank() == 1) shape += ',';
    std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   buffer.type().bytes() == 1 ? '|' : '<', name, shape);
    bool is_long = text.size() > 65000;
    size_t before = is_long ? 12 : 10, length = (before + text.size() + 1 + 63) / 64 * 64 - before;
    text.resize(length - 1, ' ');
    text += '\n';
    std::string start(magic);
    start += {char(is_long ? 2 : 1), '\0'};
    for (size_t i = 0; i < before - 8; ++i) start += char(length >> 8 * i);
    AnyBuffer dense = buffer.is_dense() ? buffer : buffer.copy();
    write_file(
        path,
        {start, text, {reinterpret_cast<const char*>(dense.data()), size_t(dense.size_bytes())}});
}

}  // namespace burin
