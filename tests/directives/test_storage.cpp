// test_storage.cpp - store_in, bound, transform_layout, cache_write: what values lie in.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>

#include "error_of.h"
#include "fixture.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

TEST_CASE("store_in says what kind of memory a stage is kept in") {
    has_shape(Stencil, "stage f\ncompute_at(g, x)\nstore_in(Stack)\n", R"(
func in: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    for g.x in origin(g, 1) .. origin(g, 1) + extent(g, 1) {
      realize f: i32[g.y - 5: 2, g.x: 3] in Stack {
        produce f {
          for f.y in g.y - 5 .. g.y - 5 + 2 {
            for f.x in g.x .. g.x + 3 {
              f(f.y, f.x) = in(f.y, f.x) * 3
            }
          }
        }
        g(g.y, g.x) = f(g.y - 5, g.x) + f(g.y - 4, g.x + 2)
      }
    }
  }
}
)");
}

TEST_CASE("a row in a loop over rows is addressed from where it begins") {
    std::string lines = "stage g\nsplit(y, 4, shift_inwards)\nstage e\ncompute_at(g, yi)\n";
    std::string text = text_after(Diamond, lines, "");
    CHECK_MESSAGE(text.find(" e[e.x - origin(g, 1)] = ") != std::string::npos, text);
    is_right(Diamond, lines, 4);
}

TEST_CASE("a bound is what the loops run over") {
    has_shape(Product, "stage c\nbound(j, 0, 16)\n", R"(
func a: f32
func b: f32
func c: f32
produce c {
  for c.i in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j in 0 .. 16 {
      c(c.i, c.j) = 0.0
    }
  }
  for c.i_1 in origin(c, 0) .. origin(c, 0) + extent(c, 0) {
    for c.j_1 in 0 .. 16 {
      for c.r in 0 .. k {
        c(c.i_1, c.j_1) = fma(a(c.i_1, c.r), b(c.r, c.j_1), c(c.i_1, c.j_1))
      }
    }
  }
}
)");
}

TEST_CASE("cache_write copies a tile in, updates it there and copies it back") {
    has_golden_shape(Product,
                     "stage c.update(0)\nsplit(j, 8)\nreorder(i, jo, r, ji)\n"
                     "cache_write(jo, Register)\n",
                     "cache_write");
}

TEST_CASE("a tile starts from its pure value where it is entered for the first time") {
    const std::string product =
        "pipeline p(a: f32[m, k], b: f32[k, n]) -> c[m, n]\n"
        "c(i, j) += a(i, r) * b(r, j) for r: 0..k\n";
    auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    auto loops = [&](const std::string& pipeline, const std::string& lines) {
        agrees(pipeline, lines);
        return shape(pipeline, lines);
    };
    std::string whole = "stage c.update(0)\nsplit(j, 8)\nreorder(i, jo, r, ji)\n",
                parts = "stage c.update(0)\nsplit(r, 4)\nsplit(j, 8)\nreorder(ro, i, jo, ri, ji)\n",
                tile = "cache_write(jo, Heap)\n";
    CHECK_FALSE(has(loops(product, whole + tile), "c(c.i, c.j) = 0.0"));
    std::string text = loops(product, parts + tile);  // a reduction without a point enters no tile
    CHECK(has(text, "if k < 1 {"));
    CHECK(has(text, "if c.ro == 0 {"));
    Pipeline p = parse_pipeline(product);
    Kernel k = compile(p, parse_schedule(p, "schedule 1 for p\n" + parts + tile));
    Buffer<float> none = k(Buffer<float>({3, 0}), Buffer<float>({0, 20}));
    for (int64_t i = 0; i < none.size(); ++i) CHECK(none.data()[i] == 0);
    std::vector<Arg> args{Buffer<float>({3, 10}), Buffer<float>({10, 20})};
    for (auto& lines : {whole, parts})
        CHECK(points(product, lines + tile, args) == points(product, lines, args));

    // An output of which more is computed than is asked for.
    CHECK(has(loops("pipeline p(a: f32[m, k]) -> c[m, n], d[m, n]\nc(i, j) += a(i, r) for r: 0..k\n"
                    "d(i, j) = c(i, j + 3)\n",
                    whole + tile),
              "c.tile(c.i, c.j.lo + c.jo * 8 + c.ji) = 0.0"));

    // Not where the definition reads or has company.
    std::string first = "c(c.i, c.j) = ";
    CHECK(has(loops("pipeline p(a: f32[m, k], s: f32[m, n]) -> c[m, n]\nc(i, j) = s(i, j)\n"
                    "c(i, j) += a(i, r) for r: 0..k\n",
                    whole + tile),
              first));
    CHECK(has(loops("pipeline p(a: i32[m, k]) -> c[m, n], d[m, n]\nc(i, j) += a(i, r) for r: 0..k\n"
                    "d(i, j) = i + j\n",
                    whole + tile + "stage d\ncompute_with(c, i)\n"),
              first));
}

