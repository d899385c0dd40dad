// burin bench: the library's schedules, those made by rule, other systems and what the machine can do, in one run.
#include "tools/burin/bench.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "ir/value.h"
#include "report/work.h"
#include "schedules/library.h"
#include "tools/burin/burin.h"
#include "tools/burin/rival.h"
#include "tools/burin/rounds.h"
#include "tools/command.h"
#include "tools/data.h"

namespace burin {
namespace {

constexpr double longest =
    2000;  // ms of a call that takes part in the rounds; others are called once

std::string make_command(const LibraryEntry& e, const CallData& call) {
    std::string text = "make " + e.name;
    for (auto& [size, n] : e.sizes) text += fmt::format(" {}", call.sizes.at(size));
    text += " :";
    for (auto& d : e.data) text += fmt::format(" {} {}", d.lo, d.hi);
    return text;
}

// How far `got` is from `right`, both the elements of such outputs. Sides may order sums differently, and round to the
// next integer where they do; E-value "rival-differs" if it is more than that.
std::string values_of(const std::vector<Arg>& outputs, const std::string& right,
                      const std::string& got) {
    size_t at = 0;
    double worst = 0;
    bool integers = false;
    for (auto& o : outputs) {
        const Type type = o.buffer().type();
        double most = 0, largest = 0;
        auto number = [&](const void* from) {
            Value v = load(type, from);
            return v.type.is_float() ? v.f : double(v.i);
        };
        auto bytes = size_t(o.buffer().size_bytes());
        if (got.size() < at + bytes)
            throw Error(ErrorKind::Value, "rival-differs", "its output is too short");
        for (size_t k = 0; k < bytes; k += size_t(type.bytes())) {
            double a = number(right.data() + at + k), b = number(got.data() + at + k);
            largest = std::max(largest, std::fabs(a));
            bool both = std::isnan(a) && std::isnan(b);
            most = both ? most : std::isnan(a - b) ? INFINITY : std::max(most, std::fabs(a - b));
        }
        at += bytes;
        if (!(type.is_float() ? most <= 1e-4 * largest : most <= 1))
            throw Error(ErrorKind::Value, "rival-differs",
                        fmt::format("its values differ by {:.2g}, where the largest is {:.2g}",
                                    most, largest));
        integers = integers || !type.is_float();
        worst = std::max(worst, integers || most == 0 ? most : most / largest);
    }
    if (got.size() != at) throw Error(ErrorKind::Value, "rival-differs", "its output is too long");
    return worst == 0 ? "the same bits"
           : integers ? "within 1"
                      : fmt::format("within {:.0e}", worst);
}

class Bench {
public:
    Bench(const BenchRequest& wanted, size_t rows, BenchTable& table)
        : wanted_(wanted), table_(table), rows_(rows) {
        // What is ours runs in processes too, so that a call that has no end can be given up.
        rivals_ = own_sides();
        if (wanted.rivals) {
            progress_.show(0, "building the rivals");
            for (auto& r : known_rivals()) rivals_.push_back(r);
        }
        for (auto& text : wanted.others) {
            size_t at = text.find('=');
            if (at == 0 || at == text.npos)
                throw Error(ErrorKind::Value, "bad-assignment",
                            fmt::format("--rival {} is no NAME=COMMAND", text));
            const std::string name = text.substr(0, at);
            for (auto& r : rivals_)
                if (r.name == name)
                    throw Error(ErrorKind::Value, "bad-assignment",
                                fmt::format("--rival {}: there is a side {} already", text, name));
            rivals_.push_back({name, text.substr(at + 1)});
        }
        for (auto& r : rivals_) table.sides.push_back(r.name);
    }

