// SPDX-License-Identifier: Apache-2.0
// The handlers of messages. All that comes is put into the queues here, in the order in which the home has
// said it.
#include <fmt/format.h>

#include <cstdio>

#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

void Ranks::handle(int source, int kind, Arrived message) {
  detail::In in = message.all();
  switch (kind) {
    case Message::batch:
      return handle_batch(in);
    case Message::object: {
      detail::Handle what;
      std::uint32_t version = 0;
      in(what.object, what.generation, version);
      const ArrivalKey key{&job.object_at(what), version_key(what, version)};
      return transfers.version_arrived(source, key, in, std::move(message));
    }
    case Message::look:
      return stall_watch.answer(in);
    case Message::looked:
      return stall_watch.answered(in);
    case Message::fetch: {
      detail::Handle what;
      std::uint32_t version = 0;
      int to = 0;
      in(what, version, to);
      return transfers.send(job.object_at(what), {Transfer::send, what, version, to});
    }
    case Message::ended: {
      std::uint64_t place = 0;
      in(place);
      counts.take(source, in);
      central.ended_elsewhere(source, place);
      return job.runtime.look_around();
    }
    case Message::parts: {
      if (central.on()) return central.parts_from(in);
      detail::Handle what;
      std::uint64_t place = 0;
      in(what.object, place);
      return transfers.arrived({&job.object_at(what), part_key(place)}, in, std::move(message));
    }
    case Message::finished: {
      std::uint64_t ended = 0;
      in(ended);
      counts.take(source, in);
      home.ended(source, ended);
      return job.runtime.look_around();
    }
    case Message::failed:
      return failures.take(source, in);
    case Message::spare:
      return loans.spares(source);
    case Message::wanted: {
      int tasks = 0;
      in(tasks);
      return loans.wanted_by(source, tasks);
    }
    case Message::lend:
      return loans.borrow(source, in);
    case Message::returned:
      return loans.returned(source, in);
  }
}

void Ranks::handle_batch(detail::In in) {
  while (in.next != in.end) {
    Event event{};
    in(event);
    switch (event) {
      case Event::task:
        transfers.next_task();
        start_guest(job, in);
        break;
      case Event::send:
      case Event::receive:
      case Event::part:
      case Event::broadcast:
      case Event::drop:
        handle_transfer(event, in);
        break;
      case Event::object: {
        const detail::In bytes = take_bytes(in);
        handle(0, Message::object, {bytes.next, static_cast<std::size_t>(bytes.end - bytes.next)});
        break;
      }
      case Event::ask: {
        std::uint64_t tasks = 0;
        in(tasks);
        counts.asked(tasks);
        break;
      }
      case Event::failure:
        failures.take_place(in);
        break;
      case Event::forget:
        failures.forgotten();
        break;
      case Event::complaint: {
        std::string sentence;
        in(sentence);
        std::fputs(fmt::format("lapwing: on rank {}: {}\n", job.rank, sentence).c_str(), stderr);
        break;
      }
      case Event::end:
        if (job.runtime.main.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) job.runtime.ready_main();
        break;
    }
  }
}

void Ranks::handle_transfer(Event event, detail::In& in) {
  detail::Handle what;
  std::uint32_t version = 0;
  std::uint64_t code = 0, place = 0;
  int rank = 0;
  in(what);
  Object& object = job.object_at(what);
  switch (event) {
    case Event::send: {
      in(version, rank, code);
      const auto* const reduction = modules().decode_as<detail::Reduction>(code);
      transfers.enter(object, reduction == nullptr ? detail::reads : detail::reduces, reduction,
                      {Transfer::send, what, version, rank});
      break;
    }
    case Event::receive:
      in(version, rank);
      transfers.enter(object, replaces, nullptr, {Transfer::receive, what, version});
      if (rank >= 0) transfers.fetch_in_turn({&object, version_key(what, version)}, {rank, what, version});
      break;
    case Event::part:
      in(code, place);
      transfers.enter(object, detail::reduces, modules().decode_as<detail::Reduction>(code),
                      {Transfer::part, what, 0, 0, place});
      break;
    case Event::broadcast:
      in(version);
      for (int to = 0; to < job.ranks; ++to) {
        if (to != job.rank) transfers.send(object, {Transfer::send, what, version, to});
      }
      break;
    default:
      transfers.enter(object, replaces, nullptr, {Transfer::drop, what});
      break;
  }
}

}  // namespace lapwing::tasks::ranks
