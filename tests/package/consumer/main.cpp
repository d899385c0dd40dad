// A program of somebody else's: an algorithm, a schedule, a kernel, an error caught, all through public names.
#include <burin/burin.h>

#include <cstdio>

using namespace burin;

int main() {
    Size h("h"), w("w");
    Input<float> in("in", {h, w});
    Var y("y"), x("x");
    Func twice("twice"), out("out");
    twice(y, x) = in(y, x) * 2;
    out(y, x) = twice(y, x) + twice(y + 1, x);
    Pipeline p("p", {in}, {out({h - 1, w})});
    Schedule s(p);
    s[out].parallel(y).vectorize(x, 8);
    s[twice].compute_at(out, y);
    Buffer<float> a({5, 20});
    a.fill(1.5f);
    Buffer<float> b = compile(p, s)(a);
    std::string id;
    try {
        s[twice].compute_at(out, x);
        check(s);
    } catch (const Error& e) {
        id = e.id();
    }
    bool right = b.extent(0) == 4 && b(3, 19) == 6 && verify(p, s).ok() && !id.empty();
    std::printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
