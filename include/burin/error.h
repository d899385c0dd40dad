// error.h - the one exception of the library: what was seen, where, and what would work.
#pragma once
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

enum class ErrorKind : uint8_t {
    Schedule,
    Shape,
    Type,
    Bounds,
    Alias,
    Value,
    Resource,
    Device,
    Internal
};

// "E-schedule", "E-shape", ...
std::string_view name(ErrorKind kind);

// A place in the user's program: a C++ line or a line of a .burin or .sched text.
struct Where {
    std::string file;  // empty: unknown
    int line = 0;      // from 1; 0: unknown
    std::string text;  // the source text of the definition or directive, where known
    Where() = default;
    Where(std::string file, int line, std::string text = {})
        : file(std::move(file)), line(line), text(std::move(text)) {}
    Where(const std::source_location& loc) : file(loc.file_name()), line(int(loc.line())) {}
    bool known() const { return !file.empty() || line != 0 || !text.empty(); }
};

struct Note {
    std::string message;
    Where where;
};

// Thrown by every part of the library, and nothing else is. `id` is a short readable name such as
// "compute-at-outside-use", the key of `burin explain`.
//
//   throw Error(ErrorKind::Type, "mixed-types", "u8 + i32: the types differ").at(where).help("cast<i32>(a) + b");
class Error : public std::exception {
public:
    Error(ErrorKind kind, std::string id, std::string message);

    Error& at(Where where);  // the line at fault; the first known one stays
    Error& note(std::string message, Where where = {});
    Error& help(std::string help);  // what would work

    ErrorKind kind() const { return kind_; }
    const std::string& id() const { return id_; }
    const std::string& message() const { return message_; }
    const Where& where() const { return where_; }
    const std::vector<Note>& notes() const { return notes_; }
    const std::vector<std::string>& helps() const { return helps_; }

    // The whole report, several lines:  error: ...  [id] / where / notes / help.
    const char* what() const noexcept override { return report_.c_str(); }

private:
    void compose();
    ErrorKind kind_;
    std::string id_, message_;
    Where where_;
    std::vector<Note> notes_;
    std::vector<std::string> helps_;
    std::string report_;
};

}  // namespace burin
