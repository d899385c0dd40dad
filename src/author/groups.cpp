// groups.cpp - which Funcs are computed together, a tile at a time.
#include <map>

#include "arith/simplify.h"
#include "author/access.h"
#include "author/parts.h"
#include "legal/reads.h"

namespace burin {
namespace {

// How far beside a tile its members may reach, in points of the head: more would be computed twice too often.
constexpr double most_rows_beside = 16, most_columns_beside = 64;
// Of a member, for each point of the head along a coordinate: with fewer, tiles share its points.
constexpr double least_scale = 1 / 32.0;

struct Along {      // what a tile of the head needs of one coordinate of a member
    int head = -1;  // the head's coordinate that it moves with; -1: none, all of it is needed
    double scale = 1, lo = 0,
           hi = 0;  // this many points for one of the head's; beside the tile, in the head's points
};

class Grouper {
public:
    Grouper(const Algorithm& a, const std::vector<bool>& inlined) : a_(a), inlined_(inlined) {
        for (size_t f = 0; f < a.funcs.size(); ++f) {
            if (inlined[f]) continue;
            for (auto& def : a.funcs[f].defs)
                for (auto& use : reads_of(expressions_of(def)))
                    if (int g = a.func_index(use.target); g >= 0 && g != int(f))
                        readers_[g].push_back({int(f), &def, use.args});
        }
    }

    Group of(int head, const std::vector<bool>& taken) {
        along_.clear();
        auto& func = a_.funcs[head];
        Group group{head, {}, {}};
        if (func.has_updates()) return group;
        for (int d = 0; d < func.rank(); ++d) along_[head].push_back({d});
        std::vector<int> candidates;  // readers before producers
        for (int f = head; f-- > 0;)
            if (!inlined_[f] && !taken[f] && !a_.is_output(a_.funcs[f].name) && find_along(f))
                candidates.push_back(f);
        // Tiles are cut along the outermost coordinate with which most of them move, and along the next and the last
        // one if all of those do.
        size_t most = 0;
        for (int d = 0; d < func.rank(); ++d)
            if (size_t n = members(head, candidates, {d}, true).size(); n > most) {
                most = n;
                group.tiled = {d};
            }
        if (most == 0) return group;
        group.members = members(head, candidates, group.tiled);
        if (group.members.empty()) group.tiled.clear();
        if (!group.tiled.empty())
            for (int d : std::set{group.tiled[0] + 1, func.rank() - 1}) {
                std::vector<int> more = group.tiled;
                more.push_back(d);
                if (d > group.tiled[0] && d < func.rank() &&
                    members(head, candidates, more).size() == group.members.size())
                    group.tiled = more;
            }
        std::ranges::reverse(group.members);
        return group;
    }

private:
    struct Reader {
        int func;
        const Definition* def;
        std::vector<Expr> args;
    };

    // Only if all that read f may be in the group.
    bool find_along(int f) {
        auto it = readers_.find(f);
        if (it == readers_.end()) return false;
        std::vector<Along> all;
        for (auto& r : it->second) {
            if (!along_.contains(r.func)) return false;
            std::vector<Along> one = along(r);
            if (all.empty()) all = one;
            for (size_t k = 0; k < all.size(); ++k) {
                if (all[k].head != one[k].head || all[k].scale != one[k].scale) all[k].head = -1;
                all[k].lo = std::min(all[k].lo, one[k].lo);
                all[k].hi = std::max(all[k].hi, one[k].hi);
            }
        }
        // A coordinate that an update walks along is needed from where the walk begins.
        auto& func = a_.funcs[f];
        for (size_t d = 1; d < func.defs.size(); ++d)
            for (int k = 0; k < func.rank(); ++k)
                if (!func.is_bare(func.defs[d].args, k)) all[k].head = -1;
        along_[f] = all;
        return true;
    }

    std::vector<Along> along(const Reader& r) {
        auto& func = a_.funcs[r.func];
        std::map<Symbol, Along> reader;
        std::set<Symbol> pure;
        for (int d = 0; d < func.rank(); ++d) {
            if (!func.is_bare(r.def->args, d)) continue;
            pure.insert(func.vars[d]);
            reader[func.vars[d]] = along_[r.func][d];
        }
        Bounds domain;
        for (auto& v : r.def->domain) domain.push_back({v.name, {v.lo, simplify(v.hi - 1)}});
        std::vector<Along> all;
        for (auto& at : r.args) {
            Along& to = all.emplace_back();
            auto found = access(at, pure, domain);
            if (!found || reader[found->of].head < 0) continue;
            to = reader[found->of];
            to.scale *= found->scale;
            to.lo += found->lo / to.scale;
            to.hi += found->hi / to.scale;
        }
        return all;
    }

    std::vector<int> members(int head, const std::vector<int>& candidates,
                             const std::vector<int>& tiled, bool however_far = false) {
        std::vector<int> joined{head};
        for (int f : candidates) {
            bool is_read_here = std::ranges::all_of(
                readers_[f], [&](auto& r) { return std::ranges::count(joined, r.func) > 0; });
            bool moves = std::ranges::all_of(tiled, [&](int d) {
                bool are_rows = d != a_.funcs[head].rank() - 1;
                double most = are_rows ? most_rows_beside : most_columns_beside;
                return std::ranges::any_of(along_[f], [&](auto& c) {
                    return c.head == d && c.scale >= least_scale &&
                           (however_far || c.hi - c.lo <= most);
                });
            });
            if (is_read_here && moves) joined.push_back(f);
        }
        joined.erase(joined.begin());
        return joined;
    }

    const Algorithm& a_;
    const std::vector<bool>& inlined_;
    std::map<int, std::vector<Reader>> readers_;
    std::map<int, std::vector<Along>> along_;  // of each coordinate
};

}  // namespace

std::vector<Group> groups(const Algorithm& a, const std::vector<bool>& inlined) {
    Grouper grouper(a, inlined);
    std::vector<bool> taken(a.funcs.size());
    std::vector<Group> all;
    for (int f = int(a.funcs.size()); f-- > 0;) {
        if (inlined[f] || taken[f]) continue;
        all.push_back(grouper.of(f, taken));
        for (int m : all.back().members) taken[m] = true;
    }
    return all;
}

}  // namespace burin
