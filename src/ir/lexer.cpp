#include "ir/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ir/nodes.h"

namespace burin {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// Longer ones first.
constexpr std::string_view operators[] = {
    "..", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "*=",
    "&=", "|=", "^=", "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  "=",  "+",
    "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",  "<",  ">",  "."};

size_t number_end(std::string_view s, size_t i) {
    auto digits = [&] {
        while (i < s.size() && is_digit(s[i])) ++i;
    };
    auto digit_at = [&](size_t j) { return j < s.size() && is_digit(s[j]); };
    digits();
    if (i < s.size() && s[i] == '.' && digit_at(i + 1)) {
        ++i;
        digits();
    }
    if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
        size_t j = i + 1;
        if (j < s.size() && (s[j] == '+' || s[j] == '-')) ++j;
        if (digit_at(j)) {
            i = j;
            digits();
        }
    }
    return i;
}

bool is_hash(std::string_view word) {
    return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == word.npos &&
           std::any_of(word.begin(), word.end(), is_digit);
}

// Where something else begins than UTF-8 without control characters.
size_t end_of_text(std::string_view s) {
    for (size_t i = 0; i < s.size();) {
        auto byte = [&](size_t k) { return k < s.size() ? uint8_t(s[k]) : uint8_t(0); };
        uint32_t c = byte(i);
        int more = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
        if (more > 0) c &= 0x3Fu >> more;
        for (int k = 1; k <= more; ++k) {
            if ((byte(i + size_t(k)) & 0xC0) != 0x80) return i;
            c = c << 6 | (byte(i + size_t(k)) & 0x3Fu);
        }
        static constexpr uint32_t least[] = {0, 0xA0, 0x800, 0x10000};
        bool is_control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
        if (more < 0 || is_control || c < least[more] || c > 0x10FFFF) return i;
        if (c >= 0xD800 && c < 0xE000) return i;
        i += size_t(more) + 1;
    }
    return s.size();
}

// Of the one character that is there, in UTF-8.
uint32_t code_point(std::string_view s) {
    uint32_t c = uint8_t(s[0]) & (0x7Fu >> s.size());
    for (char byte : s.substr(1)) c = c << 6 | (uint8_t(byte) & 0x3Fu);
    return c;
}

}  // namespace

size_t begin_of_text(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

Tokens::Tokens(std::string text, std::string file, TextForm form)
    : text_(std::move(text)), file_(std::move(file)) {
    if (size_t end = end_of_text(text_); end < text_.size())
        throw Error(
            ErrorKind::Value, "syntax",
            fmt::format("this is no text: the byte 0x{:02x} is part of no printable character",
                        uint8_t(text_[end])))
            .at({file_, 1 + int(std::count(text_.begin(), text_.begin() + ptrdiff_t(end), '\n'))});
    lex(form);
    measure();
}

void Tokens::lex(TextForm form) {
    std::string_view s = text_;
    int line = 1;
    size_t line_start = begin_of_text(s);
    line_starts_ = {line_start};
    std::vector<bool> joins;  // of each open bracket: newlines inside do not count
    auto add = [&](Token::Kind kind, size_t from, size_t to) {
        tokens_.push_back({kind, s.substr(from, to - from), line, int(from - line_start) + 1});
    };
    for (size_t i = line_start; i < s.size();) {
        char c = s[i];
        size_t end = i + 1;
        while (end < s.size() && is_word(s[end])) ++end;
        if (c == '\n') {
            bool counts = joins.empty() || !joins.back();
            if (counts && !tokens_.empty() && tokens_.back().kind != Token::Newline)
                add(Token::Newline, i, i + 1);
            line_starts_.push_back(line_start = ++i);
            ++line;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++i;
        } else if (c == '#') {
            i = std::min(s.find('\n', i), s.size());
        } else if (is_word(c) && is_hash(s.substr(i, end - i))) {
            add(Token::Hash, i, end);
            i = end;
        } else if (is_letter(c)) {
            if (form == TextForm::Ir)
                while (end + 1 < s.size() && s[end] == '.' && is_word(s[end + 1]))
                    for (++end; end < s.size() && is_word(s[end]);) ++end;
            add(Token::Name, i, end);
            i = end;
        } else if (is_digit(c)) {
            end = number_end(s, i);
            add(Token::Number, i, end);
            if (end < s.size() && is_letter(s[end]))
                fail(tokens_.back(), "an operator between a number and a letter");
            i = end;
        } else if (c == '"') {
            end = s.find_first_of("\"\n", i + 1);
            bool closed = end != s.npos && s[end] == '"';
            add(Token::String, i + 1, closed ? end : i + 1);
            if (!closed) fail(tokens_.back(), "a closing \" on this line");
            i = end + 1;
        } else {
            auto op = std::find_if(std::begin(operators), std::end(operators),
                                   [&](auto o) { return s.substr(i).starts_with(o); });
            if (op == std::end(operators)) {
                while (end < s.size() && (s[end] & 0xC0) == 0x80)
                    ++end;  // the rest of the character
                add(Token::Operator, i, end);
                fail(tokens_.back(), "a name, a number or an operator");
            }
            add(Token::Operator, i, i + op->size());
            if (*op == "(" || *op == "[") joins.push_back(true);
            else if (*op == "{") joins.push_back(form == TextForm::Algorithm);
            else if ((*op == ")" || *op == "]" || *op == "}") && !joins.empty()) joins.pop_back();
            i += op->size();
        }
    }
    if (!tokens_.empty() && tokens_.back().kind == Token::Newline) tokens_.pop_back();
    add(Token::End, s.size(), s.size());
}

void Tokens::measure() {
    std::vector<uint32_t> open;  // what each open bracket added
    uint32_t deep = 0, prefixes = 0;
    for (auto& t : tokens_) {
        char c = t.kind == Token::Operator ? t.text[0] : 'a';
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(prefixes + 1);
            deep += open.back();
            prefixes = 0;
        } else if (c == ')' || c == ']' || c == '}') {
            if (!open.empty()) {
                deep -= open.back();
                open.pop_back();
            }
            prefixes = 0;
        } else {
            prefixes = c == '-' || c == '!' || c == '~' ? prefixes + 1 : 0;
        }
        nesting_ = std::max(nesting_, deep + prefixes);
        if (nesting_ > max_depth)
            throw Error(
                ErrorKind::Resource, "too-deep",
                fmt::format("brackets and prefix operators are nested deeper than {}", max_depth))
                .at({file_, t.line});
    }
}

