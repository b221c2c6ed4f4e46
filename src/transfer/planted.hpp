// SPDX-License-Identifier: Apache-2.0
// Defects that tests plant in the engine, one at a time, to show that the
// differential tests would find them. All are off in any ordinary run: each
// test is one load of a constant that only LAPWING_FAULT with LAPWING_TESTING=1 sets.
#pragma once

#include <cstddef>
#include <string>

namespace lapwing::transfer::planted {

#define LAPWING_DEFECTS(DEFECT)  \
  DEFECT(early_page_opened)      \
  DEFECT(lost_strip)             \
  DEFECT(swapped_strips)         \
  DEFECT(repeated_strip)         \
  DEFECT(wrong_total)            \
  DEFECT(wrong_source)           \
  DEFECT(wrong_tag)              \
  DEFECT(short_strip)            \
  DEFECT(shifted_strip)          \
  DEFECT(misplaced_strip)        \
  DEFECT(stale_tail)             \
  DEFECT(stale_front)            \
  DEFECT(skipped_write_guard)    \
  DEFECT(send_released_early)    \
  DEFECT(skipped_overlap_check)  \
  DEFECT(wrong_count_in_probe)   \
  DEFECT(probe_overtakes)        \
  DEFECT(header_taken_for_plain) \
  DEFECT(lost_credit)            \
  DEFECT(truncation_ignored)     \
  DEFECT(unpack_misplaced)       \
  DEFECT(page_never_opened)      \
  DEFECT(unretired_access)

#define LAPWING_VALUE(NAME) NAME,
enum Defect : int { none = 0, LAPWING_DEFECTS(LAPWING_VALUE) count };
#undef LAPWING_VALUE

extern int chosen;
inline bool is(Defect defect) { return __builtin_expect(chosen != none, 0) && chosen == defect; }
inline std::size_t early_page() { return is(early_page_opened) ? 4096 : 0; }

/// Plants by name; false if there is no such defect.
bool plant(const std::string& name);

}  // namespace lapwing::transfer::planted
