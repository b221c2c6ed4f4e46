// SPDX-License-Identifier: Apache-2.0
#include "transfer/planted.hpp"

#include <array>

namespace lapwing::transfer::planted {

int chosen = none;

namespace {

#define LAPWING_NAME(NAME) #NAME,
constexpr std::array<const char*, count + 1> names = {"", LAPWING_DEFECTS(LAPWING_NAME) nullptr};
#undef LAPWING_NAME

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
