// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/kernels.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lapwing::arrays {

namespace {

constexpr std::int64_t line = 64;

/// Where the columns of one side are: the atom's size is known at compile time.
template <std::size_t atom>
struct Dense {
  std::int64_t first = 0;
  std::int64_t operator[](std::int64_t x) const { return (first + x) * static_cast<std::int64_t>(atom); }
  [[nodiscard]] Dense after(std::int64_t x) const { return {first + x}; }
};
struct Table {
  const std::int64_t* offsets;
  std::int64_t operator[](std::int64_t x) const { return offsets[x]; }
  [[nodiscard]] Table after(std::int64_t x) const { return {offsets + x}; }
};

struct List {
  const std::uint32_t* listed;
  std::int64_t pace;
  std::int64_t operator[](std::int64_t x) const { return listed[x] * pace; }
};

/// All as far apart as the first two.
struct Even {
  std::int64_t first, pace;
  std::int64_t operator[](std::int64_t x) const { return first + x * pace; }
};

/// Whether there are columns, and what they are where they are even.
bool even(const std::int64_t* columns, std::int64_t width, Even* found) {
  if (columns == nullptr || width < 2) return false;
  *found = {columns[0], columns[1] - columns[0]};
  for (std::int64_t x = 2; x < width; ++x)
    if (columns[x] - columns[x - 1] != found->pace) return false;
  return true;
}

template <std::size_t atom, class From, class To>
inline void row(const std::byte* __restrict source, From from, std::byte* __restrict destination, To to,
                std::int64_t width) {
#pragma GCC unroll 8
  for (std::int64_t x = 0; x < width; ++x) std::memcpy(destination + to[x], source + from[x], atom);
}

// Lines are asked for ahead: stores that fill a part of each would wait for them
// one after the other.
template <std::size_t atom, class From>
inline void row(const std::byte* __restrict source, From from, std::byte* __restrict destination, Even to,
                std::int64_t width) {
  constexpr std::int64_t ahead = 1024, at_once = 8;
  const std::int64_t reach = to.pace > 0 && to.pace <= line ? at_once * to.pace : 0;
  std::int64_t x = 0;
  for (std::byte* target = destination + to.first; x + at_once <= width; x += at_once) {
    for (std::int64_t next = 0; next < reach; next += line) __builtin_prefetch(target + ahead + next, 1);
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < at_once; ++k) std::memcpy(target + k * to.pace, source + from[x + k], atom);
    target += at_once * to.pace;
  }
  for (; x < width; ++x) std::memcpy(destination + to[x], source + from[x], atom);
}

template <std::size_t atom, class From, class To>
void rows(const std::byte* source, BlockSide a, From from, std::byte* destination, BlockSide b, To to,
          std::int64_t height, std::int64_t width) {
  for (std::int64_t y = 0; y < height; ++y)
    row<atom>(source + a.rows[y], from, destination + b.rows[y], to, width);
}

/// Calls with where the columns of a side are.
template <std::size_t atom, class Call>
void with_columns(BlockSide side, std::int64_t height, std::int64_t width, Call call) {
  Even found{0, side.pace};
  if (side.columns == nullptr && (side.pace == 0 || side.pace == static_cast<std::int64_t>(atom)))
    return call(Dense<atom>{});
  // To look through a table costs as much as to move a row.
  if (side.columns == nullptr || (height > 2 && even(side.columns, width, &found))) return call(found);
  call(Table{side.columns});
}

