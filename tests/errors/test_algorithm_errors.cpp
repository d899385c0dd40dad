// test_algorithm_errors.cpp - what may not be written in an algorithm, in C++ and in text: the id, the words, the line.
#include <burin/burin.h>
#include <doctest/doctest.h>

#include "error_of.h"
#include "temp_folder.h"

using namespace burin;

namespace {

void check(const Error& e, ErrorKind kind, const std::string& id, const std::string& words) {
    INFO(std::string(e.what()));
    CHECK(e.kind() == kind);
    CHECK(e.id() == id);
    CHECK(std::string(e.what()).find(words) != std::string::npos);
    CHECK(e.where().line > 0);
}
template <class F>
void refused(const std::string& id, const std::string& words, F f) {
    check(error_of(f), ErrorKind::Type, id, words);
}

const std::string head = "pipeline p(in: f32[n], im: u8[h, w], k: size, q: f64) -> f[n]\n";

void text_refused(const std::string& id, const std::string& words, const std::string& body,
                  ErrorKind kind = ErrorKind::Type) {
    INFO(body);
    Error e = error_of([&] { parse_pipeline(head + body, "some/t.burin"); });
    check(e, kind, id, words);
    CHECK(std::string(e.what()).find("t.burin:") != std::string::npos);
}

struct Names {
    Size n{"n"}, k{"k"};
    Var x{"x"}, y{"y"}, z{"z"};
    Input<float> in{"in", {n}};
    Input<uint8_t> im{"im", Rank(2)};
    RDom r{n, "r"};
    Func f{"f"}, g{"g"};
};

}  // namespace

TEST_CASE("a Func gets no definition after it was read") {
    Names v;
    v.f(v.x) = v.in(v.x);
    v.g(v.x) = v.f(v.x);
    refused("defined-after-read", "f gets a definition after g has read it",
            [&] { v.f(v.r) += 1.0f; });
    Pipeline p("p", {v.in}, {v.g({v.n})});
    refused("defined-after-read", "after pipeline p has read it", [&] { v.g(v.r) += 1.0f; });
}

TEST_CASE("a Func is not read before it has a definition") {
    Names v;
    refused("read-before-definition", "g reads f, which has no definition yet",
            [&] { v.g(v.x) = v.f(v.x); });
    refused("read-before-definition", "f is read before it has a definition",
            [&] { v.g(v.x) = exp(v.f(v.x)); });
    refused("read-before-definition", "f is read before it has a definition",
            [&] { v.g(v.x) = v.f(v.x) + v.f(v.y); });
    refused("read-before-definition", "f is read before it has a definition",
            [&] { v.f(v.x) = v.f(v.x); });
    refused("read-before-definition", "is an output of p but has no definition",
            [&] { Pipeline("p", {v.in}, {v.f({v.n})}); });
}

TEST_CASE("coordinates are counted and are indices") {
    Names v;
    v.f(v.x, v.y) = v.in(v.x);
    refused("coordinate-count", "f has 2 coordinates, not 1", [&] { v.g(v.x) = v.f(v.x); });
    refused("coordinate-count", "f has 2 coordinates, not 1", [&] { v.f(v.x) = 1.0f; });
    refused("coordinate-count", "in has 1 coordinate, not 2", [&] { v.g(v.x) = v.in(v.x, 0); });
    refused("coordinate-type", "index(cast(i32, in(x)))", [&] { v.g(v.x) = v.in(v.in(v.x)); });
    refused("coordinate-type", "index(im(x, 0))", [&] { v.g(v.x) = v.in(v.im(v.x, 0)); });
    refused("literal-range", "0.5 does not fit index exactly", [&] { v.g(v.x) = v.in(0.5f); });
    check(error_of([&] { Pipeline("p", {v.in}, {v.f({v.n})}); }), ErrorKind::Shape,
          "coordinate-count", "its shape as an output has 1");
}

TEST_CASE("an index made of data has a finite range") {
    Names v;
    Input<int64_t> wide("wide", {v.n});
    Param<int64_t> p("p");
    refused("unbounded-index", "index(clamp(wide(x), 0, 1000))",
            [&] { v.g(v.x) = v.in(index(wide(v.x))); });
    v.f(v.x) = v.in(index(clamp(wide(v.x), 0, 5))) + v.in(index(v.im(0, v.x))) + v.in(index(p * 2));
}

