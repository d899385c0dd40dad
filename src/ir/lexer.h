// lexer.h - tokens of the text forms, and the cursor over them that every parser uses.
#pragma once
#include <burin/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

// They differ in where a newline counts and in what a name may hold.
enum class TextForm : uint8_t {
    Algorithm,  // a newline ends a definition unless a bracket is open
    Schedule,   // braces hold lines
    Ir,         // braces hold lines, and a name may hold dots: blur_y.yo
};

struct Token {
    enum Kind : uint8_t {
        Name,
        Number,
        Hash,
        String,
        Operator,
        Newline,
        End
    } kind = End;           // Hash: 32 hexadecimal digits
    std::string_view text;  // of a String, what stands between the quotes
    int line = 1, column = 1;
};

// Some editors put a mark (U+FEFF) before it.
size_t begin_of_text(std::string_view text);

// A text cut into tokens. Comments are gone; newlines in a row are one token, and none stands at the start.
// E-value "syntax" for what is no token; E-resource for brackets and prefix operators nested too deeply.
class Tokens {
public:
    Tokens(std::string text, std::string file, TextForm form);
    Tokens(const Tokens&) = delete;  // tokens look into the text

    const Token& peek(int ahead = 0) const {
        return tokens_[std::min(at_ + size_t(ahead), tokens_.size() - 1)];
    }
    Token next();
    size_t position() const { return at_; }  // for what is read out of order
    void seek(size_t position) { at_ = position; }
    bool done() const { return peek().kind == Token::End; }

    // By text: an operator or a name.
    bool sees(std::string_view text, int ahead = 0) const;
    bool accept(std::string_view text);
    Token expect(std::string_view text);
    Token expect(Token::Kind kind,
                 std::string_view what);  // what: as it stands in "expected a name"
    void close(std::string_view bracket,
               const Token& opening);    // expect, with a note where the bracket was opened
    int integer(std::string_view what);  // a bare one that fits int
    void end_line();                     // a newline, or the end of the text or of a block

    Where where(const Token& t) const;
    Where where() const { return where(peek()); }
    [[noreturn]] void fail(const Token& seen,
                           std::string_view expected) const;  // "expected ..., not ..."
    [[noreturn]] void fail(std::string_view expected) const { fail(peek(), expected); }

    uint32_t nesting() const { return nesting_; }  // the deepest, for run_deep

private:
    void lex(TextForm form);
    void measure();
    std::string line_text(int line) const;

    std::string text_, file_;
    std::vector<Token> tokens_;
    std::vector<size_t> line_starts_;
    size_t at_ = 0;
    uint32_t nesting_ = 0;
};

}  // namespace burin
