// burin demo: one picture sharpened under five schedules, one layer of a network under three. All that differs between
// the rows of a table is the schedule; what does not differ is the result.
#include <burin/io.h>
#include <malloc.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "func/bind.h"
#include "legal/replay.h"
#include "report/stages.h"
#include "schedules/library.h"
#include "tools/burin/burin.h"
#include "tools/command.h"
#include "tools/data.h"
#include "tools/measure.h"

namespace burin {
namespace {

struct Row {
    std::string name, summary;
    Times times;
    double recompute = 0;  // points computed over points required
    int64_t peak_bytes = 0;
    double compile_ms = 0;
    bool equal = true;  // to the rows before
};

struct Table {
    std::string pipeline, sizes;
    std::vector<Row> rows;
    TileCheck definition;  // of the first row's result
    AnyBuffer result;
    bool ok() const {
        return definition.equal &&
               std::all_of(rows.begin(), rows.end(), [](auto& r) { return r.equal; });
    }
};

Row measure_row(const Pipeline& p, const LibraryEntry& e, const LibrarySchedule& named,
                const std::vector<Arg>& args, int threads) {
    Schedule s = library_schedule(e, p, named.name);
    Row row{named.name, named.summary, {}, 0, 0, 0, true};
    {
        Kernel k = compile(p, s);
        CallReport report;
        row.compile_ms = k.compile_times().total;
        row.times = measure([&] { k.call(args, {threads}, &report); });
        row.peak_bytes = report.scratch_bytes;
    }
    row.recompute = recomputation(stages_of(replay(p, s.directives()), args, threads));
    malloc_trim(0);
    return row;
}

class Demo {
public:
    explicit Demo(int threads) : threads_(threads) {}

    // Every schedule of the entry, on the same inputs.
    Table table(const std::string& name, std::vector<Arg> inputs) {
        const LibraryEntry& e = library_entry(name);
        Pipeline p = e.make();
        CallData call;
        if (inputs.empty()) {
            ToolPipeline named = offered(e);
            call = prepare_call({p, Schedule(p), "plain", &named}, {});
            inputs = call.inputs;
        } else {
            call.outputs = outputs_of(p, inputs);
        }
        Table t;
        t.pipeline = name;
        for (auto& named : e.schedules) {
            step(name + " under " + named.name);
            std::vector<Arg> args = inputs;
            args.insert(args.end(), call.outputs.begin(), call.outputs.end());
            AnyBuffer got = call.outputs[0].buffer();
            std::memset(got.data(), 0xCB,
                        size_t(got.size_bytes()));  // not what the row before left there
            t.rows.push_back(measure_row(p, e, named, args, threads_));
            if (t.rows.size() == 1) {
                step(name + " by its definition");
                t.definition = check_tiles(p, inputs, call.outputs);
                t.result = got;
                call.outputs = outputs_of(p, inputs);
            } else {
                t.rows.back().equal = same(got, t.result);
            }
        }
        t.sizes = to_string(inputs[0].buffer()) + " -> " + to_string(t.result);
        return t;
    }

    Buffer<uint8_t> draw() {
        step("drawing a picture");
        const LibraryEntry& e = library_entry("picture");
        Pipeline p = e.make();
        Kernel k = compile(p, library_schedule(e, p, e.best));
        return k(e.sizes[0].second, e.sizes[1].second);
    }

    void step(const std::string& what) {
        progress_.show(std::min(1.0, double(done_++) / 12), what);
    }

private:
    static std::vector<Arg> outputs_of(const Pipeline& p, const std::vector<Arg>& inputs) {
        std::vector<Arg> outputs;
        for (auto& b : Binder(p.shared())(inputs).outputs) outputs.push_back(b);
        return outputs;
    }

