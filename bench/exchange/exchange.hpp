// SPDX-License-Identifier: Apache-2.0
// Two directions at once, in the ways in which programs write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/chain.hpp"

namespace lapwing::bench::exchange {

enum class Idiom { irecv_isend_wait, sendrecv, send_irecv };

/// One partner each way: what goes to one rank and what comes from one.
struct Side {
  int to, from;
  std::uint64_t* out;
  std::size_t out_words;
  std::uint64_t* in;
  std::size_t in_words;
};

/// `iterations` times: changes all that is sent, exchanges it, reads all that was received. Returns the sum
/// of the scans. There are one or two sides, and they do not overlap.
std::uint64_t iterate(Idiom idiom, const std::vector<Side>& sides, int iterations, chain::Work work);

}  // namespace lapwing::bench::exchange
