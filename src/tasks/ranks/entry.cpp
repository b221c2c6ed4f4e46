// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/entry.hpp"

#include "tasks/ranks/range.hpp"

namespace lapwing::tasks::ranks {

Entry& entry_of(Object& object, int ranks) {
  if (object.entry == nullptr) {
    const int maker = range().maker(&object);
    object.entry = new Entry(maker);
    // The main program's objects are spread, as they are on threads.
    object.entry->wish = maker == 0 ? static_cast<int>(object.number % static_cast<unsigned>(ranks)) : maker;
  }
  return *object.entry;
}

void end_entry(Object& object) {
  delete object.entry;
  object.entry = nullptr;
}

}  // namespace lapwing::tasks::ranks
