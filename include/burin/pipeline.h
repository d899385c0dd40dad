// pipeline.h - Pipeline: a frozen algorithm. A value: copies are cheap, equality is of meaning's text.
#pragma once
#include <burin/error.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace burin {

struct Algorithm;  // src/func/algorithm.h
struct InputRef;   // burin/func.h
struct OutputRef;  // burin/func.h

class Pipeline {
public:
    // Name, inputs in call order (Input, Param, Size), outputs with shapes: {f({h, w}), g({h})}. Collects every Func the
    // outputs read, checks all of it and freezes it. Throws E-type, E-shape.
    Pipeline(std::string name, std::initializer_list<InputRef> inputs,
             std::initializer_list<OutputRef> outputs,
             std::source_location where = std::source_location::current());
    explicit Pipeline(std::shared_ptr<const Algorithm> algorithm)
        : algorithm_(std::move(algorithm)) {}
    Pipeline(const Pipeline&) = default;  // moving copies: no Pipeline is empty
    Pipeline& operator=(const Pipeline&) = default;

    const std::string& name() const;
    const std::string& text() const;  // canonical .burin text; parse_pipeline reads it back
    std::string hash() const;         // 32 hex digits, of the text
    Pipeline strict() const;          // the same with `f += a * b` rounding twice
    friend bool operator==(const Pipeline& a, const Pipeline& b);

    const Algorithm& algorithm() const { return *algorithm_; }
    const std::shared_ptr<const Algorithm>& shared() const { return algorithm_; }

private:
    std::shared_ptr<const Algorithm> algorithm_;
};

// Reads a .burin text; errors carry the line. `file` names it in them. Throws E-type, E-value.
Pipeline parse_pipeline(std::string_view text, const std::string& file = "");
Pipeline load_pipeline(const std::string& path);
inline std::string print(const Pipeline& p) { return p.text(); }

}  // namespace burin