    void row(const LibraryEntry& e, int threads) {
        step(e.name, "making it");
        const Catalogue only{offered(e)};
        Request request;
        request.catalogue = &only;
        request.what = e.name;
        request.sizes = wanted_.sizes;
        ToolProgram program = load_program(request);
        CallData call = prepare_call(program, request);
        Work work = work_of(program.pipeline, call.all());

        BenchRow row{e.name,     "", e.best, threads, work.operations.value_or(0),
                     work.bytes, 0,  {},     true};
        for (auto& [size, n] : e.sizes)
            row.sizes += fmt::format("{}{}", row.sizes.empty() ? "" : "x", call.sizes.at(size));
        for (auto& o : call.outputs) row.written += double(o.buffer().size_bytes());

        std::vector<Contender> sides;      // those that take part
        std::vector<size_t> cells;         // the cell of each
        std::optional<std::string> right;  // what the first of them computed
        for (auto& r : rivals_) {
            step(e.name, r.name);
            BenchCell cell;
            cell.side = r.name;
            try {
                Contender side = enter(cell, r, e, call, threads, right);
                if (side.ms > longest) {
                    cell.call = {side.ms, side.ms, side.ms, 1};
                } else {
                    sides.push_back(std::move(side));
                    cells.push_back(row.cells.size());
                }
            } catch (const Error& error) {
                cell.why = error.message();
            }
            row.cells.push_back(std::move(cell));
        }

        Turns turns = take_turns(sides, probe(threads), [&](double done) {
            show(done, fmt::format("{}, {} threads: taking turns", e.name, threads));
        });
        row.quiet = turns.quiet;
        for (size_t i = 0; i < sides.size(); ++i) {
            BenchCell& cell = row.cells[cells[i]];
            cell.call = turns.times[i];
            cell.why = sides[i].failed;
        }
        table_.rows.push_back(std::move(row));
    }

    // Rivals of another number of threads are not kept beside those of the next.
    void end_sides() { running_.clear(); }

    // The cost of a call that does nearly nothing, in microseconds.
    void call_cost(int threads) {
        step("a call", "of nearly nothing");
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
        std::vector<double> mine;
        for (int i = 0; i < 9; ++i) {
            Stopwatch watch;
            for (int k = 0; k < calls; ++k) kernel.call(args);
            mine.push_back(watch.ms() / calls * 1000);
        }
        table_.call_us["burin"] = times_of(mine).median;
        for (auto& r : rivals_) {
            try {
                Rival* rival = running(r, threads);
                if (!rival || rival->ask("make add16 : 0 1 0 1") == "none") continue;
                std::vector<double> theirs;
                for (int i = 0; i < 9; ++i)
                    theirs.push_back(rival->numbers(fmt::format("time {}", calls), 1)[0] * 1000);
                table_.call_us[r.name] = times_of(theirs).median;
            } catch (const Error& error) {
                table_.about[r.name] += "; a call of nearly nothing: " + error.message();
            }
        }
    }

    void limits(int threads) {
        step("this machine", "what it can do at most");
        Limits now = measure_limits(threads);
        for (auto& l : table_.limits)
            if (l.threads == threads) return l.keep_better(now);
        table_.limits.push_back(std::move(now));
    }

private:
    void step(const std::string& what, const std::string& part) { show(0, what + ": " + part); }
    void show(double of_row, const std::string& what) {
        progress_.show((double(table_.rows.size()) + of_row) / double(rows_), what);
    }

    Probe& probe(int threads) {
        auto& p = probes_[threads];
        if (!p) p = std::make_unique<Probe>(threads);
        return *p;
    }

