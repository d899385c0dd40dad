// author.cpp - rules of thumb, from inlining to loops; each try is checked as any schedule is.
#include "author/author.h"

#include <fmt/format.h>

#include "author/parts.h"
#include "legal/nest.h"
#include "legal/replay.h"

namespace burin {
namespace {

struct Boldness {
    bool tiles, registers;  // registers: sums are kept there, and what they read is packed
};

// What every try has in common: which Funcs are inline, the algorithm without them, who goes with whom.
class Author {
public:
    explicit Author(const Pipeline& p)
        : whole_(p.algorithm()),
          inline_(inlined_funcs(whole_)),
          rest_(without_inline(p)),
          groups_(groups(rest_.algorithm(), inline_)) {}

    std::string text(Boldness bold) const {
        const Algorithm& a = rest_.algorithm();
        auto packed = bold.registers ? panels(whole_) : std::vector<Panel>();
        auto parts = bold.registers ? row_parts(a) : std::vector<RowParts>();
        std::vector<std::string> stages(a.funcs.size());
        for (auto& g : groups_) {
            auto& head = a.funcs[g.head];
            bool is_placed = !a.is_output(head.name) && !head.has_updates();
            bool reads_turned =
                std::ranges::any_of(g.members, [&](int m) { return is_turned(a.funcs[m]); });
            PureLines pure = pure_lines(head, bold.tiles ? g.tiled : std::vector<int>(),
                                        /*at_root=*/true, reads_turned);
            stages[g.head] = stage(head, is_placed ? root : "", pure.text, true, bold, parts);
            bool at_root = pure.place.empty();
            for (int m : g.members)
                stages[m] = stage(
                    a.funcs[m],
                    at_root ? root
                            : fmt::format("  compute_at({}, {})\n", head.name.hint(), pure.place),
                    pure_lines(a.funcs[m], {}, at_root).text, at_root, bold, parts);
        }
        std::string text = fmt::format("schedule 1 for {}\n", whole_.name);
        for (auto& panel : packed) text += edit_line(panel);
        for (auto& p : parts) text += edit_line(p);
        for (auto& panel : packed) text += stage_lines(panel);
        for (auto& s : stages) text += s;
        return text;
    }

private:
    static constexpr const char* root = "  compute_root()\n";

    Pipeline without_inline(const Pipeline& p) const {
        std::string text = fmt::format("schedule 1 for {}\n", whole_.name);
        for (size_t f = 0; f < whole_.funcs.size(); ++f)
            if (!inline_[f] && !whole_.is_output(whole_.funcs[f].name))
                text += fmt::format("stage {}\n{}", whole_.funcs[f].name.hint(), root);
        return inlined(replay(p, parse_directives(text)));
    }

    static std::string stage(const FuncDef& f, const std::string& place, const std::string& pure,
                             bool at_root, Boldness bold, const std::vector<RowParts>& parts) {
        std::string text;
        if (!place.empty() || !pure.empty())
            text = fmt::format("stage {}\n{}{}", f.name.hint(), place, pure);
        auto in_parts = std::ranges::find(parts, f.name.hint(), &RowParts::func);
        if (in_parts != parts.end()) return text + stage_lines(*in_parts, at_root);
        for (size_t d = 1; d < f.defs.size(); ++d)
            if (auto lines = update_lines(f, int(d), at_root, bold.registers); !lines.empty())
                text += fmt::format("stage {}.update({})\n{}", f.name.hint(), d - 1, lines);
        return text;
    }

    const Algorithm& whole_;
    std::vector<bool> inline_;
    Pipeline rest_;
    std::vector<Group> groups_;
};

}  // namespace

Directives author(const Pipeline& p) {
    Author maker(p);
    for (Boldness bold : {Boldness{true, true}, {true, false}, {false, true}, {false, false}}) try {
            Directives d = parse_directives(maker.text(bold));
            check(replay(p, d));
            return d;
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::Schedule) throw;
        }
    return parse_directives(fmt::format("schedule 1 for {}\n", p.name()));
}

}  // namespace burin
