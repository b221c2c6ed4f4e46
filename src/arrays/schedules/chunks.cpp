// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/chunks.hpp"

#include <algorithm>
#include <cstring>

namespace lapwing::arrays {

namespace {

constexpr std::size_t told_of_family = 4;
// A chunk is a word of its number and count, and bits, or, of few indices, offsets of two bytes. A full one
// needs neither.
constexpr std::int64_t counts = 2 * chunk_size;
constexpr std::size_t offsets_a_word = sizeof(std::int64_t) / sizeof(ChunkOffset);

std::size_t payload(std::int64_t count) {
  if (count == chunk_size) return 0;
  if (count > static_cast<std::int64_t>(most_offsets)) return ChunkBits::words;
  return (static_cast<std::size_t>(count) + offsets_a_word - 1) / offsets_a_word;
}

}  // namespace

void ChunkBits::set_range(std::size_t from, std::size_t to) {
  if (from >= to) return;
  const std::size_t first = from / 64, last = (to - 1) / 64;
  const std::uint64_t head = ~std::uint64_t{0} << from % 64, tail = ~std::uint64_t{0} >> (63 - (to - 1) % 64);
  if (first == last) {
    bits_[first] |= head & tail;
    return;
  }
  bits_[first] |= head;
  for (std::size_t w = first + 1; w < last; ++w) bits_[w] = ~std::uint64_t{0};
  bits_[last] |= tail;
}

std::int64_t ChunkBits::count() const {
  std::int64_t result = 0;
  // Without an instruction for it, which not all processors have, in four steps.
  for (std::uint64_t word : bits_) {
    word -= word >> 1 & 0x5555555555555555U;
    word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FU;
    result += static_cast<std::int64_t>(word * 0x0101010101010101U >> 56);
  }
  return result;
}

void write_chunk(Words& out, std::int64_t number, const ChunkBits& bits) {
  const std::int64_t count = bits.count();
  if (count == 0) return;
  if (count <= static_cast<std::int64_t>(most_offsets)) {
    std::array<ChunkOffset, most_offsets> offsets;
    std::size_t k = 0;
    bits.each([&](std::size_t offset) { offsets[k++] = static_cast<ChunkOffset>(offset); });
    return write_chunk(out, number, std::span(offsets).first(k));
  }
  out.push_back(number * counts + count);
  if (count == chunk_size) return;
  const std::size_t at = out.size();
  out.resize(at + ChunkBits::words);
  std::memcpy(out.data() + at, &bits, ChunkBits::words * sizeof(std::uint64_t));
}

void write_chunk(Words& out, std::int64_t number, std::span<const ChunkOffset> offsets) {
  if (offsets.empty()) return;
  if (offsets.size() > most_offsets) {
    ChunkBits bits;
    for (const ChunkOffset offset : offsets) bits.set(offset);
    return write_chunk(out, number, bits);
  }
  const auto count = static_cast<std::int64_t>(offsets.size());
  out.push_back(number * counts + count);
  const std::size_t at = out.size();
  out.resize(at + payload(count));
  std::memcpy(out.data() + at, offsets.data(), offsets.size_bytes());
}

void ChunkWalk::reach(std::int64_t number) {
  const auto& families = set_->families;
  while (family_ < families.size() && end_of(families[family_]) <= number * chunk_size) ++family_;
  const Words& words = set_->chunks;
  while (word_ < words.size() && words[word_] / counts < number) word_ += 1 + payload(words[word_] % counts);
}

std::size_t ChunkWalk::only_offsets(std::int64_t number, const unsigned char** offsets) {
  reach(number);
  const auto& families = set_->families;
  const Words& words = set_->chunks;
  if (word_ >= words.size() || words[word_] / counts != number) return 0;
  if (family_ < families.size() && families[family_].first < (number + 1) * chunk_size) return 0;
  const std::int64_t count = words[word_] % counts;
  const std::size_t behind = word_ + 1 + payload(count);
  const bool only = behind >= words.size() || words[behind] / counts != number;
  if (!only || count > static_cast<std::int64_t>(most_offsets)) return 0;
  *offsets = reinterpret_cast<const unsigned char*>(words.data() + word_ + 1);
  word_ = behind;
  return static_cast<std::size_t>(count);
}

std::int64_t ChunkWalk::next(std::int64_t number) {
  std::int64_t result = none;
  const std::int64_t low = number * chunk_size;
  const auto& families = set_->families;
  reach(number);
  if (family_ < families.size()) {
    const Segments& family = families[family_];
    const std::int64_t first = family.first + segment_behind(family, low) * family.stride;
    result = std::max(first, low) / chunk_size;
  }
  const Words& words = set_->chunks;
  if (word_ < words.size() && (result == none || words[word_] / counts < result))
    result = words[word_] / counts;
  return result;
}

void ChunkWalk::read(std::int64_t number, ChunkBits& bits) {
  const std::int64_t low = number * chunk_size, high = low + chunk_size;
  const auto& families = set_->families;
  reach(number);
  for (std::size_t f = family_; f < families.size() && families[f].first < high; ++f) {
    const Segments& family = families[f];
    for (std::int64_t k = segment_behind(family, low); k < family.count; ++k) {
      const std::int64_t first = family.first + k * family.stride;
      if (first >= high) break;
      bits.set_range(static_cast<std::size_t>(std::max(first, low) - low),
                     static_cast<std::size_t>(std::min(first + family.length, high) - low));
    }
  }
  const Words& words = set_->chunks;
  // Two directories may have told of the same chunk.
  while (word_ < words.size() && words[word_] / counts == number) {
    const std::int64_t count = words[word_] % counts;
    const auto* bytes = reinterpret_cast<const unsigned char*>(words.data() + word_ + 1);
    if (count == chunk_size) {
      bits.set_range(0, chunk_size);
    } else if (count > static_cast<std::int64_t>(most_offsets)) {
      for (std::size_t w = 0; w < ChunkBits::words; ++w)
        bits[w] |= static_cast<std::uint64_t>(words[word_ + 1 + w]);
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        ChunkOffset offset = 0;
        std::memcpy(&offset, bytes + sizeof offset * static_cast<std::size_t>(k), sizeof offset);
        bits.set(offset);
      }
    }
    word_ += 1 + payload(count);
  }
}

