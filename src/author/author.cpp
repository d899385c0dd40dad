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

std::string schedule_text(const Pipeline& p, Boldness bold) {
    const Algorithm& whole = p.algorithm();
    std::string head = fmt::format("schedule 1 for {}\n", whole.name);
    std::vector<bool> inlined_here = inlined_funcs(whole);
    std::string roots = head;
    for (size_t f = 0; f < whole.funcs.size(); ++f)
        if (!inlined_here[f] && !whole.is_output(whole.funcs[f].name))
            roots += fmt::format("stage {}\n  compute_root()\n", whole.funcs[f].name.hint());
    Pipeline rest = inlined(replay(p, parse_directives(roots)));
    const Algorithm& a = rest.algorithm();

    std::vector<std::string> stages(a.funcs.size());
    auto write = [&](int f, const std::vector<int>& tiled, const std::string& at,
                     std::string& place) {
        auto& func = a.funcs[f];
        std::string& text = stages[f];
        std::string lines = at + pure_lines(func, tiled, at.find("compute_at") == at.npos, place);
        if (!lines.empty()) text = fmt::format("stage {}\n{}", func.name.hint(), lines);
        for (size_t d = 1; d < func.defs.size(); ++d) {
            lines = update_lines(func, int(d), at.find("compute_at") == at.npos, bold.registers);
            if (!lines.empty())
                text += fmt::format("stage {}.update({})\n{}", func.name.hint(), d - 1, lines);
        }
    };
    for (auto& g : groups(a, inlined_here)) {
        auto& func = a.funcs[g.head];
        std::string place, unused;
        bool is_placed = !a.is_output(func.name) && !func.has_updates();
        write(g.head, bold.tiles ? g.tiled : std::vector<int>(),
              is_placed ? "  compute_root()\n" : "", place);
        for (int m : g.members)
            write(m, {},
                  place.empty() ? "  compute_root()\n"
                                : fmt::format("  compute_at({}, {})\n", func.name.hint(), place),
                  unused);
    }
    std::string text = head;
    auto packed = bold.registers ? panels(whole) : std::vector<Panel>();
    for (auto& panel : packed) text += edit_line(panel);
    for (auto& panel : packed) text += stage_lines(panel);
    for (auto& s : stages) text += s;
    return text;
}

}  // namespace

Directives author(const Pipeline& p) {
    for (Boldness bold : {Boldness{true, true}, {true, false}, {false, true}, {false, false}}) try {
            Directives d = parse_directives(schedule_text(p, bold));
            check(replay(p, d));
            return d;
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::Schedule) throw;
        }
    return parse_directives(fmt::format("schedule 1 for {}\n", p.name()));
}

}  // namespace burin
