#include <burin/target.h>

#include <burin/error.h>

namespace burin {

Target Target::host() { return {}; }

Target Target::parse(const std::string& text) {
    Target t;
    std::string name = text;
    constexpr std::string_view suffix = "-checked";
    if (name.ends_with(suffix)) {
        t.checks = true;
        name.resize(name.size() - suffix.size());
    }
    if (name.empty())
        throw Error(ErrorKind::Value, "unknown-target", "an empty target")
            .help("host, host-checked, x86-64-v3");
    size_t comma = name.find(',');  // "x86-64-v4,-avx512fp16"
    if (comma != std::string::npos) {
        t.features = name.substr(comma + 1);
        name.resize(comma);
    }
    if (name != "host") t.cpu = name;
    return t;
}

std::string to_string(const Target& t) {
    return (t.cpu.empty() ? "host" : t.cpu) + (t.features.empty() ? "" : "," + t.features) +
           (t.checks ? "-checked" : "");
}

}  // namespace burin
