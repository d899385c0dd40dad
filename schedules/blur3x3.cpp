// The mean of 3 x 3 pixels in two stages: the smallest program in which fusion pays.
#include "schedules/library.h"

namespace burin {
namespace {

template <class T>
Pipeline make(const char* name) {
    Size h("h"), w("w");
    Input<T> in("in", {h, w});
    Var y("y"), x("x");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(y, x) = (in(y, x) + in(y, x + 1) + in(y, x + 2)) / 3;
    blur_y(y, x) = (blur_x(y, x) + blur_x(y + 1, x) + blur_x(y + 2, x)) / 3;
    return Pipeline(name, {in}, {blur_y({h - 2, w - 2})});
}

// `lanes` fill a vector register.
std::vector<LibrarySchedule> schedules(const std::string& lanes) {
    return {
        {"root", "blur_x whole, then blur_y",
         "stage blur_x\n"
         "  compute_root()\n"},
        {"rows", "strips of 32 rows in parallel, blur_x one strip at a time",
         "stage blur_y\n"
         "  yo, yi = split(y, 32)\n"
         "  parallel(yo)\n"
         "  vectorize(x, " +
             lanes +
             ")\n"
             "stage blur_x\n"
             "  compute_at(blur_y, yo)\n"
             "  vectorize(x, " +
             lanes + ")\n"},
        {"sliding",
         "strips of 32 rows in parallel, each row of blur_x once in a strip, four kept; the input "
         "is asked for 32 vectors ahead",
         "stage blur_y\n"
         "  yo, yi = split(y, 32)\n"
         "  parallel(yo)\n"
         "  vectorize(x, " +
             lanes +
             ")\n"
             "stage blur_x\n"
             "  store_at(blur_y, yo)\n"
             "  compute_at(blur_y, yi)\n"
             "  vectorize(x, " +
             lanes + ")\n  prefetch(in, xo, 32)\n"},
        {"inline",
         "nothing kept: memory is the limit, so nine reads cost less than a row of blur_x; the "
         "input is asked for 32 vectors ahead",
         "stage blur_y\n"
         "  parallel(y)\n"
         "  vectorize(x, " +
             lanes + ")\n  prefetch(in, xo, 32)\n"},
    };
}

}  // namespace

LibraryEntry blur3x3() {
    return {"blur3x3",
            "mean of 3 x 3 pixels, f32",
            [] { return make<float>("blur3x3"); },
            {{"h", 4802}, {"w", 6408}},
            {{"in", 0, 1}},
            schedules("16"),
            "inline"};
}

// Three times 4095 fits into 16 bits.
LibraryEntry blur3x3_u16() {
    return {"blur3x3_u16",
            "mean of 3 x 3 pixels, u16",
            [] { return make<uint16_t>("blur3x3_u16"); },
            {{"h", 4802}, {"w", 6408}},
            {{"in", 0, 4095}},
            schedules("32"),
            "inline"};
}

}  // namespace burin
