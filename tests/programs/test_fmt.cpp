// test_fmt.cpp - burin fmt: what it changes, what it keeps, what it refuses.
#include <burin/pipeline.h>

#include "core/tree.h"
#include "ir/lexer.h"
#include "programs/command_fixture.h"
#include "tools/fmt.h"

using namespace burin;

namespace {

std::string burin_text(const std::string& text) {
    std::string good = formatted(text, TextForm::Algorithm, "t.burin");
    CHECK(formatted(good, TextForm::Algorithm, "t.burin") == good);
    return good;
}
std::string sched_text(const std::string& text) {
    std::string good = formatted(text, TextForm::Schedule, "t.sched");
    CHECK(formatted(good, TextForm::Schedule, "t.sched") == good);
    return good;
}

std::vector<std::string> tokens_of(const std::string& text, TextForm form) {
    std::vector<std::string> all;
    Tokens tokens(text, "", form);
    for (; !tokens.done(); tokens.next())
        if (tokens.peek().kind != Token::Newline) all.emplace_back(tokens.peek().text);
    return all;
}

}  // namespace

TEST_CASE("the mark that an editor put before a text goes") {
    CHECK(sched_text("\xef\xbb\xbfschedule 1 for p# why\n") == "schedule 1 for p  # why\n");
}

TEST_CASE("an algorithm gets its blanks, and keeps comments, sugar and line breaks") {
    CHECK(
        burin_text("# what it is  \n\n\n\npipeline p( in:f32[h ,w],k :size )->f[ h,w ]   # here\n\n"
                   "f(y,x)=select( x>0&&!(y<1),-in(y,x)*2.0,mirrored(in,{0})(y,x-1))  \n"
                   "  g(y, x)+=in( y,r )*(-1.0)for r:0..k-1 where r!=x\n"
                   "h(x) = {sum(in(x,\n  r) for r: 0..w),\n # in between\n a[ 1 ]- -3}\n\n\n") ==
        "# what it is\n\npipeline p(in: f32[h, w], k: size) -> f[h, w]  # here\n\n"
        "f(y, x) = select(x > 0 && !(y < 1), -in(y, x) * 2.0, mirrored(in, {0})(y, x - 1))\n"
        "g(y, x) += in(y, r) * (-1.0) for r: 0..k - 1 where r != x\n"
        "h(x) = {sum(in(x,\n    r) for r: 0..w),\n    # in between\n    a[1] - -3}\n");
}

TEST_CASE("a schedule is indented by its stages") {
    CHECK(sched_text(
              "schedule 1 for p 00000000000000000000000000000001\n# edits\n"
              "bp=cache_read( b,[c] )\n    # about c\nstage c.update( 0 )\nko,ki=split(r ,256)\n"
              "# a note\n\nunroll(i2)   # why\n  stage "
              "bp\ntransform_layout([k,j]->[j/32,k,j%32],pad)\n"
              "# the end") ==
          "schedule 1 for p 00000000000000000000000000000001\n# edits\n"
          "bp = cache_read(b, [c])\n# about c\nstage c.update(0)\n  ko, ki = split(r, 256)\n"
          "  # a note\n\n  unroll(i2)  # why\nstage bp\n"
          "  transform_layout([k, j] -> [j / 32, k, j % 32], pad)\n  # the end\n");
}

TEST_CASE("blocks in braces are indented once more") {
    CHECK(sched_text("stage c\nspecialize( n>=16 ){\nvectorize(x,16)\n}\nparallel(y)\n") ==
          "stage c\n  specialize(n >= 16) {\n    vectorize(x, 16)\n  }\n  parallel(y)\n");
}

