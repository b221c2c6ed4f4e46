// SPDX-License-Identifier: Apache-2.0
// The end of a program that is checked.
#include <fmt/format.h>

#include <mutex>

#include "sets/all_processes.hpp"
#include "sets/check/check.hpp"
#include "sets/check/kinds.hpp"
#include "sets/check/overlaps.hpp"
#include "sets/check/p2p_waits.hpp"
#include "sets/check/pending.hpp"
#include "sets/check/permitted.hpp"
#include "sets/orders/orders.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report_text.hpp"
#include "sets/windows/access_log.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t any_contents = ~std::uint64_t{0};  // in place of a part's value

struct Lost {
  const Circle* circle = nullptr;
  int from = 0, tag = 0;
  std::uint64_t count = 0;
  Account sender;  ///< of the last of them
  bool told = false;
};
Lost lost;

// Messages of which what was sent and what was received differ.
struct Differing {
  const Circle* circle = nullptr;
  int from = 0, tag = 0;  ///< a world rank
  std::size_t peer = 0;
  std::uint64_t sent_as = 0;
  Contents::Part received_as;
  Account sender;
  bool told = false;
};
Differing differing;

/// The wire.
struct SentPart {
  std::uint64_t value, bytes;
};

// The types of what came, once all that was sent has been received.
void compare_types(const Circle& circle, std::size_t peer, int source, int tag, const Channel& channel,
                   const std::vector<SentPart>& sent) {
  if (sent.empty() || differing.circle || !channel.received_contents.known()) return;
  std::uint64_t bytes_sent = 0, bytes_received = 0, sent_as = 0;
  const Contents::Part* received_as = nullptr;
  for (const SentPart& part : sent) {
    bytes_sent += part.bytes;
    const Contents::Part* here = channel.received_contents.find(part.value);
    if (part.bytes > (here ? here->bytes : 0)) sent_as = part.value;
  }
  for (const Contents::Part& part : channel.received_contents.parts()) {
    bytes_received += part.bytes;
    std::uint64_t there = 0;
    for (const SentPart& other : sent) {
      if (other.value == part.value) there = other.bytes;
    }
    if (part.bytes > there) received_as = &part;
  }
  if (bytes_sent == bytes_received && sent_as && received_as)
    differing = {&circle, source, tag, peer, sent_as, *received_as, {}, false};
}

// `sent`: what a peer says to have sent here.
void compare(int source, const char* data, std::size_t size) {
  PackedValues in(data, size);
  Circle* circle = Circles::by_id(in.get<std::uint64_t>());
  const int tag = in.get<std::int32_t>();
  const auto sent = in.get<std::uint64_t>();
  const auto parts = in.get_all<SentPart>();
  if (!circle || circle->uncertain || lost.circle) return;
  for (std::size_t rank = 0; rank < circle->peers.size(); ++rank) {
    if (circle->peers[rank] != source) continue;
    const std::uint64_t here = received(*circle, static_cast<int>(rank), static_cast<std::uint32_t>(tag));
    if (here < sent) lost = {circle, source, tag, sent - here, {}, false};
    const Channel& channel = circle->channel(static_cast<int>(rank), tag);
    if (channel.received == sent) compare_types(*circle, rank, source, tag, channel, parts);
    return;
  }
}

