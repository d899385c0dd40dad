// data.h - what the buffers of a call hold: random numbers, .npy files, pictures.
#pragma once
#include <burin/buffer.h>

#include <string>
#include <vector>

#include "tools/random.h"

namespace burin {

// Fills a dense buffer with draw(seed, 0), draw(seed, 1), ...
void fill_random(const AnyBuffer& buffer, uint64_t seed, double lo, double hi);

// What an element type is filled with where nothing else is said: [-1, 1), all of 8 and 16 bits, -1000 .. 1000.
struct Bounds64 {
    double lo, hi;
};
Bounds64 usual_range(Type type);

// A .npy file as it is; a .png as u8 planes, fitted to the type and rank that are wanted: rank 2 is grey, other types
// hold the same numbers. Each change is noted. E-value "file-kind": neither.
AnyBuffer load_data(const std::string& path, Type type, int rank, std::vector<std::string>& notes);
// The reverse: numbers of other types are rounded to u8 for a .png.
void save_data(const std::string& path, const AnyBuffer& buffer, std::vector<std::string>& notes);

// Throws what save_data would throw for the path alone: an unknown kind, a missing or read-only folder.
void check_can_save(const std::string& path, const AnyBuffer& buffer);
void check_can_write(const std::string& path);

}  // namespace burin
