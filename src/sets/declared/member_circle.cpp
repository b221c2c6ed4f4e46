// SPDX-License-Identifier: Apache-2.0
// Proves that waits for declared communication form a circle.
//
// A process that has waited for some time asks those that have not declared their sides. One
// that is asked passes the question on if it waits itself, and has indeed not
// declared what it is asked for: as long as it waits it never will. A question that
// comes back to a wait that has not ended is a proof; nobody on its way goes on
// before another does. Of the members of a circle the lowest rank reports it.
#include <fmt/format.h>

#include <cstring>

#include "mpi/ending.hpp"
#include "sets/declared/declared.hpp"
#include "sets/declared/words.hpp"
#include "sets/messages.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/error_status.hpp"

namespace lapwing::sets::declared {
namespace {

constexpr int circle_kind = declared_kinds + 5;

struct Question {
  std::uint64_t wait;  ///< of the asker's
  std::uint64_t comm;
  std::int32_t asker, tag;
  std::uint32_t number, turn;
  std::uint8_t collective, outgoing;  ///< of the leg at the receiver
};

}  // namespace

void Declared::listen_for_circles(bool provable) {
  provable_ = provable;
  Messages::on(circle_kind, [this](int source, const char* data, std::size_t size) {
    PackedValues in(data, size);
    const auto question = in.get<Question>();
    const Key key{question.comm, source, question.tag, question.number, question.collective};
    const Comm* comm = Comm::find(key.comm);
    if (!comm || !waiting_ || comm->has_declared(key, question.outgoing != 0)) return;
    const std::string text = in.get_text();
    if (question.asker == Messages::rank()) {
      if (question.wait == waits_) end_of_circle(text);
      return;
    }
    // Once for each turn of each asker, or questions would multiply.
    std::pair<std::uint64_t, std::uint32_t>& last = asked_[question.asker];
    const std::pair now{question.wait, question.turn};
    if (Messages::rank() < question.asker || last == now) return;
    last = now;
    ask(question.asker, question.wait, question.turn, text);
  });
}

// The legs without which the wait cannot end, and of whose other side nothing has
// been heard.
template <typename F>
void Declared::each_missing(F f) const {
  for (const auto& declaration : automata_.pending()) {
    const bool needed = waits_for_all_ || (declaration->writing && declaration->writes.overlaps(waits_on_));
    if (!needed) continue;
    for (const Leg& leg : declaration->legs) {
      const bool missing =
          leg.outgoing ? waits_for_all_ && leg.state == State::ready : leg.state == State::announced;
      if (missing) f(*declaration, leg);
    }
  }
}

void Declared::ask(int asker, std::uint64_t wait, std::uint32_t turn, const std::string& before) {
  each_missing([&](const Declaration& declaration, const Leg& leg) {
    Question question;
    std::memset(&question, 0, sizeof question);
    question.wait = wait;
    question.comm = leg.key.comm;
    question.asker = asker;
    question.tag = leg.key.tag;
    question.number = leg.key.number;
    question.turn = turn;
    question.collective = leg.key.collective;
    question.outgoing = leg.outgoing ? 0 : 1;
    PackedValues out;
    out.put(question);
    out.put_text(before + fmt::format("  rank {} waits for the {}, declared at {}\n", Messages::rank(),
                                      words(declaration), place(declaration)));
    Messages::send(leg.key.peer, circle_kind, out.data(), out.size());
  });
}

void Declared::end_of_circle(const std::string& text) {
  fmt::print(
      stderr,
      "lapwing: processes wait for declared communication in a circle; none of them can go on to "
      "declare the other side:\n{}  Declare sends before the data of receives are used, and before calls "
      "of functions that the compiler does not know.\n",
      text);
  mpi::end_job(error_status);
}

template <typename Done>
void Declared::wait(bool for_all, const Range& on, Done done) {
  {
    const std::lock_guard guard(Messages::lock());
    if (done()) return;
    waiting_ = provable_;
    waits_for_all_ = for_all;
    waits_on_ = on;
    ++waits_;
  }
  std::uint32_t looks = 0;
  Messages::wait(
      [&] {
        if (!done()) return false;
        waiting_ = false;
        return true;
      },
      [&] {
        each_missing([&](const Declaration& declaration, const Leg& leg) {
          if (!Messages::board() || !Messages::board()->has_ended(leg.key.peer)) return;
          fmt::print(stderr,
                     "lapwing: rank {}: {} has ended without MPI_Finalize; the {}, declared at {}, cannot "
                     "happen.\n",
                     Messages::rank(), partner(leg.key), words(declaration), place(declaration));
          mpi::end_job(error_status);
        });
        // At once for a long wait, then seldom.
        if (provable_ && looks++ % 10 == 2) ask(Messages::rank(), waits_, looks, "");
      });
}

void Declared::use(const Range& range) {
  if (pending() == 0) return;
  wait(false, range, [&] { return automata_.usable(range); });
}

void Declared::define(const Range& range) {
  if (pending() == 0) return;
  wait(false, range, [&] { return automata_.definable(range); });
}

// A process that waits here has nothing more to say before: a receiver that will never
// be is asked for, so that it can be told from a late one.
void Declared::complete() {
  inquire();
  wait(true, {}, [&] { return automata_.pending_count() == 0; });
}

}  // namespace lapwing::sets::declared