std::int64_t segments_of(const std::vector<Segments>& families) {
  std::int64_t result = 0;
  for (const Segments& family : families) result += family.count;
  return result;
}

std::int64_t count_of(const Indices& set) {
  std::int64_t result = 0;
  for (const Segments& family : set.families) result += family.length * family.count;
  for (std::size_t at = 0; at < set.chunks.size(); at += 1 + payload(set.chunks[at] % counts))
    result += set.chunks[at] % counts;
  return result;
}

void write_indices(Words& out, const Indices& set) {
  out.push_back(static_cast<std::int64_t>(set.families.size()));
  for (const Segments& family : set.families)
    out.insert(out.end(), {family.first, family.length, family.stride, family.count});
  out.push_back(static_cast<std::int64_t>(set.chunks.size()));
  out.insert(out.end(), set.chunks.begin(), set.chunks.end());
}

Indices read_indices(std::span<const std::int64_t>& words) {
  Indices result;
  const auto word = [&] {
    if (words.empty()) return std::size_t{0};
    const std::int64_t value = words.front();
    words = words.subspan(1);
    return static_cast<std::size_t>(value);
  };
  result.families.resize(std::min(word(), words.size() / told_of_family));
  for (Segments& family : result.families) {
    family = {words[0], words[1], words[2], words[3], words[0], words[2], 0};
    words = words.subspan(told_of_family);
  }
  const std::size_t count = std::min(word(), words.size());
  result.chunks.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  words = words.subspan(count);
  return result;
}

}  // namespace lapwing::arrays
