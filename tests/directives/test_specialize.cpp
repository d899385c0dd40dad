// test_specialize.cpp - specialize(condition) { lines }, specialize_fail("message"): variants of a schedule.
#include <burin/burin.h>
#include <burin/verify.h>
#include <fmt/format.h>

#include "error_of.h"
#include "fixture.h"
#include "ir/print.h"
#include "lower/dispatch.h"
#include "lower/lower.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

std::string text_of(const Pipeline& p, const std::string& lines) {
    return "schedule 1 for " + p.name() + "\n" + lines;
}
Plan plan_of(const Pipeline& p, const std::string& lines) {
    return replay(p, parse_schedule(p, text_of(p, lines)).directives());
}
const Plan& variant(const Plan& plan, const std::string& when) {
    for (auto* v : plan.all())
        if (v->when == when) return *v;
    FAIL("no variant where " << when);
    return plan;
}
std::string loops(const Plan& plan) {
    return to_string(lower(plan, {.verify = true, .stop_after = ""}).state.stmt);
}
// The variant that takes a call, by its condition.
std::string taken(const Plan& plan, const std::vector<Arg>& args) {
    Binder binder(plan.pipeline.shared());
    return plan.all()[Dispatch(plan, binder).choose(binder(args))]->when;
}
Buffer<int> numbers(int64_t h, int64_t w) {
    Buffer<int> b({h, w});
    for_each_point(b.dims(), [&](auto at) { b(at[0], at[1]) = int(1000 * at[0] + at[1]); });
    return b;
}
void agrees(const Pipeline& p, const std::string& lines) {
    INFO(lines);
    VerifyReport r = verify(p, parse_schedule(p, text_of(p, lines)), {.calls = 6, .budget = 3000});
    INFO(to_string(r));
    CHECK(r.ok());
    CHECK(r.untried.empty());
}

}  // namespace

TEST_CASE("the first condition that holds says which variant takes a call") {
    Plan plan = plan_of(pipeline(Copy), R"(stage g
  specialize(w == 3) {
  }
  specialize(w % 16 == 0 && h > 1) {
    vectorize(x, 16)
  }
  specialize(stride(in, 0) == 40 || w >= 64) {
    vectorize(x, 8)
  }
  vectorize(x, 4)
)");
    check(plan);
    CHECK(plan.all().size() == 4);
    CHECK(taken(plan, {numbers(2, 3)}) == "w == 3");
    CHECK(taken(plan, {numbers(2, 32)}) == "w % 16 == 0 && 1 < h");
    CHECK(taken(plan, {numbers(1, 32)}) == "");
    CHECK(taken(plan, {numbers(1, 64)}) == "stride(in, 0) == 40 || 64 <= w");
    CHECK(taken(plan, {numbers(2, 40).crop(1, 0, 10)}) == "stride(in, 0) == 40 || 64 <= w");
    CHECK(taken(plan, {numbers(2, 5)}) == "");
}

TEST_CASE("lines before are for all, those in braces for the variant, those after for the others") {
    Plan plan = plan_of(pipeline(Copy), R"(stage g
  split(y, 4)
  specialize(w >= 64) {
    vectorize(x, 16)
  }
  parallel(yo)
)");
    CHECK(to_string(plan) == R"(where 64 <= w
g: root
  for yo
    for yi in 4 (shift_inwards)
      for xo
        vectorized xi in 16 (shift_inwards)
otherwise
g: root
  parallel yo
    for yi in 4 (shift_inwards)
      for x
)");
}

TEST_CASE("a guard that the condition decides is gone, in loops over the output too") {
    std::string lines =
        "stage g\n  specialize(w % 16 == 0) {\n    vectorize(x, 16, guard)\n  }\n"
        "  vectorize(x, 16, guard)\n";
    Plan plan = plan_of(pipeline(Copy), lines);
    CHECK("\n" + loops(variant(plan, "w % 16 == 0")) == R"(
buffer in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.xo in 0 .. (w + 15) / 16 {
      g[ramp((g.y - origin(g, 0)) * stride(g, 0) + g.xo * 16, 1, 16)] = in[ramp((g.y - origin(in, 0)) * stride(in, 0) + origin(g, 1) + g.xo * 16 - origin(in, 1), 1, 16)]
    }
  }
}
)");
    CHECK(loops(plan).find(" if ") != std::string::npos);
    Plan wide = plan_of(pipeline(Copy),
                        "stage g\n  specialize(w >= 16) {\n    vectorize(x, 16)\n"
                        "  }\n  vectorize(x, 16)\n");
    CHECK(loops(variant(wide, "16 <= w")).find(" if ") == std::string::npos);
    CHECK(loops(wide).find(" if ") != std::string::npos);
}

