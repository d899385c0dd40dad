// Programs so long that anything worse than linear in them never ends. No times: what is exponential shows.
#include <burin/burin.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error_of.h"
#include "faults/fixture.h"
#include "legal/replay.h"
#include "lower/interpret.h"

using namespace faults;

namespace {

// Under a schedule, by kernel, checked kernel and definition.
void computes(const Pipeline& p, const std::string& lines, const std::vector<Case>& calls) {
    Schedule s = parse_schedule(p, "schedule 1 for p\n" + lines);
    Kernel k = compile(p, s);
    for (auto& c : calls) {
        CHECK(same(k.call(c.inputs)[0], c.expected[0]));
        CHECK(same(evaluate(p, c.inputs)[0], c.expected[0]));
    }
}

}  // namespace

TEST_CASE("H71 a chain of conditionals stays a chain") {
    for (int n : {100, 500}) {
        std::string params, e = "in(x)", text;
        for (int i = 0; i < n; ++i) {
            params += fmt::format(", p{}: bool", i);
            text += fmt::format("e{0}(x) = select(p{0}, {1} + 1, {1} * 1)\n", i, e);
            e = fmt::format("e{}(x)", i);
        }
        Pipeline p = parse_pipeline(
            fmt::format("pipeline p(in: f32[n]{}) -> o[n]\n{}o(x) = {}\n", params, text, e));
        std::vector<Case> calls;
        for (int kind = 0; kind < 3; ++kind) {
            Case c{{filled<float>({9}, [](int64_t x) { return x; })}, {}};
            int added = 0;
            for (int i = 0; i < n; ++i) {
                bool on = kind == 0 || (kind == 2 && i % 3 == 0);
                c.inputs.push_back(on);
                added += on;
            }
            c.expected = {filled<float>({9}, [=](int64_t x) { return x + added; })};
            calls.push_back(c);
        }
        computes(p, "", calls);
        computes(p, "stage o\n  vectorize(x, 4, guard)\n", calls);
    }
    // Of one definition, with conditions over data.
    Input<float> in("in", {Size("n")});
    Input<bool> on("on", {Expr(500)});
    Var x("x");
    Func o("o");
    Expr e = in(x), all = on(0) || !on(0);
    for (int i = 0; i < 500; ++i) {
        e = select(on(i), e + 1, e * 1);
        all = (all && on(i)) || (all && !on(i));
    }
    o(x) = select(all, e, -1.0f);
    Pipeline p("p", {in, on}, {o({3})});
    std::vector<Case> calls;
    for (bool value : {true, false})
        calls.push_back(
            {{row<float>({0, 1, 2}), filled<bool>({500}, [=](int64_t) { return value; })},
             {filled<float>({3}, [=](int64_t i) { return i + (value ? 500 : 0); })}});
    computes(p, "", calls);
    computes(p, "stage o\n  vectorize(x, 4, guard)\n", calls);
}

TEST_CASE("H72 two thousand stages in a row, inline and at root, and fifty thousand additions") {
    auto chain = [](int n) {
        std::string text = "s0(i, j) = in(i, j)\n";
        for (int k = 1; k <= n; ++k) text += fmt::format("s{}(i, j) = s{}(i, j) + 1\n", k, k - 1);
        return parse_pipeline(fmt::format("pipeline p(in: i32[4, 4]) -> s{}[4, 4]\n{}", n, text));
    };
    auto roots = [](int n) {
        std::string lines;
        for (int k = 0; k < n; ++k) lines += fmt::format("stage s{}\n  compute_root()\n", k);
        return lines;
    };
    auto calls = [](int n) {
        return std::vector<Case>{{{Buffer<int32_t>({4, 4})},
                                  {filled<int32_t>({4, 4}, [=](int64_t, int64_t) { return n; })}}};
    };
    computes(chain(2000), "", calls(2000));
    computes(chain(2000), roots(2000), calls(2000));
    Pipeline p = chain(2000);
    Schedule s = parse_schedule(p, "schedule 1 for p\n" + roots(2000));
    State lowered = lower(replay(p, s.directives())).state;
    Buffer<int32_t> out({4, 4});
    Binder binder(p.shared());
    interpret(lowered, binder, binder(std::vector<Arg>{Buffer<int32_t>({4, 4}), out}));
    CHECK(same(out, calls(2000)[0].expected[0]));

    Input<int32_t> in("in", {Size("n")});
    Var x("x");
    Func o("o");
    Expr sum = in(x);
    for (int k = 0; k < 50000; ++k) sum = sum + 1;
    o(x) = sum;
    computes(Pipeline("p", {in}, {o({3})}), "",
             {{{row<int32_t>({0, 1, -50000})}, {row<int32_t>({50000, 50001, 0})}}});
    sum = in(x);
    for (int k = 0; k < 3000; ++k) sum = sum + in(k % 3);  // cannot be folded
    Func t("t");
    t(x) = sum;
    computes(Pipeline("p", {in}, {t({3})}), "",
             {{{row<int32_t>({0, 1, 2})}, {row<int32_t>({3000, 3001, 3002})}}});
}

TEST_CASE("H73 an expression that is squared five hundred times costs its nodes, not its paths") {
    for (bool in_stages : {false, true}) {
        Input<float> v("v", {Size("n")});
        Var x("x");
        RDom r(1, "r");
        Func f("f");
        Expr e = v(x);
        for (int i = 0; i < 500; ++i) {
            e = e * e;
            if (!in_stages || i % 10) continue;
            Func stage(fmt::format("e{}", i));
            stage(x) = e;
            e = stage(x);
        }
        f(x) = 0.0f;
        f(x) += e + 0 * cast<float>(r);
        Pipeline p("p", {v}, {f({4})});
        CHECK(parse_pipeline(print(p)) == p);
        std::vector<Case> calls = {{{row<float>({1, -1, 0, -0.f})}, {row<float>({1, 1, 0, 0})}}};
        computes(p, "", calls);
        computes(p, "stage f.update(0)\n  vectorize(x, 4, guard)\n", calls);
    }
}

TEST_CASE("inline stages that would stand at more points than can be compiled are refused") {
    std::string text = "s0(x) = in(clamp(x, 0, n - 1))\n", roots;
    for (int k = 1; k <= 12; ++k) {
        text +=
            fmt::format("s{0}(x) = s{1}(3 * x) + s{1}(3 * x + 1) + s{1}(3 * x + 2)\n", k, k - 1);
        if (k % 3 == 0 && k < 12) roots += fmt::format("stage s{}\n  compute_root()\n", k);
    }
    Pipeline p = parse_pipeline("pipeline p(in: i32[n]) -> s12[2]\n" + text);
    Error e = error_of([&] { compile(p, Schedule(p)); });
    CHECK(e.id() == "inline-too-large");
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK_NOTHROW(compile(p, parse_schedule(p, "schedule 1 for p\n" + roots)));
}
