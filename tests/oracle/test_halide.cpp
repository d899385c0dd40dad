// Random pipelines under random schedules against Halide, bit for bit. BURIN_HALIDE=n compares n pairs, not 200;
// BURIN_HALIDE_FIRST=s starts at the pipeline with that seed. Skipped where $BURIN_PYTHON has no Halide.
#include <burin/kernel.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <map>

#include "fuzz/generate.h"
#include "ir/value.h"
#include "legal/replay.h"
#include "oracle/bridge.h"

using namespace burin;

namespace {

const std::string ok = "ok";

class Halide {
public:
    explicit Halide(const std::string& python)
        : bridge_({python, "-B", BURIN_SOURCE_DIR "/tests/oracle/halide_bridge.py"}) {}

    // "ok", or why not: "no fma in f64".
    std::string take(const Pipeline& p) {
        binder_.emplace(p.shared());
        std::string words;
        for (auto& n : binder_->numbers())
            words += fmt::format(" {}:{}", n.as<Var>()->name.hint(), to_string(n.type()));
        bridge_.send(fmt::format("algorithm {}{}\n{}", p.text().size(), words, p.text()));
        return bridge_.answer();
    }

    // The outputs of the algorithm taken last, into dense `outputs` over the boxes they have.
    std::string call(std::span<const Arg> args, const std::vector<AnyBuffer>& outputs) {
        Binding bound = (*binder_)(args);
        std::string line = "call";
        for (int64_t n : bound.numbers) line += fmt::format(" {}", uint64_t(n));
        auto box = [&](const AnyBuffer& b) {
            line += ";";
            for (const Dim& d : b.dims()) line += fmt::format(" {},{}", d.min, d.extent);
        };
        std::vector<AnyBuffer> inputs;
        for (auto& b : bound.inputs)
            if (b.defined()) inputs.push_back(b.copy()), box(b);
        for (auto& b : outputs) box(b);
        bridge_.send(line + "\n");
        for (auto& b : inputs) bridge_.send(b.data(), size_t(b.size_bytes()));
        std::string answer = bridge_.answer();
        for (auto& b : outputs)
            if (answer == ok && !bridge_.receive(b.data(), size_t(b.size_bytes()))) return "gone";
        return answer;
    }

private:
    oracle::Bridge bridge_;
    std::optional<Binder> binder_;
};

struct Tally {
    int pairs = 0, calls = 0, refused = 0;
    std::map<std::string, int> excluded;
};

std::string element(const AnyBuffer& b, const std::vector<int64_t>& at) {
    return to_string(load(b.type(), b.at(at)));
}
bool is_empty(const AnyBuffer& b) { return b.size() == 0; }

// Draws calls until one is compared; what differs, or nothing.
std::string compare(Halide& halide, const Plan& plan, Random& random, Tally& tally) {
    Kernel kernel = compile_plan(plan);
    CallDrawer draw(plan.pipeline, {4, 8}, 400);
    int compared = 0;
    for (int draws = 0; draws < 8 && compared < 2; ++draws) {
        auto drawn = draw(random, !random.one_in(3));
        if (!drawn) continue;
        auto ours = drawn->fresh_outputs();
        auto args = drawn->arguments(ours);
        bool empty = false;
        for (auto& a : args) empty |= !a.is_number() && is_empty(a.buffer());
        if (empty) continue;
        try {
            kernel.call(args);
        } catch (const Error& e) {
            if (e.kind() == ErrorKind::Internal) throw;
            ++tally.refused;
            continue;
        }
        std::vector<AnyBuffer> theirs;
        for (auto& b : ours) theirs.push_back(b.copy());
        std::string answer = halide.call(args, theirs);
        if (answer != ok) {
            ++tally.excluded[answer.substr(answer.starts_with("no ") ? 3 : 0)];
            if (answer == "gone") return "the bridge has ended";
            return "";
        }
        ++compared;
        ++tally.calls;
        for (size_t o = 0; o < ours.size(); ++o)
            if (auto at = first_difference(ours[o], theirs[o]))
                return fmt::format("{}\noutput {} at [{}]: {}, Halide's {}", drawn->text, o,
                                   fmt::join(*at, ", "), element(ours[o], *at),
                                   element(theirs[o], *at));
    }
    tally.pairs += compared > 0;
    return "";
}

}  // namespace

TEST_CASE("kernels under random schedules compute what Halide computes") {
    auto setting = [](const char* name, const char* otherwise) {
        const char* s = std::getenv(name);
        return std::string(s ? s : otherwise);
    };
    std::string python = setting("BURIN_PYTHON", "");
    if (python.empty()) {
        MESSAGE("skipped: BURIN_PYTHON names no Python with Halide");
        return;
    }
    std::signal(SIGPIPE, SIG_IGN);
    Halide halide(python);
    if (halide.take(parse_pipeline("pipeline p(in: u8[n]) -> f[n]\nf(x) = in(x)\n")) == "gone") {
        MESSAGE("skipped: " << python << " has no Halide");
        return;
    }
    int wanted = std::stoi(setting("BURIN_HALIDE", "200")), tries = 0;
    uint64_t seed = std::stoull(setting("BURIN_HALIDE_FIRST", "1"));
    Tally tally;
    for (; tally.pairs < wanted && tries < 20 * wanted && !tally.excluded.contains("gone");
         ++seed) {
        Random random(seed);
        std::string text = fuzz::random_algorithm(random), schedule;
        try {
            Pipeline p = parse_pipeline(text);
            for (int i = 0; i < 2; ++i, ++tries) {
                Directives d = fuzz::random_schedule(p, random, 4 + int(random.below(16)));
                schedule = to_string(d);
                Plan plan = replay(p, d);
                check(plan);
                if (std::string answer = halide.take(plan.pipeline); answer != ok) {
                    ++tally.excluded[answer.substr(answer.starts_with("no ") ? 3 : 0)];
                    continue;
                }
                std::string wrong = compare(halide, plan, random, tally);
                CHECK_MESSAGE(wrong.empty(),
                              fmt::format("seed {}\n{}{}{}", seed, text, schedule, wrong));
            }
        } catch (const Error& e) {  // no algorithm, or no schedule once sizes are known
            bool expected = e.kind() == ErrorKind::Type || e.kind() == ErrorKind::Schedule;
            CHECK_MESSAGE(expected, fmt::format("seed {}\n{}{}{}", seed, text, schedule, e.what()));
            ++tries;
        }
    }
    std::string reasons;
    for (auto& [reason, n] : tally.excluded) reasons += fmt::format("\n  {} x {}", n, reason);
    MESSAGE(fmt::format("{} pairs, {} calls; {} calls refused; without Halide:{}", tally.pairs,
                        tally.calls, tally.refused, reasons));
    CHECK(tally.pairs >= wanted);
}
