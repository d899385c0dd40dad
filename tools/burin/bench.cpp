// burin bench: the library's best schedules against Halide under the same ones, taking turns in one run.
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "ir/value.h"
#include "report/work.h"
#include "schedules/library.h"
#include "tools/burin/burin.h"
#include "tools/burin/fma_peak.h"
#include "tools/burin/rival.h"
#include "tools/command.h"
#include "tools/measure.h"

namespace burin {
namespace {

constexpr int rounds = 12, compilations = 5;

struct Side {
    Times call, compile;
};
struct Line {
    std::string name, sizes;
    int threads = 0;
    double operations = 0, bytes = 0;
    Side burin;
    std::optional<Side> halide;
    std::string difference;  // of the values
    double peak = 0;         // GFLOP/s of one thread, in the same rounds
};

Times compile_times(const Pipeline& p, const Schedule& s) {
    std::vector<double> ms;
    compile(p, s);  // the first one also wakes the compiler
    for (int i = 0; i < compilations; ++i) ms.push_back(compile(p, s).compile_times().total);
    return times_of(ms);
}

std::string make_command(const LibraryEntry& e, const CallData& call) {
    std::string text = "make " + e.name;
    for (auto& [size, n] : e.sizes) text += fmt::format(" {}", call.sizes.at(size));
    text += " :";
    for (auto& d : e.data) text += fmt::format(" {} {}", d.lo, d.hi);
    return text;
}

// The largest difference of our output and the rival's, as a fraction of the largest value.
double difference(const AnyBuffer& ours, Rival& rival) {
    std::string path =
        std::filesystem::temp_directory_path() / fmt::format("burin-bench-{}", getpid());
    struct Remove {
        std::string path;
        ~Remove() { unlink(path.c_str()); }
    } remove{path};
    rival.ask("write " + path);
    std::string bytes = read_file(path, ours.size_bytes());
    if (int64_t(bytes.size()) != ours.size_bytes()) return INFINITY;
    auto number = [&](const void* at) {
        Value v = load(ours.type(), at);
        return v.type.is_float() ? v.f : double(v.i);
    };
    double most = 0, largest = 0;
    for (int64_t at = 0; at < ours.size_bytes(); at += ours.type().bytes()) {
        double a = number(ours.data() + at), b = number(bytes.data() + at);
        largest = std::max(largest, std::fabs(a));
        most = std::isnan(a - b) ? INFINITY : std::max(most, std::fabs(a - b));
    }
    return most == 0 ? 0 : most / largest;
}

class Bench {
public:
    // `label`: other than the entry's name where it is a part of another line.
    Line line(const LibraryEntry& e, const std::vector<std::string>& sizes, int threads,
              const std::string& label = "") {
        const Catalogue only{offered(e)};
        Request request;
        request.catalogue = &only;
        request.what = e.name;
        request.sizes = sizes;
        ToolProgram program = load_program(request);
        CallData call = prepare_call(program, request);
        std::vector<Arg> args = call.all();
        Kernel kernel = compile(program.pipeline, program.schedule);
        Work work = work_of(program.pipeline, args);
        Line l{label.empty() ? e.name : label,
               "",
               threads,
               work.operations.value_or(0),
               work.bytes,
               {},
               {},
               "",
               0};
        for (auto& [size, n] : e.sizes)
            l.sizes += fmt::format("{}{}", l.sizes.empty() ? "" : "x", call.sizes.at(size));
        progress_.show(0, l.name + ": compiling");
        l.burin.compile = compile_times(program.pipeline, program.schedule);
        auto rival = label.empty() ? start_rival(threads) : nullptr;
        if (rival) meet(*rival, e, call, kernel, args, l);

        auto ours = [&] { kernel.call(args, {threads}); };
        ours();
        Stopwatch first;
        ours();
        int calls = int(std::clamp(20 / std::max(first.ms(), 0.01), 1.0, 200.0));
        std::vector<double> mine, theirs, peaks;
        for (int r = 0; r < rounds; ++r) {
            progress_.show(double(r) / rounds, l.name + ": taking turns");
            if (threads == 1) peaks.push_back(fma_peak());
            for (int i = 0; i < calls; ++i) {
                Stopwatch one;
                ours();
                mine.push_back(one.ms());
            }
            if (!l.halide) continue;
            for (double ms : rival->numbers(fmt::format("run {}", calls))) theirs.push_back(ms);
        }
        l.burin.call = times_of(mine);
        if (l.halide) l.halide->call = times_of(theirs);
        l.peak = times_of(peaks).median;
        return l;
    }

    // The cost of a call that does nearly nothing, in microseconds.
    std::pair<double, double> call_cost() {
        Size n("n");
        Input<float> a("a", {n}), b("b", {n});
        Var x("x");
        Func out("out");
        out(x) = a(x) + b(x);
        Pipeline p("add16", {a, b}, {out({n})});
        Schedule s(p);
        s[out].vectorize(x, 16);
        Kernel kernel = compile(p, s);
        const std::vector<Arg> args{Buffer<float>({16}), Buffer<float>({16}), Buffer<float>({16})};
        constexpr int calls = 10000;
        auto rival = start_rival(1);
        if (rival) rival->ask("make add16 : 0 1 0 1");
        std::vector<double> mine, theirs;
        for (int r = 0; r < rounds; ++r) {
            Stopwatch watch;
            for (int i = 0; i < calls; ++i) kernel.call(args);
            mine.push_back(watch.ms() / calls * 1000);
            if (rival) theirs.push_back(rival->numbers(fmt::format("time {}", calls)).at(0) * 1000);
        }
        return {times_of(mine).median, times_of(theirs).median};
    }