std::string Tokens::line_text(int line) const {
    std::string_view s = std::string_view(text_).substr(line_starts_[line - 1]);
    s = s.substr(0, s.find('\n'));
    size_t first = s.find_first_not_of(" \t\r");
    if (first == s.npos) return {};
    return std::string(
        s.substr(first, std::min<size_t>(s.find_last_not_of(" \t\r") + 1 - first, 200)));
}

Where Tokens::where(const Token& t) const { return {file_, t.line, line_text(t.line)}; }

void Tokens::fail(const Token& seen, std::string_view expected) const {
    std::string what = seen.kind == Token::End       ? "the end of the text"
                       : seen.kind == Token::Newline ? "the end of the line"
                                                     : fmt::format("'{}'", seen.text);
    if (seen.kind == Token::Operator &&
        seen.text[0] & 0x80)  // may look like another, or like nothing
        what += fmt::format(", U+{:04X}", code_point(seen.text));
    throw Error(ErrorKind::Value, "syntax",
                fmt::format("expected {}, not {} (column {})", expected, what, seen.column))
        .at(where(seen));
}

Token Tokens::next() {
    Token t = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return t;
}

bool Tokens::sees(std::string_view text, int ahead) const {
    const Token& t = peek(ahead);
    return (t.kind == Token::Operator || t.kind == Token::Name) && t.text == text;
}

bool Tokens::accept(std::string_view text) {
    if (!sees(text)) return false;
    next();
    return true;
}

Token Tokens::expect(std::string_view text) {
    if (!sees(text)) fail(fmt::format("'{}'", text));
    return next();
}

Token Tokens::expect(Token::Kind kind, std::string_view what) {
    if (peek().kind != kind) fail(what);
    return next();
}

void Tokens::close(std::string_view bracket, const Token& opening) {
    if (accept(bracket)) return;
    try {
        fail(fmt::format("'{}'", bracket));
    } catch (Error& e) {
        e.note(fmt::format("to close '{}'", opening.text), where(opening));
        throw;
    }
}

int Tokens::integer(std::string_view what) {
    Token t = peek();
    int value = 0;
    auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
    if (t.kind != Token::Number || error != std::errc() || end != t.text.data() + t.text.size())
        fail(what);
    next();
    return value;
}

void Tokens::end_line() {
    if (done() || sees("}") || peek().kind == Token::Newline) {
        if (peek().kind == Token::Newline) next();
        return;
    }
    fail("the end of the line");
}

}  // namespace burin