TEST_CASE("types of definitions agree") {
    Names v;
    v.f(v.x) = 0;
    refused("mixed-types", "f is i32, but this definition gives it f32",
            [&] { v.f(v.r) = v.in(v.r); });
    refused("mixed-types", "cast(f32, f(r)) + in(r)", [&] { v.f(v.r) = v.f(v.r) + v.in(v.r); });
    refused("tuple-arity", "f has 1 element, not 2", [&] { v.f(v.x) = {1, 2}; });
    refused("literal-range", "does not fit", [&] { v.f(v.x) = 0.5f; });
    v.g(v.x) = {1, 2.0f};
    refused("tuple-element", "g has 2 elements: which one is read?", [&] { v.f(v.x) = v.g(v.x); });
    refused("tuple-element", "there is no [2]", [&] { v.f(v.x) = v.g(v.x)[2]; });
    Func b("b");
    b(v.x) = true;
    refused("operand-type", "b is bool, which += does not take", [&] { b(v.r) += v.in(v.r) > 0; });
    Func c("c");
    refused("operand-type", "c is f32, which &= does not take", [&] { c(v.x) &= v.in(v.r); });
    refused("operand-type", "sum does not take bool", [&] { c(v.x) = sum(v.r, v.in(v.r) > 0); });
    refused("mixed-types", "c is f32, but c(x) is used as i32",
            [&] { c(v.x) = select(c(v.x) > 0, v.in(v.r), 0); });
}

TEST_CASE("an assignment to a part needs values before it") {
    Names v;
    refused("no-start-value", "f has no value yet", [&] { v.f(v.r) = 1.0f; });
    refused("no-start-value", "f(x, y) = ...", [&] { v.f(v.x, 0) = 1.0f; });
    refused("no-start-value", "f has no value yet",
            [&] { v.f(v.x) = select(v.f(v.x) < v.in(v.r), 1.0f, 0.0f); });
}

TEST_CASE("in an update a variable stands bare, in its place, on both sides") {
    Names v;
    v.f(v.x, v.y) = 0.0f;
    refused("variable-not-bare",
            "x is used in an update of f, so it must stand alone as coordinate 0",
            [&] { v.f(v.x + 1, v.y) = 1.0f; });
    refused("variable-not-bare", "must stand alone as coordinate", [&] { v.f(v.y, v.x) = 1.0f; });
    refused("variable-not-bare", "y is used", [&] { v.f(v.x, 0) += v.in(v.y); });
    refused("unknown-variable", "z is no coordinate of f(x, y)", [&] { v.f(v.x, 0) += v.in(v.z); });
    refused("self-read-position", "only at the same x, not f(x + 1, 0)",
            [&] { v.f(v.x, 0) = v.f(v.x + 1, 0); });
    refused("self-read-position", "an RDom in the place of x",
            [&] { v.f(v.x, v.r) = v.f(0, v.r - 1); });
    v.f(0, v.y) = 1.0f;  // borders
    v.f(v.x, 0) = 2.0f;
    v.f(v.x, index(v.im(v.x, v.r))) += 1.0f;  // a histogram a row
    refused("unknown-variable", "z is no coordinate of g(x)", [&] { v.g(v.x) = v.in(v.z); });
    refused("self-read", "the where clause of f cannot read f itself", [&] {
        RDom q(v.n, "q");
        q.where(v.f(0, q) > 0.0f);
        v.f(0, q) = 1.0f;
    });
    refused("self-read", "an inline sum in a definition of f cannot read f itself",
            [&] { v.f(v.x, 0) += sum(v.r, v.f(v.x, v.r)); });
}

TEST_CASE("one name has one meaning") {
    Names v;
    Func twin("f");
    v.f(v.x) = v.in(v.x);
    twin(v.x) = v.f(v.x);
    {
        Error e = error_of([&] { Pipeline("p", {v.in}, {twin({v.n})}); });
        check(e, ErrorKind::Type, "same-name", "two stages or inputs of p are named f");
        CHECK(e.notes().size() == 1);
        CHECK(e.notes()[0].where.known());
    }
    Func as_input("in"), after_size("after_size"), twice("twice");
    as_input(v.x) = v.in(v.x);
    refused("same-name", "two stages or inputs of p are named in",
            [&] { Pipeline("p", {v.in}, {as_input({v.n})}); });
    RDom n(v.n, "n");
    after_size(v.x) += v.in(n);
    refused("same-name", "n is a variable of after_size and a size of p",
            [&] { Pipeline("p", {v.in}, {after_size({3})}); });
    refused("same-name", "is an output of p twice", [&] {
        Func o("o");
        o(v.x) = 1;
        Pipeline("p", {}, {o({3}), o({4})});
    });
    RDom r2(4, "r"), rx(3, "x");
    refused("same-name", "r is a variable of an RDom and a variable of another RDom",
            [&] { twice(v.x) += v.in(v.r) * v.in(r2); });
    refused("same-name", "r is a variable of an RDom and a variable of another RDom",
            [&] { twice(v.x) = 1.0f + sum(v.r, v.in(r2)); });
    refused("same-name", "x is a variable of an RDom and a coordinate",
            [&] { twice(v.x) = 1.0f + sum(rx, v.in(v.x)); });
    refused("same-name", "x is a variable of an RDom and a coordinate",
            [&] { twice(v.x) += v.in(rx); });
    refused("same-name", "two variables named",
            [&] { twice(v.x) = 1.0f + sum({v.r, v.r}, v.in(v.r)); });
    Param<float> p("p"), p2("p");
    refused("same-name", "two parameters of q are named p",
            [&] { Pipeline("q", {v.in, p, p2}, {v.f({v.n})}); });
}

