// SPDX-License-Identifier: Apache-2.0
// How an array passes through a file of its elements, one after the other: in rounds of
// bounded size, in each of which some processes have a contiguous part of the file each.
#pragma once

#include <cstdint>

#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

/// One round: a box of the section, and how it lies on the processes that access the file.
struct FileRound {
  Section part;            ///< of the program's array
  Distribution file;       ///< its elements, in the order of the file
  std::int64_t first = 0;  ///< of its first element in the file
};

class FileRounds {
 public:
  /// Of this part of the array, as the array's order says. At most `most_bytes` on a process in a
  /// round, but for rows of one element; a process that takes part has at least `least_bytes`
  /// where there are as many.
  FileRounds(const Distribution& array, const Section& section, int processes, std::int64_t most_bytes,
             std::int64_t least_bytes);

  [[nodiscard]] std::int64_t count() const { return outer_ * inner_; }
  [[nodiscard]] FileRound round(std::int64_t number) const;
  /// Bytes of the whole part.
  [[nodiscard]] std::int64_t bytes() const { return elements_ * element_; }
  /// Elements that `rank` has of a round, and where they begin in the file.
  struct Piece {
    std::int64_t first = 0, elements = 0;
  };
  [[nodiscard]] static Piece piece(const FileRound& round, int rank);

 private:
  /// The dimension that varies k-th slowest.
  [[nodiscard]] std::size_t dimension(std::size_t k) const;

  Distribution array_;
  Section section_;
  ProcessGrid grid_;
  std::size_t cut_ = 0;    // the dimension, by slowness, that is divided; those before have one index a round
  std::int64_t rows_ = 1;  // indices of it in a round
  std::int64_t row_ = 1;   // elements of one of them
  std::int64_t outer_ = 1, inner_ = 1;  // rounds: by what is before, and along it
  std::int64_t elements_ = 1, element_ = 1;
};

}  // namespace lapwing::arrays