TEST_CASE("a tile is kept in the body of a loop that has one iteration") {
    std::string program =
        "pipeline p(a: i32[m, n]) -> g[m]\nf(y) += a(y, r) for r: 0..n\ng(y) = f(y) * 2\n";
    std::string lines = "stage f\ncompute_at(g, y)\nstage f.update(0)\ncache_write(y, Register)\n";
    CHECK("\n" + shape(program, lines) == R"(
func a: i32
produce g {
  for g.y in origin(g, 0) .. origin(g, 0) + extent(g, 0) {
    realize f: i32[g.y: 1] {
      produce f {
        realize f.tile: i32[g.y: 1] in Register {
          f.tile(g.y) = 0
          for f.r in 0 .. n {
            f.tile(g.y) = f.tile(g.y) + a(g.y, f.r)
          }
          f(g.y) = f.tile(g.y)
        }
      }
      g(g.y) = f(g.y) * 2
    }
  }
}
)");
    agrees(program, lines);
}

TEST_CASE("no storage changes a value") {
    for (std::string memory : {"Heap", "Stack", "Register"})
        is_right(Stencil, "stage f\ncompute_at(g, x)\nstore_in(" + memory + ")\n", 4);
    is_right(Stencil, "stage f\ncompute_root()\nstore_in(Heap)\n", 4);
    is_right(Stencil,
             "stage f\ncompute_root()\ntransform_layout([y, x] -> [x / 4, y, x % 4], pad)\n", 4);
    is_right(Stencil,
             "stage g\nsplit(x, 6)\nreorder(xo, y, xi)\nstage f\ncompute_at(g, xo)\n"
             "transform_layout([y, x] -> [x / 4, y, x % 4])\n",
             6);
    for (std::string pad : {"", ", pad"}) {
        is_right(Stencil,
                 "stage g\nsplit(y, 4)\n"
                 "stage f\ncompute_at(g, yo)\ntransform_layout([y, x] -> [x, y]" +
                     pad + ")\nvectorize(y, 4)\n",
                 4);
    }
    for (std::string memory : {"Stack", "Register"}) {
        std::string cached = "cache_write(jo, " + memory + ")\n";
        is_right(Product,
                 "stage c.update(0)\nsplit(j, 8)\nreorder(i, jo, r, ji)\n"
                 "vectorize(ji)\n" +
                     cached,
                 8);
        is_right(Product,
                 "stage c.update(0)\ntile(i, j, 4, 4)\nreorder(io, jo, r, ii, ji)\nunroll(ii)\n"
                 "vectorize(ji)\n" +
                     cached,
                 4);
    }
}