TEST_CASE("names are names, and some are taken") {
    for (auto* bad : {"", "1f", "a b", "f.update", "\xc3\xa9"})
        refused("bad-name", "is no name", [&] { Func f(bad); });
    for (auto* taken : {"exp", "f32", "select", "sum", "clamped", "extent", "for"})
        refused("reserved-name", "has a meaning of its own", [&] { Func f(taken); });
    refused("reserved-name", "nan has a meaning of its own", [&] { Size s("nan"); });
    refused("bad-name", "is no name", [&] { Param<float> s("a-b"); });
    refused("bad-name", "is no name", [&] { Pipeline("", {}, {}); });
    Func exp_("exp_");
    Size gelu("gelu");  // bare names are another namespace
}

TEST_CASE("a domain is known at entry") {
    Names v;
    refused("not-known-at-entry",
            "a bound of q is index(im(0, 0)): it may use sizes and parameters only, not im",
            [&] { RDom(index(v.im(0, 0)), "q"); });
    refused("not-known-at-entry", "not x", [&] { RDom(v.x, "q"); });
    refused("not-known-at-entry", "not r", [&] { RDom({Range{v.r, 10}}, "q"); });
    refused("coordinate-type", "is a coordinate of a bound of q",
            [&] { RDom(Param<int>("p"), "q"); });
    refused("rdom-rank", "an RDom of 2 variables is no single coordinate",
            [&] { v.g(v.x) += v.in(RDom({2, 2}, "q")); });
    refused("no-such-variable", "there is no [2]", [&] { v.g(v.x) += v.in(RDom({2, 2}, "q")[2]); });
    refused("negative-domain", "-1 means that there is none",
            [&] { v.g(v.x) = argmin(RDom(Range{-3, 3}, "q"), v.in(0)); });
    refused("negative-domain", "argmax runs over coordinates below 0",
            [&] { v.g(v.x) = 1.0f + argmax(RDom(Range{-3, 3}, "q"), v.in(0))[0]; });
    refused("operand-type", "where takes a bool",
            [&] { v.g(v.x) += v.in(RDom(3, "q").where(v.x)); });
}

TEST_CASE("a pipeline has what it reads") {
    Names v;
    Param<float> p("p");
    v.f(v.x) = v.in(v.x) * p;
    refused("not-an-input", "f reads input in, which is not among the inputs of p",
            [&] { Pipeline("p", {p}, {v.f({3})}); });
    refused("not-an-input", "parameter p is used but is not among the inputs of p",
            [&] { Pipeline("p", {v.in}, {v.f({3})}); });
    Input<double> other("in", {v.n});
    refused("not-an-input", "f reads another input named in than p has",
            [&] { Pipeline("p", {other, p}, {v.f({3})}); });
    v.g(v.x) += v.in(RDom(v.k, "q"));
    Error e = error_of([&] { Pipeline("p", {v.in}, {v.g({v.k - 1})}); });
    check(e, ErrorKind::Shape, "unbound-size", "nothing gives k a value");
    Pipeline("p", {v.in, v.k}, {v.g({v.k - 1})});
    Pipeline("p", {v.in}, {v.g({v.k})});  // its buffer says what k is
    check(error_of([&] { extent(v.in, 1); }), ErrorKind::Shape, "no-such-dimension",
          "in has 1 dimensions");
    check(error_of([&] { clamped(v.in, {2}); }), ErrorKind::Shape, "no-such-dimension",
          "there is no dimension 2");
}

