// SPDX-License-Identifier: Apache-2.0
// The bytes of a distribution or section, as the descriptor exchange sends
// them: 64-bit words of the host's order, first a mark that also tells the
// order and the version. A reader believes nothing that it has not checked.
#include <fmt/format.h>

#include <cstring>

#include "arrays/schedules/index_list.hpp"

namespace lapwing::arrays {

namespace {

constexpr std::int64_t distribution_mark = 0x324944574c;  // "LWDI2"
constexpr std::int64_t section_mark = 0x314553574c;       // "LWSE1"

class Writer {
 public:
  explicit Writer(std::int64_t mark) { word(mark); }
  void word(std::int64_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  template <class Values>
  void list(const Values& values) {
    word(static_cast<std::int64_t>(values.size()));
    for (const auto value : values) word(value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class DescriptorReader {
 public:
  explicit DescriptorReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::int64_t word() {
    std::int64_t value = 0;
    if (bytes_.size() < sizeof value) {
      short_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  /// A count of things that take so many words each: never more than there are bytes for.
  std::size_t count(std::size_t words_each) {
    const std::int64_t value = word();
    if (value < 0 || static_cast<std::uint64_t>(value) > bytes_.size() / (words_each * sizeof value)) {
      short_ = true;
      return 0;
    }
    return static_cast<std::size_t>(value);
  }
  template <class Value>
  void list(std::vector<Value>& values) {
    values.resize(count(1));
    for (Value& value : values) value = narrow<Value>();
  }
  template <class Value>
  Value narrow() {
    const std::int64_t value = word();
    if (static_cast<std::int64_t>(static_cast<Value>(value)) != value) wide_ = true;
    return static_cast<Value>(value);
  }
  std::string problem(const char* what) const {
    if (short_) return fmt::format("the {} that arrived is cut short", what);
    if (!bytes_.empty()) return fmt::format("the {} that arrived has {} bytes too many", what, bytes_.size());
    if (wide_) return fmt::format("the {} that arrived holds a number that does not fit", what);
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
  bool short_ = false, wide_ = false;
};

constexpr std::size_t dimension_words = 10;

constexpr std::size_t words_of_lists = 8;
/// Of index lists the other side learns that they are the same ones, and whether they can be sent.
std::vector<std::int64_t> words_of(const IndexLists* lists) {
  if (lists == nullptr) return {};
  return {lists->id[0],   lists->id[1],    lists->extent,     lists->processes,
          lists->missing, lists->repeated, lists->first_rank, lists->second_rank};
}

std::shared_ptr<const IndexLists> lists_of(const std::vector<std::int64_t>& words) {
  if (words.size() != words_of_lists) return nullptr;
  auto lists = std::make_shared<IndexLists>();
  lists->id = {words[0], words[1]};
  lists->extent = words[2];
  lists->processes = static_cast<int>(words[3]);
  lists->missing = words[4];
  lists->repeated = words[5];
  lists->first_rank = static_cast<int>(words[6]);
  lists->second_rank = static_cast<int>(words[7]);
  return lists;
}

}  // namespace

std::vector<std::byte> encode(const Distribution& distribution) {
  Writer out(distribution_mark);
  out.word(static_cast<std::int64_t>(distribution.type));
  out.word(distribution.opaque_bytes);
  out.word(static_cast<std::int64_t>(distribution.order));
  out.list(distribution.grid.extents);
  out.word(distribution.grid.column_major ? 1 : 0);
  out.list(distribution.grid.ranks);
  out.word(static_cast<std::int64_t>(distribution.dimensions.size()));
  for (const Dimension& dimension : distribution.dimensions) {
    out.word(dimension.extent);
    out.word(static_cast<std::int64_t>(dimension.layout));
    out.word(dimension.block);
    out.word(dimension.grid_dimension);
    out.word(dimension.first_process);
    out.word(dimension.offset);
    out.word(dimension.ghost_below);
    out.word(dimension.ghost_above);
    out.list(dimension.bounds);
    out.list(words_of(dimension.lists.get()));
  }
  return out.take();
}

Decoded decode(std::span<const std::byte> bytes) {
  DescriptorReader in(bytes);
  if (in.word() != distribution_mark)
    return {{}, "what arrived is no array descriptor of this version of Lapwing on this kind of machine"};
  Distribution result;
  const std::int64_t type = in.word();
  result.opaque_bytes = in.word();
  const std::int64_t order = in.word();
  in.list(result.grid.extents);
  result.grid.column_major = in.word() != 0;
  in.list(result.grid.ranks);
  result.dimensions.resize(in.count(dimension_words));
  std::int64_t worst_layout = 0;
  for (Dimension& dimension : result.dimensions) {
    dimension.extent = in.word();
    const std::int64_t layout = in.word();
    if (layout < 0 || layout > 3) worst_layout = layout;
    dimension.layout = static_cast<Layout>(layout);
    dimension.block = in.word();
    dimension.grid_dimension = in.narrow<int>();
    dimension.first_process = in.narrow<int>();
    dimension.offset = in.word();
    dimension.ghost_below = in.word();
    dimension.ghost_above = in.word();
    in.list(dimension.bounds);
    std::vector<std::int64_t> lists;
    in.list(lists);
    if (dimension.layout == Layout::indexed) dimension.lists = lists_of(lists);
  }
  if (std::string problem = in.problem("array descriptor"); !problem.empty()) return {{}, problem};
  if (type < 0 || type >= element_types || order < 0 || order > 1 || worst_layout != 0) {
    return {{},
            fmt::format("the array descriptor that arrived has element type {}, order {} and layout {}", type,
                        order, worst_layout)};
  }
  result.type = static_cast<ElementType>(type);
  result.order = static_cast<Order>(order);
  if (std::string problem = validate(result, -1); !problem.empty())
    return {{}, "in the array descriptor that arrived, " + problem};
  return {std::move(result), {}};
}

std::vector<std::byte> encode(const Section& section) {
  Writer out(section_mark);
  out.word(static_cast<std::int64_t>(section.dimensions.size()));
  for (const SectionDimension& dimension : section.dimensions) {
    out.word(dimension.first);
    out.word(dimension.count);
    out.word(dimension.stride);
  }
  out.list(section.permutation);
  return out.take();
}

DecodedSection decode_section(std::span<const std::byte> bytes) {
  DescriptorReader in(bytes);
  if (in.word() != section_mark)
    return {{}, "what arrived is no section descriptor of this version of Lapwing on this kind of machine"};
  Section result;
  result.dimensions.resize(in.count(3));
  for (SectionDimension& dimension : result.dimensions) {
    dimension.first = in.word();
    dimension.count = in.word();
    dimension.stride = in.word();
  }
  in.list(result.permutation);
  if (std::string problem = in.problem("section descriptor"); !problem.empty()) return {{}, problem};
  return {std::move(result), {}};
}

}  // namespace lapwing::arrays
