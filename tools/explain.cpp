// explain: what an error means, with a program that provokes it and what works instead.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include "base/nearest.h"
#include "tools/command.h"
#include "tools/pages.h"

namespace burin {
namespace {

// As they are typed, in the order of a reader: kind of block, title, text.
struct Shown {
    std::string kind, title, text;
};
std::vector<Shown> shown(const std::map<std::string, std::string>& blocks,
                         const std::string& pipeline) {
    std::vector<Shown> all;
    for (auto [kind, title] : {std::pair{"burin", "p.burin"},
                               {"sched", "p.sched"},
                               {"call", "call"},
                               {"command", "command"},
                               {"c++", "C++"}}) {
        auto at = blocks.find(kind);
        if (at == blocks.end()) continue;
        std::string text = at->second;
        while (text.ends_with("\n\n")) text.pop_back();
        if (*kind == 's' && !text.starts_with("schedule"))
            text = "schedule 1 for " + pipeline + "\n" + text;
        if (std::string(kind) == "call")
            text = fmt::format("burin run p.burin{} {}",
                               blocks.contains("sched") ? " --schedule p.sched" : "", text);
        if (std::string(kind) == "command") text = "burin " + text;
        if (std::string(kind) == "c++") text = c_plus_plus_names + text;
        all.push_back({kind, title, text});
    }
    return all;
}

// The name in the first line: "pipeline blur(..."
std::string pipeline_of(const std::map<std::string, std::string>& blocks) {
    auto at = blocks.find("burin");
    if (at == blocks.end()) return "";
    size_t from = at->second.find(' ') + 1;
    return at->second.substr(from, at->second.find('(') - from);
}

std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
}

void indent(const std::string& text) {
    std::istringstream lines(trimmed(text));
    for (std::string line; std::getline(lines, line);)
        fmt::print("{}{}\n", line.empty() ? "" : "    ", line);
}

void print_text(const std::string& id, const ErrorPage& page) {
    std::optional<Error> error = provoke(page);
    fmt::print("{}{}\n\n{}\n", id, error ? fmt::format(" ({})", name(error->kind())) : "",
               trimmed(page.why));
    std::string pipeline = pipeline_of(page.example);
    for (auto& block : shown(page.example, pipeline)) {
        fmt::print("\n{}:\n", block.title);
        indent(block.text);
    }
    if (error) {
        fmt::print("\ngives:\n");
        indent(error->what());
    }
    if (page.instead.contains("burin")) pipeline = pipeline_of(page.instead);
    for (auto& block : shown(page.instead, pipeline)) {
        fmt::print("\nwhat works, {}:\n", block.title);
        indent(block.text);
    }
}

nlohmann::ordered_json as_json(const std::map<std::string, std::string>& blocks,
                               const std::string& pipeline) {
    auto j = nlohmann::ordered_json::object();
    for (auto& block : shown(blocks, pipeline)) j[block.kind] = trimmed(block.text);
    return j;
}

void print_json(const std::string& id, const ErrorPage& page) {
    std::optional<Error> error = provoke(page);
    std::string pipeline = pipeline_of(page.example);
    nlohmann::ordered_json j{{"id", id},
                             {"kind", nullptr},
                             {"why", trimmed(page.why)},
                             {"example", as_json(page.example, pipeline)},
                             {"report", nullptr},
                             {"instead", nullptr}};
    if (error) j["kind"] = name(error->kind()), j["report"] = error->what();
    if (page.instead.contains("burin")) pipeline = pipeline_of(page.instead);
    if (!page.instead.empty()) j["instead"] = as_json(page.instead, pipeline);
    print_as_json(j);
}

std::string first_sentence(const std::string& why) {
    size_t end = 0;
    while (end < why.size() && !(std::strchr(".:", why[end]) && std::isspace(int(why[end + 1]))))
        ++end;
    std::string sentence = why.substr(0, end);
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    return sentence;
}

int list_ids(bool json) {
    auto ids = page_ids();
    if (json) print_as_json(ids);
    for (auto& id : ids)
        if (!json) fmt::print("{:24} {}\n", id, first_sentence(page_of(id)->why));
    return 0;
}

}  // namespace

int explain(const std::string& id, bool json) {
    if (id.empty()) return list_ids(json);
    const ErrorPage* page = page_of(id);
    if (auto known = page_ids(); !page)
        throw Error(ErrorKind::Value, "unknown-error",
                    fmt::format("there is no error {}{}", id, did_you_mean(id, known)))
            .help("without an id, explain lists all of them");
    (json ? print_json : print_text)(id, *page);
    return 0;
}

}  // namespace burin
