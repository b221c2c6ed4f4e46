// SPDX-License-Identifier: Apache-2.0
// Short-cutting: news of a result travels down a tree of messages, each process
// passing it on when it next looks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lapwing::sets {

namespace declared {
class Comm;
}

class Shortcut {
 public:
  /// After Messages::start().
  static void start();

  /// `lowest`: a result ends the work of higher ranks only. `comm` is open.
  Shortcut(MPI_Comm comm, bool lowest);
  ~Shortcut();
  Shortcut(const Shortcut&) = delete;
  Shortcut& operator=(const Shortcut&) = delete;

  void found(const void* data, std::size_t size);
  bool done();
  /// The chosen rank, or -1; an error is a sentence in `why`.
  int end(void* data, std::size_t size, std::string* why);

 private:
  using Identity = std::pair<std::uint64_t, std::uint32_t>;
  static void heard(const Identity& identity, int finder);
  void learn(int finder);

  MPI_Comm comm_;
  const declared::Comm& members_;
  bool lowest_;
  Identity identity_;
  int best_;  ///< lowest rank known to have found a result; size() if none
  bool mine_ = false;
  std::vector<char> result_;
};

}  // namespace lapwing::sets