TEST_CASE("a text is refused with its line") {
    text_refused("unknown-name", "there is no variable xx; did you mean x?", "f(x) = in(xx)");
    text_refused("unknown-name", "there is no stage or input inn; did you mean in?",
                 "f(x) = inn(x)");
    text_refused("unknown-name", "there is no stage f", "g(x) = in(x)");
    text_refused("unknown-name", "there is no variable r", "f(x) += in(x) for s: 0..r");
    text_refused("unknown-name", "there is no input inn; did you mean in?",
                 "f(x) = extent(inn, 0)");
    text_refused("no-such-dimension", "in has 1 dimensions", "f(x) = extent(in, 1)",
                 ErrorKind::Shape);
    text_refused("mixed-types", "mixes f32 and f64", "f(x) = in(x) + q");
    text_refused("mixed-types", "mixes f32 and index", "f(x) = in(x) + x");
    text_refused("mixed-types", "becomes data by a cast: f32(x)", "f(x) = in(x) + x");
    text_refused("literal-range", "300 does not fit u8", "f(x) = im(x, 0) + 300");
    text_refused("same-name", "k is a variable of f and a size or parameter",
                 "f(x) += in(x) for k: 0..3");
    text_refused("same-name", "in is an input and cannot be defined", "in(x) = 1");
    text_refused("defined-after-read", "f gets a definition after g has read it",
                 "f(x) = 0\ng(x) = f(x)\nf(x) = 1");
    text_refused("tuple-element", "gives a value and where it is",
                 "f(x) = 1.0 + argmin(in(r) for r: 0..n)");
    text_refused("tuple-element", "there is no [2]", "f(x) = argmin(in(r) for r: 0..n)[2]");
    text_refused("not-known-at-entry", "a bound of r", "f(x) += in(r) for r: 0..x");
    text_refused("argument-count", "exp takes 1 argument, not 2", "f(x) = exp(in(x), in(x))");
    text_refused("reserved-name", "exp has a meaning of its own", "exp(x) = in(x)");
    text_refused("same-name", "e0 has a meaning already",
                 "f(x) = e0 let { e0 = in(x), e0 = in(x) }");
    for (auto* bad :
         {"f(x) = ", "f(x) = in(x", "f(x) = in(x))", "f x = 1", "f(x) == 1", "f(x) = 1 for",
          "f(x) = 1 for r", "f(x) = 1 for r: 0..", "f(x) = 1 for r: 0.5..2", "f(x) = {1, }",
          "f(x) = $", "f(x) = 1 2", "= 1", "f(x) = 1 where true", "f(x) = argmin(in(0), {1, 2})",
          "f(x) = mirrored(1)", "f(x) = 99999999999999999999999"})
        text_refused(
            std::string(bad) == "f(x) = 1 for r: 0.5..2" ? "literal-range" : "syntax", "", bad,
            std::string(bad) == "f(x) = 1 for r: 0.5..2" ? ErrorKind::Type : ErrorKind::Value);
}

TEST_CASE("a file that is no algorithm is refused, whatever it holds") {
    auto refuse = [](const std::string& text, ErrorKind kind, const std::string& id) {
        Error e = error_of([&] { parse_pipeline(text, "bad.burin"); });
        INFO(std::string(e.what()));
        CHECK(e.kind() == kind);
        CHECK(e.id() == id);
        CHECK(e.where().file == "bad.burin");
    };
    refuse("", ErrorKind::Value, "syntax");
    refuse("\n\n  # nothing\n", ErrorKind::Value, "syntax");
    refuse(std::string("\x7f"
                       "ELF\0\1\2",
                       7),
           ErrorKind::Value, "syntax");
    refuse(std::string(100, '\0'), ErrorKind::Value, "syntax");
    refuse("pipeline", ErrorKind::Value, "syntax");
    refuse("pipeline p(in: f33[n]) -> f[n]", ErrorKind::Value, "syntax");
    refuse("pipeline p(n: size[3]) -> f[n]", ErrorKind::Value, "syntax");
    refuse("pipeline p(in: f32[n]) -> f[n]", ErrorKind::Type, "unknown-name");
    refuse(std::string(17 << 20, 'x'), ErrorKind::Resource, "text-too-long");
    std::string deep = head + "f(x) = ";
    refuse(deep + std::string(1 << 20, '(') + "1", ErrorKind::Resource, "too-deep");
    refuse(deep + std::string(1 << 20, '-') + "1", ErrorKind::Resource, "too-deep");
    std::string sums, domains;
    for (int i = 0; i < 5000; ++i)
        sums += "sum(", domains += " for r" + std::to_string(i) + ": 0..2)";
    refuse(deep + sums + "1" + domains, ErrorKind::Resource, "too-deep");
    TempFolder folder;
    CHECK(error_of([&] { load_pipeline(folder / "none.burin"); }).kind() == ErrorKind::Value);
}
