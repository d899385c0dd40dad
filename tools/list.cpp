// list: the pipelines there are by name, and their schedules.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.h"

namespace burin {
namespace {

void print_json(const Catalogue& catalogue) {
    auto all = nlohmann::ordered_json::array();
    for (auto& e : catalogue) {
        auto schedules =
            nlohmann::ordered_json::array({{{"name", "plain"}, {"summary", "no lines at all"}},
                                           {{"name", "auto"}, {"summary", "by rule"}}});
        for (auto& s : e.schedules) schedules.push_back({{"name", s.name}, {"summary", s.summary}});
        auto sizes = nlohmann::ordered_json::object();
        for (auto& [name, n] : e.sizes) sizes[name] = n;
        all.push_back({{"pipeline", e.name},
                       {"summary", e.summary},
                       {"sizes", sizes},
                       {"schedules", schedules},
                       {"best", e.best}});
    }
    print_as_json(all);
}

void print_text(const Catalogue& catalogue) {
    size_t width = 12;
    for (auto& e : catalogue) width = std::max(width, e.name.size());
    for (auto& e : catalogue) {
        std::string about = e.summary;
        for (auto& [name, n] : e.sizes)
            about += fmt::format("{}{}={}",
                                 &name != &e.sizes[0].first ? ","
                                 : about.empty()            ? ""
                                                            : "; ",
                                 name, n);
        fmt::print("{:{}} {}\n", e.name, width, about);
        for (auto& s : e.schedules)
            fmt::print("  {}{:{}} {}\n", s.name == e.best ? '*' : ' ', s.name, width - 2,
                       s.summary);
    }
    fmt::print(
        "\n* is the one that is taken. Each also has plain (pure stages inline, the others whole) "
        "and auto (by rule).\n");
}

}  // namespace

int list(const Catalogue& catalogue, bool json) {
    (json ? print_json : print_text)(catalogue);
    return 0;
}

}  // namespace burin
