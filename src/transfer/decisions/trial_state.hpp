// SPDX-License-Identifier: Apache-2.0
// Where a decision between the plain way and another one stands.
#pragma once

#include <cstdint>

namespace lapwing::transfer {

enum class TrialState : std::uint8_t {
  watching,  ///< plain, and looked at
  trying,    ///< the other way, until it has shown its worth
  kept,      ///< the other way, which paid
  doubted,   ///< plain for a few iterations: whether the other way, which paid, still does
  refused,   ///< plain, since the other way did not pay
};

/// As reports and traces call it.
constexpr const char* name_of(TrialState state) {
  switch (state) {
    case TrialState::trying:
      return "trying";
    case TrialState::kept:
      return "kept";
    case TrialState::doubted:
      return "doubted";
    case TrialState::refused:
      return "refused";
    case TrialState::watching:
      break;
  }
  return "watching";
}

}  // namespace lapwing::transfer
