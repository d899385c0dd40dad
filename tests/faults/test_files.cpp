// Programs through files and programs of one name.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "faults/fixture.h"
#include "temp_folder.h"

using namespace faults;

namespace {

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

Kernel kernel_of(const std::string& text) {
    Pipeline p = parse_pipeline(text);
    return compile(p, Schedule(p));
}
Kernel named_k(const char* value) {
    return kernel_of(fmt::format("pipeline k(x: i32[n]) -> o[n]\no(i) = {}\n", value));
}

}  // namespace

TEST_CASE("H93 special constants come back from a file bit by bit, and damaged files are refused") {
    std::string text = "pipeline p() -> f[8], d[6], l[2], u[1], h[3], b[3]\n";
    auto add = [&](const char* name, const char* type, const std::vector<std::string>& constants) {
        text += fmt::format("{}(k) = {}\n", name, choice(type, constants));
    };
    add("f", "f32",
        {"nan", "inf", "-inf", "-0.0", "1e-45", "0.1", "3.4028235e38", "1.1754944e-38"});
    add("d", "f64", {"nan", "-inf", "-0.0", "5e-324", "0.1", "1.7976931348623157e308"});
    add("l", "i64", {"9007199254740993", "-9223372036854775808"});
    add("u", "u64", {"18446744073709551615"});
    add("h", "f16", {"6e-8", "65504", "-0.0"});
    add("b", "bf16", {"nan", "3.3895e38", "-0.0"});
    Pipeline p = parse_pipeline(text);
    TempFolder folder;
    write(folder / "p.burin", print(p));
    Pipeline q = load_pipeline(folder / "p.burin");
    CHECK(p == q);
    CHECK(p.hash() == q.hash());
    Results a = evaluate(p, {}), b = evaluate(q, {}), c = kernel_of(text).call({}),
            d = compile(q, Schedule(q)).call({});
    for (int o = 0; o < a.size(); ++o) {
        CHECK(same(a[o], b[o]));
        CHECK(same(a[o], c[o]));
        CHECK(same(a[o], d[o]));
    }
    CHECK(same(a[0],
               row<float>({NaN, inf, -inf, -0.f, 1e-45f, 0.1f, 3.4028235e38f, 1.1754944e-38f})));
    CHECK(same(a[1], row<double>({NaN, -inf, -0.0, 5e-324, 0.1, 1.7976931348623157e308})));
    CHECK(same(a[2], row<int64_t>({9007199254740993, INT64_MIN})));
    CHECK(same(a[3], row<uint64_t>({UINT64_MAX})));

    auto reads_or_refuses = [&](const std::string& damaged) {
        write(folder / "damaged.burin", damaged);
        try {
            load_pipeline(folder / "damaged.burin");
            return true;
        } catch (const Error& e) {
            return (e.kind() == ErrorKind::Value || e.kind() == ErrorKind::Type ||
                    e.kind() == ErrorKind::Shape) &&
                   !e.message().empty();
        }
    };
    std::string whole = print(p);
    for (size_t n = 0; n < whole.size(); n += 7) CHECK(reads_or_refuses(whole.substr(0, n)));
    for (size_t n = 0; n < whole.size(); n += 5) {
        std::string damaged = whole;
        damaged[n] = char(damaged[n] ^ (1 << n % 8));
        INFO(damaged);
        CHECK(reads_or_refuses(damaged));
    }
    Schedule s =
        parse_schedule(p, "schedule 1 for p\nstage f\n  split(k, 3, guard)\n  vectorize(ki, 2)\n");
    save_schedule(s, folder / "p.sched");
    CHECK(load_schedule(q, folder / "p.sched") == s);
    for (size_t n = 0; n < s.text().size(); n += 3) {
        std::string damaged = s.text();
        damaged[n] = char(damaged[n] ^ (1 << n % 8));
        write(folder / "damaged.sched", damaged);
        try {
            load_schedule(q, folder / "damaged.sched");
        } catch (const Error& e) {
            INFO(damaged << e.what());
            CHECK((e.kind() == ErrorKind::Value || e.kind() == ErrorKind::Schedule));
        }
    }
}

TEST_CASE("H94 two programs of one name keep their own code, whatever was compiled between") {
    Buffer<int32_t> x = row<int32_t>({0, 1, 2});
    Kernel twice = named_k("2 * x(i)"), plus = named_k("x(i) + 100"), again = named_k("2 * x(i)");
    Kernel bytes = kernel_of("pipeline k(x: u8[n]) -> o[n]\no(i) = 2 * x(i)\n"),
           pairs = kernel_of("pipeline k(x: i32[n], y: i32[n]) -> o[n]\no(i) = x(i) + 100\n");
    for (int round = 0; round < 2; ++round) {
        for (const Kernel& k : {twice, again})
            CHECK(same(Buffer<int32_t>(k(x)), row<int32_t>({0, 2, 4})));
        CHECK(same(Buffer<int32_t>(plus(x)), row<int32_t>({100, 101, 102})));
        CHECK(same(Buffer<uint8_t>(bytes(row<uint8_t>({0, 1, 200}))), row<uint8_t>({0, 2, 144})));
        CHECK(same(Buffer<int32_t>(pairs(x, x)), row<int32_t>({100, 101, 102})));
    }
}

TEST_CASE("H95 a program that is edited and edited back computes what it says each time") {
    Buffer<int32_t> a = row<int32_t>({1}), b = row<int32_t>({2});
    for (auto [value, expected] : {std::pair("a(i)", 1),
                                   {"a(i) + b(i)", 3},
                                   {"a(i)", 1},
                                   {"b(i) - a(i)", 1},
                                   {"a(i) + b(i)", 3}}) {
        Kernel k =
            kernel_of(fmt::format("pipeline k(a: i32[n], b: i32[n]) -> c[n]\nc(i) = {}\n", value));
        CHECK(Buffer<int32_t>(k(a, b))(0) == expected);
        CHECK(Buffer<int32_t>(k(a, b))(0) == expected);
    }
}
