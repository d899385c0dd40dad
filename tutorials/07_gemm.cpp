// Tutorial 7: a product of matrices, from its definition to packed panels, with the reason for each step.
//
// Every step is a few lines of schedule; the algorithm stays the same, and so does every bit of the result: each sum runs
// over r in the written order at every step. Started with the word `time`, the program also measures the steps.
#include <burin/burin.h>

#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
using namespace burin;

constexpr int64_t size = 100;  // with time: 1024

Size m("m"), n("n"), k("k");
Input<float> a("a", {m, k}), b("b", {k, n});
Var i("i"), j("j");
RDom r(k, "r");
Func c("c");

bool timing = false;
Buffer<float> left, right, wanted;

Buffer<float> numbers(int64_t rows, int64_t columns) {
    Buffer<float> all({rows, columns});
    for_each_point(all.dims(),
                   [&](auto at) { all(at[0], at[1]) = float((at[0] * 7 + at[1] * 3) % 16) / 16; });
    return all;
}

void step(const char* title, const Schedule& s) {
    Kernel kernel = compile(s.pipeline(), s);
    Buffer<float> out({left.extent(0), right.extent(1)});
    kernel.call({left, right, out}, {.threads = 1});
    std::cout << title << ": " << (same(out, wanted) ? "the same bits" : "DIFFERENT") << "\n";
    if (!timing) return;
    double best = 1e9;
    for (int tries = 0; tries < 5; ++tries) {
        auto start = std::chrono::steady_clock::now();
        kernel.call({left, right, out}, {.threads = 1});
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    double operations = 2.0 * double(left.extent(0) * left.extent(1) * right.extent(1));
    std::cout << "  " << std::fixed << std::setprecision(1) << operations / best * 1e-9
              << " GFLOP/s\n";
}

int main(int argc, char** argv) {
    timing = argc > 1 && std::strcmp(argv[1], "time") == 0;
    const int64_t side = timing ? 1024 : size;
    left = numbers(side, side), right = numbers(side, side);

    c(i, j) += a(i, r) * b(r, j);  // a sum of products is defined as a chain of fma
    Pipeline product("product", {a, b}, {c({m, n})});
    Schedule naive(product);
    wanted = compile(product, naive)(left, right);

    // 0. As written: for each i, for each j, all of r. One sum at a time, each addition waits for the one before, and b is
    // read down a column, a new cache line for each number.
    step("0. as written", naive);

    // 1. Rows of c. With r outside of j, a(i, r) is one number for the whole innermost loop, and b and c are read and
    // written along rows: eight or sixteen of them are one vector. No sum changes its order, for each c(i, j) has its own.
    Schedule rows(product);
    rows[c].vectorize(j, 16);
    rows[c.update(0)].reorder({i, r, j}).vectorize(j, 16);
    step("1. rows of c, in vectors", rows);

    // 2. Tiles in registers. Step 1 loads and stores c for each fma. A tile of 4 x 32 sums stays in registers for the
    // whole sum over r: 4 numbers of a and 2 vectors of b are loaded for 8 fma, and c is written once. (4 x 2 vectors of
    // 16 take 8 of 32 registers, or 16 of 16 where a vector holds 8.) unroll writes the tile out, so that each sum has a
    // register of its own; cache_write says that it lives there.
    Schedule tiles(product);
    tiles[c].vectorize(j, 16);
    auto [io, ii] = tiles[c.update(0)].split(i, 4);
    auto [jo, ji] = tiles[c.update(0)].split(j, 32);
    auto [jv, jl] = tiles[c.update(0)].split(ji, "jv", "jl", 16);
    tiles[c.update(0)].reorder({io, jo, r, ii, jv, jl}).unroll(ii).unroll(jv).vectorize(jl);
    tiles[c.update(0)].cache_write(jo, Memory::Register);
    step("2. tiles in registers", tiles);

    // 3. Blocks that stay in the cache. For one tile, step 2 walks down 32 columns of all of b, and does that again for
    // each io. Within a block of 256 steps of r these columns are 32 KiB: they are still in the cache when the next tile
    // of rows comes, if the loop over rows stands inside the one over columns. The tile is taken out of registers and back
    // once for each block of r.
    Schedule blocks(product);
    blocks[c].vectorize(j, 16);
    {
        auto update = blocks[c.update(0)];
        auto [ko, ki] = update.split(r, "ko", "ki", 256);
        auto [io, ii] = update.split(i, 4);
        auto [jo, ji] = update.split(j, 32);
        auto [jv, jl] = update.split(ji, "jv", "jl", 16);
        update.reorder({ko, jo, io, ki, ii, jv, jl}).unroll(ii).unroll(jv).vectorize(jl);
        update.cache_write(io, Memory::Register);
    }
    step("3. blocks in the cache", blocks);

    // 4. Packed panels. The 32 numbers that a step of r needs of b are two cache lines, but those of the next step lie a
    // whole row further: for large n, on another page, and rows of a power of two meet in the same sets of the cache. A
    // copy of b stored panel by panel is read straight on. cache_read makes a stage that copies b; its layout puts the 32
    // columns of a panel next to each other for each r. (pad: the last panel may be wider than what is left of n.)
    Schedule packed = blocks;
    Func panels = packed.cache_read("panels", b, {c});
    Var row("d0"), column("d1");
    packed[panels].compute_root().transform_layout({row, column}, {column / 32, row, column % 32},
                                                   true);
    auto [po, pi] = packed[panels].split(column, "po", "pi", 32, Tail::RoundUp);
    packed[panels].reorder({po, row, pi}).vectorize(pi, 16);
    step("4. packed panels", packed);

    // 5. Threads. Panels of columns are independent: each thread takes some, and inside of them everything is as before.
    Schedule threads = packed;
    threads[c.update(0)].reorder({"jo", "ko", "io", "ki", "ii", "jv", "jl"}).parallel("jo");
    threads[panels].parallel(po);
    step("5. threads", threads);

    std::cout << "\nas a file:\n" << print(threads);
}
