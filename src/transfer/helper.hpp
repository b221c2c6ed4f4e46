// SPDX-License-Identifier: Apache-2.0
// The engine, as the helper thread looks at it: while something is in flight.
#pragma once

#include <cstdint>

#include "progress/helper.hpp"
#include "transfer/decisions/strip_pauses.hpp"

namespace lapwing::transfer {

class Engine;

class Helper final : public progress::Polled {
 public:
  explicit Helper(Engine& engine) : engine_(engine) {}
  ~Helper() { stop(); }

 private:
  void begin() override;
  std::int64_t look(bool woken) override;
  void serve() override;
  std::int64_t look_outside_mpi();
  bool nothing_to_do() const;
  void restart_pauses();

  Engine& engine_;
  std::int64_t pause_ = 0;
  StripPauses strip_pauses_;
  std::uint64_t strips_seen_ = 0;  ///< Engine::strip_bytes() at the end of the last look
};

}  // namespace lapwing::transfer
