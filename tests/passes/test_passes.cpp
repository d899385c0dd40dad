// test_passes.cpp - the before: and after: at the head of each pass's file are run: the comment is the test.
//
// before: is a statement that the pass is given, or a pipeline with its schedule, lowered up to and with the pass.
// after: is what comes out, up to names and simplification: the statement, without its declarations, and a line
// `scratch f: bytes` for each block of memory sized; where there are no loops yet, the algorithm.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <set>

#include "arith/simplify.h"
#include "func/text.h"
#include "ir/equal.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "lower/lower.h"

using namespace burin;

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
    std::string text;
    for (auto& l : lines) text += l + "\n";
    return text;
}

struct Example {
    Lines before, after;
};

Example example_of(const std::string& pass) {
    std::ifstream file(BURIN_SOURCE_DIR "/src/lower/" + pass + ".cpp");
    REQUIRE_MESSAGE(file.good(), "no file of that name");
    Example e;
    Lines* block = nullptr;
    for (std::string line; std::getline(file, line) && line.starts_with("//");) {
        line = line.substr(std::min<size_t>(line.size(), line.starts_with("//   ") ? 5 : 3));
        if (line == "before:") block = &e.before;
        else if (line == "after:") block = &e.after;
        else if (line.empty()) block = nullptr;
        else if (block) block->push_back(line);
    }
    return e;
}

Plan plan_of(const std::string& text) {
    size_t at = std::min(text.find("schedule 1 "), text.size());
    Pipeline p = parse_pipeline(text.substr(0, at));
    Plan plan = replay(
        p, at < text.size() ? parse_directives(text.substr(at)) : Directives{p.name(), {}, {}, {}});
    check(plan);
    return plan;
}

State result_of(const Pass& pass, const std::string& before) {
    if (before.starts_with("pipeline "))
        return lower(plan_of(before), {.verify = true, .stop_after = pass.name}).state;
    State s;
    s.plan = std::make_shared<Plan>(plan_of("pipeline p(n: size) -> f[n]\nf(x) = x\n"));
    s.stmt = parse_stmt(before);
    s = pass.run(std::move(s));
    verify(s.stmt, std::max(pass.level, Level::Flat));
    return s;
}

std::string declarations(const std::string& text) {
    size_t end = 0;
    for (bool more = true; more;) {
        more = false;
        for (const char* word : {"func ", "buffer ", "scalar "})
            if (text.compare(end, std::string(word).size(), word) == 0) more = true;
        if (more) end = text.find('\n', end) + 1;
    }
    return text.substr(0, end);
}

std::string entry_lines(const State& s) {
    std::string text;
    for (auto& m : s.scratch)
        text += fmt::format("scratch {}: {}\n", m.buffer.hint(), to_string(m.bytes, IndexType));
    for (auto& c : s.checks)
        if (c.text == "lanes")
            text += fmt::format("lanes {} .. {}\n", to_string(c.lo, IndexType),
                                to_string(c.hi, IndexType));
    return text;
}

}  // namespace

TEST_CASE("every pass does to the text before: what the text after: says") {
    std::set<std::string> seen;
    for (auto& pass : pass_table()) {
        if (!seen.insert(pass.name).second) continue;
        CAPTURE(std::string(pass.name));
        Example e = example_of(pass.name);
        CHECK(e.before.size() > 0);
        CHECK(e.before.size() <= 12);
        CHECK(e.after.size() <= 12);
        try {
            State s = result_of(pass, joined(e.before));
            if (!s.stmt.defined()) {
                CHECK(print_algorithm(s.algorithm()) == joined(e.after));
                continue;
            }
            std::string got = to_string(s.stmt), scratch;
            INFO("the pass made\n" << got << entry_lines(s));
            Lines after;
            for (auto& l : e.after)
                (l.starts_with("scratch ") || l.starts_with("lanes ") ? scratch += l + "\n"
                                                                      : after.emplace_back(l));
            CHECK(scratch == entry_lines(s));
            Stmt wanted = parse_stmt(declarations(got) + joined(after));
            bool exact = std::string(pass.name) == "simplify_loops";
            CHECK(equal_up_to_names(exact ? wanted : simplify(wanted),
                                    exact ? s.stmt : simplify(s.stmt)));
        } catch (const Error& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
}

TEST_CASE("a pass has one name and one function, however often it runs") {
    for (auto& pass : pass_table()) {
        CAPTURE(std::string(pass.name));
        for (auto& other : pass_table())
            CHECK((std::string(pass.name) == other.name) == (pass.run == other.run));
    }
}
