// SPDX-License-Identifier: Apache-2.0
// A file that the processes of a task have open together, by MPI's files; and what went wrong
// with it in a person's words.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace lapwing::arrays {

class RawFile {
 public:
  /// Collective over `comm`. "" or why it cannot be opened, by this process.
  std::string open(MPI_Comm comm, const char* path, bool writes);
  /// "" or why not all of these bytes are in the file, or in memory, now.
  std::string write(std::int64_t offset, const char* from, std::int64_t bytes);
  std::string read(std::int64_t offset, char* to, std::int64_t bytes);
  /// -1 where that cannot be known.
  std::int64_t size() const;
  /// Collective; of an open file.
  std::string close();
  bool is_open() const { return file_ != MPI_FILE_NULL; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
  std::string path_;
};

}  // namespace lapwing::arrays
