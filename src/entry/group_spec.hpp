// SPDX-License-Identifier: Apache-2.0
// What generate.py writes about each call that a group makes together, from
// src/calls. Arguments count from 0; -1 is none.
#pragma once

#include <cstdint>

#include "sets/group_call.hpp"
#include "sets/handle_watch.hpp"

namespace lapwing::entry {

/// With a type and no count: one element.
struct GroupData {
  std::int8_t buffer, count, displacement, type;
  bool counts, types;  ///< arrays with one for each process
};

/// An int that must be equal on all, or an array of them as long as argument `length` says.
struct SameArgument {
  std::int8_t at, length;
};

struct GroupSpec {
  const char* name;  ///< "MPI_Bcast", whatever the spelling
  sets::Operation operation;
  sets::Way way;
  std::int8_t arguments;  ///< in C; Fortran's error comes after them
  std::int8_t comm, win, file, root, op, group, request, new_comm, new_win, new_file, peer_comm, peer, tag;
  std::int8_t mode, displacement;
  bool by_address;  ///< the call takes the handle's address
  GroupData send, receive, target;
  SameArgument same[4];
};

extern const GroupSpec group_specs[];

enum class HandleFate : std::uint8_t { makes, frees, lends };

/// A call that makes, frees or lends a handle.
struct HandleSpec {
  const char* name;  ///< "MPI_Type_vector"
  sets::HandleKind kind;
  std::int8_t at;         ///< the argument that holds its address
  std::int8_t arguments;  ///< in C; Fortran's error comes after them
  HandleFate fate;
};

extern const HandleSpec handle_specs[];

}  // namespace lapwing::entry
