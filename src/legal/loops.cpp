// loops.cpp - split, fuse, reorder, tile and the kinds of loops.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "ir/build.h"
#include "ir/print.h"
#include "legal/line.h"

namespace burin {
namespace {

constexpr int64_t most_lanes = 1024, most_copies = 4096;

const char* kind_text(LoopKind k) {
    static constexpr const char* text[] = {"serial", "parallel", "vectorised", "unrolled"};
    return text[int(k)];
}

void need_serial(const Line& l, const LoopPlan& loop, const char* verb) {
    if (loop.kind != LoopKind::Serial)
        throw refusal("loop-already-marked",
                      fmt::format("{}.{} is {} already and cannot be {}", l.stage_text(), loop.name,
                                  kind_text(loop.kind), verb))
            .help("it can be before the line that marks it");
    if (loop.partition != Partition::Auto)
        throw refusal("loop-already-marked",
                      fmt::format("{}.{} has a partition line and cannot be {}", l.stage_text(),
                                  loop.name, verb))
            .help("it can be before that line");
}

// The loops of the ordered variables in the order in which they enumerate the domain as written.
std::vector<std::string> written_order(const StagePlan& s, const Dependences& deps) {
    std::vector<std::string> order;
    for (Symbol v : deps.ordered) order.push_back(v.hint());
    for (auto& x : s.splits) {
        auto at =
            std::find(order.begin(), order.end(), x.kind == LoopSplit::Split ? x.from : x.outer);
        if (at == order.end()) continue;
        if (x.kind == LoopSplit::Split) {
            *at = x.inner;
            order.insert(at, x.outer);
        } else {
            *at = x.from;
            order.erase(at + 1);
        }
    }
    return order;
}

bool is_ordered(const StagePlan& s, const Dependences& deps, const std::string& loop,
                Symbol* which = nullptr) {
    for (auto& root : roots_of(s, loop))
        for (Symbol v : deps.ordered)
            if (v.hint() == root) {
                if (which) *which = v;
                return true;
            }
    return false;
}

std::string rfactor_line(const Line& l, Symbol v, const char* way, const char* merge) {
    std::string part = l.func_def().name.hint() + "_part";
    return fmt::format("{} = rfactor({}, {}, 16, {}, u, {})", part, l.stage_text(), v.hint(), way,
                       merge);
}

// The loops of an inexact reduction, a scan or an update with unknown overlaps stay in written
// order.
void need_written_order(const Line& l) {
    Dependences deps = dependences(l.func_def(), l.def);
    if (deps.exact || deps.ordered.empty()) return;
    const StagePlan& s = l.stage();
    std::vector<std::string> now, written = written_order(s, deps);
    for (auto& loop : s.loops)
        if (is_ordered(s, deps, loop.name)) now.push_back(loop.name);
    auto [at, w] = std::mismatch(now.begin(), now.end(), written.begin());
    if (at == now.end()) return;
    Symbol v;
    is_ordered(s, deps, *at, &v);
    Collision c = collision(l.func_def(), l.def, v);
    Error e = refusal(c.proved ? "reduction-order" : "order-unproved",
                      fmt::format("{}: {} must stay outside {}: ({} = 0, {} = 1) runs before ({} = "
                                  "1, {} = 0) as written, and would "
                                  "run after it",
                                  l.stage_text(), *w, *at, *w, *at, *w, *at));
    e.note(c.text);
    if (l.func_def().defs[l.def].op)
        e.help(rfactor_line(l, v, "inner", "in_order") + " states another order");
    throw e.help(fmt::format("the order as written: {}", listed(written)));
}

// At least two iterations of such a loop would run at once.
void need_independent(const Line& l, const std::string& loop, LoopKind kind) {
    Dependences deps = dependences(l.func_def(), l.def);
    Symbol v;
    if (!is_ordered(l.stage(), deps, loop, &v)) return;
    Collision c = collision(l.func_def(), l.def, v);
    bool vector = kind == LoopKind::Vectorized;
    Error e = refusal(
        fmt::format("{}-{}", vector ? "vectorize" : "parallel", c.proved ? "race" : "unproved"),
        fmt::format("{}.{} cannot be {}: {}", l.stage_text(), loop, kind_text(kind), c.text));
    e.note("its definition", l.func_def().defs[l.def].source);
    if (l.func_def().defs[l.def].op)
        e.help(rfactor_line(l, v, vector ? "inner" : "outer", deps.exact ? "tree" : "in_order") +
               fmt::format(" makes parts; then {}(u{})", vector ? "vectorize" : "parallel",
                           vector ? ", 16" : ""));
    else if (!c.proved)
        e.help(fmt::format("it would be allowed if the left side told iterations of {} apart",
                           v.hint()));
    throw e;
}

LoopPlan& loop_of(StagePlan& s, const std::string& name) { return s.loops[s.depth(name)]; }

constexpr size_t most_loops = 64;

}  // namespace

void split_loop(Line& l, const std::string& from, Expr factor, Tail tail, std::string outer,
                std::string inner) {
    StagePlan& s = l.stage();
    LoopPlan whole = find_loop(l.algorithm(), s, from);
    need_serial(l, whole, "split");
    if (s.loops.size() >= most_loops)
        throw Error(
            ErrorKind::Resource, "too-many-loops",
            fmt::format("{} has {} loops, the most there may be", l.stage_text(), most_loops));
    if (outer == inner)
        throw refusal("loop-name-taken",
                      fmt::format("{} cannot be split into two loops named {}", from, outer));
    Dependences deps = dependences(l.func_def(), l.def);
    auto no_tail = [&](const char* name, std::string why) {
        return refusal("tail-not-allowed", fmt::format("{} is not possible on {}.{}: {}", name,
                                                       l.stage_text(), from, why))
            .help("guard");
    };
    bool rounds = tail == Tail::RoundUp, shifts = tail == Tail::ShiftInwards;
    const char* name = rounds ? "round_up" : "shift_inwards";
    auto extent = constant_extent(l.plan, l.func, l.def, from, true);
    auto n = const_int(factor);
    bool divides = extent && extent->exact && n && extent->most % *n == 0;
    if (!divides && (rounds || shifts)) {
        if (whole.is_reduction)
            throw no_tail(name, "more iterations of a reduction than written would run");
        if (shifts && (l.func_def().defs[l.def].op || !deps.self_reads.empty()))
            throw no_tail(
                name,
                fmt::format("points in the overlap would be updated twice, and the update reads {}",
                            l.func_def().name.hint()));
        if (rounds && l.algorithm().is_output(l.func_def().name))
            throw no_tail(
                name, fmt::format("{} is an output, and points outside its buffer would be written",
                                  l.func_def().name.hint()))
                .note(fmt::format("unproved: that the extent of {} is a multiple of {}", from,
                                  to_string(factor, IndexType)));
        if (rounds && std::find(s.roots.begin(), s.roots.end(), from) == s.roots.end())
            throw no_tail(name,
                          fmt::format("{} is not a coordinate whose region can be rounded", from));
    }
    if (divides && whole.is_reduction) tail = Tail::Guard;
    s.splits.push_back({LoopSplit::Split, from, outer, inner, std::move(factor), tail, l.index});
    int at = s.depth(from);
    s.loops[at] = {inner, LoopKind::Serial, whole.is_reduction, -1};
    s.loops.insert(s.loops.begin() + at, {outer, LoopKind::Serial, whole.is_reduction, -1});
}

void reorder_loops(Line& l, const std::vector<std::string>& order) {
    StagePlan& s = l.stage();
    std::vector<int> places;
    std::vector<LoopPlan> loops;
    for (auto& name : order) {
        loops.push_back(find_loop(l.algorithm(), s, name));
        places.push_back(s.depth(name));
    }
    std::sort(places.begin(), places.end());
    if (auto twice = std::adjacent_find(places.begin(), places.end()); twice != places.end())
        throw refusal(
            "loop-listed-twice",
            fmt::format("{}: {} is listed twice", to_string(l.directive), s.loops[*twice].name));
    for (size_t i = 0; i < places.size(); ++i) s.loops[places[i]] = loops[i];
    need_written_order(l);
}

namespace {

std::pair<std::string, std::string> split(Line& l, int arg, Expr factor, Tail tail,
                                          int first_result, int second_result) {
    std::string from = l.name(arg);
    find_loop(l.algorithm(), l.stage(), from);
    std::pair made(l.result(first_result, from + "o"), l.result(second_result, from + "i"));
    split_loop(l, from, std::move(factor), tail, made.first, made.second);
    return made;
}

void set_kind(LoopPlan& loop, LoopKind kind, int directive, int64_t copies = 0) {
    loop.kind = kind;
    loop.directive = directive;
    loop.copies = copies;
}

void mark(Line& l, LoopKind kind) {
    std::string name = l.name(0);
    bool inner = kind == LoopKind::Vectorized || kind == LoopKind::Unrolled;
    int64_t most = kind == LoopKind::Vectorized ? most_lanes : most_copies;
    if (l.has(1)) {
        Expr factor = inner ? index_imm(l.constant_factor(1, most)) : l.factor(1);
        auto [o, i] = split(l, 0, factor, l.tail(2), 2, 2);  // results never name these loops
        name = inner ? i : o;
    }
    StagePlan& s = l.stage();
    const LoopPlan& loop = find_loop(l.algorithm(), s, name);
    if (kind == LoopKind::Serial) {
        set_kind(loop_of(s, name), kind, l.index);
        return;
    }
    if (loop.kind != LoopKind::Serial && loop.kind != kind)
        throw refusal("loop-already-marked",
                      fmt::format("{}.{} is {} already and cannot be {} too", l.stage_text(), name,
                                  kind_text(loop.kind), kind_text(kind)))
            .help(fmt::format("serial({}) takes the first mark back", name));
    int64_t copies = 0;
    if (inner) {
        auto extent = constant_extent(l.plan, l.func, l.def, name);
        if (!extent)
            throw refusal("extent-not-constant",
                          fmt::format("{}.{} has no constant extent and cannot be {}",
                                      l.stage_text(), name, kind_text(kind)))
                .help(fmt::format("{}({}, 8) splits it first", l.directive.verb, name));
        if (extent->most > most)
            throw refusal("factor-too-large",
                          fmt::format("{}.{} has {} iterations and cannot be {}: the limit is {}",
                                      l.stage_text(), name, extent->most, kind_text(kind), most));
        copies = extent->most;
    }
    if (kind != LoopKind::Unrolled) need_independent(l, name, kind);
    if (kind == LoopKind::Vectorized)
        for (auto& other : s.loops)
            if (other.kind == kind && other.name != name)
                throw refusal(
                    "two-vector-loops",
                    fmt::format(
                        "{}.{} cannot be vectorised: {} is, and a stage has one vectorised loop",
                        l.stage_text(), name, other.name))
                    .help(fmt::format("unroll({}), or fuse the two", name));
    set_kind(loop_of(s, name), kind, l.index, copies);
}

}  // namespace

void apply_split(Line& l) { split(l, 0, l.factor(1), l.tail(2), 0, 1); }

void apply_fuse(Line& l) {
    StagePlan& s = l.stage();
    LoopPlan outer = l.loop(0), inner = l.loop(1);
    need_serial(l, outer, "fused");
    need_serial(l, inner, "fused");
    int at = s.depth(outer.name);
    if (s.depth(inner.name) != at + 1)
        throw refusal("fuse-not-adjacent",
                      fmt::format("{}: {} must stand directly inside {}", to_string(l.directive),
                                  inner.name, outer.name))
            .note(fmt::format("the loops of {}, outermost first: {}", l.stage_text(),
                              listed(loop_names(s))))
            .help(fmt::format("reorder({}, {}) first", outer.name, inner.name));
    Dependences deps = dependences(l.func_def(), l.def);
    bool outer_ordered = is_ordered(s, deps, outer.name),
         inner_ordered = is_ordered(s, deps, inner.name);
    if (outer.is_reduction != inner.is_reduction)
        throw refusal("fuse-mixed",
                      fmt::format("{}: {} is a loop of the reduction's domain, {} is not",
                                  to_string(l.directive), (outer.is_reduction ? outer : inner).name,
                                  (outer.is_reduction ? inner : outer).name));
    if (outer_ordered != inner_ordered)
        throw refusal("fuse-mixed",
                      fmt::format("{}: the iterations of {} have an order, those of {} have none",
                                  to_string(l.directive), (outer_ordered ? outer : inner).name,
                                  (outer_ordered ? inner : outer).name));
    if (outer_ordered && !deps.exact) {
        auto written = written_order(s, deps);
        auto o = std::find(written.begin(), written.end(), outer.name);
        if (o + 1 == written.end() || *(o + 1) != inner.name)
            throw refusal("reduction-order",
                          fmt::format("{}: between {} and {} the order as written has other loops",
                                      to_string(l.directive), outer.name, inner.name))
                .help(fmt::format("the order as written: {}", listed(written)));
    }
    std::string fused = l.result(0, outer.name + inner.name);
    s.splits.push_back({LoopSplit::Fuse, fused, outer.name, inner.name, {}, Tail::Guard, l.index});
    s.loops.erase(s.loops.begin() + at);
    s.loops[at] = {fused, LoopKind::Serial, outer.is_reduction, -1};
}

void apply_reorder(Line& l) {
    std::vector<std::string> order;
    for (int i = 0; i < l.count(); ++i) order.push_back(l.name(i));
    reorder_loops(l, order);
}

void apply_tile(Line& l) {
    int last = l.count() - 1;
    bool with_tail = !known_name(l.expr(last)).empty() && is_tail(l.name(last));
    int rank = (l.count() - with_tail) / 2;
    if ((l.count() - with_tail) % 2 != 0)
        throw refusal("directive-arguments",
                      fmt::format("{}: a factor is needed for each loop", to_string(l.directive)));
    if (!l.directive.results.empty() && int(l.directive.results.size()) != 2 * rank)
        throw refusal("directive-results",
                      fmt::format("{} makes {} loops, not {}", to_string(l.directive), 2 * rank,
                                  l.directive.results.size()));
    std::vector<std::string> order(2 * rank), names;
    for (int i = 0; i < rank; ++i) {
        auto [o, in] =
            split(l, i, l.factor(rank + i), with_tail ? l.tail(last) : Tail::Auto, i, rank + i);
        order[i] = o;
        order[rank + i] = in;
    }
    reorder_loops(l, order);
}

void apply_serial(Line& l) { mark(l, LoopKind::Serial); }
void apply_parallel(Line& l) { mark(l, LoopKind::Parallel); }
void apply_vectorize(Line& l) { mark(l, LoopKind::Vectorized); }
void apply_unroll(Line& l) { mark(l, LoopKind::Unrolled); }

void apply_partition(Line& l) {
    LoopPlan& loop = loop_of(l.stage(), l.loop(0).name);
    loop.partition = l.partition(1);
    loop.partition_directive = l.index;
}

}  // namespace burin
