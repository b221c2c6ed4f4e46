// SPDX-License-Identifier: Apache-2.0
#include "arrays/agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "arrays/collectives/collectives.hpp"

namespace lapwing::arrays {

Error agree_within(TaskComm& comm, const Error& mine, std::size_t call, const char* what) {
  const auto hash = static_cast<unsigned long long>(call);
  std::array<unsigned long long, 3> words{
      mine ? static_cast<unsigned long long>(comm.processes() - comm.rank()) : 0, hash, ~hash};
  complete([&](MPI_Request* r) {
    PMPI_Iallreduce(MPI_IN_PLACE, words.data(), 3, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm.program(), r);
  });
  if (words[0] == 0) {
    if (words[1] == ~words[2]) return {};
    return {Code::differs,
            fmt::format("task {}: its processes gave different {} in what should be the same call",
                        comm.task(), what)};
  }
  const int failed = comm.processes() - static_cast<int>(words[0]);
  std::array<char, 1024> sentence{};
  sentence[0] = static_cast<char>(mine.code);
  std::strncpy(sentence.data() + 1, mine.text.c_str(), sentence.size() - 2);
  complete([&](MPI_Request* r) {
    PMPI_Ibcast(sentence.data(), static_cast<int>(sentence.size()), MPI_CHAR, failed, comm.program(), r);
  });
  return {static_cast<Code>(sentence[0]), sentence.data() + 1};
}

}  // namespace lapwing::arrays
