// SPDX-License-Identifier: Apache-2.0
// What messages do when they come. Everything goes into the queues here, in the
// order in which the home has said it.
#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <bit>
#include <cstdio>
#include <set>
#include <string_view>

#include "tasks/create.hpp"
#include "tasks/failure.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

const char* keep(std::string text) {
  static std::set<std::string> texts;  // guarded by the wire's mutex; names of tasks are few
  return texts.insert(std::move(text)).first->c_str();
}

// A vector of bytes, where it lies.
detail::In take_bytes(detail::In& in) {
  const std::size_t size = detail::unpack_size(in);
  if (size > static_cast<std::size_t>(in.end - in.next)) detail::short_message();
  const detail::In bytes{in.next, in.next + size};
  in.next += size;
  return bytes;
}

}  // namespace

// A rank can name objects that it has met; the home knows the main program's.
void name_objects(std::string& text) {
  constexpr std::string_view words = "the object at 0x";
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    const std::size_t digits = at + words.size();
    std::size_t length = 0;
    const auto* const object = reinterpret_cast<const Object*>(std::stoull(text.substr(digits), &length, 16));
    if (range().has(object) && object->made && object->type != nullptr) {
      text.replace(at, words.size() + length, object->text());
    }
  }
}

Object& Ranks::object_at(const detail::Handle& handle) {
  Range& all = range();
  if (all.maker(handle.object) == rank_) return *static_cast<Object*>(handle.object);
  const std::lock_guard lock(wire_.mutex);
  return all.meet(handle.object);
}

void Ranks::handle(int source, int kind, Arrived message) {
  detail::In in{message.data, message.data + message.size};
  switch (kind) {
    case Message::batch:
      return handle_batch(in);
    case Message::object: {
      detail::Handle what;
      std::uint32_t version = 0;
      in& what.object& what.generation& version;
      const Key key{&object_at(what), version_key(what, version)};
      if (bulk_comes(source, key, in, message)) return;
      return arrived(key, in, std::move(message));
    }
    case Message::look:
      return answer(in);
    case Message::looked:
      return answered(in);
    case Message::fetch: {
      detail::Handle what;
      std::uint32_t version = 0;
      int to = 0;
      in& what& version& to;
      return send_object(object_at(what), {Hidden::send, what, version, to});
    }
    case Message::ended: {
      std::uint64_t place = 0;
      in& place;
      get_counts(in, source);
      ended_elsewhere(source, place);
      return runtime_.look_around();
    }
    case Message::parts: {
      if (central_mode_) return parts_from(in);
      detail::Handle what;
      std::uint64_t place = 0;
      in& what.object& place;
      return arrived({&object_at(what), part_key(place)}, in, std::move(message));
    }
    case Message::finished: {
      std::uint64_t ended = 0;
      in& ended;
      get_counts(in, source);
      ahead_.ended(source, ended);
      unfinished_.store(ahead_.unfinished(), std::memory_order_release);
      return runtime_.look_around();
    }
    case Message::failed:
      return take_failure(source, in);
    case Message::spare:
      return spares(source);
    case Message::wanted: {
      int tasks = 0;
      in& tasks;
      return wanted_by(source, tasks);
    }
    case Message::lend:
      return borrow(source, in);
    case Message::returned:
      return returned(source, in);
  }
}

// The home tells all others; another rank, whose loan has failed elsewhere, the home.
void Ranks::take_failure(int source, detail::In& in) {
  Failure::Told told;
  std::uint64_t where = 0;
  in& told.place& told.what& told.task& where& told.reason;
  for (std::string* const text : {&told.what, &told.reason}) name_objects(*text);
  if (!told.what.starts_with("on rank ")) told.what = fmt::format("on rank {}: {}", source, told.what);
  told.where = std::bit_cast<std::source_location>(modules().decode(where));
  told.whole = true;
  if (!runtime_.failure.note(told)) return;
  if (!home()) {
    detail::Out out;
    put_told(out, told);
    return wire_.send(0, Message::failed, out.data.data(), out.data.size());
  }
  for (int rank = 1; rank < ranks_; ++rank) {
    if (rank != source) batch(rank) & Event::failure& told.place;
  }
}

void Ranks::arrived(Key key, detail::In in, Arrived message) {
  if (central_mode_ && rank_ == 0 && came_home(key, in, message)) return;
  const auto found = awaited_.find(key);
  // Where all that is waited for is this, it is read where it lies.
  const bool at_once = found != awaited_.end() && found->second->pending.load(std::memory_order_acquire) == 1;
  if (!at_once || message.memory != nullptr) {
    message.keep(in.next);
  } else {
    message.size = static_cast<std::size_t>(in.end - in.next);
    message.data = in.next;
  }
  if (found == awaited_.end()) {
    if (central_mode_) {  // nobody will want an older one that came unasked
      auto& newest = newest_[key.object];
      if (newest != 0) early_.erase({key.object, newest});
      newest = key.what;
    }
    early_.emplace(key, std::move(message));
    return;
  }
  Task* const task = found->second;
  awaited_.erase(found);
  if (const auto next = then_.find(key); next != then_.end()) {
    ask_for(next->second.owner, next->second.what, next->second.version);
    then_.erase(next);
  }
  static_cast<Hidden*>(task->closure)->data = std::move(message);
  if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) run_hidden(task);
}

