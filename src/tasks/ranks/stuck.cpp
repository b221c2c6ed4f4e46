// SPDX-License-Identifier: Apache-2.0
// When no rank can go on. Each looks idle to itself while the others work; so
// the home, once it has been idle for some time, asks all: nobody runs anything,
// nothing is on its way, and of what was sent all has been handled. If two such
// rounds in a row find the same counts, nothing has happened between them, and
// nothing will: every rank says who waits for what, and the program ends.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "progress/clock.hpp"
#include "tasks/object.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {
constexpr std::uint64_t first_look = 500'000'000, longest_between_looks = 10'000'000'000;
}  // namespace

// With the wire's mutex.
bool Ranks::quiet() const {
  if (wire_.busy() || runtime_.idle.load() != static_cast<int>(runtime_.workers.size())) return false;
  for (const Batch& batch : batches_) {
    if (!batch.out.data.empty()) return false;
  }
  for (const auto& worker : runtime_.workers) {
    if (!worker->processor.empty()) return false;
  }
  return !runtime_.main_ready.load() && !runtime_.creators_may_go_on();
}

Ranks::Look Ranks::look() const {
  return {looks_.round, quiet(), wire_.sent() - looks_.sent, wire_.handled() - looks_.handled};
}

// The home's helper, from time to time.
void Ranks::watch() {
  const std::unique_lock lock(wire_.mutex, std::try_to_lock);
  if (!lock.owns_lock() || looks_.ended) return;
  const std::uint64_t now = progress::now_ns();
  if (!quiet() || wire_.handled() - looks_.handled != looks_.handled_before) {
    looks_.handled_before = wire_.handled() - looks_.handled;
    looks_.since = now;
    looks_.pause = first_look;
    looks_.answers = looks_.agreeing = 0;
    return;
  }
  if (looks_.answers > 0 || now - looks_.since < looks_.pause) return;
  looks_.since = now;
  looks_.pause = std::min(2 * looks_.pause, longest_between_looks);
  ask_all(false);
}

void Ranks::ask_all(bool why) {
  ++looks_.round;
  looks_.sum = look();
  looks_.answers = ranks_ - 1;
  looks_.text = describe();
  for (int rank = 1; rank < ranks_; ++rank) {
    detail::Out out;
    out& looks_.round& why;
    wire_.send(rank, Message::look, out.data.data(), out.data.size());
    ++looks_.sent;
  }
}

void Ranks::answer(detail::In in) {
  ++looks_.handled;
  bool why = false;
  in& looks_.round& why;
  detail::Out out;
  out& look() & (why ? describe() : std::string());
  wire_.send(0, Message::looked, out.data.data(), out.data.size());
  ++looks_.sent;
}

void Ranks::answered(detail::In in) {
  ++looks_.handled;
  Look its{};
  std::string text;
  in& its& text;
  name_objects(text);
  if (its.round != looks_.round || looks_.answers == 0) return;
  looks_.sum.quiet = looks_.sum.quiet && its.quiet;
  looks_.sum.sent += its.sent;
  looks_.sum.handled += its.handled;
  looks_.text += text;
  if (--looks_.answers > 0) return;
  const Look& sum = looks_.sum;
  const bool still = sum.quiet && quiet() && sum.sent == sum.handled && runtime_.main.fiber != nullptr;
  if (!still) {
    looks_.agreeing = 0;
    return;
  }
  const bool same = looks_.agreeing > 0 && sum.sent == looks_.sent_before;
  looks_.sent_before = sum.sent;
  looks_.agreeing = same ? looks_.agreeing + 1 : 1;
  if (looks_.agreeing < 3) return ask_all(looks_.agreeing == 2);  // the third also says why
  looks_.ended = true;
  std::fputs(
      ("lapwing: the program cannot go on: every task that is left, on any rank, waits for another one.\n" +
       looks_.text)
          .c_str(),
      stderr);
  wire_.abort();
}

std::string Ranks::describe() const {
  std::string text = describe_waits();
  for (const auto& [key, task] : awaited_) {
    text += fmt::format("  what moves {} waits for version {} to come\n", key.object->text(),
                        static_cast<std::uint32_t>(key.what));
  }
  if (home() && text.find("the main program") == std::string::npos) {
    text += runtime_.draining.load() ? "  the main program waits for the end of all tasks\n"
                                     : "  the main program waits until it may create more tasks\n";
  }
  if (text.empty()) return text;
  return fmt::format("on rank {}:\n{}", rank_, text);
}

}  // namespace lapwing::tasks::ranks
