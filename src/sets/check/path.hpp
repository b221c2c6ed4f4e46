// SPDX-License-Identifier: Apache-2.0
// The branches that a process has taken, in compiled code, while checking.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sets/mode.hpp"

namespace lapwing::sets {

/// One stack for each process: splits that have not merged yet, and of each the
/// branch taken last.
class PathRecorder : public Path {
 public:
  void split(const lapwing_split_site* site, int branch, int comms, const void* handles,
             bool fortran) override;
  void merge(const lapwing_merge_site* site) override;
  unsigned call_through(const lapwing_pointer_site* site, const void* function) override;
  void called(unsigned depth) override { leave(depth - 1); }
  unsigned enter() override;
  void leave(unsigned depth) override;
  /// A line for each open split: "file.c:12 went on at line 14"; then, with a ~ before it,
  /// one for the last branch taken at each split at all. `name` gives the name of a
  /// function that was called through a pointer, by its number.
  std::string text(std::string (*name)(int) = nullptr) const;

 private:
  struct Taken {
    const lapwing_split_site* site;
    int branch;
  };
  /// The facts known of a site. A loop goes round a hot branch as often as it computes,
  /// so a table without chains, at most half full, and no search of the stack.
  struct Met {
    const lapwing_split_site* site = nullptr;
    int branch = 0;        ///< taken last
    std::size_t open = 0;  ///< where on the stack it was put last; it may have gone since
  };
  Met& met(const lapwing_split_site* site);
  Met& slot(const lapwing_split_site* site);

  std::vector<Taken> stack_;
  std::vector<Met> met_ = std::vector<Met>(64);
  std::size_t sites_ = 0;
};

PathRecorder& path_recorder();

}  // namespace lapwing::sets
