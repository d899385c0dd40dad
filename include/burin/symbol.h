// symbol.h - a name whose identity is a number; the text is a hint for readers.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace burin {

// named("x") is the same Symbol every time; fresh("x") is a new one that only prints alike.
class Symbol {
public:
    Symbol() = default;  // undefined
    static Symbol named(std::string_view name);
    static Symbol fresh(std::string_view hint);

    bool defined() const { return id_ != 0; }
    uint32_t id() const { return id_; }
    const std::string& hint() const;  // empty if undefined

    friend bool operator==(Symbol a, Symbol b) { return a.id_ == b.id_; }
    friend auto operator<=>(Symbol a, Symbol b) { return a.id_ <=> b.id_; }

private:
    Symbol(uint32_t id, const std::string* hint) : id_(id), hint_(hint) {}
    uint32_t id_ = 0;
    const std::string* hint_ = nullptr;
};

}  // namespace burin

template <>
struct std::hash<burin::Symbol> {
    size_t operator()(burin::Symbol s) const noexcept {
        return s.id() * size_t(0x9E3779B97F4A7C15ull);
    }
};
