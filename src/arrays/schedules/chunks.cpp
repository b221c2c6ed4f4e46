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
constexpr std::int64_t offsets_a_word = sizeof(std::int64_t) / sizeof(std::uint16_t);
constexpr std::int64_t most_offsets = (static_cast<std::int64_t>(ChunkBits::words) - 1) * offsets_a_word;

std::size_t payload(std::int64_t count) {
  if (count == chunk_size) return 0;
  if (count > most_offsets) return ChunkBits::words;
  return static_cast<std::size_t>((count + offsets_a_word - 1) / offsets_a_word);
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
  for (const std::uint64_t word : bits_) result += __builtin_popcountll(word);
  return result;
}

void write_chunk(Words& out, std::int64_t number, const ChunkBits& bits) {
  const std::int64_t count = bits.count();
  if (count == 0) return;
  out.push_back(number * counts + count);
  const std::size_t at = out.size();
  out.resize(at + payload(count));
  if (count == chunk_size) return;
  if (count > most_offsets) {
    std::memcpy(out.data() + at, &bits, ChunkBits::words * sizeof(std::uint64_t));
    return;
  }
  std::size_t k = 0;
  auto* bytes = reinterpret_cast<unsigned char*>(out.data() + at);
  bits.each([&](std::size_t offset) {
    const auto narrow = static_cast<std::uint16_t>(offset);
    std::memcpy(bytes + sizeof narrow * k++, &narrow, sizeof narrow);
  });
}

std::int64_t ChunkWalk::next(std::int64_t number) {
  std::int64_t result = none;
  const std::int64_t low = number * chunk_size;
  const auto& families = set_->families;
  while (family_ < families.size() && end_of(families[family_]) <= low) ++family_;
  if (family_ < families.size()) {
    const Segments& family = families[family_];
    const std::int64_t first = family.first + segment_behind(family, low) * family.stride;
    result = std::max(first, low) / chunk_size;
  }
  const Words& words = set_->chunks;
  while (word_ < words.size() && words[word_] / counts < number) word_ += 1 + payload(words[word_] % counts);
  if (word_ < words.size() && (result == none || words[word_] / counts < result))
    result = words[word_] / counts;
  return result;
}

void ChunkWalk::read(std::int64_t number, ChunkBits& bits) {
  const std::int64_t low = number * chunk_size, high = low + chunk_size;
  const auto& families = set_->families;
  while (family_ < families.size() && end_of(families[family_]) <= low) ++family_;
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
  while (word_ < words.size() && words[word_] / counts < number) word_ += 1 + payload(words[word_] % counts);
  // Two directories may have told of the same chunk.
  while (word_ < words.size() && words[word_] / counts == number) {
    const std::int64_t count = words[word_] % counts;
    const auto* bytes = reinterpret_cast<const unsigned char*>(words.data() + word_ + 1);
    if (count == chunk_size) {
      bits.set_range(0, chunk_size);
    } else if (count > most_offsets) {
      for (std::size_t w = 0; w < ChunkBits::words; ++w)
        bits[w] |= static_cast<std::uint64_t>(words[word_ + 1 + w]);
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        std::uint16_t offset = 0;
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
