// sum_block.h - schedule text that products of matrices have in common, whatever they are part of.
#pragma once
#include <fmt/format.h>

#include <string>

namespace burin {

// Lines of an update: blocks of `rows` values of loop i by `width` of `column`, 16 to a vector, whose sums stay in
// registers. `from` is the loop that is left of the column, `order` the loops outside a block, outermost first, `tile`
// the one in whose body a block lives.
inline std::string sum_block(int rows, const std::string& column, const std::string& from,
                             int width, const std::string& order, const std::string& tile) {
    return fmt::format(R"(  io, i2 = split(i, {0})
  {1}o, {1}r = split({2}, {3})
  {1}v, {1}l = split({1}r, 16)
  reorder({4}, i2, {1}v, {1}l)
  unroll(i2)
  unroll({1}v)
  vectorize({1}l)
  cache_write({5}, Register)
)",
                       rows, column, from, width, order, tile);
}

}  // namespace burin
