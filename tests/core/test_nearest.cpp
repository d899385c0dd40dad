#include <doctest/doctest.h>

#include "base/nearest.h"

using namespace burin;

TEST_CASE("the nearest name is the one with the fewest edits, if any is close") {
    CHECK(nearest("blurx", {"blur_y", "blur_x", "in"}) == "blur_x");
    CHECK(nearest("paralell", {"parallel", "serial"}) == "parallel");  // a swap is one edit
    CHECK(nearest("yo", {"yi", "x"}) == "yi");
    CHECK(nearest("x", {"y"}) == "");  // every letter would change
    CHECK(nearest("sobel", {"blur", "in"}) == "");
    CHECK(nearest("", {"a"}) == "");
    CHECK(nearest(std::string(100000, 'a'), {"a"}) == "");
    CHECK(did_you_mean("blurx", {"blur_x"}) == "; did you mean blur_x?");
    CHECK(did_you_mean("q", {}) == "");
    CHECK(listed({"a", "b", "c"}, 2) == "a, b, ...");
    CHECK(listed({"a", "b"}, 2) == "a, b");
}
