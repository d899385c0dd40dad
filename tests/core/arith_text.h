// arith_text.h - expressions of the tests of arith, from text. The first letter of a name gives its type: p q
// r are bool, a b c i32, d i8, u u8, f g f32, k f16; the others are coordinates.
#pragma once
#include <string>

#include "arith/facts.h"
#include "ir/build.h"
#include "ir/expr_parser.h"

namespace arith_text {

inline burin::Type type_of_name(std::string_view name) {
    using namespace burin;
    switch (name[0]) {
        case 'p':
        case 'q':
        case 'r': return Bool;
        case 'a':
        case 'b':
        case 'c': return i32;
        case 'd': return i8;
        case 'u': return u8;
        case 'f':
        case 'g': return f32;
        case 'k': return f16;
        default:  return IndexType;
    }
}

inline burin::Symbol sym(std::string_view name) { return burin::Symbol::named(name); }
inline burin::Expr name_of(std::string_view name) {
    return burin::var(sym(name), type_of_name(name));
}

inline burin::Expr ex(const std::string& text) {
    using namespace burin;
    Names names;
    names.variable = [](const Token& t) { return name_of(t.text); };
    names.meta = [](const Token& t, MetaKind what, int dim) {
        return make(Meta{sym(t.text), what, dim}, IndexType);
    };
    Tokens tokens(text, "test", TextForm::Algorithm);
    Expr e = ExprParser(tokens, names).expr();
    if (!tokens.done()) tokens.fail("the end");
    return is_literal(e) ? literal_as(e, IndexType) : e;
}

// "x in 0..7, y in 0..n - 1, x < n": intervals of variables (both ends inclusive) and conditions, in order.
inline burin::Facts facts(const std::string& text) {
    burin::Facts f;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find(';', at), text.size());
        std::string part = text.substr(at, end - at);
        at = end + 1;
        size_t in = part.find(" in "), dots = part.find("..");
        if (in == std::string::npos) {
            f.assume(ex(part));
            continue;
        }
        size_t first = part.find_first_not_of(' ');
        auto bound = [](const std::string& t) {
            return t.find_first_not_of(' ') == std::string::npos ? burin::Expr() : ex(t);
        };
        f.bound(sym(part.substr(first, in - first)), bound(part.substr(in + 4, dots - in - 4)),
                bound(part.substr(dots + 2)));
    }
    return f;
}

}  // namespace arith_text
