// Rows of a table by number: the embedding of a text's tokens.
#include "schedules/library.h"

namespace burin {
namespace {

Pipeline make() {
    Size n("n"), rows("rows"), d("d");
    Input<int32_t> tokens("tokens", {n});
    Input<float> table("table", {rows, d});
    Var i("i"), j("j");
    Func y("y");
    y(i, j) = table(clamp(index(tokens(i)), 0, rows - 1), j);
    return Pipeline("embedding", {tokens, table}, {y({n, d})});
}

}  // namespace

LibraryEntry embedding() {
    return {"embedding",
            "rows of a table by number, f32; numbers outside take the nearest row",
            make,
            {{"n", 4096}, {"rows", 32000}, {"d", 512}},
            {{"tokens", 0, 31999}, {"table", -1, 1}},
            {
                {"rows", "rows in parallel, 16 numbers at a time", R"(
stage y
  parallel(i, 64)
  vectorize(j, 16)
)"},
            },
            "rows"};
}

}  // namespace burin
