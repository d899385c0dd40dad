// loops.cpp - the loops of one stage: the last coordinate in vectors, the outermost in parallel, sums in registers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arith/linear.h"
#include "author/parts.h"
#include "ir/walk.h"
#include "legal/reads.h"

namespace burin {
namespace {

constexpr int sums_across = 4;  // rows of a block of sums
constexpr int tile_rows = 12 * sums_across, tile_columns = 512;
constexpr int tile_planes = 8;   // of rows
constexpr int tile_turned = 64;  // rows and columns, where one is read as the other
constexpr int rows_at_once = 8;  // where a vector would gather from as many rows as it has lanes
constexpr int chunk = 64;        // vectors to a task, where there is one coordinate alone

// The loops of a stage while its lines are written: names, outermost first.
class Loops {
public:
    Loops(const FuncDef& f, const Definition& def) {
        for (int d = 0; d < f.rank(); ++d)
            if (f.is_bare(def.args, d)) pure.push_back(f.vars[d].hint());
        for (auto& r : def.domain) domain.push_back(r.name.hint());
        names_.insert(pure.begin(), pure.end());
        names_.insert(domain.begin(), domain.end());
    }
    std::pair<std::string, std::string> split(const std::string& loop, int factor,
                                              const char* tail = "") {
        auto outer = fresh(loop + "o"), inner = fresh(loop + "i");
        line("{}, {} = split({}, {}{})", outer, inner, loop, factor, tail);
        return {outer, inner};
    }
    template <class... A>
    void line(fmt::format_string<A...> text, A&&... args) {
        lines += "  " + fmt::format(text, std::forward<A>(args)...) + "\n";
    }
    void reorder(const std::vector<std::string>& order) {
        if (order.size() > 1) line("reorder({})", fmt::join(order, ", "));
    }