void tell_what_was_sent() {
  const std::lock_guard guard(Messages::lock());
  for (const auto& [id, circle] : Circles::all()) {
    for (const auto& [key, channel] : circle->channels()) {
      const std::size_t peer = key >> 32;
      if (channel.sent == 0 || channel.uncertain || peer >= circle->peers.size()) continue;
      PackedValues out;
      out.put(id);
      out.put(static_cast<std::int32_t>(key & 0xffffffffu));
      out.put(channel.sent);
      std::vector<SentPart> parts;
      if (channel.sent_contents.known()) {
        for (const Contents::Part& part : channel.sent_contents.parts())
          parts.push_back({part.value, part.bytes});
      }
      out.put_all(parts);
      Messages::send(circle->peers[peer], finished_kind, out.data(), out.size());
    }
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

Account account_of_part(const Contents::Part& part, const char* way, std::size_t peer, int tag) {
  Told told;
  told.returns_to = part.returns_to;
  Account account;
  account.rank = Messages::rank();
  account.call = part.call;
  account.details =
      fmt::format("of {} {} rank {}, tag {}", amount_text(part.count, part.type), way, peer, tag);
  account.site = site_text(told);
  return account;
}

// Asks which call sent what was received as another type, or is told.
void take_sent_as(int source, const char* data, std::size_t size) {
  PackedValues in(data, size);
  const auto id = in.get<std::uint64_t>();
  const auto tag = in.get<std::int32_t>();
  const auto value = in.get<std::uint64_t>();
  const std::string text = in.get_text();
  if (!text.empty()) {
    const Account sender = Account::unpacked(text.data(), text.size());
    if (lost.circle) {
      lost.sender = sender;
      lost.told = true;
    } else {
      differing.sender = sender;
      differing.told = true;
    }
    return;
  }
  Circle* circle = Circles::by_id(id);
  if (!circle) return;
  for (std::size_t rank = 0; rank < circle->peers.size(); ++rank) {
    if (circle->peers[rank] != source) continue;
    const Channel& channel = circle->channel(static_cast<int>(rank), tag);
    Account sender;
    if (value == any_contents) {
      Told told;
      told.returns_to = channel.returns_to;
      sender.rank = Messages::rank();
      sender.call = channel.call;
      sender.details = fmt::format("to rank {} with tag {}", rank, shown_tag(tag));
      sender.site = site_text(told);
    } else if (const Contents::Part* part = channel.sent_contents.find(value)) {
      sender = account_of_part(*part, "to", rank, tag);
    } else {
      continue;
    }
    PackedValues out;
    out.put(id);
    out.put<std::int32_t>(tag);
    out.put(value);
    out.put_text(sender.packed());
    Messages::send(source, sent_as_kind, out.data(), out.size());
    return;
  }
}

void ask_sender(const Circle& circle, int from, int tag, std::uint64_t value) {
  const std::lock_guard guard(Messages::lock());
  PackedValues out;
  out.put(circle.id);
  out.put<std::int32_t>(tag);
  out.put(value);
  out.put_text("");
  Messages::send(from, sent_as_kind, out.data(), out.size());
}

[[noreturn]] void report_types() {
  ask_sender(*differing.circle, differing.from, differing.tag, differing.sent_as);
  Messages::wait([] { return differing.told; });
  end_job(types_finding(differing.sender,
                        account_of_part(differing.received_as, "from", differing.peer, differing.tag)));
}

[[noreturn]] void report_lost() {
  if (!lost.told) {
    ask_sender(*lost.circle, lost.from, lost.tag, any_contents);
    Messages::wait([] { return lost.told; });
  }
  end_job(lost_finding(lost.from, Messages::rank(), shown_tag(lost.tag), lost.count, lost.circle->described(),
                       lost.sender));
}

// A message that a matched probe has taken and no receive.
void find_matched() {
  const std::lock_guard guard(Messages::lock());
  const Pending* pending = MatchedMessages::any();
  if (!pending || lost.circle) return;
  lost = {pending->circle,
          pending->circle->peers[static_cast<std::size_t>(pending->peer)],
          pending->tag,
          MatchedMessages::count(),
          {},
          true};
}

// A request that the program has started and never completed, nor freed.
bool find_active(Account* account) {
  const std::lock_guard guard(Messages::lock());
  for (const auto& [key, pending] : PendingRequests::all()) {
    if (!pending.active || pending.cancelled) continue;
    Told told;
    told.returns_to = pending.returns_to;
    account->rank = Messages::rank();
    account->call = pending.name;
    account->details = pending.is_message()
                           ? fmt::format("{}, on {}", partner_text(pending), pending.circle->described())
                           : "on " + pending.circle->described();
    account->site = site_text(told);
    account->collective = pending.kind == Pending::group;
    if (account->collective) {
      account->details.clear();
      account->group = pending.circle->described();
    }
    return true;
  }
  return false;
}

}  // namespace

void announce_finalize() {
  {
    const std::lock_guard guard(Messages::lock());
    Messages::on(finished_kind, compare);
    Permitted::start();
    Overlaps::listen();
    Messages::on(sent_as_kind, take_sent_as);
  }
  // No process tells before all can hear.
  meet_all();
  tell_what_was_sent();
  settle();
  find_matched();
  Account account;
  const bool unfinished = find_unfinished(&account);
  const int none = Messages::processes();
  Account request;
  const bool active = !unfinished && !lost.circle && find_active(&request);
  const bool wrong = unfinished || lost.circle || differing.circle || active;
  const int first = combine_all<int>({wrong ? Messages::rank() : none}, MPI_INT, MPI_MIN)[0];
  if (first == none) {
    AccessLog::report();
    Orders::report();
    Overlaps::report();
    return Permitted::report();
  }
  if (first == Messages::rank()) {
    if (unfinished) end_job(unfinished_finding(account));
    if (lost.circle) report_lost();
    if (differing.circle) report_types();
    end_job(request_finding(request));
  }
  Messages::wait([] { return false; });
}

}  // namespace lapwing::sets
