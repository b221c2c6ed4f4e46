// SPDX-License-Identifier: Apache-2.0
// Defects that tests plant in the engine, one at a time, to show that the
// differential tests would find them. All are off in any ordinary run: each
// test is one load of a constant that only LAPWING_FAULT with LAPWING_TESTING=1 sets.
#pragma once

#include <cstddef>
#include <string>

namespace lapwing::transfer::planted {

enum Defect : int {
  none = 0,
  early_page_opened,
  lost_strip,
  swapped_strips,
  repeated_strip,
  wrong_total,
  wrong_source,
  wrong_tag,
  short_strip,
  shifted_strip,
  misplaced_strip,
  stale_tail,
  stale_front,
  skipped_write_guard,
  send_released_early,
  skipped_overlap_check,
  wrong_count_in_probe,
  probe_overtakes,
  header_taken_for_plain,
  lost_credit,
  truncation_ignored,
  unpack_misplaced,
  page_never_opened,
  unretired_get,
  count
};

extern int chosen;
inline bool is(Defect defect) { return __builtin_expect(chosen != none, 0) && chosen == defect; }
inline std::size_t early_page() { return is(early_page_opened) ? 4096 : 0; }

/// Plants by name; false if there is no such defect.
bool plant(const std::string& name);

}  // namespace lapwing::transfer::planted
