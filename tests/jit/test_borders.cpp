// test_borders.cpp - what a border or a tail leaves out: nothing beside a buffer is touched, and where a whole vector is in
// or out, code chooses what is read and whether it is written, without a mask.
#include <burin/burin.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

using namespace burin;

namespace {

// Memory between two pages that cannot be read; what is asked for lies against the first or against the second.
class Walled {
public:
    explicit Walled(size_t bytes) : bytes_((bytes + page - 1) / page * page) {
        memory_ = static_cast<std::byte*>(
            mmap(nullptr, bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(memory_ != MAP_FAILED);
        REQUIRE(mprotect(memory_ + page, bytes_, PROT_READ | PROT_WRITE) == 0);
    }
    ~Walled() { munmap(memory_, bytes_ + 2 * page); }
    Walled(const Walled&) = delete;
    AnyBuffer copy_of(const AnyBuffer& from, bool at_end) const {
        std::byte* at = memory_ + page + (at_end ? bytes_ - size_t(from.size_bytes()) : 0);
        std::memcpy(at, from.data(), size_t(from.size_bytes()));
        return {from.type(), at, {from.dims().begin(), from.dims().end()}};
    }

private:
    static inline const size_t page = size_t(sysconf(_SC_PAGESIZE));
    size_t bytes_;
    std::byte* memory_ = nullptr;
};

AnyBuffer picture(Type t, int64_t h, int64_t w) {
    AnyBuffer b(t, {h, w});
    for (int64_t i = 0; i < b.size_bytes(); ++i)  // numbers of all types, no NaN
        b.data()[i] = std::byte(t.is_bool() ? i % 3 == 1 : i % 59);
    return b;
}

}  // namespace

TEST_CASE("a kernel touches nothing beside its buffers") {
    const std::vector<std::string> reads = {
        "padded(in(y - 1, x), {0}({1}), 0) + padded(in(y + 1, x), {0}({1}), 0)",
        "padded(in(y - 1, x - 1), {0}({1})) + padded(in(y + 2, x + 3), {0}({1}))",
        "padded(in(y, 2 * x - 1), {0}({1})) + padded(in(y + 1, w - x), {0}({1}))",
        "padded(in(y - 1, x / 2), {0}({1})) + clamped(in(y + 1, 3 * x - 1))",
    };
    const std::vector<std::string> schedules = {
        "",
        "vectorize(x, 16, {0})\n",
        "yo, yi = split(y, 2)\nxo, xi = split(x, 8, {0})\nreorder(yo, xo, yi, xi)\nunroll(yi)\n"
        "vectorize(xi)\npartition(xo, never)\n",
        "xo, xi = split(x, 8, {0})\nvectorize(xi)\npartition(xo, always)\n",
        "yo, yi = split(y, 4, predicate)\nvectorize(x, 8, {0})\n",
    };
    for (Type t : {u8, f16, f32, i64, Bool})
        for (auto& read : reads) {
            std::string sum =
                fmt::format(fmt::runtime(read), to_string(t), t.is_bool() ? "true" : "7");
            if (t.is_bool()) sum[sum.find(" + ") + 1] = '^';
            Pipeline p = parse_pipeline(fmt::format(
                "pipeline p(in: {0}[h, w]) -> g[h, w]\ng(y, x) = {1}\n", to_string(t), sum));
            for (auto& lines : schedules)
                for (const char* tail : {"guard", "predicate", "shift_inwards"}) {
                    std::string text = "schedule 1 for p\n";
                    if (!lines.empty())
                        text += "stage g\n" + fmt::format(fmt::runtime(lines), tail);
                    INFO(sum, "\n", text);
                    Kernel k = compile(p, parse_schedule(p, text));
                    for (auto [h, w] :
                         {std::pair<int64_t, int64_t>{1, 1}, {2, 9}, {5, 16}, {7, 70}}) {
                        AnyBuffer in = picture(t, h, w), expected = evaluate(p, {in})[0];
                        Walled inputs(size_t(in.size_bytes())), outputs(size_t(in.size_bytes()));
                        for (bool at_end : {false, true}) {
                            AnyBuffer out = outputs.copy_of(in, at_end);
                            k(inputs.copy_of(in, at_end), out);
                            CHECK(!first_difference(out, expected));
                        }
                    }
                    if (lines.empty()) break;
                }
        }
}

TEST_CASE("where all lanes are read or written, or none, there is no mask") {
    auto code = [](const std::string& columns) {
        Pipeline p =
            parse_pipeline(fmt::format("pipeline p(in: f32[h, w]) -> g[h]\n"
                                       "f(y, x) = padded(in(y - 1, x), -inf, 0)\n"
                                       "g(y) += f(y, r) for r: 0..{}\n",
                                       columns));
        return compile(p, parse_schedule(p,
                                         "schedule 1 for p\nstage f\n  compute_at(g.update(0), y)\n"
                                         "  vectorize(x, 8, predicate)\n  partition(xo, never)\n"
                                         "stage g.update(0)\n  partition(y, never)\n"))
            .llvm();
    };
    auto has = [](const std::string& text, const char* what) {
        return text.find(what) != text.npos;
    };
    CHECK(!has(code("64"), "masked.load"));
    CHECK(has(code("64"), "@otherwise"));
    CHECK(has(code("w"), "masked.load"));
    CHECK(has(code("w"), "@otherwise"));

    Pipeline p = parse_pipeline(
        "pipeline p(in: f32[h]) -> g[h]\nf(y, x) = in(y) * f32(x)\ng(y) += f(y, r) for r: 0..64\n");
    Kernel k = compile(
        p, parse_schedule(p,
                          "schedule 1 for p\nstage f\n  compute_root()\n  split(y, 4, predicate)\n"
                          "  vectorize(x, 8)\n"));
    CHECK(!has(k.llvm(), "masked"));
}
