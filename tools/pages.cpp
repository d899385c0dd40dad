#include "tools/pages.h"

#include <burin/kernel.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "tools/job.h"

namespace burin {

// pages_*.cpp
extern const char* const algorithm_pages;
extern const char* const place_pages;
extern const char* const pair_pages;
extern const char* const variant_pages;
extern const char* const schedule_pages;
extern const char* const loop_pages;
extern const char* const call_pages;
extern const char* const other_pages;

const char* const c_plus_plus_names = R"(Size n("n");
Input<float> in("in", {n});
Var x("x"), y("y");
Func f("f"), g("g");
)";

namespace {

class PageReader {
public:
    void read(std::string_view text) {
        std::istringstream lines{std::string(text)};
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("== ")) open(words_of(line.substr(3)));
            else if (line.starts_with("-- ")) block(words_of(line.substr(3)));
            else if (to_) *to_ += line + "\n";
        }
    }
    std::vector<ErrorPage> take() { return std::move(pages_); }

private:
    static std::vector<std::string> words_of(const std::string& line) {
        std::istringstream in(line);
        return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
    }
    void open(const std::vector<std::string>& words) {
        if (words[0] == "program") {
            to_ = &(programs_[words[1]] = "");
            return;
        }
        pages_.push_back({words, "", {}, {}});
        to_ = &pages_.back().why;
    }
    void block(std::vector<std::string> words) {
        bool instead = words[0] == "instead";
        if (instead) words.erase(words.begin());
        to_ = &(instead ? pages_.back().instead : pages_.back().example)[words[0]];
        if (words.size() > 1) *to_ = programs_.at(words[1]);
    }

    std::vector<ErrorPage> pages_;
    std::map<std::string, std::string> programs_;
    std::string* to_ = nullptr;
};

std::string value_or_empty(const std::map<std::string, std::string>& blocks, const char* kind) {
    auto at = blocks.find(kind);
    return at == blocks.end() ? "" : at->second;
}

}  // namespace

const std::vector<ErrorPage>& pages() {
    static const std::vector<ErrorPage> all = [] {
        PageReader reader;
        for (const char* text : {algorithm_pages, place_pages, pair_pages, variant_pages,
                                 schedule_pages, loop_pages, call_pages, other_pages})
            reader.read(text);
        return reader.take();
    }();
    return all;
}

const ErrorPage* page_of(const std::string& id) {
    for (auto& page : pages())
        if (std::find(page.ids.begin(), page.ids.end(), id) != page.ids.end()) return &page;
    return nullptr;
}

std::vector<std::string> page_ids() {
    std::vector<std::string> ids;
    for (auto& page : pages()) ids.insert(ids.end(), page.ids.begin(), page.ids.end());
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::optional<Error> provoke(const ErrorPage& page, bool instead) {
    auto blocks = page.example;
    if (instead)
        for (auto& [kind, text] : page.instead) blocks[kind] = text;
    if (!blocks.contains("burin")) return {};
    try {
        Pipeline p = parse_pipeline(blocks["burin"], "p.burin");
        std::string lines = value_or_empty(blocks, "sched");
        if (!lines.starts_with("schedule")) lines = "schedule 1 for " + p.name() + "\n" + lines;
        ToolProgram program{p, parse_schedule(p, lines, "p.sched"), "p.sched"};
        Kernel kernel = compile(p, program.schedule);
        if (!blocks.contains("call")) return {};
        Request request;
        std::istringstream words(blocks["call"]);
        for (std::string option, value; words >> option >> value;)
            (option == "--size" ? request.sizes : request.params).push_back(value);
        kernel.call(prepare_call(program, request).all());
        return {};
    } catch (const Error& e) {
        return e;
    }
}

}  // namespace burin
