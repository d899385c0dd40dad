// files.h - whole files in and out: every failure is an Error naming the path, and nothing is left
// half written.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace burin {

// An open file to read from the front.
class InputFile {
public:
    explicit InputFile(const std::string& path);  // E-value: missing, unreadable, a folder
    ~InputFile();
    InputFile(const InputFile&) = delete;
    int64_t size() const { return size_; }  // -1 for what is no regular file, such as a pipe
    size_t read(void* to, size_t bytes);    // fewer only at the end of the file

private:
    std::string path_;
    int fd_;
    int64_t size_ = -1;
};

// E-value as above, or if the file is longer than max_bytes.
std::string read_file(const std::string& path, int64_t max_bytes);

// Writes the parts one after another into a new file in the same folder and renames it to `path`,
// so that a reader sees the old file or the new one. E-resource: no space; E-value: not writable.
// The new file is removed then.
void write_file(const std::string& path, std::initializer_list<std::string_view> parts);
inline void write_file(const std::string& path, std::string_view bytes) {
    write_file(path, {bytes});
}

}  // namespace burin
