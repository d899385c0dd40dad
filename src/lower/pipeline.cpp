// The pass table, and the loop that runs it.
#include <chrono>

#include "base/deep.h"
#include "lower/passes.h"

namespace burin {

#ifdef NDEBUG
constexpr bool is_debug = false;
#else
constexpr bool is_debug = true;
#endif

const std::vector<Pass>& pass_table() {
    static const std::vector<Pass> table{
        {"inline_funcs", inline_funcs, Level::Nest},
        {"build_loops", build_loops, Level::Nest},
        {"place_stages", place_stages, Level::Nest},
        {"insert_prefetches", insert_prefetches, Level::Nest},
        {"infer_bounds", infer_bounds, Level::Nest},
        {"slide_window", slide_window, Level::Nest},
        {"cache_writes", cache_writes, Level::Nest},
        {"pair_loops", pair_loops, Level::Nest},
        {"simplify_loops", simplify_loops, Level::Nest},
        {"fold_storage", fold_storage, Level::Nest},
        {"flatten_storage", flatten_storage, Level::Flat},
        {"simplify_loops", simplify_loops, Level::Flat},
        {"vectorize_loops", vectorize_loops, Level::Flat},
        {"simplify_loops", simplify_loops, Level::Flat},
        {"partition_loops", partition_loops, Level::Flat},
        {"unroll_loops", unroll_loops, Level::Flat},
        {"round_small_floats", round_small_floats, Level::Flat},
        {"expand_functions", expand_functions, Level::Flat},
        {"simplify_loops", simplify_loops, Level::Emit},
        {"size_storage", size_storage, Level::Emit},
        {"check_lanes", check_lanes, Level::Emit},
    };
    return table;
}

Lowered lower(const Plan& plan, const LowerOptions& options) {
    using Clock = std::chrono::steady_clock;
    auto ms_since = [](Clock::time_point t) {
        return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
    };
    auto start = Clock::now();
    Lowered out;
    out.state.plan = std::make_shared<Plan>(plan);
    out.state.narrow = options.narrow;
    out.state.checked = options.checked;
    out.state.counted = options.counted;
    for (auto& pass : pass_table()) {
        auto begin = Clock::now();
        out.state = pass.run(std::move(out.state));
        double ms = ms_since(begin);
        if (options.verify || is_debug) verify(out.state.stmt, pass.level);
        out.passes.push_back(
            {pass.name, pass.level, options.snapshots ? out.state.stmt : Stmt(), ms});
        if (options.stop_after == pass.name) break;
    }
    out.ms = ms_since(start);
    return out;
}

}  // namespace burin
