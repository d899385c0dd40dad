// burin list: the library.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.h"

namespace burin {
namespace {

void print_json() {
    auto all = nlohmann::ordered_json::array();
    for (auto& e : library()) {
        auto schedules =
            nlohmann::ordered_json::array({{{"name", "plain"}, {"summary", "no lines at all"}},
                                           {{"name", "auto"}, {"summary", "by rule"}}});
        for (auto& s : e.schedules) schedules.push_back({{"name", s.name}, {"summary", s.summary}});
        nlohmann::ordered_json sizes;
        for (auto& [name, n] : e.sizes) sizes[name] = n;
        all.push_back({{"pipeline", e.name},
                       {"summary", e.summary},
                       {"sizes", sizes},
                       {"schedules", schedules},
                       {"best", e.best}});
    }
    print_as_json(all);
}

void print_text() {
    for (auto& e : library()) {
        std::string sizes;
        for (auto& [name, n] : e.sizes)
            sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ",", name, n);
        fmt::print("{:12} {}; {}\n", e.name, e.summary, sizes);
        for (auto& s : e.schedules)
            fmt::print("  {}{:10} {}\n", s.name == e.best ? '*' : ' ', s.name, s.summary);
    }
    fmt::print(
        "\n* is the one that is taken. Each also has plain (pure stages inline, the others whole) "
        "and auto (by rule).\n");
}

}  // namespace

int list(bool json) {
    json ? print_json() : print_text();
    return 0;
}

}  // namespace burin
