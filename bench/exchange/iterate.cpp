// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include "exchange/exchange.hpp"
#include "support/chain.hpp"

namespace lapwing::bench::exchange {

namespace {

constexpr int tag = 3;

int bytes(std::size_t words) { return static_cast<int>(words * sizeof(std::uint64_t)); }

// The function, in which nothing else is called, is kept whole: a loop of a program's.
template <int sides>
[[gnu::noinline]] std::uint64_t irecv_isend_wait(const Side* side, int iterations, chain::Work work) {
  std::uint64_t sum = 0;
  for (int i = 0; i < iterations; ++i) {
    for (int s = 0; s < sides; ++s) chain::advance(side[s].out, side[s].out_words);
    MPI_Request received[sides], sent[sides];
    for (int s = 0; s < sides; ++s)
      MPI_Irecv(side[s].in, bytes(side[s].in_words), MPI_BYTE, side[s].from, tag + s, MPI_COMM_WORLD,
                &received[s]);
    for (int s = 0; s < sides; ++s)
      MPI_Isend(side[s].out, bytes(side[s].out_words), MPI_BYTE, side[s].to, tag + s, MPI_COMM_WORLD,
                &sent[s]);
    for (int s = 0; s < sides; ++s) MPI_Wait(&received[s], MPI_STATUS_IGNORE);
    for (int s = 0; s < sides; ++s) MPI_Wait(&sent[s], MPI_STATUS_IGNORE);
    for (int s = 0; s < sides; ++s) sum += chain::scan(side[s].in, side[s].in_words, work);
  }
  return sum;
}

template <int sides>
[[gnu::noinline]] std::uint64_t sendrecv(const Side* side, int iterations, chain::Work work) {
  std::uint64_t sum = 0;
  for (int i = 0; i < iterations; ++i) {
    for (int s = 0; s < sides; ++s) chain::advance(side[s].out, side[s].out_words);
    for (int s = 0; s < sides; ++s)
      MPI_Sendrecv(side[s].out, bytes(side[s].out_words), MPI_BYTE, side[s].to, tag + s, side[s].in,
                   bytes(side[s].in_words), MPI_BYTE, side[s].from, tag + s, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    for (int s = 0; s < sides; ++s) sum += chain::scan(side[s].in, side[s].in_words, work);
  }
  return sum;
}

template <int sides>
[[gnu::noinline]] std::uint64_t send_irecv(const Side* side, int iterations, chain::Work work) {
  std::uint64_t sum = 0;
  for (int i = 0; i < iterations; ++i) {
    for (int s = 0; s < sides; ++s) chain::advance(side[s].out, side[s].out_words);
    MPI_Request received[sides];
    for (int s = 0; s < sides; ++s)
      MPI_Irecv(side[s].in, bytes(side[s].in_words), MPI_BYTE, side[s].from, tag + s, MPI_COMM_WORLD,
                &received[s]);
    for (int s = 0; s < sides; ++s)
      MPI_Send(side[s].out, bytes(side[s].out_words), MPI_BYTE, side[s].to, tag + s, MPI_COMM_WORLD);
    for (int s = 0; s < sides; ++s) MPI_Wait(&received[s], MPI_STATUS_IGNORE);
    for (int s = 0; s < sides; ++s) sum += chain::scan(side[s].in, side[s].in_words, work);
  }
  return sum;
}

template <int sides>
std::uint64_t chosen(Idiom idiom, const Side* side, int iterations, chain::Work work) {
  if (idiom == Idiom::sendrecv) return sendrecv<sides>(side, iterations, work);
  if (idiom == Idiom::send_irecv) return send_irecv<sides>(side, iterations, work);
  return irecv_isend_wait<sides>(side, iterations, work);
}

}  // namespace

std::uint64_t iterate(Idiom idiom, const std::vector<Side>& sides, int iterations, chain::Work work) {
  return sides.size() == 1 ? chosen<1>(idiom, sides.data(), iterations, work)
                           : chosen<2>(idiom, sides.data(), iterations, work);
}

}  // namespace lapwing::bench::exchange
