#include "faults/fixture.h"

#include <burin/evaluate.h>
#include <burin/schedule.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "base/hash.h"
#include "error_of.h"
#include "fuzz/generate.h"
#include "ir/value.h"
#include "legal/replay.h"
#include "report/verify.h"

namespace faults {
namespace {

// Everything at root, pure stages vectorised by 4.
std::string all_root(const Algorithm& a) {
    std::string text;
    for (auto& f : a.funcs) {
        text += "stage " + f.name.hint() + "\n";
        if (!a.is_output(f.name)) text += "  compute_root()\n";
        if (f.rank() > 0) text += fmt::format("  vectorize({}, 4)\n", f.vars.back().hint());
    }
    return text;
}

template <class F>
void for_each_schedule(const Pipeline& p, Lines lines, F f) {
    auto with = [&](const Directives& d, bool is_random) {
        INFO(p.text() << to_string(d));
        try {
            f(d, is_random && !d.edits.empty());
        } catch (const Error& e) {
            bool refused = e.kind() == ErrorKind::Schedule || e.id() == "broken-promise";
            if (!is_random || !refused) FAIL_CHECK(std::string(e.what()));
        }
    };
    lines.insert(lines.begin(), {"", all_root(p.algorithm())});
    for (auto& text : lines)
        with(parse_schedule(p, fmt::format("schedule 1 for {}\n{}", p.name(), text)).directives(),
             false);
    const char* count = std::getenv("BURIN_FAULTS");
    Random random(hash128(p.text()).low);
    for (int i = count ? std::atoi(count) : 2; i > 0; --i)  // the maker does not know sizes
        with(fuzz::random_schedule(p, random, 4 + int(random.below(10))), true);
}

std::vector<Path> all_paths(const Plan& plan, const Interpreted& interpreted) {
    std::vector<Path> paths = interpreted.paths();
    for (auto& k : kernel_paths(plan, interpreted.lowering())) paths.push_back(k);
    return paths;
}

DrawnCall as_drawn(const Case& c) {
    DrawnCall call{c.inputs, {}, ""};
    for (auto& b : c.expected)
        call.outputs.push_back({b.type(), {b.dims().begin(), b.dims().end()}});
    return call;
}

void gives(const Path& path, const Case& c) {
    INFO(path.name);
    DrawnCall call = as_drawn(c);
    auto outputs = call.fresh_outputs();
    path.run(call.arguments(outputs));
    for (size_t o = 0; o < outputs.size(); ++o) {
        auto at = first_difference(outputs[o], c.expected[o]);
        auto there = [&](const AnyBuffer& b) { return to_string(load(b.type(), b.at(*at))); };
        CHECK_MESSAGE(!at, fmt::format("output {} at [{}] is {}, not {}", o, fmt::join(*at, ", "),
                                       there(outputs[o]), there(c.expected[o])));
    }
}

}  // namespace

void holds(const std::string& pipeline, const std::vector<Case>& calls, const Lines& schedules) {
    Pipeline p = parse_pipeline(pipeline);
    for_each_schedule(p, schedules, [&](const Directives& d, bool may_round_otherwise) {
        Plan plan = replay(p, d);
        check(plan);
        Interpreted interpreted(plan);
        auto paths = all_paths(plan, interpreted);
        paths.push_back(
            {"definition", [&](std::span<const Arg> args) { evaluate(plan.pipeline, args); }});
        for (Case call : calls) {
            if (may_round_otherwise) {
                DrawnCall drawn = as_drawn(call);
                call.expected = drawn.fresh_outputs();
                evaluate(plan.pipeline, drawn.arguments(call.expected));
            }
            for (auto& path : paths) gives(path, call);
        }
        VerifyReport r =
            verify(p, d, {.calls = 3, .budget = 400}, [&](const Plan& less, auto& lowering) {
                if (!same(d, less.directives))
                    return kernel_paths(less, lowering);  // while a failure is shrunk
                return std::vector<Path>(paths.end() - 3, paths.end() - 1);
            });
        CHECK_MESSAGE(r.ok(), to_string(r));
    });
}

void refuses(const std::string& pipeline, const Case& c, const std::string& message,
             const Lines& schedules) {
    Pipeline p = parse_pipeline(pipeline);
    for_each_schedule(p, schedules, [&](const Directives& d, bool) {
        Plan plan = replay(p, d);
        check(plan);
        Interpreted interpreted(plan);
        for (auto& path : all_paths(plan, interpreted)) {
            INFO(path.name);
            DrawnCall call = as_drawn(c);
            auto outputs = call.fresh_outputs();
            Error e = error_of([&] { path.run(call.arguments(outputs)); });
            CHECK(e.kind() == ErrorKind::Bounds);
            CHECK_MESSAGE(says(e, message), e.what());
            CHECK(same(outputs, call.fresh_outputs()));
        }
    });
}

Error refusal_of(const std::string& pipeline, const std::string& lines) {
    Pipeline p = parse_pipeline(pipeline);
    Error e = error_of(
        [&] { check(parse_schedule(p, fmt::format("schedule 1 for {}\n{}", p.name(), lines))); });
    CHECK(e.kind() == ErrorKind::Schedule);
    return e;
}

}  // namespace faults
