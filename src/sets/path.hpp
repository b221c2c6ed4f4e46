// SPDX-License-Identifier: Apache-2.0
// The branches that a process has taken, in compiled code, while checking.
#pragma once

#include <map>
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
  unsigned enter() override;
  void leave(unsigned depth) override;
  /// A line for each open split: "file.c:12 branch 1"; then, with a ~ before it, one
  /// for the last branch taken at each split at all.
  std::string text() const;

 private:
  struct Taken {
    const lapwing_split_site* site;
    int branch;
  };
  std::vector<Taken> stack_;
  std::map<const lapwing_split_site*, int> last_;
};

PathRecorder& path_recorder();
std::string path_text();

}  // namespace lapwing::sets
