#include <burin/io.h>
#include <doctest/doctest.h>

#include <cstring>

#include "base/files.h"
#include "error_of.h"
#include "file_fixture.h"

using namespace burin;
using namespace std::string_literals;

namespace {

// A .npy file by hand: version 1, the header unpadded.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
    std::string length = {char(header.size()), char(header.size() >> 8)};
    if (version > 1) length += "\0\0"s;
    return "\x93NUMPY"s + version + '\0' + length + header + data;
}

std::string dict(const std::string& descr, const std::string& shape, bool is_fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

using Fixture = FileFixture<load_npy>;

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "a buffer of every element type and of ranks 0 to 4 comes back from its file") {
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64})
        for (auto extents : {std::vector<int64_t>{}, {5}, {2, 3}, {0, 3}, {2, 3, 1, 4}}) {
            AnyBuffer b(t, extents);
            for (int64_t i = 0; i < b.size_bytes(); ++i)
                b.data()[i] = std::byte(t.is_bool() ? i % 2 : i + 1);
            save_npy(path, b);
            CHECK(same(load_npy(path), b));
        }
}

TEST_CASE_FIXTURE(Fixture, "what is saved is what NumPy writes") {
    Buffer<float> b({2, 1});
    b(1, 0) = 1;
    save_npy(path, b);
    std::string header = dict("<f4", "(2, 1)");
    header.resize(128 - 10 - 1, ' ');
    CHECK(read_file(path, 1000) == npy(header + "\n", "\0\0\0\0\0\0\x80\x3f"s));
    save_npy(path, Buffer<bool>({3}));
    CHECK(read_file(path, 1000).find(dict("|b1", "(3,)")) != std::string::npos);
    save_npy(path, Buffer<int64_t>({}));
    CHECK(read_file(path, 1000).find(dict("<i8", "()")) != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a strided, reversed or moved buffer is saved in row-major order") {
    Buffer<int16_t> b({3, 4});
    for (int i = 0; i < 12; ++i) b(i / 4, i % 4) = int16_t(i);
    save_npy(path, b.transpose({1, 0}).reversed(0).translated({5, 5}));
    Buffer<int16_t> c = load_npy(path);
    CHECK(c.is_dense());
    CHECK(c.extent(0) == 4);
    CHECK(c(0, 2) == b(2, 3));
    save_npy(path, b.crop(1, 1, 2));
    CHECK(Buffer<int16_t>(load_npy(path))(2, 1) == b(2, 2));
}

TEST_CASE_FIXTURE(Fixture,
                  "Fortran order, big-endian numbers, versions 1 to 3 and loose spacing are read") {
    Buffer<uint8_t> f = load(npy(dict("|u1", "(2, 3)", true), "\1\2\3\4\5\6"));
    CHECK(f.is_dense());
    CHECK(f(0, 1) == 3);
    CHECK(f(1, 2) == 6);
    Buffer<int32_t> big = load(npy(dict(">i4", "(2,)"), "\0\0\1\2\xff\xff\xff\xfe"s));
    CHECK(big(0) == 258);
    CHECK(big(1) == -2);
    for (char version : {1, 2, 3})
        CHECK(load(npy(dict("<u2", "(1,)"), "ab", version)).extent(0) == 1);
    CHECK(load(npy("{\"shape\":(2L,1),'fortran_order' :False,\n'descr':'|u1'}  \n", "ab")).rank() ==
          2);
    Buffer<bool> b = load(npy(dict("|b1", "(2,)"), "\7\0"s));
    CHECK(b(0) == true);
}

TEST_CASE_FIXTURE(Fixture, "files that are no .npy file say what is wrong") {
    CHECK(refusal("") == " is no readable .npy file: it does not start as one");
    CHECK(refusal(std::string(100, 'x')).ends_with("it does not start as one"));
    CHECK(
        refusal(npy(dict("<f4", "(1,)"), "abcd", 4)).ends_with("its version is 4, not 1, 2 or 3"));
    CHECK(refusal(npy(dict("<f4", "(3,)"), "abcd"))
              .ends_with("its shape takes 12 bytes, 4 follow the header"));
    CHECK(refusal(npy(dict("<f4", "(1,)"), "abcde"))
              .ends_with("its shape takes 4 bytes, 5 follow the header"));
    CHECK(refusal(npy(dict("<f4", "(-1,)"), "")).ends_with("its shape is not a tuple of sizes"));
    CHECK(refusal(npy(dict("<f4", "(100000, 100000, 100000, 100000)"), ""))
              .ends_with("more than 2^63 bytes"));
    CHECK(refusal(npy(dict("<f4", "(0, 9223372036854775807)"), ""))
              .ends_with("more than 2^63 bytes"));
    CHECK(refusal(npy(dict("<f4", "(1000000, 100000)"), ""))
              .ends_with("takes 400000000000 bytes, 0 follow the header"));
    CHECK(refusal(npy("{'descr': '<f4'}", "")).ends_with("lacks descr, fortran_order or shape"));
    CHECK(refusal(npy("{'descr': '<f4', 'x': 3}", "")).ends_with("has the unknown key 'x'"));
    CHECK(refusal("\x93NUMPY\2\0\xff\xff\xff\xff{}"s).ends_with("it ends inside its header"));
    CHECK(refusal("\x93NUMPY\2\0\0\0\x20\0"s + std::string(3 << 20, ' '))
              .ends_with("is longer than 1048576"));
    CHECK(error_of([] { load_npy("/none.npy"); }).message() ==
          "cannot read /none.npy: No such file or directory");
    CHECK(error_of([] { load_npy("/dev/null"); }).message().ends_with("it is not a regular file"));
}

TEST_CASE_FIXTURE(Fixture, "element types that are not ours are E-type by name") {
    CHECK(refusal(npy(dict("<c8", "(1,)"), "abcdefgh"), ErrorKind::Type) ==
          " has elements of type '<c8', which is none of Burin's");
    CHECK(refusal(npy(dict("|O", "(1,)"), ""), ErrorKind::Type).find("'|O'") != std::string::npos);
    std::string fields =
        "{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1,), }";
    CHECK(refusal(npy(fields, "abcdefgh"), ErrorKind::Type).find("[('a', '<f4')") !=
          std::string::npos);
    Error e = error_of([&] { save_npy(path, Buffer<bfloat16_t>({2})); });
    CHECK(e.kind() == ErrorKind::Type);
    CHECK(e.message().find("bf16") != std::string::npos);
}

TEST_CASE_FIXTURE(
    Fixture,
    "a file cut at any byte is an Error and one with any bit flipped is an Error or a buffer") {
    Buffer<uint16_t> b({2, 3});
    b.fill(0x1234);
    save_npy(path, b);
    const std::string whole = read_file(path, 1000);
    for (size_t n = 0; n < whole.size(); ++n) refusal(whole.substr(0, n));
    int loaded = 0;
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string bytes = whole;
        bytes[bit / 8] ^= char(1 << bit % 8);
        try {
            loaded += load(bytes).size() == 6;
        } catch (const Error& e) {
            REQUIRE(e.message().starts_with(path));
        }
    }
    CHECK(loaded >= 96);  // at least those in the data
}
