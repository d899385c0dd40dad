// A user's program that is a command for its own pipelines.
#include <burin/tool.h>

using namespace burin;

int main(int argc, char** argv) {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func rows("rows"), twice("twice");
    rows(y, x) = in(y, x) + in(y, x + 1);
    twice(y, x) = in(y, x) * 2;
    Pipeline sums("sums", {in}, {rows({h, w - 1})}), doubled("doubled", {in}, {twice({h, w})});
    Schedule wide(sums);
    wide[rows].vectorize(x, 8);
    return tool(argc, argv,
                {{sums, {{"wide", wide, "eight at once"}}, {{"h", 30}, {"w", 40}}, "sums of two"},
                 doubled});
}
