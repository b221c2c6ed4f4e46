// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/failure_messages.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "tasks/object.hpp"
#include "tasks/ranks/loans.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

void FailureMessages::put_place(detail::Out& out) const {
  const auto told = job_.runtime.failure.look();
  out(told ? told->place : Place{});
}

void FailureMessages::take_place(detail::In& in) const {
  Place place;
  in(place);
  if (!place.empty()) job_.runtime.failure.note(place, nullptr);
}

void FailureMessages::put(detail::Out& out, const Failure::Told& told) {
  out(told.place, told.what, told.task, modules().encode(std::bit_cast<std::uint64_t>(told.where)),
      told.reason);
}

void FailureMessages::send_home(const Failure::Told& told) const {
  detail::Out out;
  put(out, told);
  job_.wire.send(0, Message::failed, out.data.data(), out.data.size());
}

void FailureMessages::take(int source, detail::In& in) {
  Failure::Told told;
  std::uint64_t where = 0;
  in(told.place, told.what, told.task, where, told.reason);
  for (std::string* const text : {&told.what, &told.reason}) name_objects(*text);
  if (!told.what.starts_with("on rank ")) told.what = fmt::format("on rank {}: {}", source, told.what);
  told.where = std::bit_cast<std::source_location>(modules().decode(where));
  told.whole = true;
  if (!job_.runtime.failure.note(told)) return;
  if (!job_.home()) return send_home(told);
  for (int rank = 1; rank < job_.ranks; ++rank) {
    if (rank != source) outbox_.to(rank)(Event::failure, told.place);
  }
}

void FailureMessages::tell(const Task& task) {
  const auto told = job_.runtime.failure.look();
  if (!told || !told->whole || in_loan(task)) return;
  const progress::Holding lock(job_.wire.mutex);
  if (!job_.home()) return send_home(*told);
  outbox_.to_all(Event::failure, told->place);
}

void FailureMessages::forget() {
  const progress::Holding lock(job_.wire.mutex);
  ++forgotten_;
  outbox_.to_all(Event::forget);
}

void FailureMessages::forgotten() {
  job_.wire.mutex.assert_held();
  job_.runtime.failure.take();
  ++forgotten_;
}

std::uint64_t FailureMessages::times_forgotten() const {
  job_.wire.mutex.assert_held();
  return forgotten_;
}

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

}  // namespace lapwing::tasks::ranks
