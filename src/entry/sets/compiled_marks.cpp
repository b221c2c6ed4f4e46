// SPDX-License-Identifier: Apache-2.0
// What code calls that was compiled with --sets.
#include "entry/p2p/p2p.hpp"
#include "lapwing/compiled_sets.h"
#include "sets/check/targets.hpp"
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

LAPWING_ENTRY unsigned lapwing_sets_call_through(lapwing_pointer_site* site, const void* function) {
  return sets::path && sets::Targets::may_split(*site) ? sets::path->call_through(site, function) : 0;
}

LAPWING_ENTRY void lapwing_sets_called(unsigned depth) {
  if (depth > 0 && sets::path) sets::path->called(depth);
}

LAPWING_ENTRY void lapwing_sets_targets(const lapwing_target* targets, int count) {
  sets::Targets::add(targets, count);
}

LAPWING_ENTRY void lapwing_sets_call(const lapwing_call_site* site) {
  if (sets::watcher) sets::next_call = site;
}
