// SPDX-License-Identifier: Apache-2.0
// An object as the rank of the main program knows it.
#pragma once

#include "tasks/object.hpp"
#include "tasks/ranks/broadcast.hpp"
#include "tasks/ranks/copies.hpp"

namespace lapwing::tasks::ranks {

struct Entry {
  explicit Entry(int owner) : copies(owner) { seen.add(owner); }
  Copies copies;
  RankSet seen;   // ranks that have a value, of whatever version
  int wish = -1;  // where tasks would like to use it, until a task has written it
  Broadcast broadcast;
  std::uint32_t sent_to_all = 0;  // the version after the one that was
  std::uint32_t coming = 0;       // the version after the one that has been ordered for the home
};

/// The entry, made at the first use: the object's maker has it.
Entry& entry_of(Object& object, int ranks);
void end_entry(Object& object);

}  // namespace lapwing::tasks::ranks
