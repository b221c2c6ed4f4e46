// SPDX-License-Identifier: Apache-2.0
#include "transfer/pages/trace_file.hpp"

#include <cerrno>

namespace lapwing::transfer {

bool TraceFile::open(const std::string& path, const std::string& line) {
  path_ = path;
  file_ = std::fopen(path.c_str(), "we");
  if (!file_) {
    error_ = errno;
    return false;
  }
  return put(line);
}

bool TraceFile::put(const std::string& line) {
  bytes_ += line.size() + 1;
  errno = 0;
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fputc('\n', file_);
  // A job that ends early, or is ended, leaves what it has traced.
  if (std::fflush(file_) == 0 && std::ferror(file_) == 0) return true;
  error_ = errno != 0 ? errno : EIO;
  close();
  return false;
}

void TraceFile::add(const std::string& line) {
  if (!file_) return;
  if (bytes_ + line.size() < most_bytes) {
    put(line);
    return;
  }
  if (put("{\"full\":true}")) close();
}

void TraceFile::close() {
  if (file_) std::fclose(file_);
  file_ = nullptr;
}

}  // namespace lapwing::transfer
