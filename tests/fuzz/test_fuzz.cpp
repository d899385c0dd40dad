// Random pipelines under random legal schedules and the one by rule. BURIN_FUZZ=n tries n pairs, not 3000; "long" 50,000; BURIN_FUZZ_FIRST=s starts at
// the pipeline with that seed; BURIN_FUZZ_TELL prints each pair before it is tried.
#include <burin/kernel.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "author/author.h"
#include "fuzz/generate.h"
#include "legal/replay.h"
#include "report/verify.h"

using namespace burin;

namespace {

constexpr int schedules_each = 4;
const bool tells = std::getenv("BURIN_FUZZ_TELL") != nullptr;

std::vector<Path> kernels(const Plan& plan, const Lowering& lowering, bool also_checked) {
    std::vector<Path> all;
    auto add = [&](const char* name, const Target& target) {
        Kernel k = compile_plan(plan, target, {}, lowering);
        all.push_back({name, [k](std::span<const Arg> args) { k.call(args); }});
    };
    add("kernel", Target::host());
    if (also_checked) add("checked kernel", Target::host().checked());
    return all;
}

struct Tally {
    std::atomic<int> pairs = 0, calls = 0, refused = 0, no_algorithms = 0, illegal = 0;
    std::mutex lock;
    std::vector<std::string> failures;
    void fail(uint64_t seed, const std::string& what) {
        std::lock_guard hold(lock);
        failures.push_back(fmt::format("seed {}\n{}", seed, what));
        if (tells) fmt::print(stderr, "FAILURE {}\n", failures.back());
    }
};

void try_pipeline(uint64_t seed, Tally& tally) {
    Random random(seed);
    std::string text = fuzz::random_algorithm(random);
    std::optional<Pipeline> p;
    try {
        p = parse_pipeline(text);
    } catch (const Error& e) {
        if (e.kind() == ErrorKind::Type) ++tally.no_algorithms;
        else tally.fail(seed, text + e.what());
        return;
    }
    for (int i = 0; i < schedules_each; ++i) {
        std::string schedule;
        try {
            Directives d =
                i == 0 ? author(*p)
                       : fuzz::random_schedule(*p, random, i == 1 ? 4 : 4 + int(random.below(16)));
            schedule = to_string(d);
            if (tells) fmt::print(stderr, "seed {}\n{}{}\n", seed, text, schedule);
            bool checked = random.one_in(4);
            VerifyOptions options{
                .calls = 4, .seed = random.next(), .budget = 400, .dense = !random.one_in(3)};
            auto report = verify(*p, d, options, [=](auto& plan, auto& lowering) {
                return kernels(plan, lowering, checked);
            });
            tally.calls += report.compared;
            tally.refused += report.refused;
            if (!report.ok()) tally.fail(seed, text + schedule + to_string(report));
        } catch (const Error& e) {  // lowering knows sizes that check() does not
            if (e.kind() == ErrorKind::Schedule) ++tally.illegal;
            else tally.fail(seed, text + schedule + e.what());
        } catch (const std::exception& e) {
            tally.fail(seed, text + schedule + e.what());
        }
        ++tally.pairs;
    }
}

}  // namespace

TEST_CASE("random pipelines have one meaning under every random schedule, on every path") {
    auto setting = [](const char* name, const char* otherwise) {
        const char* s = std::getenv(name);
        return std::string(s ? s : otherwise);
    };
    std::string wanted = setting("BURIN_FUZZ", "3000");
    int pairs = wanted == "long" ? 50000 : std::atoi(wanted.c_str());
    std::atomic<uint64_t> seed = std::stoull(setting("BURIN_FUZZ_FIRST", "1"));
    Tally tally;
    auto work = [&] {
        while (tally.pairs < pairs) {
            try_pipeline(seed++, tally);
        }
    };
    std::thread other(work);
    work();
    other.join();
    MESSAGE(
        fmt::format("{} pairs, {} calls compared, {} refused by all; {} texts were no algorithms, "
                    "{} schedules refused late",
                    tally.pairs.load(), tally.calls.load(), tally.refused.load(),
                    tally.no_algorithms.load(), tally.illegal.load()));
    for (auto& f : tally.failures) CHECK_MESSAGE(false, f);
    CHECK(tally.calls > tally.pairs);
}