TEST_CASE("a size or parameter that a condition fixes is that number") {
    std::string lines =
        "stage c.update(0)\n  specialize(k == 3) {\n    unroll(r)\n  }\n  split(r, 2)\n";
    Plan plan = plan_of(pipeline(Product), lines);
    check(plan);
    std::string text = loops(variant(plan, "k == 3"));
    CHECK(text.find("c.r") == std::string::npos);
    CHECK(loops(plan).find("c.ro") != std::string::npos);
    refuses(Product, "stage c.update(0)\nunroll(r)\n", "extent-not-constant",
            "c.update(0).r has no constant extent and cannot be unrolled");

    Pipeline powers = parse_pipeline(
        "pipeline p(in: i32[n], k: i32, flag: bool) -> f[n]\n"
        "f(x) = select(flag, in(x) * k, in(x + 0) - k)\n");
    Plan fixed = plan_of(powers, "stage f\n  specialize(k == 2 && flag != 0) {\n  }\n");
    CHECK(loops(variant(fixed, "k == 2 && flag != 0")).find("= in[f.x - origin(in, 0)] * 2\n") !=
          std::string::npos);
    agrees(powers, "stage f\n  specialize(k == 2 && flag != 0) {\n    vectorize(x, 4)\n  }\n");
}

TEST_CASE("a part of an output is no call for a condition about its size") {
    Pipeline p = pipeline(Copy);
    std::string lines = "stage g\n  specialize(w == 32) {\n    vectorize(x, 16)\n  }\n";
    Plan plan = plan_of(p, lines);
    Buffer<int> in = numbers(4, 32), out({4, 32});
    CHECK(taken(plan, {in, out}) == "w == 32");
    CHECK(taken(plan, {in, out.crop(0, 1, 2)}) == "w == 32");
    CHECK(taken(plan, {in, out.crop(1, 3, 7)}) == "");
    Kernel k = compile(p, parse_schedule(p, text_of(p, lines)));
    k(in, out.crop(1, 3, 7));
    for (int64_t x = 0; x < 32; ++x) CHECK(out(2, x) == (x >= 3 && x < 10 ? 2000 + x : 0));
    k(in, out);
    CHECK(same(in, out));
}

TEST_CASE("specialize never changes a value, in any variant") {
    agrees(pipeline(Copy), R"(stage g
  specialize(w % 16 == 0) {
    vectorize(x, 16, guard)
    specialize(h % 2 == 0) {
      parallel(y, 2)
    }
  }
  specialize(w >= 64) {
    vectorize(x, 16)
  }
  specialize(extent(in, 0) == 5) {
    unroll(y, 5)
  }
  vectorize(x, 4, guard)
)");
    agrees(pipeline(Stencil), R"(stage g
  specialize(w >= 8) {
    tile(y, x, 4, 8)
    vectorize(xi)
  }
stage f
  specialize(w >= 8) {
    compute_at(g, xo)
    vectorize(x, 4)
  }
  compute_root()
)");
    agrees(pipeline(Product), R"(stage c.update(0)
  specialize(k == 7) {
    unroll(r)
    vectorize(j, 8)
  }
  split(r, 3)
)");
}

TEST_CASE("stages that ask the same have no variant where one has it and the other has not") {
    Plan plan = plan_of(pipeline(Stencil), R"(stage g
  specialize(w >= 8) {
    split(y, 4)
  }
  specialize(w == 5) {
  }
stage f
  specialize(w >= 8) {
    compute_at(g, yo)
  }
  specialize(w >= 7) {
    compute_root()
  }
)");
    check(plan);
    std::vector<std::string> all;
    for (auto& c : plan.cases) all.push_back(plan.all()[c.variant]->when);
    CHECK(all == std::vector<std::string>{"8 <= w", "w == 5", "7 <= w", ""});
}

TEST_CASE("specialize_fail refuses what is left, before anything is written") {
    Pipeline p = pipeline(Copy);
    std::string lines =
        "stage g\n  specialize(w >= 8) {\n    vectorize(x, 8)\n  }\n"
        "  specialize_fail(\"rows of 8 at least\")\n";
    Schedule s = parse_schedule(p, text_of(p, lines));
    Kernel k = compile(p, s);
    Buffer<int> out({2, 5});
    out.fill(7);
    Error e = error_of([&] { k(numbers(2, 5), out); });
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.id() == "specialize-fail");
    CHECK(e.message() == "rows of 8 at least");
    CHECK(out(1, 4) == 7);
    CHECK(same(k(numbers(3, 9))[0], numbers(3, 9)));
    CHECK(k.pipeline() == p);
    VerifyReport r = verify(p, s, {.calls = 6});
    CHECK(r.ok());
    CHECK(r.refused > 0);
}