TEST_CASE("a bound that a call breaks is E-bounds, before anything is computed") {
    Pipeline p = pipeline(Product);
    Kernel k = compile(p, parse_schedule(p, "schedule 1 for product\nstage c\nbound(j, 0, 16)\n"));
    Buffer<float> a({4, 7}), kept({7, 16}), broken({7, 13});
    CHECK_NOTHROW(k(a, kept));
    Error e = error_of([&] { k(a, broken); });
    CHECK(e.kind() == ErrorKind::Bounds);
    CHECK(e.message() == "bound(j, 0, 16) of c: origin(c, 1) + extent(c, 1) - 1 is 12, not 15");
}

TEST_CASE("storage commutes with loops; automatic memory is the default") {
    CHECK(shape(Stencil, "stage f\ncompute_root()\nstore_in(Heap)\nsplit(y, 4)\n") ==
          shape(Stencil, "stage f\nsplit(y, 4)\nstore_in(Heap)\ncompute_root()\n"));
    CHECK(shape(Stencil, "stage f\ncompute_root()\ntransform_layout([y, x] -> [x, y])\n") ==
          shape(Stencil, "stage f\ncompute_root()\n"));
}

TEST_CASE("storage that cannot be is refused") {
    refuses(Stencil, "stage g\nstore_in(Stack)\n", "output-storage",
            "g is an output: its storage is the caller's buffer");
    refuses(Stencil, "stage f\ncompute_root()\nstore_in(Shared)\n", "unknown-word",
            "Shared is no kind of memory");
    refuses(Stencil, "stage f\ncompute_root()\nbound(z, 0, 4)\n", "unknown-coordinate",
            "f has no coordinate z");
    refuses(Stencil, "stage f\ncompute_root()\nbound(y, 0, 0 - 1)\n", "bound-negative",
            "bound(y, 0, -1): an extent is not negative");
    refuses(Stencil, "stage f\ncompute_root()\ntransform_layout([y] -> [y])\n", "layout-rank",
            "f has 2 coordinates, not 1");
    refuses(Stencil, "stage f\ncompute_root()\ntransform_layout([y, x] -> [x, x])\n",
            "layout-not-one-to-one",
            "the storage coordinates do not tell all values of y apart exactly once");
    refuses(Stencil, "stage f\ncompute_root()\ntransform_layout([y, x] -> [x / 4, y, x % 4])\n",
            "layout-not-whole",
            "the layout of f has room for whole blocks of 4 only: unproved that "
            "the extent extent(g, 1) + 2 of x is a multiple of it");
    refuses(Product, "stage c.update(0)\ncache_write(z, Register)\n", "unknown-loop",
            "c.update(0) has no loop z");
}

TEST_CASE("storage on the stack or in registers that has no constant size is refused by check") {
    refuses(
        Stencil, "stage f\ncompute_root()\nstore_in(Stack)\n", "storage-not-constant",
        "f cannot be kept on the stack: the extent extent(g, 0) + 1 of y is not a constant there");
    refuses(
        Stencil, "stage f\ncompute_at(g, y)\nstore_in(Register)\n", "storage-not-constant",
        "f cannot be kept in registers: the extent extent(g, 1) + 2 of x is not a constant there");
    refuses(Stencil,
            "stage g\nsplit(y, 400)\nsplit(x, 4096)\nreorder(yo, xo, yi, xi)\n"
            "stage f\ncompute_at(g, xo)\nstore_in(Stack)\n",
            "storage-too-large",
            "f cannot be kept on the stack: it would take 6573192 bytes; the limit is 1048576");
    Schedule s = parse_schedule(
        pipeline(Stencil),
        "schedule 1 for stencil\nstage g\nsplit(y, 4)\n"
        "split(x, 8)\nreorder(yo, xo, yi, xi)\nstage f\nstore_in(Stack)\ncompute_at(g, xo)\n");
    CHECK(legal_places(s, "f") == std::vector<std::string>{"inline", "g.xo", "g.yi", "g.xi"});
}

