// SPDX-License-Identifier: Apache-2.0
#include "arrays/kernels.hpp"

#include <algorithm>
#include <cstring>

namespace lapwing::arrays {

namespace {

/// Where the columns of one side are: the atom's size is known at compile time.
template <std::size_t atom>
struct Dense {
  std::int64_t operator[](std::int64_t x) const { return x * static_cast<std::int64_t>(atom); }
};
struct Table {
  const std::int64_t* offsets;
  std::int64_t operator[](std::int64_t x) const { return offsets[x]; }
};

template <std::size_t atom, class From, class To>
inline void row(const std::byte* __restrict source, From from, std::byte* __restrict destination, To to,
                std::int64_t width) {
#pragma GCC unroll 8
  for (std::int64_t x = 0; x < width; ++x) std::memcpy(destination + to[x], source + from[x], atom);
}

template <std::size_t atom, class From, class To>
void rows(const std::byte* source, BlockSide a, From from, std::byte* destination, BlockSide b, To to,
          std::int64_t height, std::int64_t width) {
  for (std::int64_t y = 0; y < height; ++y)
    row<atom>(source + a.rows[y], from, destination + b.rows[y], to, width);
}

template <std::size_t atom>
void rows(const std::byte* source, BlockSide a, std::byte* destination, BlockSide b, std::int64_t height,
          std::int64_t width) {
  if (a.columns != nullptr && b.columns != nullptr) {
    rows<atom>(source, a, Table{a.columns}, destination, b, Table{b.columns}, height, width);
  } else if (a.columns != nullptr) {
    rows<atom>(source, a, Table{a.columns}, destination, b, Dense<atom>{}, height, width);
  } else if (b.columns != nullptr) {
    rows<atom>(source, a, Dense<atom>{}, destination, b, Table{b.columns}, height, width);
  } else {
    for (std::int64_t y = 0; y < height; ++y)
      std::memcpy(destination + b.rows[y], source + a.rows[y], static_cast<std::size_t>(width) * atom);
  }
}

// A tile is a few cache lines wide both ways, and few pages.
template <std::size_t atom, class From, class To>
void tiles(const std::byte* __restrict source, BlockSide a, From from, std::byte* __restrict destination,
           BlockSide b, To to, std::int64_t height, std::int64_t width) {
  constexpr std::int64_t side = std::max<std::int64_t>(8, 256 / static_cast<std::int64_t>(atom));
  constexpr std::int64_t tall = std::min<std::int64_t>(side, 64);
  for (std::int64_t top = 0; top < height; top += tall) {
    const std::int64_t bottom = std::min(height, top + tall);
    for (std::int64_t left = 0; left < width; left += tall) {
      const std::int64_t right = std::min(width, left + tall);
      for (std::int64_t x = left; x < right; ++x) {
        const std::byte* column = source + from[x];
        std::byte* target = destination + to[x];
#pragma GCC unroll 8
        for (std::int64_t y = top; y < bottom; ++y) std::memcpy(target + b.rows[y], column + a.rows[y], atom);
      }
    }
  }
}

template <std::size_t atom>
void tiles(const std::byte* source, BlockSide a, std::byte* destination, BlockSide b, std::int64_t height,
           std::int64_t width) {
  if (a.columns != nullptr) {
    tiles<atom>(source, a, Table{a.columns}, destination, b, Table{b.columns}, height, width);
  } else {
    tiles<atom>(source, a, Dense<atom>{}, destination, b, Table{b.columns}, height, width);
  }
}

/// Calls with the atom's size as a constant.
template <class Call>
void with_atom(std::int64_t atom, Call call) {
  switch (atom) {
    case 1:
      return call(std::integral_constant<std::size_t, 1>{});
    case 2:
      return call(std::integral_constant<std::size_t, 2>{});
    case 4:
      return call(std::integral_constant<std::size_t, 4>{});
    case 8:
      return call(std::integral_constant<std::size_t, 8>{});
    case 16:
      return call(std::integral_constant<std::size_t, 16>{});
    default:
      return call(std::integral_constant<std::size_t, 32>{});
  }
}

}  // namespace

void move_rows(std::int64_t atom, const std::byte* source, BlockSide from, std::byte* destination,
               BlockSide to, std::int64_t height, std::int64_t width) {
  with_atom(atom, [&](auto size) { rows<size()>(source, from, destination, to, height, width); });
}

void move_transposed(std::int64_t atom, const std::byte* source, BlockSide from, std::byte* destination,
                     BlockSide to, std::int64_t height, std::int64_t width) {
  with_atom(atom, [&](auto size) { tiles<size()>(source, from, destination, to, height, width); });
}

}  // namespace lapwing::arrays
