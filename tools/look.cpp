#include "tools/look.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/print.h"
#include "legal/replay.h"
#include "lower/lower.h"
#include "tools/command.h"

namespace burin {

namespace {

// f(heading, plan) for each variant; of specialize_fail with no plan.
template <class F>
void for_each_variant(const ToolProgram& program, F f) {
    Plan plan = replay(program.pipeline, program.schedule.directives());
    check(plan);
    if (plan.cases.empty()) return f("", &plan);
    for (auto& c : plan.cases) {
        const Plan* v = plan.all()[c.variant];
        if (c.refusal)
            f("otherwise an error: " + c.refusal->message, static_cast<const Plan*>(nullptr));
        else f(heading(*v), v);
    }
}

State lowered_to(const Plan& plan, const std::string& pass) {
    LowerOptions options;
    options.stop_after = pass;
    return lower(plan, options).state;
}

}  // namespace

std::string after_pass(const ToolProgram& program, const std::string& pass) {
    std::string text;
    for_each_variant(program, [&](const std::string& where, const Plan* plan) {
        if (!where.empty()) text += "# " + where + "\n";
        if (plan) text += to_string(lowered_to(*plan, pass).stmt);
    });
    return text;
}

std::vector<NestLine> nest_of(const ToolProgram& program) {
    std::string last;
    for (auto& p : pass_table())
        if (p.level == Level::Nest) last = p.name;
    std::vector<NestLine> all;
    for_each_variant(program, [&](const std::string& where, const Plan* plan) {
        if (!where.empty()) all.push_back({"# " + where, ""});
        if (!plan) return;
        auto lines = nest_lines(lowered_to(*plan, last));
        all.insert(all.end(), lines.begin(), lines.end());
    });
    return all;
}

std::vector<VariantFigures> figures_of(const ToolProgram& program) {
    std::vector<VariantFigures> all;
    for_each_variant(program, [&](const std::string& where, const Plan* plan) {
        if (plan) all.push_back({where, stages_of(*plan)});
    });
    return all;
}

std::string explained(const std::vector<NestLine>& nest) {
    constexpr size_t widest = 72;  // longer lines have their comment right behind them
    size_t column = 0;
    for (auto& line : nest)
        if (!line.why.empty() && line.text.size() <= widest)
            column = std::max(column, line.text.size());
    std::string text;
    for (auto& line : nest)
        text += line.why.empty() ? line.text + "\n"
                                 : fmt::format("{:{}}  # {}\n", line.text, column, line.why);
    return text;
}

std::string table(const std::vector<StageFigures>& stages) {
    size_t func = 5, place = 5, memory = 6;
    bool counted = false;
    for (auto& s : stages) {
        func = std::max(func, s.func.size());
        place = std::max(place, s.place.size());
        memory = std::max(memory, s.memory.size());
        counted |= s.computed.has_value();
    }
    auto points = [](std::optional<int64_t> n) {
        return n ? std::to_string(*n) : std::string("-");
    };
    std::string text = fmt::format("{:{}}  {:{}}  {:{}}  {:>8}", "stage", func, "place", place,
                                   "memory", memory, "bytes");
    if (counted) text += fmt::format("  {:>14}  {:>14}  {:>7}", "computed", "required", "ratio");
    text += "\n";
    for (auto& s : stages) {
        text += fmt::format("{:{}}  {:{}}  {:{}}  {:>8}", s.func, func, s.place, place,
                            s.memory.empty() ? "-" : s.memory, memory,
                            s.bytes ? bytes_text(double(*s.bytes)) : "-");
        if (counted)
            text += fmt::format(
                "  {:>14}  {:>14}  {:>7}", points(s.computed), points(s.required),
                s.required.value_or(0) > 0
                    ? fmt::format("{:.2f}x", double(s.computed.value_or(0)) / double(*s.required))
                    : "-");
        text += "\n";
    }
    return text;
}

}  // namespace burin
