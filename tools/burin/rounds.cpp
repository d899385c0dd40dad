#include "tools/burin/rounds.h"

#include <burin/error.h>

#include <algorithm>

namespace burin {

constexpr size_t rounds = 9;
constexpr double disturbed = 1.3;
constexpr double turn = 20;  // ms

Turns take_turns(std::vector<Contender>& sides, Probe& probe,
                 const std::function<void(double)>& progress) {
    struct Round {
        double slowness;
        std::vector<std::vector<double>> ms;  // of each side
    };
    std::vector<Round> all;
    double before = probe.slowness();
    for (size_t quiet = 0; quiet < rounds && all.size() < 2 * rounds;) {
        progress(double(quiet) / rounds);
        Round round{before, std::vector<std::vector<double>>(sides.size())};
        for (size_t i = 0; i < sides.size(); ++i) {
            Contender& side = sides[i];
            if (!side.failed.empty()) continue;
            try {
                int calls = int(std::clamp(turn / std::max(side.ms, 0.01), 1.0, 200.0));
                int warming = side.ms < turn;  // the caches hold what others left
                round.ms[i] = side.run(warming + calls);
                round.ms[i].erase(round.ms[i].begin(), round.ms[i].begin() + warming);
            } catch (const Error& e) {
                side.failed = e.message();
            }
        }
        before = probe.slowness();
        round.slowness = std::max(round.slowness, before);
        quiet += round.slowness < disturbed;
        all.push_back(std::move(round));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](auto& a, auto& b) { return a.slowness < b.slowness; });
    all.resize(rounds);
    Turns turns;
    turns.quiet = all.back().slowness < disturbed;
    for (size_t i = 0; i < sides.size(); ++i) {
        std::vector<double> ms;
        if (sides[i].failed.empty())
            for (auto& round : all) ms.insert(ms.end(), round.ms[i].begin(), round.ms[i].end());
        turns.times.push_back(times_of(std::move(ms)));
    }
    return turns;
}

}  // namespace burin
