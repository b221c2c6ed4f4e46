// SPDX-License-Identifier: Apache-2.0
// Each process accesses a contiguous part by itself: MPI's collective accesses would gain nothing,
// and a process on which one fails leaves the others waiting with some MPIs. MPI's word for an error
// is often no more than that there was one, so the system is asked, too.
#include "arrays/files/raw_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lapwing::arrays {
namespace {

constexpr std::int64_t at_once = std::int64_t{1} << 30;  // counts are ints, and some MPIs add to them

std::string words_of(int error) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  PMPI_Error_string(error, text, &length);
  std::string words(text, static_cast<std::size_t>(length));
  for (char& c : words)
    if (c == '\n') c = ' ';
  while (!words.empty() && (words.back() == ' ' || words.back() == '.')) words.pop_back();
  return "MPI says: " + words;
}

// Of a file that MPI has not opened.
std::string why_closed(const std::string& path, bool writes, int error) {
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && S_ISDIR(is.st_mode)) return "it is a directory";
  const int descriptor = ::open(path.c_str(), (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  if (descriptor < 0) return std::strerror(errno);
  ::close(descriptor);
  return words_of(error);
}

// Of a write of which nothing more is known.
std::string why_not_written(const std::string& path, std::int64_t end, int error) {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<std::uint64_t>(end) > limit.rlim_cur)
    return fmt::format("this process may not write files of more than {} bytes (RLIMIT_FSIZE)",
                       limit.rlim_cur);
  struct statvfs room {};
  if (statvfs(path.c_str(), &room) == 0 && room.f_blocks > 0 && room.f_bavail == 0)
    return "no space is left on the device";
  return error == MPI_SUCCESS ? "MPI wrote a part only" : words_of(error);
}

}  // namespace

std::string RawFile::open(MPI_Comm comm, const char* path, bool writes) {
  path_ = path;
  const int mode = writes ? MPI_MODE_WRONLY | MPI_MODE_CREATE : MPI_MODE_RDONLY;
  const int error = PMPI_File_open(comm, path_.c_str(), mode, MPI_INFO_NULL, &file_);
  if (error == MPI_SUCCESS) {
    PMPI_File_set_errhandler(file_, MPI_ERRORS_RETURN);
    return {};
  }
  file_ = MPI_FILE_NULL;
  return fmt::format("the file {} cannot be opened for {}: {}", path_, writes ? "writing" : "reading",
                     why_closed(path_, writes, error));
}

std::string RawFile::write(std::int64_t offset, const char* from, std::int64_t bytes) {
  for (std::int64_t done = 0; done < bytes;) {
    const int count = static_cast<int>(std::min(bytes - done, at_once));
    MPI_Status status{};
    int written = 0;
    const int error = PMPI_File_write_at(file_, offset + done, from + done, count, MPI_BYTE, &status);
    if (error == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &written);
    if (error != MPI_SUCCESS || written != count)
      return fmt::format("{} bytes from {} on cannot be written to the file {}: {}", bytes, offset, path_,
                         why_not_written(path_, offset + bytes, error));
    done += count;
  }
  return {};
}

std::string RawFile::read(std::int64_t offset, char* to, std::int64_t bytes) {
  for (std::int64_t done = 0; done < bytes;) {
    const int count = static_cast<int>(std::min(bytes - done, at_once));
    MPI_Status status{};
    int found = 0;
    const int error = PMPI_File_read_at(file_, offset + done, to + done, count, MPI_BYTE, &status);
    if (error == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &found);
    if (error != MPI_SUCCESS || found != count)
      return fmt::format(
          "{} bytes from {} on cannot be read from the file {}: {}", bytes, offset, path_,
          error == MPI_SUCCESS ? fmt::format("it ends after {} of them", done + found) : words_of(error));
    done += count;
  }
  return {};
}

std::int64_t RawFile::size() const {
  MPI_Offset size = 0;
  return PMPI_File_get_size(file_, &size) == MPI_SUCCESS ? static_cast<std::int64_t>(size) : -1;
}

std::string RawFile::close() {
  const int error = PMPI_File_close(&file_);
  file_ = MPI_FILE_NULL;
  if (error == MPI_SUCCESS) return {};
  return fmt::format("the file {} cannot be closed: {}", path_, words_of(error));
}

}  // namespace lapwing::arrays
