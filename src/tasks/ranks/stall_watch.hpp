// SPDX-License-Identifier: Apache-2.0
// When no rank can go on. Each rank looks idle to itself while another one works, so the home, once it has
// been idle for some time, asks all: whether a rank runs anything, whether a message is on its way, and how
// many messages were sent and handled. If three such rounds in a row find the same counts, nothing has
// happened between them, and nothing will: every rank says which task waits for which, and the program ends.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>
#include <string>

#include "tasks/ranks/object_transfers.hpp"

namespace lapwing::tasks::ranks {

class StallWatch {
 public:
  StallWatch(const Job& job, const Outbox& outbox, const ObjectTransfers& transfers)
      : job_(job), outbox_(outbox), transfers_(transfers) {}

  /// Messages of earlier runs do not count.
  void start();
  /// The home, from time to time.
  void watch();
  /// The home asks: Message::look.
  void answer(detail::In in);
  /// A rank has answered: Message::looked.
  void answered(detail::In in);

 private:
  struct Look {
    std::uint64_t round = 0;
    bool quiet = false;
    std::uint64_t sent = 0, handled = 0;  // messages, but for those of looks
  };
  /// Idle until `since` and `pause` say that it is time; then rounds of questions, each of which waits for
  /// answers.
  struct State {
    std::uint64_t round = 0, sent = 0, handled = 0;  // of messages of looks
    std::uint64_t handled_before = 0, sent_before = 0;
    int answers = 0, agreeing = 0;  // still to come; rounds that found the same
    bool ended = false;
    Look sum = {};
    std::string text = {};
    std::uint64_t since = 0, pause = 0;  // nanoseconds
  };
  bool quiet() const;
  Look look() const;
  void ask_all(bool why);
  std::string describe() const;

  const Job& job_;
  const Outbox& outbox_;
  const ObjectTransfers& transfers_;
  State state_ LAPWING_GUARDED_BY(job_.wire.mutex);
};

}  // namespace lapwing::tasks::ranks
