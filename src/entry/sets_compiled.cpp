// SPDX-License-Identifier: Apache-2.0
// What code calls that was compiled with --sets.
#include "entry/p2p.hpp"
#include "lapwing/compiled_sets.h"
#include "sets/group_call.hpp"
#include "sets/mode.hpp"

namespace sets = lapwing::sets;

LAPWING_ENTRY void lapwing_sets_split(const lapwing_split_site* site, int branch, int comms,
                                      const void* handles, int fortran) {
  if (sets::path) sets::path->split(site, branch, comms, handles, fortran != 0);
}

LAPWING_ENTRY void lapwing_sets_merge(const lapwing_merge_site* site) {
  if (sets::path) sets::path->merge(site);
}

LAPWING_ENTRY unsigned lapwing_sets_enter() { return sets::path ? sets::path->enter() : 0; }

LAPWING_ENTRY void lapwing_sets_leave(unsigned depth) {
  if (sets::path) sets::path->leave(depth);
}

LAPWING_ENTRY void lapwing_sets_call(const lapwing_call_site* site) {
  if (sets::watcher) sets::next_call = site;
}
