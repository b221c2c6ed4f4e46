// SPDX-License-Identifier: Apache-2.0
#include "transfer/planted.hpp"

#include <array>

namespace lapwing::transfer::planted {

int chosen = none;

namespace {

constexpr std::array<const char*, count + 1> names = {"",
                                                      "early_page_opened",
                                                      "lost_strip",
                                                      "swapped_strips",
                                                      "repeated_strip",
                                                      "wrong_total",
                                                      "wrong_source",
                                                      "wrong_tag",
                                                      "short_strip",
                                                      "shifted_strip",
                                                      "misplaced_strip",
                                                      "stale_tail",
                                                      "stale_front",
                                                      "skipped_write_guard",
                                                      "send_released_early",
                                                      "skipped_overlap_check",
                                                      "wrong_count_in_probe",
                                                      "probe_overtakes",
                                                      "header_taken_for_plain",
                                                      "lost_credit",
                                                      "truncation_ignored",
                                                      "unpack_misplaced",
                                                      "page_never_opened",
                                                      "unretired_get",
                                                      nullptr};

}  // namespace

bool plant(const std::string& name) {
  for (int defect = 1; defect < count; ++defect) {
    if (name == names[static_cast<std::size_t>(defect)]) {
      chosen = defect;
      return true;
    }
  }
  return false;
}

}  // namespace lapwing::transfer::planted

/// The names that LAPWING_FAULT takes, ended by a null pointer; for tests.
extern "C" __attribute__((visibility("default"))) const char* const* lapwing_fault_names(void) {
  return lapwing::transfer::planted::names.data() + 1;
}
