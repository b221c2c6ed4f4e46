// SPDX-License-Identifier: Apache-2.0
// The page trace of one rank: JSON lines in a file of its own, bounded in size.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace lapwing::transfer {

class TraceFile {
 public:
  static constexpr std::size_t most_bytes = 16 << 20;

  TraceFile() = default;
  ~TraceFile() { close(); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Begins the file anew with this line. False, with error(), where that cannot be written.
  bool open(const std::string& path, const std::string& line);
  /// Adds a line, at once. Does nothing once a line could not be written, or the file is full; of a full one
  /// the last line says so.
  void add(const std::string& line);
  void close();

  bool is_open() const { return file_ != nullptr; }
  const std::string& path() const { return path_; }
  /// errno of the first failure, or 0.
  int error() const { return error_; }

 private:
  bool put(const std::string& line);

  std::string path_;
  std::FILE* file_ = nullptr;
  std::size_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace lapwing::transfer
