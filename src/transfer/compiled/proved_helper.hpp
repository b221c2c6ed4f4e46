// SPDX-License-Identifier: Apache-2.0
// What the compiler has split, as the helper thread looks at it where there is no
// engine that does so: MPI moves it while something is in flight.
#pragma once

#include <cstdint>

#include "progress/helper.hpp"
#include "progress/policy.hpp"

namespace lapwing::transfer {

class ProvedHelper final : public progress::Polled {
 public:
  /// Something has been put in flight. A few loads, unless only a wake-up ends the pause, or the pause is
  /// long and what has just begun may need an answer `soon`.
  void something_begun(bool soon) { soon ? wake_within(progress::soon_enough) : wake_if_idle(); }

 private:
  void begin() override;
  std::int64_t look(bool woken) override;
  std::int64_t look_at_messages();

  unsigned seen_ = 0;  ///< of Proved::begun()
  int idle_ = 0;       ///< pauses in a row with nothing in flight
  std::int64_t beside_polls_ = 0, pause_ = 0;
  int vain_ = 0, soon_ = 0;  ///< looks in a row, and how many are still to follow soon
};

}  // namespace lapwing::transfer