TEST_CASE("the text of a schedule with specialize reads back, and C++ says the same") {
    Size h("h"), w("w");
    Input<int> in("in", {h, w});
    Param<int> k("k");
    Param<bool> flag("flag");
    Var y("y"), x("x");
    Func g("g");
    g(y, x) = in(y, x) * k;
    Pipeline p("p", {in, k, flag}, {g({h, w})});
    Schedule s(p);
    s[g].split(y, 4);
    Cursor wide = s[g].specialize(w % 16 == 0 && flag);
    auto [xo, xi] = wide.split(x, 16);
    wide.specialize(k == 3 || stride(in, 0) == w).vectorize(xi);
    wide.unroll(xi);
    s[g].vectorize(x, 4);
    s[g].specialize(h > 4);
    s[g].specialize_fail("never so small");
    std::string text = s.text();
    CHECK(text.substr(text.find('\n') + 1) == R"(stage g
  yo, yi = split(y, 4)
  specialize(w % 16 == 0 && flag != 0) {
    xo, xi = split(x, 16)
    specialize(k == 3 || stride(in, 0) == w) {
      vectorize(xi)
    }
    unroll(xi)
  }
  vectorize(x, 4)
  specialize(4 < h) {
  }
  specialize_fail("never so small")
)");
    CHECK(parse_schedule(p, text) == s);
    CHECK(parse_schedule(p, text).text() == text);
    Schedule other(p);
    other[g].split(y, 4);
    CHECK(!(other == s));
}

TEST_CASE("a variant of its own: code, counts, errors and questions know of it") {
    Pipeline p = pipeline(Stencil);
    Schedule s(p);
    s["f"].specialize(Size("w") >= 8).compute_root();
    s["f"].compute_at("g", "y");
    Kernel k = compile(p, s, Target::host(), {.counted = true});
    CHECK(k.llvm().find("; where 8 <= w") != std::string::npos);
    CHECK(k.llvm().find("; otherwise") != std::string::npos);
    for (auto [w, points] : {std::pair(9, 4 * 11), {7, 2 * 3 * 9}}) {
        CallReport report;
        Buffer<int> in = numbers(4, w + 2).translated({-5, 0});
        k.call({3, w, in}, {}, &report);
        CHECK(k.func_names() == std::vector<std::string>{"f", "g"});
        CHECK(report.points == std::vector<int64_t>{points, 3 * w});
    }
    CHECK(!why_not(s, "g.vectorize(x, 4)"));
    CHECK(why_not(s, "g.specialize_more(w == 3)")->id() == "unknown-directive");
    CHECK(legal_places(s, "f") == std::vector<std::string>{"inline", "root", "g.y", "g.x"});
}

TEST_CASE("an illegal line is the same error in a variant as outside it") {
    for (std::string lines : {"vectorize(z, 8)", "compute_at(g, xo)", "store_in(Stack)",
                              "split(x, 0)", "bp = cache_read(in, [g])", "prefetch(g, x, 1)"}) {
        std::string before = "stage f\n  compute_root()\n  ",
                    plain = "stage f\n  compute_root()\n  ";
        if (lines.starts_with("compute_at")) before = plain = "stage f\n  ";
        INFO(lines);
        Error outside = refusal_of(Stencil, plain + lines + "\n");
        Error inside =
            refusal_of(Stencil, before + "specialize(w == 128) {\n    " + lines + "\n  }\n");
        CHECK(inside.kind() == outside.kind());
        CHECK(inside.id() == outside.id());
        CHECK(inside.message() == outside.message());
        CHECK(inside.notes().back().message == "where w == 128");
    }
}

TEST_CASE("what is no condition, or never would be, is refused") {
    auto condition = [](const std::string& c, const std::string& why) {
        refuses(Stencil, "stage g\n  specialize(" + c + ") {\n  }\n", "specialize-condition",
                c + " cannot be a condition of specialize: " + why);
    };
    condition("w + 1", "it is no condition");
    condition("w - w == 0", "it is the same for every call");
    condition("extent(f, 0) == 1", "f is no input and no output");
    condition("extent(in, 2) == 1", "in has 2 dimensions");
    refuses(Stencil, "stage g\n  specialize(v == 1) {\n  }\n", "unknown-size",
            "stencil has no size or parameter v");
    Pipeline scaled = parse_pipeline("pipeline p(in: f32[n], a: f32) -> f[n]\nf(x) = in(x) * a\n");
    CHECK(error_of([&] { plan_of(scaled, "stage f\n  specialize(a == 1) {\n  }\n"); }).message() ==
          "a == 1 cannot be a condition of specialize: a is no whole number");
    refuses(Stencil, "stage g\n  specialize_fail(\"no\")\n", "every-call-fails",
            "the schedule leaves no call that does not fail");
    refuses(Stencil,
            "stage g\n  specialize(w == 1) {\n  }\n  specialize_fail(\"no\")\n  parallel(y)\n",
            "line-after-fail", "parallel(y) would never be: all calls that come as far fail");
    refuses(Stencil, "stage g\n  specialize_fail(w)\n", "directive-arguments",
            "specialize_fail(w): its argument is a message");
    std::string many = "schedule 1 for stencil\nstage g\n";
    for (int i = 0; i < 40; ++i) many += fmt::format("  specialize(w == {}) {{\n  }}\n", i);
    Error e = error_of([&] { parse_schedule(pipeline(Stencil), many); });
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK(e.id() == "too-many-variants");
    CHECK(e.message() == "the conditions of g come to more than 32 variants");
    Error open = error_of([&] {
        parse_schedule(pipeline(Stencil),
                       "schedule 1 for stencil\nstage g\n  specialize(w == 1) {\n");
    });
    CHECK(open.kind() == ErrorKind::Value);
}
