// test_house.cpp - the rules of the house: a page per folder, files of a size to read, nothing left for later.
#include <doctest/doctest.h>

#include "core/tree.h"

TEST_CASE("every folder has its page") {
    std::vector<tree::fs::path> folders = {tree::root, tree::root / "include/burin"};
    for (const char* top : {"dsl", "src", "jit", "cuemu", "schedules", "capi", "tests", "tutorials",
                            "bench", "tools", "packaging"})
        if (tree::fs::exists(tree::root / top)) folders.push_back(tree::root / top);
    for (auto& e : tree::fs::directory_iterator(tree::root / "src"))
        if (e.is_directory()) folders.push_back(e.path());
    CHECK(folders.size() > 4);
    for (auto& folder : folders) {
        INFO(folder.string());
        CHECK(tree::fs::file_size(folder / "README.md") > 200);
    }
}

TEST_CASE("no source file is longer than 500 lines") {
    for (auto& f : tree::files())
        if (tree::is_source(f.path)) {
            INFO(f.path << " has " << f.lines.size() << " lines");
            CHECK(f.lines.size() <= 500);
        }
}

TEST_CASE("no file puts work off") {
    const std::vector<std::string> marks = {
        "TO"
        "DO",
        "FIX"
        "ME",
        "X"
        "XX",
        "HA"
        "CK"};
    for (auto& f : tree::files()) {
        if (f.path == "LICENSE") continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            INFO(f.path << ":" << i + 1);
            for (auto& mark : marks) CHECK_FALSE(tree::has_word(f.lines[i], mark));
        }
    }
}

TEST_CASE("the library neither asserts nor ends the program") {
    auto calls = [](const std::string& code, const std::string& name) {
        auto at = tree::find_word(code, name);
        return at != std::string::npos && code[at + name.size()] == '(' &&
               !(at > 0 && (code[at - 1] == '.' || code[at - 1] == '>'));
    };
    for (auto& f : tree::files()) {
        bool library = false;
        for (const char* folder : {"include/", "src/", "dsl/", "jit/", "schedules/", "capi/"})
            library |= f.path.starts_with(folder);
        if (!library || !tree::is_source(f.path)) continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            std::string code = f.lines[i].substr(0, f.lines[i].find("//"));
            INFO(f.path << ":" << i + 1);
            for (const char* end : {"assert", "abort", "exit", "_Exit", "quick_exit", "terminate"})
                CHECK_FALSE(calls(code, end));
        }
    }
}

TEST_CASE("links between the pages lead to files that exist") {
    for (auto& f : tree::files()) {
        if (!f.path.ends_with(".md")) continue;
        for (auto& line : f.lines)
            for (auto at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
                auto link = line.substr(at + 2, line.find_first_of("#)", at) - at - 2);
                if (link.empty() || link.find("://") != std::string::npos) continue;
                INFO(f.path << " links to " << link);
                CHECK(tree::fs::exists((tree::root / f.path).parent_path() / link));
            }
    }
}
