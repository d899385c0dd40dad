// test_explain.cpp - the pages of `burin explain`: every error has one, and what it shows is so.
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "core/tree.h"
#include "error_of.h"
#include "programs/c_plus_plus_pages.h"
#include "programs/command_fixture.h"
#include "tools/pages.h"

using namespace burin;

namespace {

bool has_id(const ErrorPage& page, const std::string& id) {
    return std::find(page.ids.begin(), page.ids.end(), id) != page.ids.end();
}

// The ids in the sources: literals of words joined by dashes, and what stands after a kind of error. Some are put together
// from parts, which are listed here as a whole.
std::set<std::string> ids_in_sources() {
    static const std::regex dashed("\"([a-z]+(-[a-z0-9]+)+)\""),
        after_kind("ErrorKind::\\w+,\\s*\"([a-z-]+)\"");
    static const std::set<std::string> no_ids{
        "disable-lsr", "target-cpu",   "target-features", "prefer-vector-width",
        "x86-64-v3",   "host-checked", "speed-up",        "min-legal-vector-width"};
    std::set<std::string> found{"parallel-race",      "parallel-unproved", "vectorize-race",
                                "vectorize-unproved", "cannot-read",       "cannot-write"};
    for (auto& f : tree::files()) {
        bool is_ours = false;
        for (auto* folder : {"include/", "dsl/", "src/", "jit/", "schedules/", "capi/", "tools/"})
            is_ours |= f.path.starts_with(folder);
        if (!is_ours || !tree::is_source(f.path) || f.path.starts_with("tools/pages")) continue;
        std::string text;
        for (auto& line : f.lines) text += line + "\n";
        for (auto& pattern : {dashed, after_kind})
            for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
                if (!no_ids.contains((*at)[1])) found.insert((*at)[1]);
    }
    return found;
}

}  // namespace

TEST_CASE("every error id of the sources has a page, and every page an id") {
    auto ids = ids_in_sources();
    CHECK(ids.size() > 180);
    for (auto& id : ids) {
        INFO("no page in tools/pages_*.cpp for " << id);
        CHECK(page_of(id));
    }
    for (auto& id : page_ids()) {
        INFO("no error has the id " << id);
        CHECK(ids.contains(id));
    }
    auto all = page_ids();
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
}

TEST_CASE("the program on a page gives the error of the page, and what works instead works") {
    int programs = 0;
    for (auto& page : pages()) {
        CHECK(page.why.size() > 20);
        if (!page.example.contains("burin") || page.example.contains("command")) continue;
        ++programs;
        INFO(page.ids[0]);
        std::optional<Error> error = provoke(page);
        CHECK(error);
        if (!error) continue;
        INFO(std::string(error->what()));
        CHECK(has_id(page, error->id()));
        if (page.instead.empty()) continue;
        error = provoke(page, true);
        INFO("instead: " << (error ? std::string(error->what()) : ""));
        CHECK_FALSE(error);
    }
    CHECK(programs > 90);
}

TEST_CASE("so does the C++ on a page") {
    CHECK(pages_of_code.size() > 60);
    for (auto& code : pages_of_code) {
        INFO((std::string(code.id) + (code.instead ? ", instead" : "")));
        if (code.instead) {
            CHECK_NOTHROW(code.run());
            continue;
        }
        Error e = error_of(code.run);
        INFO(std::string(e.what()));
        CHECK(e.id() == code.id);
    }
}

TEST_CASE_FIXTURE(CommandFixture, "so do the commands on a page") {
    for (auto& page : pages()) {
        if (!page.example.contains("command")) continue;
        if (auto at = page.example.find("burin"); at != page.example.end())
            file("p.burin", at->second);
        auto run = [&](std::string words) {
            words.erase(words.find_last_not_of('\n') + 1);
            Outcome o = burin(words);
            INFO("burin " << words << "\n" << o.text);
            return o;
        };
        Outcome o = run(page.example.at("command"));
        INFO(page.ids[0] << ": burin " << page.example.at("command") << o.text);
        CHECK(o.status == 1);
        bool named = false;
        for (auto& id : page.ids) named |= o.text.find("[" + id + "]") != std::string::npos;
        CHECK(named);
        if (auto at = page.instead.find("command"); at != page.instead.end()) {
            Outcome good = run(at->second);
            INFO("burin " << at->second << good.text);
            CHECK(good.status == 0);
        }
    }
}

TEST_CASE_FIXTURE(CommandFixture, "explain shows a page, lists them all, and knows the nearest") {
    Outcome o = burin("explain compute-at-vectorized");
    CHECK(o.status == 0);
    for (auto* part : {"E-schedule", "p.burin:", "p.sched:", "schedule 1 for blur",
                       "gives:", "[compute-at-vectorized]", "what works"}) {
        INFO(part);
        CHECK(o.text.find(part) != std::string::npos);
    }
    auto j = nlohmann::json::parse(burin("explain compute-at-vectorized --json").text);
    CHECK(j["kind"] == "E-schedule");
    CHECK(j["example"]["sched"].get<std::string>().find("compute_at(out, xi)") !=
          std::string::npos);
    auto ids = nlohmann::json::parse(burin("explain --json").text);
    CHECK(ids.size() == page_ids().size());
    Outcome all = burin("explain");
    CHECK(size_t(std::count(all.text.begin(), all.text.end(), '\n')) == page_ids().size());
    refuses("explain compute-at-vectorised", "did you mean compute-at-vectorized?");
    refuses("explain ''", "an empty name", 2);
    for (auto& id : {"syntax", "buffer-rank", "input-too-small", "target-unused", "verify"})
        CHECK(burin(std::string("explain ") + id).status == 0);
}