    int threads_;
    int done_ = 0;
    Progress progress_;
};

std::string milliseconds(double ms) {
    return ms < 100 ? fmt::format("{:.3g}", ms) : fmt::format("{:.0f}", ms);
}

void print_text(const Table& t) {
    fmt::print("\n{}: {}\n", t.pipeline, t.sizes);
    fmt::print("  {:10} {:>9} {:>9} {:>10} {:>14} {:>11}  {}\n", "schedule", "ms", "speed-up",
               "computed", "intermediates", "compile ms", "result");
    for (auto& r : t.rows)
        fmt::print("  {:10} {:>9} {:>8.2f}x {:>9.2f}x {:>14} {:>11.0f}  {}\n", r.name,
                   milliseconds(r.times.median), t.rows[0].times.median / r.times.median,
                   r.recompute, bytes_text(double(r.peak_bytes)), r.compile_ms,
                   &r == &t.rows[0] ? "-"
                   : r.equal        ? "the same bits"
                                    : "DIFFERS");
    for (auto& r : t.rows) fmt::print("  {:10} {}\n", r.name, r.summary);
    if (t.definition.equal)
        fmt::print("  bit-equal to the definition on {} tiles\n", t.definition.tiles);
    else
        fmt::print("  NOT equal to the definition: {}, {:g} ULP\n", t.definition.first,
                   t.definition.ulp);
}

nlohmann::ordered_json as_json(const Table& t) {
    auto rows = nlohmann::ordered_json::array();
    for (auto& r : t.rows)
        rows.push_back({{"schedule", r.name},
                        {"ms",
                         {{"median", r.times.median},
                          {"min", r.times.min},
                          {"max", r.times.max},
                          {"n", r.times.n}}},
                        {"speed_up", t.rows[0].times.median / r.times.median},
                        {"points_computed_over_required", r.recompute},
                        {"peak_bytes", r.peak_bytes},
                        {"compile_ms", r.compile_ms},
                        {"bit_equal", r.equal && t.definition.equal}});
    return {{"pipeline", t.pipeline}, {"tiles_compared", t.definition.tiles}, {"rows", rows}};
}

}  // namespace

int demo(const DemoRequest& wanted) {
    const std::string& file = wanted.picture;
    std::string to = file.empty() ? "burin-demo.png"
                                  : std::filesystem::path(file).stem().string() + "-sharpened.png";
    if (wanted.only == "dense_gelu" && !file.empty())
        throw Error(ErrorKind::Value, "picture-unused", "--only dense_gelu takes no picture");
    Stopwatch watch;
    std::vector<std::string> notes;
    std::vector<Table> tables;
    {
        Demo demo(wanted.threads);
        if (wanted.only != "dense_gelu") {
            check_can_write(to);
            Image image;
            if (!file.empty()) image = load_png(file);
            for (auto& n : image.notes) notes.push_back(file + ": " + n);
            tables.push_back(demo.table(
                "unsharp", {file.empty() ? demo.draw() : std::exchange(image.pixels, {})}));
            demo.step("writing " + to);
            save_data(to, tables[0].result, notes);
            tables[0].result = {};
        }
        if (wanted.only != "unsharp") tables.push_back(demo.table("dense_gelu", {}));
    }
    std::error_code none;
    std::string written =
        wanted.only == "dense_gelu" ? "" : std::filesystem::weakly_canonical(to, none).string();
    for (auto& n : notes) fmt::print(stderr, "note: {}\n", n);
    if (wanted.json) {
        auto all = nlohmann::ordered_json::array();
        for (auto& t : tables) all.push_back(as_json(t));
        nlohmann::ordered_json j{{"threads", threads_of(wanted.threads)},
                                 {"tables", all},
                                 {"picture", nullptr},
                                 {"seconds", watch.ms() / 1000},
                                 {"peak_rss", peak_rss()}};
        if (!written.empty()) j["picture"] = written;
        print_as_json(j);
    } else {
        for (auto& t : tables) print_text(t);
        fmt::print(
            "\ncomputed: points computed over those required at least, counted by a copy of each "
            "kernel\n");
        fmt::print("{} threads, {:.1f} s in all, {} at most\n", threads_of(wanted.threads),
                   watch.ms() / 1000, bytes_text(double(peak_rss())));
        if (!written.empty()) fmt::print("the sharpened picture is in {}\n", written);
    }
    return std::all_of(tables.begin(), tables.end(), [](auto& t) { return t.ok(); }) ? 0 : 1;
}

}  // namespace burin
