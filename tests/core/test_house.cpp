// test_house.cpp - the rules of the house: a page per folder, files of a size to read, nothing left for later.
#include <doctest/doctest.h>

#include <regex>

#include "core/tree.h"

TEST_CASE("every folder has its page") {
    std::vector<tree::fs::path> folders = {tree::root, tree::root / "include/burin"};
    for (const char* top : {"dsl", "src", "jit", "cuemu", "schedules", "tests", "tutorials", "bench", "tools"})
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
    static const std::regex later("\\b(TO" "DO|FIX" "ME|X" "XX|HA" "CK)\\b");
    for (auto& f : tree::files()) {
        if (f.path == "LICENSE") continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            INFO(f.path << ":" << i + 1);
            CHECK_FALSE(std::regex_search(f.lines[i], later));
        }
    }
}

TEST_CASE("the library neither asserts nor ends the program") {
    static const std::regex ending(R"((^|[^\w.>])(std::)?(assert|abort|exit|_Exit|quick_exit|terminate)\s*\()");
    for (auto& f : tree::files()) {
        bool library = false;
        for (const char* folder : {"include/", "src/", "dsl/", "jit/", "schedules/"}) library |= f.path.starts_with(folder);
        if (!library || !tree::is_source(f.path)) continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            std::string code = f.lines[i].substr(0, f.lines[i].find("//"));
            INFO(f.path << ":" << i + 1);
            CHECK_FALSE(std::regex_search(code, ending));
        }
    }
}

TEST_CASE("links between the pages lead to files that exist") {
    static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    for (auto& f : tree::files()) {
        if (!f.path.ends_with(".md")) continue;
        for (auto& line : f.lines)
            for (std::sregex_iterator m(line.begin(), line.end(), link), end; m != end; ++m) {
                INFO(f.path << " links to " << (*m)[1].str());
                CHECK(tree::fs::exists((tree::root / f.path).parent_path() / (*m)[1].str()));
            }
    }
}
