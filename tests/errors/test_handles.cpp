// test_handles.cpp - handles that were moved from, never defined or made of nonsense: no crash, and errors that say so.
#include <burin/burin.h>

#include "error_of.h"

using namespace burin;

namespace {

struct Twice {
    Size n{"n"};
    Input<float> in{"in", {n}};
    Var x{"x"};
    Func f{"f"}, g{"g"};
    Pipeline p = make();
    Buffer<float> data{{5}};

    Pipeline make() {
        f(x) = in(x) + 1;
        g(x) = f(x) * 2;
        return Pipeline("twice", {in}, {g({n})});
    }
};

}  // namespace

TEST_CASE("what was moved from is what it was") {
    Twice t;
    Func g = std::move(t.g);
    CHECK(t.g.name() == "g");
    CHECK(t.g.rank() == 1);
    Input<float> in = std::move(t.in);
    CHECK(t.in.name() == "in");
    Size n = std::move(t.n);
    CHECK(t.n.name() == "n");
    RDom r(4, "r"), other = std::move(r);
    CHECK(r[0].name() == "r");
    Schedule s(t.p), moved = std::move(s);
    s[t.g].parallel(t.x);
    CHECK_FALSE(s == moved);
    Pipeline p = std::move(t.p);
    CHECK(t.p == p);
    Kernel k = compile(t.p, s), kept = std::move(k);
    Buffer<float> out = k(t.data);
    CHECK(out(4) == 2);
    CHECK(Buffer<float>(kept(t.data))(4) == 2);
}

TEST_CASE("an undefined Expr is refused wherever a schedule or a domain takes one") {
    Twice t;
    Schedule s(t.p);
    RDom r(4, "r");
    Expr none;
    CHECK(error_of([&] { s[t.g].split(t.x, none); }).id() == "undefined-expression");
    CHECK(error_of([&] { s[t.g].vectorize(t.x, none); }).id() == "undefined-expression");
    CHECK(error_of([&] { s[t.g].bound(t.x, none, none); }).id() == "undefined-expression");
    CHECK(error_of([&] { s[t.f].compute_root().transform_layout({t.x}, {none}); }).id() ==
          "undefined-expression");
    CHECK(error_of([&] { r.where(none); }).id() == "undefined-expression");
}

TEST_CASE("numbers that name no update, element, dimension or output are refused") {
    Twice t;
    CHECK(error_of([&] { t.f.update(-2); }).id() == "unknown-stage");
    CHECK(error_of([&] { Tuple{{Expr(1)}}[1]; }).id() == "tuple-element");
    CHECK(error_of([&] { Input<float>("a", -1); }).id() == "negative-rank");
    CHECK(error_of([&] { Pipeline("p", {}, {}); }).id() == "no-output");
    auto boxes = [&](std::initializer_list<std::vector<Dim>> b) {
        return error_of([&] { evaluate(t.p, {t.data}, b); }).id();
    };
    CHECK(boxes({}) == "box-count");
    CHECK(boxes({{{0, 5, 1}}, {{0, 5, 1}}}) == "box-count");
}

TEST_CASE("a target that LLVM does not know, or this processor cannot run, is refused") {
    Twice t;
    auto refused = [&](const char* target) {
        return error_of([&] { compile(t.p, Schedule(t.p), Target::parse(target)); });
    };
    CHECK(refused("hots").id() == "unknown-target");
    CHECK(refused("help").kind() == ErrorKind::Value);
    CHECK(refused("host,+no-such-thing").id() == "unknown-target");
#if defined(__x86_64__)
    CHECK(refused("x86-64-v33").message() ==
          "there is no processor x86-64-v33; did you mean x86-64-v3?");
    CHECK(refused("i386").kind() == ErrorKind::Device);
    CHECK(refused("host,-64bit").kind() == ErrorKind::Device);
    CHECK_NOTHROW(compile(t.p, Schedule(t.p), Target::parse("x86-64,+sse3")));
#endif
}

TEST_CASE("factors that leave 64 bits are refused at the call, and those that leave 32 are right") {
    Pipeline p = parse_pipeline("pipeline p(in: f32[n], f: i64) -> o[n]\no(x) = in(x) + 1.0\n");
    auto call = [&](const std::string& lines, int64_t f) -> Buffer<float> {
        Kernel k = compile(p, parse_schedule(p, "schedule 1 for p\nstage o\n" + lines));
        return k(Buffer<float>({21}), f);
    };
    auto overflows = [&](const std::string& lines, int64_t f) {
        Error e = error_of([&] { call(lines, f); });
        CHECK(e.id() == "index-overflow");
        CHECK(e.kind() == ErrorKind::Bounds);
    };
    for (const char* tail : {"guard", "shift_inwards"}) {
        std::string by_f = std::string("xo, xi = split(x, f, ") + tail + ")\n";
        overflows(by_f, INT64_MAX);
        overflows(by_f, INT64_MAX - 5);
        for (int64_t f : {int64_t(1) << 30, int64_t(1) << 31, int64_t(1) << 33, int64_t(1) << 62}) {
            INFO(tail << " " << f);
            CHECK(call(by_f, f)(20) == 1);
        }
        overflows(std::string("xo, xi = split(x, 9223372036854775807, ") + tail + ")\n", 1);
    }
    overflows("xo, xi = split(x, 4294967296, guard)\nxoo, xoi = split(xo, 4294967296, guard)\n", 1);
    CHECK(call("xo, xi = split(x, f, guard)\nvectorize(xi, 16, guard)\n", int64_t(1) << 31)(20) ==
          1);
}

TEST_CASE("a stage may have so many loops and no more") {
    Twice t;
    std::string lines = "schedule 1 for twice\nstage g\n", from = "x";
    for (int i = 0; i < 100; ++i) {
        std::string to = "x" + std::to_string(i);
        lines += to + ", " + to + "i = split(" + from + ", 2)\n";
        from = to;
    }
    Error e = error_of([&] { parse_schedule(t.p, lines); });
    CHECK(e.id() == "too-many-loops");
    CHECK(e.kind() == ErrorKind::Resource);
}

TEST_CASE("a stage that is not there is refused also where nothing is said of it") {
    Twice t;
    CHECK(error_of([&] { parse_schedule(t.p, "schedule 1 for twice\nstage h\n"); }).id() ==
          "unknown-stage");
    CHECK(error_of([&] {
              parse_schedule(t.p, "schedule 1 for twice\nc = cache_read(inn, [f])\n");
          }).message() == "twice has no stage inn; did you mean in?");
}
