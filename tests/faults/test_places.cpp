// Where a stage is computed and stored, and what it reads there.
#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "error_of.h"
#include "faults/fixture.h"

using namespace faults;

TEST_CASE("H08 a window that slides over a producer of vectors stays inside its storage") {
    std::vector<Case> calls;
    for (int64_t n = 1; n < 10; ++n)
        calls.push_back({{n}, {filled<int32_t>({n}, [](int64_t x) { return 2 * x - 1; })}});
    holds(
        "pipeline p(n: size) -> g[n]\nsource(x) = i32(x)\nf(x) = source(x)\ng(x) = f(x - 1) + "
        "f(x)\n",
        calls,
        {"stage f\n  store_root()\n  compute_at(g, x)\n  vectorize(x, 4)\nstage source\n  "
         "compute_at(f, xo)\n",
         "stage f\n  store_root()\n  compute_at(g, x)\n  split(x, 4)\nstage source\n  "
         "compute_at(f, xi)\n",
         "stage f\n  store_root()\n  compute_at(g, x)\n  fold_storage(x, 2)\n  vectorize(x, 4)\n"
         "stage source\n  store_root()\n  compute_at(f, xo)\n  fold_storage(x, 5)\n",
         "stage f\n  compute_at(g, xo)\n  vectorize(x, 4)\nstage g\n  split(x, 3)\n"});
}

TEST_CASE("H09 a producer stored at root and computed in the inner half of a guarded split") {
    std::vector<Case> calls;
    for (auto [w, h] : {std::pair(5, 3), {1, 1}, {2, 2}, {7, 4}})
        calls.push_back({{w, h}, {filled<int32_t>({w, h}, [](int64_t x, int64_t y) {
                             return 2 * x + 5 * y;
                         })}});
    Lines lines;
    for (const char* tail : {"guard", "shift_inwards"})
        for (const char* loop : {"xi", "xo", "y"})
            lines.push_back(fmt::format(
                "stage out\n  split(x, 2, {})\nstage s\n  store_root()\n  compute_at(out, {})\n",
                tail, loop));
    holds(
        "pipeline p(w: size, h: size) -> out[w, h]\nsource(x, y) = i32(2 * x + 5 * y)\ns(x, y) = "
        "0\n"
        "s(x, y) += source(x + r, y + q) for r: -1..2, q: -1..2\nout(x, y) = s(x, y) / 9\n",
        calls, lines);
}

TEST_CASE("H10 a window that slides down keeps what its producer's vectors reach past") {
    std::vector<Case> calls;
    for (int64_t w : {1, 2, 7, 8, 9, 15, 16, 17})
        calls.push_back({{w}, {filled<int32_t>({w}, [=](int64_t x) { return 3 * (w - x); })}});
    Lines lines;
    for (const char* tail : {"guard", "shift_inwards", "round_up"})
        for (const char* fold : {"", "  fold_storage(x, 3)\n", "  fold_storage(x, 11)\n"})
            lines.push_back(
                fmt::format("stage source\n  compute_root()\nstage f\n  store_root()\n  "
                            "compute_at(g, x)\n  vectorize(x, 8, {})\n{}",
                            tail, fold));
    holds(
        "pipeline p(w: size) -> g[w]\nsource(x) = i32(x)\nf(x) = source(x)\n"
        "g(x) = f(w - x - 1) + f(w - x) + f(w - x + 1)\n",
        calls, lines);
}

TEST_CASE("H12 stores that are always masked off prove nothing about what is reached") {
    std::vector<Case> calls;
    for (auto [w, h] : {std::pair(6, 3), {1, 1}, {2, 2}, {3, 9}, {4, 1}, {5, 2}, {7, 1}, {9, 4}})
        calls.push_back({{w, h}, {filled<int32_t>({w, h}, [](int64_t x, int64_t y) {
                             return 2 * x + 5 * y;
                         })}});
    Lines lines;
    for (const char* place : {"compute_root()", "store_root()\n  compute_at(out, x)",
                              "store_root()\n  compute_at(out, y)"})
        for (const char* lanes : {"split(x, 4, guard)\n  vectorize(xi)", "vectorize(x, 4, guard)",
                                  "split(x, 4, guard)", "split(x, 4, predicate)",
                                  "vectorize(x, 4, predicate)"})
            lines.push_back(fmt::format("stage s\n  {}\n  {}\n", place, lanes));
    lines.push_back(lines.back() + "stage s.update(0)\n  vectorize(x, 4, predicate)\n");
    holds(
        "pipeline p(w: size, h: size) -> out[w, h]\nsource(x, y) = i32(2 * x + 5 * y)\ns(x, y) = "
        "0\n"
        "s(x, y) += source(x + r, y + q) for r: -1..2, q: -1..2\nout(x, y) = s(x, y) / 9\n",
        calls, lines);
}

