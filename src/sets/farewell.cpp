// SPDX-License-Identifier: Apache-2.0
// The end of a program that is checked.
#include <mutex>

#include "sets/check.hpp"
#include "sets/check_kinds.hpp"
#include "sets/parcel.hpp"
#include "sets/pending.hpp"
#include "sets/report_text.hpp"

namespace lapwing::sets {
namespace {

struct Lost {
  const Circle* circle = nullptr;
  int from = 0, tag = 0;
  std::uint64_t count = 0;
};
Lost lost;

// `sent`: what a peer says to have sent here.
void compare(int source, const char* data, std::size_t size) {
  Parcel in(data, size);
  Circle* circle = Circles::by_id(in.get<std::uint64_t>());
  const int tag = in.get<std::int32_t>();
  const auto sent = in.get<std::uint64_t>();
  if (!circle || circle->uncertain || lost.circle) return;
  for (std::size_t rank = 0; rank < circle->peers.size(); ++rank) {
    if (circle->peers[rank] != source) continue;
    const std::uint64_t here = received(*circle, static_cast<int>(rank), static_cast<std::uint32_t>(tag));
    if (here < sent) lost = {circle, source, tag, sent - here};
    return;
  }
}

void tell_what_was_sent() {
  const std::lock_guard guard(Messages::lock());
  for (const auto& [id, circle] : Circles::all()) {
    for (const auto& [key, channel] : circle->channels()) {
      const std::size_t peer = key >> 32;
      if (channel.sent == 0 || channel.uncertain || peer >= circle->peers.size()) continue;
      Parcel out;
      out.put(id);
      out.put(static_cast<std::int32_t>(key & 0xffffffffu));
      out.put(channel.sent);
      Messages::send(circle->peers[peer], finished_kind, out.data(), out.size());
    }
  }
}

template <typename Value>
std::vector<Value> sum_of_all(std::vector<Value> values, MPI_Datatype type, MPI_Op op) {
  std::vector<Value> all(values.size());
  MPI_Request request;
  PMPI_Iallreduce(values.data(), all.data(), static_cast<int>(values.size()), type, op, Messages::world(),
                  &request);
  Messages::wait(
      [&] {
        int done = 0;
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      Messages::miss_anybody);
  return all;
}

// Returns once every message of everybody's has been handled.
void settle() {
  std::int64_t before = -1;
  for (;;) {
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(Messages::sent()),
                                     static_cast<std::int64_t>(Messages::handled())};
    counts = sum_of_all(counts, MPI_INT64_T, MPI_SUM);
    if (counts[0] == counts[1] && counts[0] == before) return;
    before = counts[0];
  }
}

// A call of this process' that others have not made; none can any more.
bool find_unfinished(Account* account) {
  const std::lock_guard guard(Messages::lock());
  for (const auto& [id, circle] : Circles::all()) {
    for (const auto& [number, opened] : circle->opened()) {
      if (opened.done) continue;
      *account = account_of(opened.told, *circle, number);
      return true;
    }
  }
  return false;
}

}  // namespace

void say_farewell() {
  {
    const std::lock_guard guard(Messages::lock());
    Messages::on(finished_kind, compare);
  }
  // Nobody tells before all can hear.
  sum_of_all<int>({0}, MPI_INT, MPI_SUM);
  tell_what_was_sent();
  settle();
  Account account;
  const bool unfinished = find_unfinished(&account);
  const int none = Messages::processes();
  const bool wrong = unfinished || lost.circle;
  const int first = sum_of_all<int>({wrong ? Messages::rank() : none}, MPI_INT, MPI_MIN)[0];
  if (first == none) return;
  if (first == Messages::rank()) {
    if (unfinished) end_job(unfinished_finding(account));
    end_job(lost_finding(lost.from, Messages::rank(), lost.tag, lost.count, lost.circle->described()));
  }
  Messages::wait([] { return false; });
}

}  // namespace lapwing::sets