    std::vector<std::string> pure, domain;
    std::string lines;

private:
    std::string fresh(std::string name) {
        while (!names_.insert(name).second) name += "_";
        return name;
    }
    std::set<std::string> names_;
};

}  // namespace

Stride stride(const std::vector<Expr>& args, Symbol v) {
    for (size_t k = 0; k + 1 < args.size(); ++k)
        if (uses(args[k], v)) return Stride::Far;
    if (args.empty() || !uses(args.back(), v)) return Stride::None;
    bool is_far = false;
    visit(args.back(), [&](const Mul& op, auto&) { is_far |= uses(op.a, v) || uses(op.b, v); });
    return is_far ? Stride::Far : Stride::One;
}

int lanes_of(const FuncDef& f, const Definition& def) {
    int bits = 8;
    auto widen = [&](Type t) {
        if (!t.is_bool()) bits = std::max(bits, t.is_index() ? 32 : int(t.bits));
    };
    for (Type t : f.types) widen(t);
    for (auto& value : def.values)
        visit(value, [&](const auto& op, auto& self) {
            using T = std::decay_t<decltype(op)>;
            if constexpr (is_expr_node<T>) {
                if (!handle(op).type().is_index()) widen(handle(op).type());
                if constexpr (std::is_same_v<T, Read>) return;
            }
            self.descend(op);
        });
    return 512 / bits;
}

bool is_accumulation(const FuncDef& f, const Definition& def) {
    return def.op && !def.domain.empty() && f.types.size() == 1 && f.rank() > 0 &&
           f.are_bare(def.args);
}

bool is_turned(const FuncDef& f) {
    auto walks = [&](const Definition& def) {
        return f.is_bare(def.args, f.rank() - 2) && !f.is_bare(def.args, f.rank() - 1) &&
               reads_of({def.args.back()}).empty() && std::ranges::any_of(def.domain, [&](auto& r) {
                   return stride(def.args, r.name) == Stride::One;
               });
    };
    return f.rank() > 1 && f.has_updates() && std::all_of(f.defs.begin() + 1, f.defs.end(), walks);
}

PureLines pure_lines(const FuncDef& f, const std::vector<int>& tiled, bool at_root,
                     bool reads_turned) {
    auto& def = f.defs[0];
    Loops l(f, def);
    if (l.pure.empty()) return {};
    int lanes = lanes_of(f, def);
    if (!at_root && is_turned(f)) {
        auto stored = l.pure;
        std::swap(stored[stored.size() - 2], stored.back());
        l.line("transform_layout([{}] -> [{}])", fmt::join(l.pure, ", "), fmt::join(stored, ", "));
        l.reorder(stored);
        l.line("vectorize({}, {})", stored.back(), lanes);
        return {l.lines, ""};
    }
    std::vector<std::string> outer, inner;
    std::string last = l.pure.back();
    std::string tasks;
    for (int d = 0; d < f.rank(); ++d) {
        bool is_last = d == f.rank() - 1;
        if (!std::ranges::count(tiled, d)) {
            inner.push_back(l.pure[d]);
            continue;
        }
        bool alone = !is_last && d + 2 < f.rank() && std::ranges::count(tiled, d + 1);
        int size = is_last             ? std::max(tile_columns, chunk * lanes / 4)
                   : alone             ? 1
                   : d + 2 == f.rank() ? tile_rows
                                       : tile_planes;
        // guarded, so that tiles begin where panels do
        auto [o, i] = l.split(l.pure[d], size, ", guard");
        if (tasks.empty() && !alone) tasks = o;
        outer.push_back(o);
        inner.push_back(i);
        if (is_last) last = i;
    }
    std::string place = outer.empty() ? "" : outer.back();
    if (outer.empty() && at_root && f.rank() == 1) {
        auto [o, i] = l.split(last, chunk * lanes);
        outer.push_back(o);
        inner.back() = last = i;
    }
    bool in_squares = tiled.empty() && at_root && f.rank() > 1 &&
                      std::ranges::any_of(reads_of(def.values), [&](auto& use) {
                          return stride(use.args, f.vars.back()) == Stride::Far;
                      });
    if (in_squares)
        for (size_t d = inner.size() - 2; d < inner.size(); ++d) {
            auto [o, i] = l.split(inner[d], tile_turned);
            outer.push_back(o);
            inner[d] = last = i;
        }
    if (reads_turned && !tiled.empty() && inner.size() > 1) {
        auto [o, i] = l.split(last, lanes);
        inner.back() = last = i;
        inner.insert(inner.end() - 2, o);
    }
    std::vector<std::string> order = outer;
    if (in_squares) order.insert(order.begin(), inner.begin(), inner.end() - 2);
    order.insert(order.end(), in_squares ? inner.end() - 2 : inner.begin(), inner.end());
    if (in_squares || !tiled.empty()) l.reorder(order);
    if (at_root && order.size() > 1) l.line("parallel({})", tasks.empty() ? order[0] : tasks);
    l.line("vectorize({}, {})", last, lanes);
    return {l.lines, place};
}

std::string update_lines(const FuncDef& f, int d, bool at_root, bool registers) {
    auto& def = f.defs[d];
    Loops l(f, def);
    if (l.pure.empty()) return "";
    int lanes = lanes_of(f, def);
    std::string along = l.pure.back();
    std::vector<std::string> outer(l.pure.begin(), l.pure.end() - 1), order;
    auto then = [&](const std::vector<std::string>& more) {
        order.insert(order.end(), more.begin(), more.end());
    };
    if (!at_root && is_turned(f)) {
        then(outer);
        then(l.domain);
        order.push_back(along);
        l.reorder(order);
        l.line("vectorize({}, {})", along, lanes);
        return l.lines;
    }
    // What stays the same while the reduction runs is read once, however far apart it lies.
    auto reads = reads_of(def.values);
    std::erase_if(reads, [&](auto& use) {
        bool moves = def.domain.empty() || std::ranges::any_of(def.domain, [&](auto& r) {
                         return stride(use.args, r.name) != Stride::None;
                     });
        return use.target == f.name || !moves;
    });
    auto symbol = [&](const std::string& loop) {
        return *std::ranges::find_if(f.vars, [&](Symbol v) { return v.hint() == loop; });
    };
    auto has = [&](Stride s) {
        return std::ranges::any_of(reads,
                                   [&](auto& use) { return stride(use.args, symbol(along)) == s; });
    };
    // What is read along a vector serves several rows of the coordinate that does not move it.
    auto shared = std::find_if(outer.rbegin(), outer.rend(), [&](auto& loop) {
        return std::ranges::any_of(reads, [&](auto& use) {
            return stride(use.args, symbol(along)) != Stride::None &&
                   stride(use.args, symbol(loop)) == Stride::None;
        });
    });
    bool is_written_far = stride(def.args, symbol(along)) == Stride::Far;
    bool by_rows =
        is_written_far || (has(Stride::Far) && !has(Stride::One) && shared == outer.rend());
    bool is_kept = registers && is_accumulation(f, def);
    if (is_kept && !by_rows) {
        std::string across, rows;
        if (!outer.empty()) {
            auto at = shared == outer.rend() ? outer.end() - 1 : shared.base() - 1;
            std::tie(across, rows) = l.split(*at, sums_across);
            outer.erase(at);
        }
        auto [o, i] = l.split(along, vectors_along * lanes);
        auto [v, lane] = l.split(i, lanes);
        then(outer);
        order.push_back(o);
        if (!across.empty()) order.push_back(across);
        std::string block = order.back();
        then(l.domain);
        if (!rows.empty()) order.push_back(rows);
        then({v, lane});
        l.reorder(order);
        if (at_root) l.line("parallel({})", order[0]);
        if (!rows.empty()) l.line("unroll({})", rows);
        l.line("unroll({})", v);
        l.line("vectorize({})", lane);
        l.line("cache_write({}, Register)", block);
        return l.lines;
    }
    bool alone = at_root && outer.empty();  // a task has more than a vector
    auto [o, i] = l.split(along, by_rows ? rows_at_once : alone ? 4 * lanes : lanes);
    // A scan down the rows of a tile takes them whole, as they lie.
    bool takes_rows = !at_root && !by_rows && std::ranges::any_of(def.domain, [&](auto& r) {
        return stride(def.args, r.name) == Stride::Far;
    });
    then(outer);
    if (!takes_rows) order.push_back(o);
    then(l.domain);
    if (takes_rows) order.push_back(o);
    order.push_back(i);
    l.reorder(order);
    if (at_root) l.line("parallel({})", order[0]);
    if (by_rows) l.line("unroll({})", i);
    else l.line("vectorize({}{})", i, alone ? fmt::format(", {}", lanes) : "");
    if (by_rows && is_kept) l.line("cache_write({}, Register)", o);
    return l.lines;
}

}  // namespace burin