    const std::string& why_alone() const { return why_; }

private:
    std::unique_ptr<Rival> start_rival(int threads) {
        progress_.show(0, "starting Halide");
        return Rival::halide(threads, why_);
    }

    // Values before times: a rival whose values differ is not timed.
    void meet(Rival& rival, const LibraryEntry& e, const CallData& call, const Kernel& kernel,
              const std::vector<Arg>& args, Line& l) {
        progress_.show(0, l.name + ": comparing values");
        try {
            double compile_ms = rival.numbers(make_command(e, call)).at(0);
            kernel.call(args, {l.threads});
            rival.ask("run 1");
            double d = difference(call.outputs[0].buffer(), rival);
            l.difference = d == 0 ? "the same bits" : fmt::format("within {:.0e}", d);
            if (d > 1e-4)
                throw Error(ErrorKind::Value, "rival-differs",
                            fmt::format("its values differ by {:.1e} of the largest", d));
            l.halide = Side{{}, {compile_ms, compile_ms, compile_ms, compilations}};
        } catch (const Error& error) {
            l.difference = error.message();
        }
    }

    std::string why_;
    Progress progress_;
};

std::string spread(const Times& t) {
    return fmt::format("{:.3g} ({:.3g}-{:.3g})", t.median, t.min, t.max);
}

void print_text(const std::vector<Line>& lines, std::pair<double, double> cost,
                const std::string& why_alone) {
    fmt::print("{:20} {:15} {:>7} {:>22} {:>22} {:>6} {:>8} {:>7} {:>8}\n", "pipeline", "sizes",
               "threads", "burin ms", "halide ms", "ratio", "GFLOP/s", "GB/s", "of peak");
    for (auto& l : lines) {
        double s = l.burin.call.median / 1000, gflops = l.operations / s * 1e-9;
        fmt::print(
            "{:20} {:15} {:>7} {:>22} {:>22} {:>6} {:>8.1f} {:>7.1f} {:>8}\n", l.name, l.sizes,
            l.threads, spread(l.burin.call), l.halide ? spread(l.halide->call) : "-",
            l.halide ? fmt::format("{:.2f}", l.burin.call.median / l.halide->call.median) : "-",
            gflops, l.bytes / s * 1e-9,
            l.peak ? fmt::format("{:.1f} %", 100 * gflops / l.peak) : "-");
    }
    fmt::print("\n{:20} {:>22} {:>10}  {}\n", "", "burin compiles, ms", "halide", "values");
    for (auto& l : lines)
        fmt::print("{:20} {:>22} {:>10}  {}\n", l.name, spread(l.burin.compile),
                   l.halide ? fmt::format("{:.3g}", l.halide->compile.median) : "-", l.difference);
    fmt::print("\na call that adds 16 numbers: {:.3f} us{}\n", cost.first,
               cost.second > 0 ? fmt::format("; halide {:.3f} us", cost.second) : "");
    for (auto& l : lines)
        if (l.peak)
            fmt::print("peak of one thread during {}: {:.1f} GFLOP/s\n",
                       l.name.substr(l.name.find_first_not_of(' ')), l.peak);
    if (!why_alone.empty()) fmt::print("without Halide: {}\n", why_alone);
}

nlohmann::ordered_json as_json(const Times& t) {
    return {{"median", t.median}, {"min", t.min}, {"max", t.max}, {"n", t.n}};
}

void print_json(const std::vector<Line>& lines, std::pair<double, double> cost,
                const std::string& why_alone) {
    auto rows = nlohmann::ordered_json::array();
    for (auto& l : lines) {
        double s = l.burin.call.median / 1000;
        nlohmann::ordered_json row{{"pipeline", l.name},
                                   {"sizes", l.sizes},
                                   {"threads", l.threads},
                                   {"ms", as_json(l.burin.call)},
                                   {"compile_ms", as_json(l.burin.compile)},
                                   {"gflops", l.operations / s * 1e-9},
                                   {"gbps", l.bytes / s * 1e-9},
                                   {"peak_gflops", nullptr},
                                   {"halide", nullptr},
                                   {"values", l.difference}};
        if (l.peak) row["peak_gflops"] = l.peak;
        if (l.halide)
            row["halide"] = {{"ms", as_json(l.halide->call)},
                             {"compile_ms", as_json(l.halide->compile)}};
        rows.push_back(row);
    }
    nlohmann::ordered_json j{{"rows", rows},
                             {"call_us", {{"burin", cost.first}, {"halide", nullptr}}}};
    if (cost.second > 0) j["call_us"]["halide"] = cost.second;
    if (!why_alone.empty()) j["without_halide"] = why_alone;
    print_as_json(j);
}

}  // namespace

int bench(const BenchRequest& wanted) {
    std::vector<const LibraryEntry*> entries;
    for (auto& name : wanted.names) entries.push_back(&library_entry(name));
    std::vector<Line> lines;
    std::pair<double, double> cost;
    std::string why_alone;
    {
        Bench bench;
        for (auto* e : entries) {
            bool matrices = e->name == "gemm" || e->name == "dense_gelu";
            int threads = matrices && !wanted.threads ? 1 : threads_of(wanted.threads);
            lines.push_back(bench.line(*e, wanted.sizes, threads));
            if (e->name != "dense_gelu") continue;
            std::vector<std::string> same;
            for (auto& [size, n] : e->sizes) same.push_back(fmt::format("{}={}", size, n));
            lines.push_back(bench.line(library_entry("gemm"),
                                       wanted.sizes.empty() ? same : wanted.sizes, threads,
                                       "  its product alone"));
        }
        cost = bench.call_cost();
        why_alone = bench.why_alone();
    }
    (wanted.json ? print_json : print_text)(lines, cost, why_alone);
    return 0;
}

}  // namespace burin
