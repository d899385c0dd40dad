// watch: looks at a program whenever its files are saved, and tells what has changed since the last look that worked.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "legal/replay.h"
#include "tools/command.h"
#include "tools/look.h"
#include "tools/measure.h"

namespace burin {
namespace {

using namespace std::chrono_literals;
constexpr auto pause = 50ms;
constexpr int64_t longest_text = 16 << 20;
constexpr size_t context = 2;  // lines shown around those that differ

std::atomic<bool> stopped = false, waiting = false;

// A file's text; nothing while it is not there, as between an editor's two steps of saving.
using Text = std::optional<std::string>;

class Files {
public:
    explicit Files(const Request& request) {
        for (auto& name : {request.what, request.schedule})
            if (std::error_code none; std::filesystem::exists(name, none) ||
                                      name.ends_with(".burin") || name.ends_with(".sched"))
                names_.push_back(name);
        seen_ = read();
    }
    bool none() const { return names_.empty(); }
    // Returns when they hold something else than they did, and hold still; the names of those that changed. Empty: stopped.
    std::vector<std::string> wait() {
        for (;; std::this_thread::sleep_for(pause)) {
            if (stopped) return {};
            std::vector<Text> now = read(), before = seen_;
            if (now == seen_) continue;
            while (now != before && !stopped) {
                std::this_thread::sleep_for(pause);
                before = std::exchange(now, read());
            }
            std::vector<std::string> changed;
            for (size_t i = 0; i < names_.size(); ++i)
                if (now[i] != seen_[i])
                    changed.push_back(names_[i] + (now[i] ? " changed" : " is gone"));
            seen_ = now;
            if (!changed.empty()) return changed;
        }
    }

private:
    static Text text_of(const std::string& name) {
        try {
            return read_file(name, longest_text);
        } catch (const Error&) {
            return {};
        }
    }
    std::vector<Text> read() const {
        std::vector<Text> all;
        for (auto& name : names_) all.push_back(text_of(name));
        return all;
    }

    std::vector<std::string> names_;
    std::vector<Text> seen_;
};

struct Look {
    std::vector<NestLine> nest;
    std::vector<StageFigures> stages;
    Times times;
    bool right = true;
};

Look look(const Request& request) {
    ToolProgram program = load_program(request);
    Look l;
    l.nest = nest_of(program);
    CallData call = prepare_call(program, request);
    std::vector<Arg> args = call.all();
    Plan plan = replay(program.pipeline, program.schedule.directives());
    Kernel kernel = compile_plan(plan);
    const int threads = threads_of(request.threads);
    l.times = measure([&] { kernel.call(args, {threads}); });
    l.right = check_tiles(kernel.pipeline(), call.inputs, call.outputs, 1).equal;
    l.stages = stages_of(plan, args, threads);
    return l;
}

// Which lines both have, as pairs of positions in order: a longest common subsequence.
std::vector<std::pair<size_t, size_t>> common_lines(const std::vector<NestLine>& a,
                                                    const std::vector<NestLine>& b) {
    std::vector<std::vector<uint32_t>> longest(a.size() + 1, std::vector<uint32_t>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            longest[i][j] = a[i].text == b[j].text ? longest[i + 1][j + 1] + 1
                                                   : std::max(longest[i + 1][j], longest[i][j + 1]);
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();)
        if (a[i].text == b[j].text) pairs.emplace_back(i++, j++);
        else (longest[i + 1][j] >= longest[i][j + 1] ? i : j)++;
    return pairs;
}

std::string difference(const std::vector<NestLine>& before, const std::vector<NestLine>& after) {
    std::vector<std::pair<char, std::string>> all;
    auto pairs = common_lines(before, after);
    pairs.emplace_back(before.size(), after.size());
    size_t i = 0, j = 0;
    for (auto [bi, aj] : pairs) {
        for (; i < bi; ++i) all.emplace_back('-', before[i].text);
        for (; j < aj; ++j) all.emplace_back('+', after[j].text);
        if (i < before.size()) all.emplace_back(' ', before[i++].text), ++j;
    }
    std::string text;
    bool skipped = false;
    for (size_t n = 0; n < all.size(); ++n) {
        size_t from = n - std::min(n, context), to = std::min(n + context + 1, all.size());
        bool near = std::any_of(all.begin() + int64_t(from), all.begin() + int64_t(to),
                                [](auto& line) { return line.first != ' '; });
        if (near)
            text += fmt::format("{}{} {}\n", skipped ? "  ...\n" : "", all[n].first, all[n].second);
        skipped = !near;
    }
    return text.empty() ? "the loops are the same\n" : text;
}

int64_t bytes_of(const std::vector<StageFigures>& stages) {
    int64_t all = 0;
    for (auto& s : stages) all += s.bytes.value_or(0);
    return all;
}

void print_figures(const Look& now, const Look* before) {
    auto was = [&](const std::string& now_text, const std::string& then) {
        return before && then != now_text ? fmt::format(" (was {})", then) : "";
    };
    auto put = [&](const char* title, auto text_of) {
        std::string text = text_of(now);
        fmt::print("{}{}{}", text, title, was(text, before ? text_of(*before) : ""));
    };
    put(" ms", [](const Look& l) { return fmt::format("{:.3g}", l.times.median); });
    fmt::print("; ");
    put(" as many points computed as required",
        [](const Look& l) { return fmt::format("{:.2f}x", recomputation(l.stages)); });
    fmt::print("; ");
    put(" of intermediates", [](const Look& l) { return bytes_text(double(bytes_of(l.stages))); });
    fmt::print("{}\n", now.right ? "" : "\nNOT equal to the definition: burin verify tells more");
}

std::string clock_text() {
    std::time_t now = std::time(nullptr);
    char text[16];
    return std::strftime(text, sizeof text, "%H:%M:%S", std::localtime(&now)) ? text : "";
}

void tell(const Look& now, const Look* before) {
    fmt::print("{}", before ? difference(before->nest, now.nest) : explained(now.nest));
    print_figures(now, before);
}

}  // namespace

int watch(const Request& request, const WatchRequest& options) {
    std::optional<Look> last;  // that worked
    auto look_and_tell = [&] {
        Look now = look(request);
        tell(now, last ? &*last : nullptr);
        last = std::move(now);
    };
    if (options.once) {
        look_and_tell();
        return last->right ? 0 : 1;
    }
    struct sigaction stop{};
    stop.sa_handler = [](int) {
        stopped = true;
        if (!waiting) _exit(0);  // a look takes as long as the program that it runs
    };
    for (int signal : {SIGINT, SIGTERM}) sigaction(signal, &stop, nullptr);
    Files files(request);
    if (files.none())
        throw Error(ErrorKind::Value, "nothing-to-watch",
                    fmt::format("{} is in no file that could be saved", request.what))
            .help("a .sched file after it, or --once");
    for (;;) {
        try {
            look_and_tell();
        } catch (const std::exception& e) {
            fmt::print("{}\n", e.what());
        }
        if (std::fflush(stdout) != 0) return 1;
        waiting = true;
        auto changed = files.wait();
        waiting = false;
        if (changed.empty()) return 0;
        for (auto& what : changed) fmt::print("\n{} {}\n", clock_text(), what);
        std::fflush(stdout);
    }
}

}  // namespace burin