template <std::size_t atom>
void rows(const std::byte* source, BlockSide a, std::byte* destination, BlockSide b, std::int64_t height,
          std::int64_t width) {
  const List out{a.listed, a.pace}, in{b.listed, b.pace};
  if (a.listed != nullptr && b.listed != nullptr)
    return rows<atom>(source, a, out, destination, b, in, height, width);
  if (a.listed != nullptr) return rows<atom>(source, a, out, destination, b, Dense<atom>{}, height, width);
  if (b.listed != nullptr) return rows<atom>(source, a, Dense<atom>{}, destination, b, in, height, width);
  with_columns<atom>(a, height, width, [&](auto from) {
    with_columns<atom>(b, height, width, [&](auto to) {
      if constexpr (std::is_same_v<decltype(from), Dense<atom>> &&
                    std::is_same_v<decltype(to), Dense<atom>>) {
        for (std::int64_t y = 0; y < height; ++y)
          std::memcpy(destination + b.rows[y], source + a.rows[y], static_cast<std::size_t>(width) * atom);
      } else {
        rows<atom>(source, a, from, destination, b, to, height, width);
      }
    });
  });
}

// Of a tile: whole lines of the source. It is as wide as prefetchers can follow
// source rows, each of which is read on to its end.
constexpr std::int64_t tile_height_bytes = 128;

template <std::size_t atom, class From, class To>
inline void tile(const std::byte* __restrict source, const std::int64_t* from_rows, From from,
                 std::byte* __restrict destination, const std::int64_t* to_rows, To to, std::int64_t height,
                 std::int64_t width) {
  for (std::int64_t x = 0; x < width; ++x) {
    const std::byte* column = source + from[x];
    std::byte* target = destination + to[x];
#pragma GCC unroll 8
    for (std::int64_t y = 0; y < height; ++y) std::memcpy(target + to_rows[y], column + from_rows[y], atom);
  }
}

/// Fills rows of `pitch` bytes from columns whose atoms are neighbours.
template <std::size_t atom, class From>
inline void gather_tile(const std::byte* __restrict source, From from, std::byte* __restrict rows,
                        std::int64_t pitch, std::int64_t height, std::int64_t width) {
  std::int64_t x = 0;
#ifdef __SSE2__
  if constexpr (atom == 8) {
    for (; x + 2 <= width; x += 2) {
      const std::byte *left = source + from[x], *right = source + from[x + 1];
      std::byte* target = rows + x * 8;
      std::int64_t y = 0;
      for (; y + 2 <= height; y += 2) {
        const __m128d a = _mm_loadu_pd(reinterpret_cast<const double*>(left + y * 8));
        const __m128d b = _mm_loadu_pd(reinterpret_cast<const double*>(right + y * 8));
        _mm_storeu_pd(reinterpret_cast<double*>(target + y * pitch), _mm_unpacklo_pd(a, b));
        _mm_storeu_pd(reinterpret_cast<double*>(target + (y + 1) * pitch), _mm_unpackhi_pd(a, b));
      }
      if (y < height) {
        std::memcpy(target + y * pitch, left + y * 8, 8);
        std::memcpy(target + y * pitch + 8, right + y * 8, 8);
      }
    }
  }
#endif
  for (; x < width; ++x) {
    const std::byte* column = source + from[x];
    std::byte* target = rows + x * static_cast<std::int64_t>(atom);
    for (std::int64_t y = 0; y < height; ++y)
      std::memcpy(target + y * pitch, column + y * static_cast<std::int64_t>(atom), atom);
  }
}

/// Where the tile that is cut before column x ends in one row: at the beginning
/// of a cache line, so that no line is written by halves.
template <std::size_t atom, class To>
inline std::int64_t cut(std::uintptr_t row, To to, std::int64_t x, std::int64_t width) {
  constexpr auto bytes = static_cast<std::int64_t>(atom);
  constexpr std::int64_t atoms = line / bytes;
  if (x == 0 || x >= width || x < atoms || to[x] - to[x - atoms] != line) return std::min(x, width);
  return x - static_cast<std::int64_t>((row + static_cast<std::uintptr_t>(to[x])) % line) / bytes;
}

/// Whether columns [low, high) lie one after the other; of those of index lists the ends alone do not tell.
template <std::size_t atom, class To>
inline bool in_one_run(To to, std::int64_t low, std::int64_t high) {
  for (std::int64_t x = low + 1; x < high; ++x)
    if (to[x] != to[x - 1] + static_cast<std::int64_t>(atom)) return false;
  return true;
}

