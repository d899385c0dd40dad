#include <burin/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace burin {

std::string_view name(ErrorKind kind) {
    static constexpr std::string_view names[] = {"E-schedule", "E-shape",  "E-type",
                                                 "E-bounds",   "E-alias",  "E-value",
                                                 "E-resource", "E-device", "E-internal"};
    return names[int(kind)];
}

Error::Error(ErrorKind kind, std::string id, std::string message)
    : kind_(kind), id_(std::move(id)), message_(std::move(message)) {
    compose();
}

Error& Error::at(Where where) {
    if (!where_.known()) where_ = std::move(where);
    compose();
    return *this;
}

Error& Error::note(std::string message, Where where) {
    notes_.push_back({std::move(message), std::move(where)});
    compose();
    return *this;
}

Error& Error::help(std::string help) {
    helps_.push_back(std::move(help));
    compose();
    return *this;
}

static std::string line_of(const Where& w) {
    std::string file = w.file.substr(w.file.find_last_of('/') + 1);
    std::string place = file.empty() ? (w.line ? fmt::format("line {}", w.line) : "")
                                     : fmt::format("{}:{}", file, w.line);
    return place + (place.empty() || w.text.empty() ? "" : "   ") + w.text;
}

void Error::compose() {
    report_ = fmt::format("error: {}  [{}]", message_, id_);
    if (where_.known()) report_ += "\n  " + line_of(where_);
    for (auto& n : notes_)
        report_ += "\n  note: " + (n.where.known() ? line_of(n.where) + "   " : "") + n.message;
    for (auto& h : helps_) report_ += "\n  help: " + h;
    // What was seen may be of a binary file: a report is for terminals.
    std::replace_if(
        report_.begin(), report_.end(),
        [](unsigned char c) { return (c < ' ' && c != '\n' && c != '\t') || c == 127; }, '?');
}

}  // namespace burin
