// fmt: .burin and .sched files in their usual form. Works on tokens: names, sugar, comments and the writer's line breaks
// stay; blanks, indentation and blank lines follow from the tokens alone.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/files.h"
#include "func/directives.h"
#include "ir/lexer.h"
#include "tools/command.h"
#include "tools/fmt.h"

namespace burin {
namespace {

constexpr int64_t longest_text = 16 << 20;

struct Piece {  // of a line
    std::string text;
    Token::Kind kind;
    bool prefix = false;  // a - ! ~ of one operand
};
struct Line {
    std::vector<Piece> pieces;
    std::string comment;  // at its end, or alone
};

bool is_prefix(const Token& t, const Token* before) {
    if (t.kind != Token::Operator || (t.text != "-" && t.text != "!" && t.text != "~"))
        return false;
    if (!before || before->kind == Token::Newline) return true;
    if (before->kind == Token::Name) return before->text == "where";
    return before->kind == Token::Operator && before->text != ")" && before->text != "]" &&
           before->text != "}";
}

bool blank_between(const std::vector<Piece>& line, size_t i) {
    const Piece &a = line[i - 1], &b = line[i];
    auto is_op = [](const Piece& p, std::string_view text) {
        return p.kind == Token::Operator && p.text == text;
    };
    for (auto open : {"(", "["})
        if (is_op(a, open)) return false;
    for (auto close : {")", "]", ",", ":"})
        if (is_op(b, close)) return false;
    if (is_op(a, "..") || is_op(b, "..") || is_op(a, ".") || is_op(b, ".")) return false;
    if (is_op(b, "(") || is_op(b, "[")) {
        bool calls = a.kind == Token::Name ? a.text != "for" && a.text != "where"
                                           : is_op(a, ")") || is_op(a, "]") || is_op(a, "}");
        return !calls && !a.prefix;
    }
    if (is_op(a, "{") || is_op(b, "}")) return false;
    return !a.prefix;
}

std::string text_of(const Line& line) {
    std::string text;
    for (size_t i = 0; i < line.pieces.size(); ++i) {
        if (i > 0 && blank_between(line.pieces, i)) text += ' ';
        text += line.pieces[i].text;
    }
    if (line.comment.empty()) return text;
    return text + (text.empty() ? "" : "  ") + line.comment;
}

// The lines of a text that was read without error: its tokens where they stand, and the comments between them.
std::vector<Line> lines_of(const std::string& text, Tokens& tokens) {
    std::vector<Line> lines;
    std::vector<std::vector<std::pair<int, Piece>>> by_line;
    size_t count = size_t(std::count(text.begin(), text.end(), '\n')) + 1;
    by_line.resize(count + 1);
    std::optional<Token> before;
    for (; !tokens.done(); before = tokens.next()) {
        const Token& t = tokens.peek();
        if (t.kind == Token::Newline) continue;
        bool quoted = t.kind == Token::String, prefix = is_prefix(t, before ? &*before : nullptr);
        by_line[size_t(t.line)].push_back(
            {t.column + int(t.text.size()) + quoted,
             {quoted ? fmt::format("\"{}\"", t.text) : std::string(t.text), t.kind, prefix}});
    }
    size_t start = begin_of_text(text);
    for (size_t n = 1; n <= count; ++n) {
        size_t end = std::min(text.find('\n', start), text.size());
        Line line;
        size_t after = 0;  // of the last token
        for (auto& [column, piece] : by_line[n]) {
            after = size_t(column) - 1;
            line.pieces.push_back(piece);
        }
        std::string rest = text.substr(start, end - start);
        if (size_t at = rest.find('#', std::min(after, rest.size())); at != rest.npos) {
            line.comment = rest.substr(at);
            while (std::isspace(static_cast<unsigned char>(line.comment.back())))
                line.comment.pop_back();
        }
        lines.push_back(std::move(line));
        start = end + 1;
    }
    return lines;
}

int depth_after(const Line& line, std::string_view open, std::string_view close) {
    int depth = 0;
    for (auto& p : line.pieces)
        if (p.kind == Token::Operator && p.text.size() == 1)
            depth += (open.find(p.text) != open.npos) - (close.find(p.text) != close.npos);
    return depth;
}

bool opens_stage(const Line& line) {
    auto& p = line.pieces;
    return p.size() > 1 && p[0].text == "stage" && p[1].kind == Token::Name;
}

bool starts_with_close(const Line& line) {
    return !line.pieces.empty() && line.pieces[0].kind == Token::Operator &&
           std::string_view(")]}").find(line.pieces[0].text) != std::string_view::npos;
}

}  // namespace

std::string formatted(const std::string& text, TextForm form, const std::string& file) {
    Tokens tokens(text, file, form);
    std::vector<Line> lines = lines_of(text, tokens);
    std::string out;
    bool blank = false, in_stage = false;
    int brackets = 0, braces = 0;  // open before the line
    const bool is_schedule = form == TextForm::Schedule;
    for (size_t i = 0; i < lines.size(); ++i) {
        const Line& line = lines[i];
        std::string words = text_of(line);
        if (words.empty()) {
            blank = !out.empty();
            continue;
        }
        // A comment stands as deep as the next line with words.
        size_t next = i;
        while (next < lines.size() && lines[next].pieces.empty()) ++next;
        bool new_stage = is_schedule && next < lines.size() && opens_stage(lines[next]);
        int depth = brackets > 0 ? 4 : 0;
        if (is_schedule) {
            depth += 2 * braces + (in_stage && !new_stage ? 2 : 0);
            if (next < lines.size() && starts_with_close(lines[next])) depth -= brackets ? 4 : 2;
        } else if (brackets > 0 && starts_with_close(line)) {
            depth = 0;
        }
        if (blank) out += '\n';
        blank = false;
        out += std::string(size_t(std::max(depth, 0)), ' ') + words + '\n';
        in_stage |= opens_stage(line);
        brackets += depth_after(line, is_schedule ? "([" : "([{", is_schedule ? ")]" : ")]}");
        if (is_schedule) braces += depth_after(line, "{", "}");
    }
    return out;
}

static int fmt_file(const std::string& file, bool check) {
    bool is_schedule = file.ends_with(".sched");
    if (!is_schedule && !file.ends_with(".burin"))
        throw Error(ErrorKind::Value, "text-kind",
                    fmt::format("{} is neither a .burin nor a .sched file", file));
    std::string text = read_file(file, longest_text);
    auto form = is_schedule ? TextForm::Schedule : TextForm::Algorithm;
    if (is_schedule) parse_directives(text, file);
    else parse_pipeline(text, file);
    std::string good = formatted(text, form, file);
    if (good == text) return 0;
    if (!check) write_file(file, good);
    fmt::print("{} {}\n", file, check ? "would change" : "formatted");
    return check;
}

int fmt_files(const std::vector<std::string>& files, bool check) {
    int status = 0;
    for (auto& file : files) {
        try {
            status |= fmt_file(file, check);
        } catch (const Error& e) {  // the others are formatted
            complain(e.what());
            status = 1;
        }
    }
    return status;
}

}  // namespace burin