/// Through a buffer that stays in the cache, out of which rows are written in runs.
template <std::size_t atom, class From, class To>
void tiles(const std::byte* source, BlockSide a, From from, std::byte* destination, BlockSide b, To to,
           std::int64_t height, std::int64_t width, bool stream) {
  constexpr auto bytes = static_cast<std::int64_t>(atom);
  constexpr std::int64_t tall = tile_height_bytes / bytes, wide = std::max<std::int64_t>(32, 128 / bytes);
  constexpr std::int64_t pitch = wide * bytes + 2 * line;
  alignas(64) std::byte buffer[static_cast<std::size_t>(tall * pitch)];
  std::int64_t places[tall];
  for (std::int64_t y = 0; y < tall; ++y) places[y] = y * pitch;
  for (std::int64_t left = 0; left < width; left += wide) {
    const std::int64_t low = std::max<std::int64_t>(0, left - line / bytes),
                       high = std::min(width, left + wide);
    const bool run = in_one_run<atom>(to, low, high);
    for (std::int64_t top = 0; top < height; top += tall) {
      const std::int64_t down = std::min(height - top, tall);
      const std::int64_t* rows = a.rows + top;
      bool neighbours = true;
      for (std::int64_t y = 1; y < down; ++y) neighbours = neighbours && rows[y] == rows[0] + y * bytes;
      if (neighbours) {
        gather_tile<atom>(source + rows[0], from.after(low), buffer, pitch, down, high - low);
      } else {
        tile<atom>(source, rows, from.after(low), buffer, places, Dense<atom>{}, down, high - low);
      }
      for (std::int64_t y = 0; y < down; ++y) {
        std::byte* row = destination + b.rows[top + y];
        const auto address = reinterpret_cast<std::uintptr_t>(row);
        const std::int64_t last = cut<atom>(address, to, left + wide, width);
        for (std::int64_t x = cut<atom>(address, to, left, width); x < last;) {
          std::int64_t end = last;
          if (!run) {
            for (end = x + 1; end < last && to[end] == to[end - 1] + bytes;) ++end;
          }
          copy_run(row + to[x], buffer + places[y] + (x - low) * bytes, (end - x) * bytes, stream);
          x = end;
        }
      }
    }
  }
}

template <std::size_t atom>
void tiles(const std::byte* source, BlockSide a, std::byte* destination, BlockSide b, std::int64_t height,
           std::int64_t width, bool stream) {
  if (b.columns != nullptr) {
    tiles<atom>(source, a, Table{a.columns}, destination, b, Table{b.columns}, height, width, stream);
  } else {
    tiles<atom>(source, a, Table{a.columns}, destination, b, Dense<atom>{}, height, width, stream);
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
                     BlockSide to, std::int64_t height, std::int64_t width, bool stream) {
  with_atom(atom, [&](auto size) { tiles<size()>(source, from, destination, to, height, width, stream); });
}

void copy_run(std::byte* destination, const std::byte* source, std::int64_t bytes, bool stream) {
#ifdef __SSE2__
  if (stream && bytes >= 2 * line) {
    const auto head = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(destination) % line);
    std::memcpy(destination, source, static_cast<std::size_t>(head));
    std::int64_t at = head;
    for (; at + line <= bytes; at += line) {
      const auto* from = reinterpret_cast<const __m128i*>(source + at);
      auto* to = reinterpret_cast<__m128i*>(destination + at);
      const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
      const __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
      _mm_stream_si128(to, a);
      _mm_stream_si128(to + 1, b);
      _mm_stream_si128(to + 2, c);
      _mm_stream_si128(to + 3, d);
    }
    std::memcpy(destination + at, source + at, static_cast<std::size_t>(bytes - at));
    return;
  }
#endif
  static_cast<void>(stream);
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}

void end_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace lapwing::arrays
