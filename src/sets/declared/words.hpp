// SPDX-License-Identifier: Apache-2.0
// Declarations in words: for errors, the trace and the print.
#pragma once

#include <string>

#include "sets/declared/automata.hpp"

namespace lapwing::sets::declared {

/// "send of 40 bytes to rank 3, tag 5 of MPI_COMM_WORLD"; a collective one names
/// its root.
std::string words(const Declaration& declaration);
std::string words(Kind kind, const Terms& terms);
/// "a.c:12", where it was declared.
std::string place(const Declaration& declaration);
/// "announced to rank 3".
std::string words(const Declaration& declaration, const Leg& leg);
/// "rank 3 of MPI_COMM_WORLD": the other process, as the program knows it.
std::string partner(const Key& key);

}  // namespace lapwing::sets::declared