TEST_CASE("formatting changes no token, and printed texts are formatted already") {
    for (auto& f : tree::files())
        for (auto form : {TextForm::Algorithm, TextForm::Schedule}) {
            if (!f.path.ends_with(form == TextForm::Schedule ? ".sched" : ".burin")) continue;
            std::string text;
            for (auto& line : f.lines) text += line + "\n";
            INFO(f.path);
            std::string good = formatted(text, form, f.path);
            CHECK(tokens_of(good, form) == tokens_of(text, form));
            CHECK(formatted(good, form, f.path) == good);
        }
    std::string text =
        "pipeline p(in: f32[h, w], k: size) -> f[h, w]\n"
        "f(y, x) = in(y, x) * -2.0 + f32(u8(3) << u8(1)) - select(!(x < 3 || y >= k), 1.5, -inf)\n"
        "f(y, r) += in(y, r) for r: 0..w where r != 2\n";
    std::string printed = print(parse_pipeline(text));
    CHECK(burin_text(printed) == printed);
}

TEST_CASE_FIXTURE(CommandFixture,
                  "fmt writes in place and tells what it did; --check writes nothing") {
    const char *ugly = "pipeline p(in:f32[n])->f[n]\nf(x)=in(x)#1\n",
               *good = "pipeline p(in: f32[n]) -> f[n]\nf(x) = in(x)  #1\n";
    file("a.burin", ugly);
    file("b.sched", "schedule 1 for p\nstage f\n  parallel(x)\n");
    Outcome o = burin("fmt --check a.burin b.sched");
    CHECK(o.status == 1);
    CHECK(o.text == "a.burin would change\n");
    CHECK(burin::read_file(folder / "a.burin", 1000) == ugly);
    o = burin("fmt a.burin b.sched");
    CHECK(o.status == 0);
    CHECK(o.text == "a.burin formatted\n");
    CHECK(burin::read_file(folder / "a.burin", 1000) == good);
    CHECK(burin("fmt --check a.burin b.sched").status == 0);
    CHECK(folder.files() == std::vector<std::string>{"a.burin", "b.sched"});
}

TEST_CASE_FIXTURE(CommandFixture,
                  "a file that is broken does not keep others from being formatted") {
    file("a.burin", "pipeline p(in:f32[n])->f[n]\nf(x)=in(x");
    file("b.burin", "pipeline p(in:f32[n])->f[n]\nf(x)=in(x)\n");
    Outcome o = burin("fmt a.burin b.burin missing.sched");
    CHECK(o.status == 1);
    CHECK(o.text.find("b.burin formatted") != std::string::npos);
    CHECK(burin::read_file(folder / "b.burin", 1000) ==
          "pipeline p(in: f32[n]) -> f[n]\nf(x) = in(x)\n");
}

TEST_CASE_FIXTURE(CommandFixture, "a file that is broken is an error, and stays as it is") {
    auto stays = [&](const std::string& name, const std::string& text, const std::string& culprit) {
        file(name, text);
        refuses("fmt " + name, culprit);
        CHECK(burin::read_file(folder / name, 32 << 20) == text);
    };
    stays("cut.burin", "pipeline p(in:f32[n])->f[n]\nf(x)=in(x", "cut.burin");
    stays("types.burin", "pipeline p(in:f32[n])->f[n]\nf(x)=in(x)+x", "mixed-types");
    stays("empty.burin", "", "empty.burin");
    stays("empty.sched", "", "empty.sched");
    stays("binary.sched",
          std::string("\x7f"
                      "ELF\0\1\2",
                      7),
          "binary.sched");
    stays("words.sched", "schedule 1 for p\nstage f\n  parallel x\n", "words.sched");
    stays("notes.txt", "f(x)=1", "text-kind");
    file("huge.burin", std::string(17 << 20, '#'));
    refuses("fmt huge.burin", "huge.burin");
    refuses("fmt missing.burin", "missing.burin");
    refuses("fmt .", "text-kind");
    refuses("fmt", "files", 2);
    refuses("fmt ''", "an empty name", 2);
    std::filesystem::create_directory(folder / "folder.burin");
    refuses("fmt folder.burin", "folder.burin");
}
