// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/stall_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "progress/clock.hpp"
#include "tasks/object.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {
constexpr std::uint64_t first_look = 500'000'000, longest_between_looks = 10'000'000'000;
}  // namespace

bool StallWatch::quiet() const {
  if (job_.wire.busy() || !outbox_.empty()) return false;
  const Runtime& runtime = job_.runtime;
  if (runtime.idle.load() != static_cast<int>(runtime.workers.size())) return false;
  if (runtime.slots != nullptr && runtime.slots->any_elsewhere()) return false;
  for (const auto& worker : job_.runtime.workers) {
    if (!worker->processor.empty()) return false;
  }
  return !job_.runtime.main_ready.load() && !job_.runtime.creators_may_go_on();
}

void StallWatch::start() {
  job_.wire.mutex.assert_held();
  state_.sent = job_.wire.sent();
  state_.handled = job_.wire.handled();
}

StallWatch::Look StallWatch::look() const {
  job_.wire.mutex.assert_held();
  return {state_.round, quiet(), job_.wire.sent() - state_.sent, job_.wire.handled() - state_.handled};
}

// The home's helper, from time to time.
void StallWatch::watch() {
  const std::unique_lock lock(job_.wire.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  job_.wire.mutex.assert_held();
  if (state_.ended) return;
  const std::uint64_t now = progress::now_ns();
  if (!quiet() || job_.wire.handled() - state_.handled != state_.handled_before) {
    state_.handled_before = job_.wire.handled() - state_.handled;
    state_.since = now;
    state_.pause = first_look;
    state_.answers = state_.agreeing = 0;
    return;
  }
  if (state_.answers > 0 || now - state_.since < state_.pause) return;
  state_.since = now;
  state_.pause = std::min(2 * state_.pause, longest_between_looks);
  ask_all(false);
}

void StallWatch::ask_all(bool why) {
  job_.wire.mutex.assert_held();
  ++state_.round;
  state_.sum = look();
  state_.answers = job_.ranks - 1;
  state_.text = describe();
  for (int rank = 1; rank < job_.ranks; ++rank) {
    detail::Out out;
    out(state_.round, why);
    job_.wire.send(rank, Message::look, out.data.data(), out.data.size());
    ++state_.sent;
  }
}

void StallWatch::answer(detail::In in) {
  job_.wire.mutex.assert_held();
  ++state_.handled;
  bool why = false;
  in(state_.round, why);
  detail::Out out;
  out(look(), why ? describe() : std::string());
  job_.wire.send(0, Message::looked, out.data.data(), out.data.size());
  ++state_.sent;
}

void StallWatch::answered(detail::In in) {
  job_.wire.mutex.assert_held();
  ++state_.handled;
  Look its{};
  std::string text;
  in(its, text);
  name_objects(text);
  if (its.round != state_.round || state_.answers == 0) return;
  state_.sum.quiet = state_.sum.quiet && its.quiet;
  state_.sum.sent += its.sent;
  state_.sum.handled += its.handled;
  state_.text += text;
  if (--state_.answers > 0) return;
  const Look& sum = state_.sum;
  const bool still = sum.quiet && quiet() && sum.sent == sum.handled && job_.runtime.main_is_waiting();
  if (!still) {
    state_.agreeing = 0;
    return;
  }
  const bool same = state_.agreeing > 0 && sum.sent == state_.sent_before;
  state_.sent_before = sum.sent;
  state_.agreeing = same ? state_.agreeing + 1 : 1;
  if (state_.agreeing < 3) return ask_all(state_.agreeing == 2);  // the third also says why
  state_.ended = true;
  std::fputs(
      ("lapwing: the program cannot go on: every task that is left, on any rank, waits for another one.\n" +
       state_.text)
          .c_str(),
      stderr);
  job_.wire.abort();
}

std::string StallWatch::describe() const {
  std::string text = tasks::describe_waits() + transfers_.describe_waits();
  if (job_.home() && text.find("the main program") == std::string::npos) {
    text += job_.runtime.draining.load() ? "  the main program waits for the end of all tasks\n"
                                         : "  the main program waits until it may create more tasks\n";
  }
  if (text.empty()) return text;
  return fmt::format("on rank {}:\n{}", job_.rank, text);
}

}  // namespace lapwing::tasks::ranks
