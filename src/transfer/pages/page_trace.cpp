// SPDX-License-Identifier: Apache-2.0
#include "transfer/pages/page_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "progress/clock.hpp"
#include "transfer/accounts/as_json.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::transfer {

PageTrace::StreamKey PageTrace::key_of(const LandedMessage& message) {
  return {message.started->key, message.peer, static_cast<unsigned>(std::bit_width(message.bytes))};
}

bool PageTrace::wants(const LandedMessage& message) {
  const StreamKey key = key_of(message);
  auto found = streams_.find(key);
  if (found == streams_.end()) {
    if (streams_.size() == most_streams) return false;
    found = streams_.emplace(key, Stream{message.started}).first;
  }
  Stream& stream = found->second;
  ++stream.receives;
  stream.bytes += message.bytes;
  if (!file_.is_open() || stream.traced == most_of_stream) return false;
  return stream.receives <= first_traced || stream.receives % then_one_in == 0;
}

void PageTrace::watch(const LandedMessage& message, std::uint64_t now, std::uint64_t in_mpi) {
  if (watched_.size() == most_watched) {
    watched_.front().watch->end(WatchEnd::room);
    collect();
  }
  // The lookup takes milliseconds for the first of a module: not while the program stops at a page.
  place(message.started->address);
  place(message.waited_at->address);
  Stream& stream = streams_[key_of(message)];
  // In turns: one tells the order, the next one the times, which a stop at each page would lengthen.
  const std::size_t most_parts = stream.traced % 2 == 0 ? PageWatch::fine : PageWatch::coarse;
  auto watch = PageWatch::begin(message.base, message.bytes, most_parts, in_mpi);
  if (!watch) return;
  ++stream.traced;
  watched_.push_back({std::move(watch), message, now});
}

bool PageTrace::advance(std::uint64_t in_mpi) {
  bool moved = false;
  for (Watched& watched : watched_) moved |= watched.watch->advance(in_mpi);
  if (moved) collect();
  return moved;
}

void PageTrace::used(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi) {
  for (Watched& watched : watched_) watched.watch->used(from, to, now, in_mpi);
  collect();
}

void PageTrace::overwritten(const char* from, const char* to) {
  for (Watched& watched : watched_) watched.watch->overwritten(from, to);
  collect();
}

void PageTrace::collect() {
  for (auto it = watched_.begin(); it != watched_.end();) {
    if (!it->watch->ended()) {
      ++it;
      continue;
    }
    write(*it);
    it = watched_.erase(it);
  }
}

const std::string& PageTrace::place(const void* address, std::string* function) {
  const auto [found, fresh] = places_.try_emplace(address);
  if (fresh) {
    Place place = place_of(address);
    found->second = {std::move(place.site), std::move(place.function)};
  }
  if (function) *function = found->second.second;
  return found->second.first;
}

void PageTrace::write(const Watched& watched) {
  const LandedMessage& m = watched.message;
  const PageWatch& watch = *watched.watch;
  std::string function;
  const std::string site = place(m.started->address, &function), wait = place(m.waited_at->address);
  std::string line = fmt::format(
      "{{\"site\":{},\"function\":{},\"call\":\"{}\",\"wait\":{},\"wait_call\":\"{}\",\"peer\":{},\"bytes\":{"
      "},"
      "\"started\":{},\"waited\":{},\"landed\":{},\"waited_s\":{},\"offset\":{},\"part_bytes\":{},\"parts\":{"
      "},"
      "\"coarse\":{},\"ended\":\"{}\",\"ended_us\":{:.1f}",
      quoted(site), quoted(function), m.started->call, quoted(wait), m.waited_at->call, m.peer, m.bytes,
      m.started_ns == 0 ? "null" : decimal_seconds(m.started_ns - std::min(m.started_ns, origin_)),
      decimal_seconds(m.wait_began_ns - std::min(m.wait_began_ns, origin_)),
      decimal_seconds(watched.landed_ns - origin_), decimal_seconds(m.waited), watch.offset(),
      watch.part_bytes(), watch.parts(), watch.is_coarse(), name_of(watch.how()),
      1e-3 * static_cast<double>(progress::now_ns() - watch.begun_ns()));
  if (watch.first_place() != 0)
    line += fmt::format(",\"first_use\":{}",
                        quoted(place(reinterpret_cast<const void*>(watch.first_place() + 1))));
  line += ",\"touches\":[";
  bool first = true;
  for (const FirstTouch& touch : watch.touches()) {
    // Microseconds after the landing, and those of them that were the program's own.
    line += fmt::format("{}[{},{:.1f},{:.1f}{}]", first ? "" : ",", touch.part,
                        1e-3 * static_cast<double>(touch.after), 1e-3 * static_cast<double>(touch.own),
                        touch.by_call ? ",1" : "");
    first = false;
  }
  file_.add(line + "]}");
}

void PageTrace::end_all(WatchEnd how) {
  for (Watched& watched : watched_) watched.watch->end(how);
  collect();
}

void PageTrace::finish() {
  end_all(WatchEnd::finalized);
  std::map<std::pair<std::string, std::string>, Stream> sites;
  for (const auto& [key, stream] : streams_) {
    Stream& sum = sites[{place(stream.site->address), stream.site->call}];
    sum.receives += stream.receives;
    sum.bytes += stream.bytes;
    sum.traced += stream.traced;
  }
  for (const auto& [name, sum] : sites)
    file_.add(fmt::format("{{\"site\":{},\"call\":\"{}\",\"receives\":{},\"all_bytes\":{},\"traced\":{}}}",
                          quoted(name.first), name.second, sum.receives, sum.bytes, sum.traced));
}

}  // namespace lapwing::transfer
