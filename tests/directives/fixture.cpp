#include "fixture.h"

#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "error_of.h"
#include "ir/print.h"
#include "lower/lower.h"

namespace burin::directives {
namespace {

Schedule scheduled(Program p, const std::string& lines) {
    Pipeline made = pipeline(p);
    return parse_schedule(made, "schedule 1 for " + made.name() + "\n" + lines);
}

Schedule scheduled(const std::string& pipeline, const std::string& lines) {
    return parse_schedule(parse_pipeline(pipeline), "schedule 1 for p\n" + lines);
}

std::string text_after(const Schedule& s, const std::string& pass) {
    check(s);
    Plan plan = replay(s.pipeline(), s.directives());
    return to_string(lower(plan, {.verify = true, .stop_after = pass}).state.stmt);
}
std::string shape_of(const Schedule& s) { return text_after(s, "fold_storage"); }

void expect(const Error& e, const std::string& id, const std::string& message) {
    CHECK(e.kind() == ErrorKind::Schedule);
    CHECK(e.id() == id);
    CHECK(e.message() == message);
}

template <class T>
Buffer<T> numbers(int64_t rows, int64_t columns) {
    Buffer<T> b({rows, columns});
    uint32_t state = 1;
    for_each_point(b.dims(), [&](auto at) {
        state = state * 1664525 + 1013904223;
        b(at[0], at[1]) = T(int32_t(state)) / T(257);
    });
    return b;
}

std::vector<Arg> inputs(Program p, int64_t rows, int64_t columns) {
    if (p == Program::Stencil)
        return {rows, columns, numbers<int>(rows + 1, columns + 2).translated({-5, 0})};
    if (p != Program::Product) return {numbers<int>(rows, columns)};
    return {numbers<float>(rows, 7), numbers<float>(7, columns)};
}

}  // namespace

Pipeline pipeline(Program p) {
    static const Pipeline stencil = parse_pipeline(
        R"(pipeline stencil(h: size, w: size, in: i32[_, _]) -> g[h, w]
f(y, x) = in(y, x) * 3
g(y, x) = f(y - 5, x) + f(y - 4, x + 2)
)");
    static const Pipeline product =
        parse_pipeline(R"(pipeline product(a: f32[m, k], b: f32[k, n]) -> c[m, n]
c(i, j) += a(i, r) * b(r, j) for r: 0..k
)");
    static const Pipeline copy = parse_pipeline(R"(pipeline copy(in: i32[h, w]) -> g[h, w]
g(y, x) = in(y, x)
)");
    static const Pipeline diamond = parse_pipeline(R"(pipeline diamond(in: i32[h, w]) -> g[h, w]
f(y, x) = in(y, x) + 1
e(y, x) = f(y, x) * 2
g(y, x) = e(y, x) + f(y, x)
)");
    const Pipeline* all[] = {&copy, &stencil, &product, &diamond};
    return *all[int(p)];
}

std::string shape(Program p, const std::string& lines) { return shape_of(scheduled(p, lines)); }

std::string text_after(Program p, const std::string& lines, const std::string& pass) {
    return text_after(scheduled(p, lines), pass);
}

void has_shape(Program p, const std::string& lines, const std::string& expected) {
    INFO(lines);
    CHECK("\n" + shape(p, lines) == expected);
}

void has_golden_shape(Program p, const std::string& lines, const std::string& name) {
    std::string path = BURIN_SOURCE_DIR "/tests/golden/" + name + ".txt", got = shape(p, lines);
    const char* bless = std::getenv("BURIN_BLESS");
    if (bless && std::string(bless) == "1") std::ofstream(path) << got;
    std::ifstream file(path);
    std::stringstream expected;
    expected << file.rdbuf();
    INFO(lines);
    CHECK(got == expected.str());
}

void is_right(Program p, const std::string& lines, int factor) {
    INFO(lines);
    Schedule s = scheduled(p, lines);
    Kernel kernel = compile(s.pipeline(), s);
    for (int64_t rows : {0, 1, factor - 1, factor, factor + 1, 13})
        for (int64_t columns : {0, 1, factor - 1, factor, factor + 1, 13}) {
            auto args = inputs(p, rows, columns);
            INFO(rows << " x " << columns);
            CHECK(same(kernel.call(args)[0], evaluate(derive(s), args)[0]));
        }
}

Error refusal_of(Program p, const std::string& lines) {
    return error_of([&] { check(scheduled(p, lines)); });
}

void refuses(Program p, const std::string& lines, const std::string& id,
             const std::string& message) {
    INFO(lines);
    expect(refusal_of(p, lines), id, message);
}

std::string shape(const std::string& pipeline, const std::string& lines) {
    return shape_of(scheduled(pipeline, lines));
}

Error refusal_of(const std::string& pipeline, const std::string& lines) {
    return error_of([&] { check(scheduled(pipeline, lines)); });
}

void refuses(const std::string& pipeline, const std::string& lines, const std::string& id,
             const std::string& message) {
    INFO(lines);
    expect(refusal_of(pipeline, lines), id, message);
}

void agrees(const std::string& pipeline, const std::string& lines) {
    Schedule s = scheduled(pipeline, lines);
    VerifyReport r = verify(s.pipeline(), s, {.calls = 6, .budget = 400});
    INFO(pipeline << lines << to_string(r));
    CHECK(r.ok());
    CHECK(r.compared > 0);
}

std::string points(const std::string& pipeline, const std::string& lines,
                   const std::vector<Arg>& args) {
    agrees(pipeline, lines);
    Schedule s = scheduled(pipeline, lines);
    Kernel k = compile(s.pipeline(), s, Target::host(), {.counted = true});
    CallReport report;
    k.call(args, {}, &report);
    std::string text;
    for (size_t f = 0; f < report.points.size(); ++f)
        text += fmt::format("{}{} {}", f ? ", " : "", k.func_names()[f], report.points[f]);
    return text;
}

}  // namespace burin::directives
