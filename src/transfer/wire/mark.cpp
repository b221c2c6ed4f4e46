// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/mark.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cstring>

#include "transfer/engine.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

void Mark::agree(MPI_Comm comm) {
  if (getrandom(bytes_.data(), sizeof bytes_, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bytes_)) {
    // Early in the life of a machine: different from job to job all the same.
    bytes_ = {now_ns(), static_cast<std::uint64_t>(getpid())};
  }
  PMPI_Bcast(bytes_.data(), static_cast<int>(bytes_.size()), MPI_UINT64_T, 0, comm);
}

bool Mark::is_on(const HeaderBytes& header) {
  Trailer trailer;
  std::memcpy(&trailer, header.data() + 2 * edge_bytes, sizeof trailer);
  return trailer.mark[0] == bytes_[0] && trailer.mark[1] == bytes_[1];
}

}  // namespace lapwing::transfer
