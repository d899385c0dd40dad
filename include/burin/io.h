// io.h - buffers to and from files: NumPy's .npy and PNG pictures. Files are written whole or not
// at all.
#pragma once
#include <burin/buffer.h>

namespace burin {

// A .npy file (versions 1 to 3, either byte order, C or Fortran order) as a dense row-major buffer.
// E-value: missing, truncated, not a .npy file; E-type: elements that are none of ours.
AnyBuffer load_npy(const std::string& path);
// Any element type but bf16, which .npy has no name for (E-type). Minima are not part of the
// format.
void save_npy(const std::string& path, const AnyBuffer& buffer);

struct Image {
    Buffer<uint8_t> pixels;          // [3, h, w]: planes red, green, blue
    std::vector<std::string> notes;  // what was converted: "grey expanded to RGB", ...
};

constexpr int64_t max_pixels = int64_t(1) << 29;

// Any PNG as 8-bit RGB; stored colours are taken as they are, without a colour profile.
// E-value: missing, damaged, empty, not a PNG; E-resource: more than max_pixels.
Image load_png(const std::string& path);
// [3, h, w] is written as RGB, [h, w] as grey. E-shape: neither, or no pixels.
void save_png(const std::string& path, const Buffer<uint8_t>& pixels);

}  // namespace burin