TEST_CASE("H13 the points that a tail adds neither trap nor read outside a table") {
    auto t = filled<int32_t>({25}, [](int64_t x) { return 7 * x; });
    holds(
        "pipeline p(t: i32[25]) -> out[25], rest[25], looked[25]\nf(x) = 100 / (27 - i32(x))\ng(x) "
        "= 100 % (27 - i32(x))\n"
        "k(x) = t(x) + 1\nout(x) = f(x)\nrest(x) = g(x)\nlooked(x) = k(x)\n",
        {{{t},
          {filled<int32_t>({25}, [](int64_t x) { return 100 / (27 - x); }),
           filled<int32_t>({25}, [](int64_t x) { return 100 % (27 - x); }),
           filled<int32_t>({25}, [](int64_t x) { return 7 * x + 1; })}}},
        {"stage f\n  compute_root()\n  split(x, 8, round_up)\nstage g\n  compute_root()\n  "
         "vectorize(x, 8, round_up)\n"
         "stage k\n  compute_root()\n  vectorize(x, 8, round_up)\n",
         "stage out\n  vectorize(x, 8, guard)\nstage rest\n  vectorize(x, 8, shift_inwards)\nstage "
         "looked\n  vectorize(x, 16, guard)\n"});
}

namespace {
// Where the address space ends after so many bytes.
class SmallMemory {
public:
    explicit SmallMemory(rlim_t bytes) {
        getrlimit(RLIMIT_AS, &before_);
        rlimit now = before_;
        now.rlim_cur = bytes;
        setrlimit(RLIMIT_AS, &now);
    }
    ~SmallMemory() { setrlimit(RLIMIT_AS, &before_); }
    SmallMemory(const SmallMemory&) = delete;

private:
    rlimit before_;
};
}  // namespace

TEST_CASE(
    "H56 an unsigned parameter in an index is its value, and what it asks for is refused if it "
    "cannot be had") {
    const char* text =
        "pipeline p(k: u32) -> g[128]\nf(x) = i64(x)\ng(x) = f(x) + f(x + index(k))\n";
    auto expected = [](uint32_t p) {
        return filled<int64_t>({128}, [=](int64_t x) { return 2 * x + p; });
    };
    holds(text, {{{uint32_t(0)}, {expected(0)}}, {{uint32_t(3)}, {expected(3)}}},
          {"stage f\n  compute_root()\n"});
    Pipeline p = parse_pipeline(text);
    Kernel in_place = compile(p, Schedule(p)),
           stored = compile(p, parse_schedule(p, "schedule 1 for p\nstage f\n  compute_root()\n"));
    for (uint32_t v : {(1u << 31) - 130, 1u << 31, UINT32_MAX}) {
        CHECK(same(Buffer<int64_t>(in_place(v)), expected(v)));
        CHECK(same(evaluate(p, {v})[0], expected(v)));
        SmallMemory limit(rlim_t(4) << 30);
        Error e = error_of([&] { stored(v); });
        CHECK(e.kind() == ErrorKind::Resource);
        CHECK(says(e, "bytes"));
    }
}

TEST_CASE(
    "H57 reading past the end of a short table is E-bounds wherever the table's reader is "
    "computed") {
    Buffer<float> t = filled<float>({3}, [](int64_t) { return -34.0282f; });
    refuses("pipeline p(t: f32[n]) -> b[]\nk(x) = t(x)\nb() = sum(k(r) for r: 0..64)\n",
            {{t}, {one(0.f)}}, "t is needed over 0 .. 64 in dimension 0, but holds 0 .. 3",
            {"stage k\n  compute_root()\n", "stage k\n  compute_at(b.update(0), r)\n",
             "stage b.update(0)\n  split(r, 16)\nstage k\n  compute_at(b.update(0), ro)\n"});
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += -34.0282f;
    holds("pipeline p() -> b[]\nt(x) = -34.0282\nb() += t(k) for k: 0..64\n", {{{}, {one(sum)}}});
}

