// tree.h - the project's own files, for the tests that read them.
#pragma once
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tree {

namespace fs = std::filesystem;

struct File {
    std::string path;  // from the root of the tree, with /
    std::vector<std::string> lines;
};

inline const fs::path root = BURIN_SOURCE_DIR;

inline bool is_source(const fs::path& p) {
    return p.extension() == ".h" || p.extension() == ".cpp";
}

// Where `word` stands in the line, not as a part of a longer identifier; npos if nowhere.
inline size_t find_word(const std::string& line, const std::string& word) {
    auto letter = [&](size_t i) {
        return i < line.size() && (std::isalnum((unsigned char)line[i]) || line[i] == '_');
    };
    for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
        if (!(at > 0 && letter(at - 1)) && !letter(at + word.size())) return at;
    return std::string::npos;
}
inline bool has_word(const std::string& line, const std::string& word) {
    return find_word(line, word) != std::string::npos;
}

// Every text file in the project's folders, in order of path.
inline std::vector<File> files() {
    std::vector<File> found;
    auto read = [&](const fs::path& p) {
        static const std::vector<std::string> text = {".h",     ".cpp",  ".md", ".txt", ".burin",
                                                      ".sched", ".json", ".py", ""};
        if (std::find(text.begin(), text.end(), p.extension().string()) == text.end()) return;
        File f{fs::relative(p, root).generic_string(), {}};
        std::ifstream in(p);
        for (std::string line; std::getline(in, line);) f.lines.push_back(line);
        found.push_back(std::move(f));
    };
    for (const char* folder : {"include", "dsl", "src", "jit", "cuemu", "schedules", "capi",
                               "tests", "tutorials", "bench", "tools", "packaging"}) {
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
