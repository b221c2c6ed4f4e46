// SPDX-License-Identifier: Apache-2.0
// Sets of indices as families of line segments (FALLS; Ramaswamy and Banerjee,
// step 4 of HPF/MPI 2.1), nested two deep: within one common period of the two
// distributions the segments, and around them the periods.
//
// A set knows two things about each index: its number in the section, which
// both sides of a transfer share, and where it lies on this side. All walks are
// in ascending order of the section's indices, so that both sides, which may
// have grouped the same set differently, walk the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays/schedules/axis.hpp"

namespace lapwing::arrays {

/// `count` segments of `length` indices; each begins `stride` after the one before.
struct Segments {
  std::int64_t first = 0, length = 0, stride = 0, count = 1;  ///< indices
  std::int64_t local = 0, local_stride = 0;                   ///< where they lie
  std::int64_t before = 0;                                    ///< elements of those listed before

  bool operator==(const Segments&) const = default;
};

/// Appends a family of one segment: as one more of the last family where it goes on like it.
void append_segment(std::vector<Segments>& families, const Segments& next);

/// `count` repetitions of inner families, whose indices and places count from
/// the beginning of the repetition.
struct Falls {
  std::int64_t first = 0, stride = 0, count = 1;
  std::int64_t local = 0, local_stride = 0;
  std::int64_t elements = 0;  ///< of one repetition
  std::int64_t before = 0;
  std::vector<Segments> inner = {};
  /// In place of families that would be short: where each element of one repetition lies. Indices are
  /// then unknown.
  std::vector<std::uint32_t> listed = {};
  /// Where families or a list tell places only: the index of each mark_every-th element.
  std::vector<std::int64_t> marks = {};
  static constexpr std::size_t mark_every = 1024;

  bool operator==(const Falls&) const = default;
};

class IndexSet {
 public:
  IndexSet() = default;
  IndexSet(std::vector<Falls> members, std::int64_t step);

  [[nodiscard]] const std::vector<Falls>& members() const { return members_; }
  /// From one index of a segment to the next, where they lie.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  /// How many segments there are, and how many families describe them.
  [[nodiscard]] std::int64_t segments() const { return segments_; }
  [[nodiscard]] std::int64_t families() const { return families_; }
  /// The greatest length that divides all segments'.
  [[nodiscard]] std::int64_t common_length() const { return common_length_; }
  /// No two sets of a process have the same number, dead ones included.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  /// The only family, which is not repeated; null where there are more.
  [[nodiscard]] const Segments* only() const;

 private:
  std::vector<Falls> members_;
  std::int64_t step_ = 1, elements_ = 0, segments_ = 0, families_ = 0, common_length_ = 0;
  std::uint64_t serial_ = 0;
};

/// Walks a set segment by segment from any element on; to get there costs the
/// logarithm of the number of families.
class SegmentWalk {
 public:
  SegmentWalk(const IndexSet& set, std::int64_t element);

  [[nodiscard]] bool done() const { return member_ == set_->members().size(); }
  /// The rest of the present segment.
  [[nodiscard]] std::int64_t index() const { return index_; }
  [[nodiscard]] std::int64_t local() const { return local_; }
  [[nodiscard]] std::int64_t length() const { return length_; }

  /// Goes on by so many elements, at most length().
  void advance(std::int64_t elements) {
    if (elements < length_) {
      index_ += elements;
      local_ += elements * set_->step();
      length_ -= elements;
    } else {
      next();
    }
  }
  void next();

  /// The elements that follow by one rule: places from the present element on, or, where it begins a
  /// segment, that many of the same family.
  struct Ahead {
    const std::uint32_t* listed = nullptr;  ///< to be added to `base`
    std::int64_t base = 0, elements = 0;
    std::int64_t segments = 1, local_stride = 0;
  };
  [[nodiscard]] Ahead ahead() const;
  /// Goes on by listed elements, or by whole segments, that ahead() told of.
  void skip_listed(std::int64_t elements);
  void skip_segments(std::int64_t segments);

 private:
  void load();
  void next_repetition();

  const IndexSet* set_;
  std::size_t member_ = 0, family_ = 0;
  std::int64_t repetition_ = 0, segment_ = 0;  ///< of a list: the element at which the present run ends
  std::int64_t index_ = 0, local_ = 0, length_ = 0;
};

/// The same places in the same order, where segments that are neighbours here
/// count as one, and short families without a rule are a list: four bytes an element,
/// less than the families took. Knows nothing of indices.
std::shared_ptr<const IndexSet> joined_places(const std::shared_ptr<const IndexSet>& set);

/// The elements that one coordinate shares with a coordinate of the other side.
struct Shared {
  int coordinate;
  std::shared_ptr<const IndexSet> set;     ///< places are those of `mine`
  std::shared_ptr<const IndexSet> places;  ///< joined_places() of it
};

/// The elements that `coordinate` of one axis shares with each coordinate of another,
/// both over the same section; coordinates that share none are left out. Costs the segments within one
/// common period, or fewer where one side's runs span many of the other's.
std::vector<Shared> intersect(const Axis& mine, int coordinate, const Axis& theirs);

}  // namespace lapwing::arrays
