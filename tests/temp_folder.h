// temp_folder.h - a folder for one test case, removed with all in it at the end.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

class TempFolder {
public:
    TempFolder() : path_((std::filesystem::temp_directory_path() / "burin-test-XXXXXX").string()) {
        if (!mkdtemp(path_.data()))
            throw std::filesystem::filesystem_error("mkdtemp", path_, std::error_code());
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (auto& entry : std::filesystem::directory_iterator(path_))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }

private:
    std::string path_;
};
