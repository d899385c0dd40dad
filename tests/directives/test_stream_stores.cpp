// test_stream_stores.cpp - stream_stores(): whole aligned vectors are stored past the caches.
#include <burin/kernel.h>
#include <burin/schedule.h>

#include "fixture.h"
#include "ir/print.h"
#include "lower/lower.h"

using namespace burin;
using namespace burin::directives;
using enum Program;

namespace {

int count_of(const std::string& text, const std::string& part) {
    int n = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("stream_stores marks the stores of its stage, and those alone") {
    CHECK(text_after(Copy, "stage g\nvectorize(x, 8, guard)\nstream_stores()\n", "")
              .find("stream g[ramp") != std::string::npos);
    std::string text =
        text_after(Stencil, "stage f\ncompute_root()\nvectorize(x, 8)\nstream_stores()\n", "");
    CHECK(text.find("stream f[") != std::string::npos);
    CHECK(text.find("stream g[") == std::string::npos);
}

TEST_CASE("an output computed beside its buffer streams when it is copied there") {
    Pipeline p = parse_pipeline(
        "pipeline p(n: size, in: i32[_]) -> g[n], h[n]\ng(x) = in(x)\nh(x) = g(x + 1)\n");
    Schedule s(p);
    s["g"].vectorize("x", 8).stream_stores();
    std::string text = to_string(lower(replay(p, s.directives())).state.stmt);
    CHECK(text.find("stream g[") != std::string::npos);
    CHECK(text.find("stream g.full[") == std::string::npos);
}

TEST_CASE("whole vectors are non-temporal stores, and a fence ends whoever makes them") {
    Pipeline p = pipeline(Copy);
    auto llvm_of = [&](const std::string& lines) {
        return compile(p, parse_schedule(p, "schedule 1 for copy\nstage g\n" + lines)).llvm();
    };
    std::string serial = llvm_of("vectorize(x, 16)\nstream_stores()\n"),
                parallel = llvm_of("parallel(y)\nvectorize(x, 16)\nstream_stores()\n"),
                plain = llvm_of("vectorize(x, 16)\n");
    CHECK(count_of(serial, "!nontemporal") > 0);
    CHECK(count_of(serial, "fence seq_cst") == 1);
    CHECK(count_of(parallel, "!nontemporal") > 0);
    CHECK(count_of(parallel, "fence seq_cst") >=
          3);  // before the loop, of an iteration, of the kernel
    CHECK(count_of(plain, "!nontemporal") + count_of(plain, "fence") == 0);
}

TEST_CASE("stream_stores never changes a value, wherever rows begin") {
    for (std::string tail : {"auto", "guard", "predicate"})
        for (std::string more : {"", "parallel(y)\n"})
            is_right(Stencil,
                     "stage g\nvectorize(x, 8, " + tail + ")\n" + more + "stream_stores()\n", 8);
    is_right(Stencil,
             "stage g\nsplit(y, 4)\nstage f\ncompute_at(g, yo)\nvectorize(x, 4)\nstream_stores()\n",
             4);
    is_right(Stencil,
             "stage f\ncompute_root()\nparallel(y)\nvectorize(x, 4)\nstream_stores()\n"
             "transform_layout([y, x] -> [x / 4, y, x % 4], pad)\nstage g\nparallel(y)\n",
             4);
    Pipeline p = pipeline(Copy);
    Kernel k = compile(p, parse_schedule(p,
                                         "schedule 1 for copy\nstage g\nvectorize(x, 16)\n"
                                         "stream_stores()\n"));
    for (int64_t shift : {0, 1, 3, 16}) {  // aligned or not, the same bytes
        Buffer<int> in({3, 70}), out({3, 90});
        for_each_point(in.dims(), [&](auto at) { in(at[0], at[1]) = int(100 * at[0] + at[1]); });
        auto part = out.crop(1, shift, 70);
        k(in, part.translated({0, -shift}));
        for_each_point(in.dims(),
                       [&](auto at) { CHECK(out(at[0], at[1] + shift) == in(at[0], at[1])); });
    }
}

TEST_CASE("stream_stores commutes with other lines") {
    CHECK(shape(Stencil, "stage f\nstream_stores()\ncompute_root()\nvectorize(x, 8)\n") ==
          shape(Stencil, "stage f\ncompute_root()\nvectorize(x, 8)\nstream_stores()\n"));
}

TEST_CASE("stores that cannot go past the caches are refused") {
    refuses(Stencil, "stage f\nstream_stores()\n", "inline-has-no-loops",
            "f is computed inline and has no loops or storage: stream_stores() would be lost");
    refuses(Product, "stage c\nvectorize(j, 8)\nstream_stores()\n", "stream-update",
            "the stores of c cannot go past the caches: its updates read and write again what is "
            "there");
    refuses(Stencil,
            "stage g\nsplit(x, 8)\nstage f\ncompute_at(g, xo)\nvectorize(x, 8)\nstore_in(Stack)\n"
            "stream_stores()\n",
            "stream-not-heap",
            "the stores of f cannot go past the caches: it is not kept on the heap");
    for (std::string lines : {"", "vectorize(y, 8)\n"})
        refuses(Stencil, "stage g\nstream_stores()\n" + lines, "stream-without-vectors",
                "the stores of g cannot go past the caches: they are not those of whole vectors "
                "side by side");
    refuses(Stencil, "stage g\nvectorize(x, 6)\nstream_stores()\n", "stream-without-vectors",
            "the stores of g cannot go past the caches: its vectors have 24 bytes, which is not "
            "16, 32, 64, ...");
}
