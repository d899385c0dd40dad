// printer.h - what printing expressions and printing statements share.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/deep.h"
#include "ir/nodes.h"

namespace burin {

class Printer {
public:
    explicit Printer(size_t limit) : limit_(limit) {}

    struct Full {};  // thrown where the text would pass the limit
    void put(std::string_view s) {
        if (text.size() + s.size() > limit_) throw Full{};
        text += s;
    }
    void expr(const Expr& e, Type expected = i32,
              int level = 0);  // in parentheses if it binds less than `level`
    void exprs(const std::vector<Expr>& v, Type expected = i32);
    // Each gives the other its type.
    void pair(const Expr& a, std::string_view between, const Expr& b, Type expected,
              int level_a = 0, int level_b = 0);

    // Bare names and names of functions and buffers are two namespaces.
    std::string_view variable(Symbol s);
    std::string_view function(Symbol s);

    std::string text;
    bool is_statement = false;  // names that would read as something else are changed too
    // Funcs of several elements, where known: their first one is printed as f(x)[0]
    std::unordered_set<Symbol> tuples;

private:
    struct Names {
        std::unordered_map<Symbol, std::string> names;
        std::unordered_set<std::string> taken;
        const std::string& text(Symbol s, bool (*is_reserved)(std::string_view));
    };
    void constant(const Expr& e, Type expected);
    void literal(const Literal& op);
    void call(std::string_view name, const Expr& a, const Expr& b);
    void reduction(const Reduction& op);

    size_t limit_;
    Names variables_, functions_;
};

// What print(Printer&), recursive to `depth`, writes. E-resource if it is more than 64 MiB.
template <class F>
std::string printed(uint32_t depth, F print) {
    Printer p(size_t(64) << 20);
    try {
        run_deep(depth, [&] { print(p); });
    } catch (Printer::Full) {
        throw Error(ErrorKind::Resource, "text-too-long",
                    "the text of this expression or statement would exceed 64 MiB");
    }
    return std::move(p.text);
}
// Its beginning, for messages.
template <class F>
std::string cut(uint32_t depth, F print) {
    Printer p(200);
    try {
        run_deep(depth, [&] { print(p); });
    } catch (Printer::Full) {
        p.text += "...";
    }
    return std::move(p.text);
}

}  // namespace burin
