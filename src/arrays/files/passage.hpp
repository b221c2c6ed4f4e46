// SPDX-License-Identifier: Apache-2.0
// One array on its way to a file or from it: what the processes of a task agree on, and the rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "arrays/calls.hpp"
#include "arrays/files/raw_file.hpp"
#include "arrays/schedules/file_rounds.hpp"

namespace lapwing::arrays {

class Passage {
 public:
  /// `part`: of the file, in words that are equal on all processes.
  Passage(const std::shared_ptr<TaskComm>& comm, const char* path, std::string part, const Operand& array,
          bool writes)
      : comm_(comm), path_(path ? path : ""), part_(std::move(part)), array_(array), writes_(writes) {}

  /// Checks the arguments, and that they are equal on all processes. `found` is an error that was found
  /// already.
  Error begin(const Error& found);
  /// The rounds, after begin(): contiguous parts of the file, its elements from byte `offset` on.
  Error run_at(std::int64_t offset);
  /// The same where the task's first process alone reads: `read` gives the elements of a round, or why not.
  using Reader = std::function<std::string(const FileRound& round, char* to)>;
  Error run_by_first(const Reader& read);

  /// An error of this process.
  Error here(Code code, const std::string& why) const;
  const std::string& path() const { return path_; }

 private:
  Error reach(const FileRounds& rounds, std::int64_t offset);
  template <typename Access>
  Error move(const FileRounds& rounds, Access access);

  std::shared_ptr<TaskComm> comm_;
  std::string path_, part_;
  Operand array_;
  bool writes_;
  RawFile file_;
};

}  // namespace lapwing::arrays