void Ranks::handle_batch(detail::In in) {
  constexpr auto both = static_cast<std::uint8_t>(detail::reads | detail::writes);
  while (in.next != in.end) {
    Event event{};
    in& event;
    detail::Handle what;
    std::uint32_t version = 0;
    std::uint64_t code = 0, place = 0;
    int to = 0;
    switch (event) {
      case Event::task:
        asked_last_.reset();
        read_task(in);
        break;
      case Event::send: {
        in& what& version& to& code;
        const auto* const reduction = modules().decode_as<detail::Reduction>(code);
        enter_hidden(object_at(what), reduction == nullptr ? detail::reads : detail::reduces, reduction,
                     {Hidden::send, what, version, to});
        break;
      }
      case Event::receive:
        in& what& version& to;
        enter_hidden(object_at(what), both, nullptr, {Hidden::receive, what, version});
        if (to >= 0) {
          const Key key{&object_at(what), version_key(what, version)};
          const bool now =
              runtime_.options.concurrent_fetches || !asked_last_ || awaited_.count(*asked_last_) == 0;
          if (now) {
            ask_for(to, what, version);
          } else {
            then_.emplace(*asked_last_, Ask{to, what, version});
          }
          asked_last_ = key;
        }
        break;
      case Event::broadcast:
        in& what& version;
        for (int rank = 0; rank < ranks_; ++rank) {
          if (rank != rank_) send_object(object_at(what), {Hidden::send, what, version, rank});
        }
        break;
      case Event::object: {
        const detail::In bytes = take_bytes(in);
        handle(0, Message::object, {bytes.next, static_cast<std::size_t>(bytes.end - bytes.next)});
        break;
      }
      case Event::part:
        in& what& code& place;
        enter_hidden(object_at(what), detail::reduces, modules().decode_as<detail::Reduction>(code),
                     {Hidden::part, what, 0, 0, place});
        break;
      case Event::drop:
        in& what;
        enter_hidden(object_at(what), both, nullptr, {Hidden::drop, what});
        break;
      case Event::ask:
        in& asked_;
        if (ended_ >= asked_) report();
        break;
      case Event::failure: {
        Place failed;
        in& failed;
        runtime_.failure.note(failed, nullptr);
        break;
      }
      case Event::forget:
        runtime_.failure.take();
        ++forgotten_;
        break;
      case Event::complaint: {
        std::string sentence;
        in& sentence;
        std::fputs(fmt::format("lapwing: on rank {}: {}\n", rank_, sentence).c_str(), stderr);
        break;
      }
      case Event::end:
        if (runtime_.main.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) runtime_.ready_main();
        break;
    }
  }
}

Ranks::Head Ranks::read_head(detail::In& in) {
  std::uint64_t place = 0, code = 0, text = 0, where = 0;
  Label label;
  bool spelled = false;
  std::string name;
  int placed = -1;
  std::uint32_t count_of_records = 0;
  in& place& code& text& label.first& label.second& spelled;
  if (spelled) in& name;
  label.text = spelled ? keep(std::move(name)) : modules().decode_as<char>(text);
  in& where& placed& count_of_records;
  Worker& worker = *Worker::self();
  const auto& body = *modules().decode_as<detail::Body>(code);
  Task& task = *allocate_task(worker, body, count_of_records);
  task.parent = &runtime_.main;
  task.place = place;
  task.label = label;
  task.where = std::bit_cast<std::source_location>(modules().decode(where));
  task.placed = here(placed);
  task.fresh = false;
  return {task, count_of_records};
}

void Ranks::read_task(detail::In& in) {
  const Head head = read_head(in);
  Task& task = head.task;
  task.guest = new Guest{true, central_mode_, task.place, {}};
  for (; task.count < head.records; ++task.count) {
    Record& record = *::new (task.records() + task.count) Record;
    detail::Handle what;
    Class kind{};
    in& what& record.rights& record.deferred& kind;
    record.object = &object_at(what);
    record.task = &task;
    record.kind = kind;
    if (kind != Class::reducing) continue;
    std::uint64_t reduction = 0, type = 0;
    int to = -1;
    in& reduction& type& to;
    record.reduction = modules().decode_as<detail::Reduction>(reduction);
    if (to >= 0) {
      task.guest->parts.push_back(
          {record.object, modules().decode_as<detail::Type>(type), record.reduction, to});
    }
  }
  start_task(in, task);
}

// Its records are there; the closure follows.
void Ranks::start_task(detail::In& in, Task& task) {
  Worker& worker = *Worker::self();
  for (Record& record : task) {
    if (record.kind == Class::commuting) task.commutes = true;
    if (record.kind == Class::reducing) task.references.fetch_add(1);
  }
  if (task.count > 0) task.locality = task.records()->object;
  std::vector<std::uint32_t> addresses;
  in& addresses;
  detail::In from = take_bytes(in);
  std::vector<char> closure;
  if (!addresses.empty()) {
    closure.assign(from.next, from.end);
    from = {closure.data(), closure.data() + closure.size()};
  }
  for (const std::uint32_t at : addresses) {
    std::uint64_t word = 0;
    std::memcpy(&word, closure.data() + at, 8);
    word = modules().decode(word);
    std::memcpy(closure.data() + at, &word, 8);
  }
  task.body->unpack(task.closure, from);
  count(worker.created);
  if (runtime_.trace != nullptr) runtime_.trace->created(task);
  enter_task(task, worker);
}

}  // namespace lapwing::tasks::ranks
