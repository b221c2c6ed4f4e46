// SPDX-License-Identifier: Apache-2.0
// What compiled code says of the program's own requests, and its polls.
#include <cpuid.h>

#include "entry/compiled/verify.hpp"
#include "transfer/compiled/polls.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/decisions/overlap.hpp"

namespace transfer = lapwing::transfer;
using transfer::Overlap;
using transfer::Proved;

namespace lapwing::entry {

void defer(int count, const MPI_Request* requests, bool receives, const void* site) {
  if (Proved::way() == Proved::Way::blocking) return;
  if (Overlap::posted(count, requests, receives, site)) Proved::defer(count, requests, receives);
}

// A process that is checked, owes votes or has the engine's messages needs more than MPI to complete a
// request: it waits where the wait stands.
bool may_reach() { return !watched() && quiet(); }

void reach(int count, const MPI_Request* requests) {
  if (Verify::on()) return Verify::reach(count, requests);
  if (!may_reach()) return;
  const bool blocking = Proved::way() == Proved::Way::blocking;
  if (blocking || Overlap::judged()) Overlap::reach(count, requests, blocking);
}

void retire(int count, const MPI_Request* requests) {
  if (Verify::on()) return Verify::retire(count, requests);
  Proved::retire(count, requests);
}

}  // namespace lapwing::entry

LAPWING_ENTRY void lapwing_defer(int count, const MPI_Request* requests) {
  lapwing::entry::defer(count, requests, false, __builtin_return_address(0));
}

LAPWING_ENTRY void lapwing_defer_receives(int count, const MPI_Request* requests) {
  lapwing::entry::defer(count, requests, true, __builtin_return_address(0));
}

LAPWING_ENTRY void lapwing_reach(int count, const MPI_Request* requests) {
  lapwing::entry::reach(count, requests);
}

LAPWING_ENTRY void lapwing_retire(int count, const MPI_Request* requests) {
  lapwing::entry::retire(count, requests);
}

// For poll.S. Without xsave there are no registers but the narrow ones.
extern "C" __attribute__((visibility("hidden"))) const bool lapwing_poll_has_xsave;
const bool lapwing_poll_has_xsave = [] {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
}();
extern "C" __attribute__((visibility("hidden"))) LAPWING_GENERAL_REGISTERS unsigned lapwing_poll_count(
    lapwing_loop* loop) {
  return transfer::Polls::count(*loop);
}
extern "C" __attribute__((visibility("hidden"))) unsigned lapwing_poll_look(lapwing_loop* loop) {
  return transfer::Polls::look(*loop);
}
