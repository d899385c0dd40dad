#include "base/files.h"

#include <burin/error.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace burin {
namespace {

Error cannot(std::string_view verb, const std::string& path, int error) {
    bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return Error(is_full ? ErrorKind::Resource : ErrorKind::Value, fmt::format("cannot-{}", verb),
                 fmt::format("cannot {} {}: {}", verb, path, std::strerror(error)));
}

void write_all(int fd, const std::string& path, std::initializer_list<std::string_view> parts) {
    for (std::string_view part : parts)
        while (!part.empty()) {
            ssize_t n = ::write(fd, part.data(), part.size());
            if (n < 0 && errno != EINTR) throw cannot("write", path, errno);
            part.remove_prefix(size_t(std::max<ssize_t>(n, 0)));
        }
}

// An open descriptor and, until it is kept, a file to remove.
struct Output {
    int fd;
    std::string to_remove;
    ~Output() {
        if (fd >= 0) ::close(fd);
        if (!to_remove.empty()) ::unlink(to_remove.c_str());
    }
};

}  // namespace

InputFile::InputFile(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat info;
    if (fd_ < 0) throw cannot("read", path, errno);
    int error = ::fstat(fd_, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (error) {
        ::close(fd_);
        throw cannot("read", path, error);
    }
    if (S_ISREG(info.st_mode)) size_ = info.st_size;
}

InputFile::~InputFile() { ::close(fd_); }

size_t InputFile::read(void* to, size_t bytes) {
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = ::read(fd_, static_cast<char*>(to) + got, bytes - got);
        if (n < 0 && errno != EINTR) throw cannot("read", path_, errno);
        if (n == 0) break;
        got += size_t(std::max<ssize_t>(n, 0));
    }
    return got;
}

std::string read_file(const std::string& path, int64_t max_bytes) {
    InputFile file(path);
    Error too_long(ErrorKind::Value, "file-too-large",
                   fmt::format("{} is longer than {} bytes", path, max_bytes));
    if (file.size() > max_bytes) throw too_long;
    std::string text;
    // one more shows the end
    const size_t step = size_t(std::max<int64_t>(file.size(), 65536)) + 1;
    for (;;) {
        size_t before = text.size();
        text.resize(before + step);
        size_t got = file.read(text.data() + before, step);
        text.resize(before + got);
        if (int64_t(text.size()) > max_bytes) throw too_long;
        if (got < step) return text;
    }
}

void write_file(const std::string& path, std::initializer_list<std::string_view> parts) {
    struct stat info;
    bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) throw cannot("write", path, EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0) throw cannot("write", path, errno);
    if (exists && !S_ISREG(info.st_mode)) {  // a device or pipe is written to, not replaced
        Output out{::open(path.c_str(), O_WRONLY | O_CLOEXEC), {}};
        if (out.fd < 0) throw cannot("write", path, errno);
        return write_all(out.fd, path, parts);
    }
    // A link stays a link: its target is replaced.
    std::unique_ptr<char, void (*)(void*)> target(::realpath(path.c_str(), nullptr), std::free);
    std::string final = target ? target.get() : path;
    static std::atomic<unsigned> count{0};
    std::string temporary = fmt::format("{}.{}-{}.tmp", final, ::getpid(), count++);
    std::string folder = final.substr(0, final.rfind('/') + 1) + ".";
    // Where that can be done the file has no name until it is whole, so that a signal leaves nothing behind.
    Output out{::access("/proc/self/fd", X_OK) == 0
                   ? ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                   : -1,
               {}};
    bool is_nameless = out.fd >= 0;
    if (!is_nameless) {
        out.fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out.fd < 0) throw cannot("write", path, errno);
        out.to_remove = temporary;
    }
    write_all(out.fd, path, parts);
    if (exists) (void)!::fchmod(out.fd, info.st_mode & 07777);
    if (is_nameless) {
        std::string self = fmt::format("/proc/self/fd/{}", out.fd);
        if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
            throw cannot("write", path, errno);
        out.to_remove = temporary;
    }
    if (::close(std::exchange(out.fd, -1)) != 0) throw cannot("write", path, errno);
    if (::rename(temporary.c_str(), final.c_str()) != 0) throw cannot("write", path, errno);
    out.to_remove.clear();
}

}  // namespace burin
