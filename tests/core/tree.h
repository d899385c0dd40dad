// tree.h - the project's own files, for the tests that read them.
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tree {

namespace fs = std::filesystem;

struct File {
    std::string path;  // from the root of the tree, with /
    std::vector<std::string> lines;
};

inline const fs::path root = BURIN_SOURCE_DIR;

inline bool is_source(const fs::path& p) { return p.extension() == ".h" || p.extension() == ".cpp"; }

// Every text file in the project's folders, in order of path.
inline std::vector<File> files() {
    std::vector<File> found;
    auto read = [&](const fs::path& p) {
        static const std::vector<std::string> text = {".h", ".cpp", ".md", ".txt", ".burin", ".sched", ".json", ".py", ""};
        if (std::find(text.begin(), text.end(), p.extension().string()) == text.end()) return;
        File f{fs::relative(p, root).generic_string(), {}};
        std::ifstream in(p);
        for (std::string line; std::getline(in, line);) f.lines.push_back(line);
        found.push_back(std::move(f));
    };
    for (const char* folder : {"include", "dsl", "src", "jit", "cuemu", "schedules", "tests", "tutorials", "bench", "tools"}) {
        if (!fs::exists(root / folder)) continue;
        for (auto& e : fs::recursive_directory_iterator(root / folder))
            if (e.is_regular_file()) read(e.path());
    }
    for (auto& e : fs::directory_iterator(root))
        if (e.is_regular_file()) read(e.path());
    std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.path < b.path; });
    return found;
}

}  // namespace tree
