// target.h - what code is generated for.
#pragma once
#include <string>

namespace burin {

struct Target {
    std::string cpu;       // LLVM's name, e.g. "sapphirerapids"; empty: the host
    std::string features;  // LLVM's, e.g. "-avx512f,+avx2"; empty: the cpu's own
    bool checks = false;   // a bounds test at each access

    static Target host();
    // "host", "host-checked", "x86-64-v3"; throws E-value
    static Target parse(const std::string& text);
    Target checked() const {
        Target t = *this;
        t.checks = true;
        return t;
    }
    friend bool operator==(const Target&, const Target&) = default;
};
std::string to_string(const Target& t);

}  // namespace burin
