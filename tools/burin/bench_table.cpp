// The bench's table as text and as JSON.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/burin/bench.h"

namespace burin {
namespace {

using Json = nlohmann::ordered_json;

const BenchCell& cell_of(const BenchRow& row, const std::string& side) {
    return *std::find_if(row.cells.begin(), row.cells.end(),
                         [&](auto& c) { return c.side == side; });
}

double ratio(const BenchCell& a, const BenchCell& b) { return a.call.median / b.call.median; }

// Columns as wide as what stands in them, the first two from the left.
class Columns {
public:
    explicit Columns(std::vector<std::string> head) { add(std::move(head)); }
    void add(std::vector<std::string> line) { lines_.push_back(std::move(line)); }
    void print() const {
        for (auto& line : lines_) {
            std::string text;
            for (size_t i = 0; i < line.size(); ++i) {
                size_t width = 0;
                for (auto& other : lines_) width = std::max(width, other[i].size());
                text += i < 2 ? fmt::format("{:{}}  ", line[i], width)
                              : fmt::format("{:>{}}  ", line[i], width);
            }
            fmt::print("{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
        }
        fmt::print("\n");
    }

private:
    std::vector<std::vector<std::string>> lines_;
};

void print_calls(const BenchTable& t) {
    std::vector<std::string> head{"pipeline", "sizes", "threads", "limit ms", "by"};
    for (auto& side : t.sides) head.push_back(side);
    Columns columns(head);
    for (auto& row : t.rows) {
        Bound bound = row.bound(t.limits_for(row.threads));
        const BenchCell& hand = cell_of(row, "hand");
        std::vector<std::string> line{row.pipeline + (row.quiet ? "" : " ~"), row.sizes,
                                      std::to_string(row.threads), fmt::format("{:.3g}", bound.ms),
                                      bound.by};
        for (auto& c : row.cells) {
            std::string text;
            if (c.call.n)
                text = fmt::format("{:.3g} ({:.3g}-{:.3g})", c.call.median, c.call.min, c.call.max);
            else if (c.over) text = fmt::format("> {:g} s", c.over);
            else if (!c.none) text = "-";
            if (c.call.n && &c == &hand)
                text += fmt::format(" {:.0f} %", 100 * bound.ms / c.call.median);
            else if (c.call.n && hand.call.n)
                text += fmt::format(" x {:.2f}{}", ratio(c, hand),
                                    c.side == "auto" && ratio(c, hand) > tolerable ? " !" : "");
            line.push_back(text);
        }
        columns.add(line);
    }
    columns.print();
}

void print_compilers(const BenchTable& t) {
    std::vector<std::string> head{"compile, first call, ms", "threads"};
    for (auto& side : t.sides) head.push_back(side);
    Columns columns(head);
    for (auto& row : t.rows) {
        std::vector<std::string> line{row.pipeline, std::to_string(row.threads)};
        for (auto& c : row.cells)
            line.push_back(c.compile.n == 0 ? ""
                           : c.first == 0
                               ? fmt::format("{:.3g}", c.compile.median)
                               : fmt::format("{:.3g}, {:.3g}", c.compile.median, c.first));
        columns.add(line);
    }
    columns.print();
}

void print_limits(const BenchTable& t) {
    Columns columns({"limits, GB/s", "holds", "threads", "read", "copy", "streamed copy"});
    for (auto& l : t.limits)
        for (auto& level : l.levels)
            columns.add({level.name,
                         level.bytes == INT64_MAX ? "" : fmt::format("{} kB", level.bytes >> 10),
                         std::to_string(l.threads), fmt::format("{:.0f}", level.read),
                         fmt::format("{:.0f}", level.copy), fmt::format("{:.0f}", level.stream)});
    columns.print();
    for (auto& l : t.limits)
        fmt::print("fma, {} thread{}: {:.1f} GFLOP/s\n", l.threads, l.threads == 1 ? "" : "s",
                   l.gflops);
}

Json as_json(const Times& t) {
    return {{"median", t.median}, {"min", t.min}, {"max", t.max}, {"n", t.n}};
}

Json as_json(const BenchCell& c) {
    Json j{{"ms", nullptr},
           {"compile_ms", nullptr},
           {"first_ms", nullptr},
           {"values", nullptr},
           {"why", nullptr}};
    if (c.call.n) {
        j["ms"] = as_json(c.call);
        j["first_ms"] = c.first;
        j["values"] = c.values;
    }
    if (c.compile.n) j["compile_ms"] = as_json(c.compile);
    if (!c.why.empty()) j["why"] = c.why;
    return j;
}

}  // namespace

Bound BenchRow::bound(const Limits& limits) const {
    return bound_of(limits, operations, bytes - written, written);
}

void print_bench(const BenchTable& t) {
    fmt::print("{}, {}; ms of a call, median (min-max)\n\n", t.machine, t.date);
    print_calls(t);
    print_compilers(t);
    print_limits(t);
    for (auto& [side, us] : t.call_us)
        fmt::print("a call that adds 16 numbers, {}: {:.3f} us\n", side, us);
    for (auto& [side, text] : t.about) fmt::print("{}: {}\n", side, text);
    for (auto& row : t.rows) {
        for (auto& c : row.cells)
            if (!c.why.empty() && !c.none && c.why != "it is not there")
                fmt::print("{}, {} threads, {}: no time, {}\n", row.pipeline, row.threads, c.side,
                           c.why);
    }
    fmt::print(
        "\nhand: the library's best schedule, and which share of the limit it reaches; others: how "
        "many times as long as\nby hand. ~ the machine was busy; ! by rule, more than {:g} times "
        "as long\n",
        tolerable);
}

Json as_json(const BenchTable& t) {
    Json limits = Json::array(), rows = Json::array();
    for (auto& l : t.limits) {
        Json levels = Json::array();
        for (auto& v : l.levels)
            levels.push_back({{"level", v.name},
                              {"bytes", v.bytes == INT64_MAX ? Json() : Json(v.bytes)},
                              {"read_gbps", v.read},
                              {"copy_gbps", v.copy},
                              {"stream_gbps", v.stream}});
        limits.push_back({{"threads", l.threads}, {"gflops", l.gflops}, {"levels", levels}});
    }
    for (auto& row : t.rows) {
        Bound bound = row.bound(t.limits_for(row.threads));
        Json sides = Json::object();
        for (auto& c : row.cells) sides[c.side] = as_json(c);
        rows.push_back({{"pipeline", row.pipeline},
                        {"sizes", row.sizes},
                        {"schedule", row.schedule},
                        {"threads", row.threads},
                        {"operations", row.operations},
                        {"bytes", row.bytes},
                        {"limit_ms", bound.ms},
                        {"limit_by", bound.by},
                        {"quiet", row.quiet},
                        {"sides", sides}});
    }
    return {{"machine", t.machine}, {"date", t.date},       {"limits", limits},
            {"rows", rows},         {"call_us", t.call_us}, {"about", t.about}};
}

}  // namespace burin
