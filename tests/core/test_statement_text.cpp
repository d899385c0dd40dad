#include <doctest/doctest.h>

#include <random>

#include "error_of.h"
#include "ir/equal.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

using namespace burin;

TEST_CASE(
    "statements print as they read, with the types that nothing else tells in the first lines") {
    std::string text = R"(func in: {f32, u8}
buffer b: f64
scalar p: f32
let n = extent(in, 0)
produce blur_y {
  parallel for blur_y.yo in 0 .. n {
    realize blur_x: f32[blur_y.yo * 32: 34, 0: extent(in, 1)] in Stack {
      for y in blur_y.yo * 32 .. blur_y.yo * 32 + 34 {
        vectorized for x in 3 .. 8 {
          blur_x(y, x) = in(y, x) + p * 2.0
        }
      }
      realize t: {f32, u8}[] {
        t() = {1.0, in(0, 0)[1]}
        out(0, 1) = t() + f32(t()[1])
      }
      if blur_y.yo < 3 {
        count 2 += n
      } else {
        out(ramp(blur_y.yo, 1, 8), 3) = in(ramp(0, 1, 8), 2 if broadcast(true, 8))
      }
      {
      }
    }
  }
}
{
  let a = 3
  allocate f: u8[n, 3] in Heap {
    f[ramp(0, 1, 4)] = f[ramp(1, 2, 4) if p == 3.0] if ramp(0, 1, 4) < 3
    unrolled for i in i64(2) .. i64(5) {
      f[a] = u8(b[3])
    }
  }
}
let c = 4
out(0, 0) = f32(c)
out(0, 1) = p
)";
    Stmt s = parse_stmt(text);
    CHECK(to_string(s) == text);
    CHECK(equal_up_to_names(parse_stmt(to_string(s)), s));
    CHECK(to_string(parse_stmt("")) == "");
    CHECK(to_string(Stmt()) == "");
}

TEST_CASE("hand-written statements may be short, and a name bound again is another one") {
    Stmt s = parse_stmt(
        "# after some_pass\nfor x in m .. n { f(x) = 1.0 }\nfor x in 0 .. n - 1 { let x = x + 1\n "
        "f(x) = x\n }");
    CHECK(to_string(s) ==
          "for x in m .. m + (n - m) {\n  f(x) = 1.0\n}\nfor x_1 in 0 .. n - 1 {\n  let x_2 = x_1 "
          "+ 1\n  f(x_2) = x_2\n}\n");
    CHECK(equal_up_to_names(parse_stmt(to_string(s)), s));
    CHECK(to_string(parse_stmt("if (n < 3) { f[0] = 1 } else { }")) ==
          "if n < 3 {\n  f[0] = 1\n} else {\n}\n");
    CHECK(to_string(parse_stmt("for(x) = 3\nlet[x] = 3")) == "for(x) = 3\nlet[x] = 3\n");
}

TEST_CASE("statements that do not follow the form are refused with their line") {
    auto says = [](const char* text, const std::string& message, int line) {
        CAPTURE(text);
        Error e = error_of([&] { parse_stmt(text, "dump"); });
        CHECK(e.id() == "syntax");
        CHECK(e.message() == message);
        CHECK(e.where().file == "dump");
        CHECK(e.where().line == line);
    };
    says("f(x) = 3\n\nf(x) 4", "expected '=', not '4' (column 6)", 3);
    says("for x in 0 .. n {\nf(x) = 3\n", "expected '}', not the end of the text (column 1)", 3);
    says("f(x) = g(x)", "the type of g is not known", 1);
    says("f(x) = g[x]", "the type of g is not known", 1);
    says("realize t: f32[] in Attic { }",
         "expected Auto, Heap, Stack or Register, not 'Attic' (column 21)", 1);
    says("x", "expected a statement, not 'x' (column 1)", 1);
    says("f(x) = 3 }", "expected the end of the text, not '}' (column 10)", 1);
    says("f(x) = sum(x for x: 0..3)", "expected something else here, not 'sum' (column 8)", 1);
    says("scalar p: f33", "expected a type, not 'f33' (column 11)", 1);
    CHECK(error_of([] { parse_stmt("f(x) = 3\nif x { }"); }).where().line == 2);
    CHECK(error_of([] { parse_stmt(std::string(200'000, '{')); }).kind() == ErrorKind::Resource);
}

TEST_CASE("equality up to names wants one renaming, one to one") {
    auto same = [](const char* a, const char* b) {
        return equal_up_to_names(parse_stmt(a), parse_stmt(b));
    };
    CHECK(same("let a = 1\nf(a) = a", "let b = 1\ng(b) = b"));
    CHECK_FALSE(same("f(a, b) = a", "f(a, a) = a"));
    CHECK_FALSE(same("f(a, a) = a", "f(a, b) = a"));
    CHECK_FALSE(same("f(a, b) = a", "f(a, b) = b"));
    CHECK_FALSE(same("f(0) = 1\ng(0) = 1", "f(0) = 1\nf(0) = 1"));
    CHECK_FALSE(same("f(0) = 1", "f(0) = 1.0"));
    CHECK(same("a(a) = b", "b(a) = c"));  // functions and bare names are renamed apart
}

TEST_CASE("a text with anything wrong in it is refused by an Error, or read and printed again") {
    const std::string text = R"(func in: {f32, u8}
buffer b: f64
scalar p: f32
let n = extent(in, 0) / 3
parallel for y in n .. n + 34 {
  realize t: {f32, u8}[0: n, y: 7] in Stack {
    t(y, 0) = {1.0, in(0, 0)[1]}
    if y < 3 && !(p >= 1e5) { count 2 += n } else { out(0, -1) = clamp(t(y, 1), 0, 1) + f32(t()[1]) }
  }
  allocate f: u8[n, 3] in Heap {
    f[ramp(0, 1, 4)] = shuffle(f[ramp(1, 2, 4) if p == 3.0], broadcast(u8(0), 4))[0, 3] if ramp(0, 1, 4) < 3
    f[0] = combine_sum(f[ramp(ramp(0, 1, 4), 2, 8)], 1) << 3 & ~u8(b[3]) ^ saturating_cast_u8(i64(y))
  }
})";
    const std::string pieces[] = {"0", "-1", "9", "99999", "(", ")",       "[", "]",
                                  "{", "}",  ",", "\n",    "x", " if ",    ":", "..",
                                  "=", "\"", "#", "1e9",   ".", "let a = "};
    std::mt19937 random(1);
    int read = 0;
    for (int i = 0; i < 5'000; ++i) {
        std::string s = text;
        for (int n = 1 + int(random() % 3); n > 0; --n) {
            size_t at = random() % s.size(), cut = random() % 3;
            s.replace(at, cut, pieces[random() % std::size(pieces)]);
        }
        CAPTURE(s);
        try {
            Stmt stmt = parse_stmt(s);
            ++read;
            REQUIRE(equal_up_to_names(parse_stmt(to_string(stmt)), stmt));
            verify(stmt, Level::Flat);
        } catch (const Error& e) {
            CHECK(e.where().known() != (e.kind() == ErrorKind::Internal));
        }
    }
    CHECK(read > 100);
}