TEST_CASE("H58 the smaller and the larger of two loops as coordinates") {
    std::vector<Case> calls;
    for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 9})
        calls.push_back(
            {{n}, {filled<int32_t>({n, n}, [](int64_t x, int64_t y) { return x + y; })}});
    Lines lines;
    for (int lanes : {4, 16})
        for (const char* place : {"compute_at(g, x)", "compute_at(g, y)", "compute_at(g, yo)"})
            lines.push_back(
                std::string(place) == "compute_at(g, y)"
                    ? fmt::format("stage g\n  reorder(y, x)\n  vectorize(x, {})\nstage f\n  {}\n  "
                                  "vectorize(y, 4)\n",
                                  lanes, place)
                    : fmt::format("stage g\n  vectorize(y, {})\nstage f\n  {}\n", lanes, place));
    holds(
        "pipeline p(n: size) -> g[n, n]\nf(x, y) = i32(x + y)\ng(x, y) = f(min(x, y), max(x, y))\n",
        calls, lines);
}

namespace {

int64_t turned(const std::string& border, int64_t i, int64_t n) {  // one step at a time
    for (int64_t at = 0, step = 1, seen = 0;;) {                   // walk from 0 to i
        if (border == "clamped") return i < 0 ? 0 : i >= n ? n - 1 : i;
        if (border == "wrapped") return floor_mod(i, n);
        if (seen == (i < 0 ? -i : i)) return at;
        // Mirrored and reflected are even around the first element: about it, or about its outer edge.
        if (border == "reflected" && i < 0) return turned(border, -1 - i, n);
        ++seen;
        int64_t next = at + step;
        if (next >= 0 && next < n) {
            at = next;
            continue;
        }
        step = -step;
        if (border == "mirrored" && n > 1) at += step;
    }
}

}  // namespace

TEST_CASE(
    "H59 every border is right for every extent from 1 on, however far outside, and an empty input "
    "is out of range") {
    std::string outputs, text;
    const std::vector<std::string> borders = {"clamped", "mirrored", "reflected", "wrapped"};
    for (auto& b : borders) {
        outputs += fmt::format("{}o_{}[19]", outputs.empty() ? "" : ", ", b);
        text += fmt::format("o_{0}(x) = {0}(in(x - 9 + origin(in, 0)))\n", b);
    }
    std::vector<Case> calls;
    for (int64_t n : {1, 2, 3, 4})
        for (int64_t min : {0, -3, 5}) {
            Case c{{filled<int32_t>({n}, [](int64_t i) { return 7 + i; }).translated({min})}, {}};
            for (auto& b : borders)
                c.expected.push_back(
                    filled<int32_t>({19}, [&](int64_t x) { return 7 + turned(b, x - 9, n); }));
            c.expected.push_back(filled<int32_t>(
                {19}, [&](int64_t x) { return x < 9 || x >= 9 + n ? -1 : 7 + x - 9; }));
            calls.push_back(c);
        }
    holds(
        fmt::format(
            "pipeline p(in: i32[_]) -> {}, o[19]\n{}o(x) = padded(in(x - 9 + origin(in, 0)), -1)\n",
            outputs, text),
        calls);
    for (auto& b : borders)
        refuses(fmt::format("pipeline p(in: i32[n]) -> o[3]\no(x) = {}(in(x))\n", b),
                {{Buffer<int32_t>({0})}, {Buffer<int32_t>({3})}}, "");
    holds("pipeline p(in: i32[n]) -> o[3]\no(x) = padded(in(x - 1), -1)\n",
          {{{Buffer<int32_t>({0})}, {row<int32_t>({-1, -1, -1})}}});
}

TEST_CASE(
    "H60 a producer in the outer half of a split reduction computes what is read and no more") {
    const char* text = "pipeline p(in: i32[n]) -> s[]\nf(x) = in(x)\ns() = sum(f(r) for r: 0..n)\n";
    auto ten = filled<int32_t>({10}, [](int64_t x) { return x; });
    const char* at_ro =
        "stage s.update(0)\n  split(r, 4, guard)\nstage f\n  compute_at(s.update(0), ro)\n";
    holds(text, {{{ten}, {one(45)}}, {{Buffer<int32_t>({0})}, {one(0)}}},
          {at_ro, std::string(at_ro) + "  vectorize(x, 4)\n"});
    Pipeline p = parse_pipeline(text);
    Kernel k = compile(p, parse_schedule(p, std::string("schedule 1 for p\n") + at_ro),
                       Target::host(), {.counted = true});
    CallReport report;
    k.call({ten}, {}, &report);
    for (size_t f = 0; f < report.points.size(); ++f)
        if (k.func_names()[f] == "f") CHECK(report.points[f] == 10);
}
