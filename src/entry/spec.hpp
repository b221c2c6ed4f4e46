// SPDX-License-Identifier: Apache-2.0
// What generate.py writes about each stub, read by the slow path.
#pragma once

#include <cstdint>

namespace lapwing::entry {

enum class Action : std::uint8_t {
  check,       ///< retire what overlaps the items
  everything,  ///< retire all
  pass         ///< only find the target
};

/// Where the arguments are: by value, by value with MPI_Count for counts, or
/// all by reference.
enum class Form : std::uint8_t { c, large, fortran };

/// One buffer, or one scalar of at most 64 bytes, that a call touches.
/// Arguments count from 0.
struct Item {
  bool writes;
  bool scalar;
  bool per_process;
  bool root_only;
  std::int8_t buffer, count, type;
};

struct Spec {
  const char* name;     ///< as the program calls it
  const char* target;   ///< symbol that the stub goes on to
  const char* library;  ///< stem of the library that has it; "" for the C library
  Action action;
  Form form;
  std::int8_t comm, root;  ///< arguments, or -1
  std::int16_t first_item, item_count;
  std::int16_t group;   ///< in group_specs, if processes make this call together; or -1
  std::int16_t handle;  ///< in handle_specs, if the call makes or frees a handle; or -1
  bool accesses_stay;   ///< deferred gets and puts stay under way: see calls/signatures.py
};

extern const Spec specs[];
extern const Item items[];
/// Calls that receive, look for, start or complete what may be a receive, without their MPI_; a null at the
/// end.
extern const char* const receiving_calls[];

}  // namespace lapwing::entry

/// Where each stub goes on to. Fortran ones begin as a resolver.
extern "C" void* lapwing_entry_real[];

/// A path on which the call of a stub can be timed or noted, and the call's name in C; null where the
/// call neither synchronises nor moves anything.
struct lapwing_entry_timer {
  void* path;
  const char* name;
};
extern "C" lapwing_entry_timer lapwing_entry_timers[];
