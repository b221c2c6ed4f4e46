// SPDX-License-Identifier: Apache-2.0
// What the tests of the run-time side of the compiler share: patterns, the ways
// to start, and what the variant at hand promises (COMPILED_VARIANT).
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "lapwing/compiled.h"

inline int my_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Whether this rank is one of the two that exchange.
inline bool pair_at_work() { return my_rank() < 2 && ranks() >= 2; }

constexpr std::size_t bytes = 1 << 20;  // by rendezvous on any transport
constexpr int count = static_cast<int>(bytes);

/// "helper", "polls", "preload": transfers are in flight. "off", "aside": all
/// starts are the blocking calls. "judged": each goes the way that pays.
inline std::string variant() {
  const char* name = std::getenv("COMPILED_VARIANT");
  return name ? name : "aside";
}
inline bool judged() { return variant() == "judged"; }
inline bool starts() { return variant() != "off" && variant() != "aside" && !judged(); }

inline unsigned char pattern(int source, int tag, std::size_t i) {
  return static_cast<unsigned char>(source * 37 + tag * 11 + static_cast<int>(i % 251) + 1);
}

inline std::vector<unsigned char> message(int source, int tag, std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(source, tag, i);
  return data;
}

/// The message, and behind it what nobody may have touched.
inline testing::AssertionResult holds(const std::vector<unsigned char>& buffer, int source, int tag,
                                      std::size_t bytes) {
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    const unsigned char wanted = i < bytes ? pattern(source, tag, i) : 0;
    if (buffer[i] != wanted)
      return testing::AssertionFailure()
             << "byte " << i << " of " << bytes << " is " << int{buffer[i]} << ", not " << int{wanted};
  }
  return testing::AssertionSuccess();
}

inline testing::AssertionResult says(const MPI_Status& status, int source, int tag, std::size_t bytes) {
  int count = -1, cancelled = 1;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  PMPI_Test_cancelled(&status, &cancelled);
  if (status.MPI_SOURCE == source && status.MPI_TAG == tag && count == static_cast<int>(bytes) && !cancelled)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status of source " << status.MPI_SOURCE << ", tag " << status.MPI_TAG
                                     << ", count " << count << ", cancelled " << cancelled;
}

using StartSend = lapwing_token* (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using StartReceive = lapwing_token* (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
