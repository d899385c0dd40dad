#include <doctest/doctest.h>

#include "error_of.h"
#include "ir/lexer.h"

using namespace burin;

namespace {

// The tokens in one line, newlines as ;
std::string lexed(std::string text, TextForm form = TextForm::Algorithm) {
    Tokens t(std::move(text), "t", form);
    std::string s;
    while (!t.done()) {
        Token next = t.next();
        if (!s.empty()) s += ' ';
        s += next.kind == Token::Newline ? ";"
             : next.kind == Token::Hash  ? "hash"
                                         : std::string(next.text);
    }
    return s;
}

Error refused(std::string text) {
    return error_of([&] { lexed(std::move(text)); });
}

}  // namespace

TEST_CASE("operators are the longest that fit, and digits must follow a decimal point") {
    CHECK(lexed("a<<=b") == "a << = b");
    CHECK(lexed("x<=y>=z==w!=v->u") == "x <= y >= z == w != v -> u");
    CHECK(lexed("f+=a&&b||c&d|e") == "f += a && b || c & d | e");
    CHECK(lexed("r: 0..k") == "r : 0 .. k");
    CHECK(lexed("1.5 1e5 1E-5 2.5e+3 0..1.5") == "1.5 1e5 1E-5 2.5e+3 0 .. 1.5");
    CHECK(lexed("c.update(0)", TextForm::Schedule) == "c . update ( 0 )");
}

TEST_CASE(
    "a newline counts unless a bracket is open, and braces hold lines in schedules and in the IR") {
    CHECK(lexed("# first\n\n\na(b,\n c)\n\n# last\nd {\n e }\n\n") == "a ( b , c ) ; d { e }");
    CHECK(lexed("a {\n b\n c [\n d ] }", TextForm::Schedule) == "a { ; b ; c [ d ] }");
    CHECK(lexed("a {\r\n b }", TextForm::Ir) == "a { ; b }");
    CHECK(lexed("") == "");
    CHECK(lexed("\n # nothing\n") == "");
}

TEST_CASE("names hold dots in the IR alone") {
    CHECK(lexed("blur_y.yo.1 .. x", TextForm::Ir) == "blur_y.yo.1 .. x");
    CHECK(lexed("f.1[x]", TextForm::Ir) == "f.1 [ x ]");
    CHECK(lexed("x..y", TextForm::Ir) == "x .. y");
    CHECK(lexed("blur_y.yo", TextForm::Schedule) == "blur_y . yo");
}

TEST_CASE("a hash is 32 hexadecimal digits, whatever they begin with") {
    CHECK(lexed("3f9a2c11d0e45b773f9a2c11d0e45b77") == "hash");
    CHECK(lexed("a f9a2c11d0e45b773f9a2c11d0e45b773 b") == "a hash b");
    CHECK(lexed("12345678901234567890123456789012") == "hash");
    CHECK(lexed("abcdefabcdefabcdefabcdefabcdefab") == "abcdefabcdefabcdefabcdefabcdefab");
}

TEST_CASE("tokens know their line and column, strings are what stands between the quotes") {
    Tokens t("a +\n  \"b # c\"  d", "t", TextForm::Algorithm);
    t.next();
    t.next();
    CHECK(t.next().kind == Token::Newline);
    CHECK(t.peek().kind == Token::String);
    CHECK(t.peek().text == "b # c");
    CHECK(t.peek().line == 2);
    CHECK(t.peek(1).column == 12);
    CHECK(t.peek(1000).kind == Token::End);
    CHECK(t.where().line == 2);
    CHECK(t.where().text == "\"b # c\"  d");
}

TEST_CASE("what is no token is refused with its line and column") {
    Error e = refused("a\n b $ c");
    CHECK(e.id() == "syntax");
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.message() == "expected a name, a number or an operator, not '$' (column 4)");
    CHECK(e.where().line == 2);
    CHECK(e.where().text == "b $ c");
    CHECK(refused("a \xc3\xa9 b").message().ends_with(", not '\xc3\xa9', U+00E9 (column 3)"));
    CHECK(refused("a\xe2\x80\x8b").message().ends_with(", not '\xe2\x80\x8b', U+200B (column 2)"));
    CHECK(refused("\xf0\x9f\x99\x82").message().ends_with(", U+1F642 (column 1)"));
    CHECK(refused("3x").message() ==
          "expected an operator between a number and a letter, not '3' (column 1)");
    CHECK(refused("\"abc\nd\"").message().find("a closing \"") != std::string::npos);
}

TEST_CASE("bytes that are no text are refused by number, wherever they stand, and not repeated") {
    for (std::string bytes :
         {std::string(1, '\0'), std::string("\x1b[2J"), std::string("\x7f"), std::string("\x80"),
          std::string("\xc3"), std::string("\xc1\x81"), std::string("\xe0\x80\x80"),
          std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"), std::string("\xc2\x85")}) {
        CAPTURE(bytes);
        for (std::string before : {"a\n", "a\n# ", "a\n\""}) {
            Error e = refused(before + bytes);
            CHECK(e.id() == "syntax");
            CHECK(e.message().starts_with("this is no text: the byte 0x"));
            CHECK(e.where().line == 2);
            CHECK(e.where().text.empty());
        }
    }
    Tokens fine("# \xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\r\n\ta", "t", TextForm::Algorithm);
    CHECK(fine.peek().text == "a");
}

TEST_CASE("the mark that some editors begin a file with is no part of the text") {
    Error e = refused(
        "\xef\xbb\xbf"
        "a $ \xef\xbb\xbf");
    CHECK(e.message().ends_with(", not '$' (column 3)"));
    CHECK(e.where().text.starts_with("a $"));
    CHECK(refused("a \xef\xbb\xbf").message().ends_with(", U+FEFF (column 3)"));
}

TEST_CASE("deep nesting is measured before anything recurses, side by side is not deep") {
    auto nesting = [](const std::string& s) {
        return Tokens(s, "t", TextForm::Algorithm).nesting();
    };
    CHECK(nesting("((a))") == 2);
    CHECK(nesting("(-(!-a))") == 5);
    std::string wide;
    for (int i = 0; i < 200'000; ++i) wide += "f(-x) ";
    CHECK(nesting(wide) == 2);
    for (std::string deep :
         {std::string(1'000'000, '('), std::string(200'000, '-'), std::string(200'000, '!')}) {
        Error e = refused(deep);
        CHECK(e.kind() == ErrorKind::Resource);
        CHECK(e.where().line == 1);
    }
    CHECK(nesting(std::string(100'000, ')')) == 0);
}

TEST_CASE("the cursor says what it expected") {
    Tokens t("a 1.5 99999999999 {", "file", TextForm::Schedule);
    CHECK(error_of([&] { t.expect("("); }).message() == "expected '(', not 'a' (column 1)");
    CHECK(t.expect(Token::Name, "a name").text == "a");
    CHECK(error_of([&] { t.integer("a factor"); }).message() ==
          "expected a factor, not '1.5' (column 3)");
    t.next();
    CHECK(error_of([&] { t.integer("a factor"); }).message() ==
          "expected a factor, not '99999999999' (column 7)");
    t.next();
    Token open = t.next();
    Error e = error_of([&] { t.close("}", open); });
    CHECK(e.message() == "expected '}', not the end of the text (column 20)");
    REQUIRE(e.notes().size() == 1);
    CHECK(e.notes()[0].message == "to close '{'");
    CHECK(e.notes()[0].where.file == "file");
}