TEST_CASE("storage of constant size may have tiles that stop, shift or round up inside") {
    for (std::string tail : {"guard", "shift_inwards"})
        for (std::string memory : {"Stack", "Register"})
            is_right(Stencil,
                     "stage g\nsplit(y, 4, " + tail + ")\nsplit(x, 8, " + tail +
                         ")\nreorder(yo, xo, yi, xi)\nstage f\ncompute_at(g, xo)\nstore_in(" +
                         memory + ")\nvectorize(x, 4, round_up)\nsplit(y, 3, round_up)\n",
                     8);
    is_right(Stencil,
             "stage g\nsplit(y, 4)\nsplit(x, 8)\nreorder(yo, xo, yi, xi)\n"
             "stage f\nstore_at(g, xo)\ncompute_at(g, yi)\nstore_in(Stack)\n",
             8);
}

TEST_CASE("storage is rounded up to constants only while that keeps it small") {
    std::string program =
        "pipeline p(in: f32[d, h, w]) -> g[d, h, w]\n"
        "f(z, y, x) = in(z, y, x) * 2.0\n"
        "g(z, y, x) = f(z, y, x) + 1.0\n";
    for (std::string tail : {"guard", "shift_inwards"})
        for (std::string layout : {"", "transform_layout([a, b, c] -> [c, a, b])\n"}) {
            std::string lines = "stage f\ncompute_at(g, xo)\n" + layout +
                                fmt::format(
                                    "stage g\nsplit(z, 4096, {0})\nsplit(y, 2048, {0})\n"
                                    "split(x, 1024, {0})\n",
                                    tail) +
                                "reorder(zo, yo, xo, zi, yi, xi)\n";
            INFO(lines);
            Buffer<float> in({2, 3, 5}), out({2, 3, 5});
            for (int k = 0; k < 30; ++k) in.data()[k] = float(k);
            CallReport report;
            Pipeline p = parse_pipeline(program);
            compile(p, parse_schedule(p, "schedule 1 for p\n" + lines))
                .call({in, out}, {}, &report);
            for (int k = 0; k < 30; ++k) CHECK(out.data()[k] == float(2 * k + 1));
            CHECK(report.scratch_bytes > 0);
            CHECK(report.scratch_bytes <= 1 << 26);
        }
}

TEST_CASE("a reader that may need nothing makes the storage of another no larger") {
    std::string text =
        "pipeline p(m: size, n: size, a: i32[_, _]) -> y[m, n]\n"
        "e(i, j) = a(i, j) * 2\n"
        "total(i) += e(i, r) for r: 0..n\n"
        "y(i, j) = e(i, j) + total(i)\n";
    std::string lines = "stage e\ncompute_at(y, i)\nstage total\ncompute_at(y, i)\n";
    CHECK(shape(text, lines).find("realize e: i32[y.i: 1,") != std::string::npos);
    agrees(text, lines);
    std::string tiles = "stage total\nsplit(r, 4)\n";  // empty where n is, said in another way
    CHECK(shape(text,
                "stage e\ncompute_at(y, i)\nstage total\ncompute_at(y, i)\n"
                "stage total.update(0)\nsplit(r, 4)\n")
              .find("realize e: i32[y.i: 1,") != std::string::npos);
    std::string two =
        "pipeline p(m: size, n: size, a: i32[_, _]) -> y[m]\n"
        "e(i, j) = a(i, j) * 2\n"
        "total(i) += e(i, r) for r: 0..n\n"
        "most(i) = max(most(i), e(i, r)) for r: 0..n\n"
        "y(i) = most(i) + total(i)\n";
    lines =
        "stage e\ncompute_at(y, i)\nstage total\ncompute_at(y, i)\nstage most\ncompute_at(y, i)\n"
        "stage most.update(0)\nsplit(r, 4)\n";
    CHECK(shape(two, lines).find("realize e: i32[y.i: 1, 0: n]") != std::string::npos);
    agrees(two, lines);
}