    // Values before times: a side whose values differ is not timed.
    Contender enter(BenchCell& cell, const RivalProgram& r, const LibraryEntry& e,
                    const CallData& call, int threads, std::optional<std::string>& right) {
        Rival* rival = running(r, threads);
        if (!rival) throw Error(ErrorKind::Resource, "rival-failed", "it is not there");
        try {
            // Several compilations, and the inputs.
            std::string made = rival->ask(make_command(e, call), 4 * wanted_.patience);
            cell.none = made == "none";
            if (cell.none)
                throw Error(ErrorKind::Resource, "rival-failed", "it is not written for it");
            cell.compile = times_of(rival->numbers("compile", 1));
            cell.first = rival->numbers("run 1", 1)[0];
            std::string values = written(*rival, call);
            cell.values = values_of(call.outputs, right ? *right : values, values);
            if (!right) right = std::move(values);
        } catch (const Error&) {
            cell.over = rival->silent();
            throw;
        }
        return {[rival](int calls) {
                    return rival->numbers(fmt::format("run {}", calls), size_t(calls));
                },
                cell.first > longest ? cell.first : rival->numbers("run 1", 1)[0]};
    }

    std::string written(Rival& rival, const CallData& call) {
        std::string path =
            std::filesystem::temp_directory_path() / fmt::format("burin-bench-{}", getpid());
        struct Remove {
            std::string path;
            ~Remove() { unlink(path.c_str()); }
        } remove{path};
        rival.ask("write " + path);
        int64_t most = 1;
        for (auto& o : call.outputs) most += o.buffer().size_bytes();
        return read_file(path, most);
    }

    // The process for so many threads, anew if it was lost; null if there is none to be had.
    Rival* running(const RivalProgram& r, int threads) {
        if (!r.why.empty()) {
            table_.about[r.name] = "not there: " + r.why;
            return nullptr;
        }
        auto& rival = running_[{r.name, threads}];
        if (rival && !rival->lost()) return rival.get();
        if (absent_.contains(r.name)) return nullptr;
        try {
            rival = std::make_unique<Rival>(r, threads, wanted_.patience);
            std::string about = rival->ask("hello");
            if (!r.own) table_.about[r.name] = about;
            return rival.get();
        } catch (const Error& error) {
            rival.reset();
            absent_.insert(r.name);
            table_.about[r.name] = "not there: " + error.message();
            return nullptr;
        }
    }

    const BenchRequest& wanted_;
    BenchTable& table_;
    const size_t rows_;  // that there will be
    std::vector<RivalProgram> rivals_;
    std::map<std::pair<std::string, int>, std::unique_ptr<Rival>> running_;
    std::set<std::string> absent_;
    std::map<int, std::unique_ptr<Probe>> probes_;
    Progress progress_;
};

}  // namespace

const Limits& BenchTable::limits_for(int threads) const {
    return *std::find_if(limits.begin(), limits.end(),
                         [&](auto& l) { return l.threads == threads; });
}

int bench(const BenchRequest& wanted) {
    std::vector<const LibraryEntry*> entries;
    for (auto& name : wanted.names) entries.push_back(&library_entry(name));
    if (entries.empty())
        for (auto& e : library()) entries.push_back(&e);
    bool prints = wanted.json == "-";
    if (!wanted.json.empty() && !prints) check_can_write(wanted.json);
    std::set<int> threads;  // each once
    for (int n : wanted.threads) threads.insert(threads_of(n));
    if (threads.empty()) threads.insert(threads_of(0));

    BenchTable table;
    table.machine = processor_name();
    table.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    {
        Bench bench(wanted, entries.size() * threads.size(), table);
        for (int n : threads) bench.limits(n);
        for (int n : threads) {  // outermost: the sides of one number are there at a time
            for (auto* e : entries) bench.row(*e, n);
            if (n == *threads.begin()) bench.call_cost(n);
            bench.end_sides();
        }
        for (int n : threads) bench.limits(n);  // and once more: the machine may have been busy
    }
    auto place = [&](const BenchRow& row) {
        return std::find_if(entries.begin(), entries.end(),
                            [&](auto* e) { return e->name == row.pipeline; });
    };
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [&](auto& a, auto& b) { return place(a) < place(b); });
    auto json = as_json(table);
    if (prints) print_as_json(json);
    else print_bench(table);
    if (!wanted.json.empty() && !prints) write_file(wanted.json, json.dump(2) + "\n");
    return 0;
}

}  // namespace burin
