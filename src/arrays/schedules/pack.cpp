// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/pack.hpp"

#include <algorithm>
#include <memory>

#include "arrays/schedules/mover.hpp"

namespace lapwing::arrays {

namespace {

// Elements that are converted at once: enough rows for tiles, small enough for the cache.
constexpr std::int64_t converted_at_once = 16384;

const std::byte* bytes_of(const void* memory) { return static_cast<const std::byte*>(memory); }
std::byte* bytes_of(void* memory) { return static_cast<std::byte*>(memory); }

std::unique_ptr<std::byte[]> buffer(std::int64_t bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[static_cast<std::size_t>(bytes)]);
}

}  // namespace

void pack(const Piece& piece, const void* local, std::int64_t from, std::int64_t count, void* wire) {
  Mover(&piece, nullptr, piece.local_bytes).move(bytes_of(local), bytes_of(wire), from, count);
}

void unpack(const Piece& piece, void* local, std::int64_t from, std::int64_t count, const void* wire) {
  const Mover mover(nullptr, &piece, piece.local_bytes);
  if (piece.wire == piece.local) return mover.move(bytes_of(wire), bytes_of(local), from, count);
  const auto converted = buffer(std::min(count, converted_at_once) * piece.local_bytes);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t now = std::min(count - done, converted_at_once);
    convert(piece.wire, bytes_of(wire) + done * piece.wire_bytes, piece.local, converted.get(), now);
    mover.move(converted.get(), bytes_of(local), from + done, now);
    done += now;
  }
}

void copy_between(const Piece& out, const void* a, const Piece& in, void* b, std::int64_t from,
                  std::int64_t count) {
  if (in.wire == in.local)
    return Mover(&out, &in, out.local_bytes).move(bytes_of(a), bytes_of(b), from, count);
  const auto packed = buffer(std::min(count, converted_at_once) * out.local_bytes);
  for (const std::int64_t end = from + count; from < end; from += converted_at_once) {
    const std::int64_t now = std::min(end - from, converted_at_once);
    pack(out, a, from, now, packed.get());
    unpack(in, b, from, now, packed.get());
  }
}

bool contiguous(const Piece& piece, std::int64_t& offset) {
  if (piece.wire != piece.local) return false;
  const Mover mover(&piece, nullptr, piece.local_bytes);
  offset = mover.source_base();
  return mover.one_run();
}

}  // namespace lapwing::arrays
