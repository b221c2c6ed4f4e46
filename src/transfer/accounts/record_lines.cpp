// SPDX-License-Identifier: Apache-2.0
#include "transfer/accounts/record_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace lapwing::transfer {
namespace {

constexpr std::size_t line_fields = 24 + plain_causes, wait_fields = 4;

Line& line_at(Lines& lines, const void* address, const char* call) {
  Place place = place_of(address);
  Line& line = lines[place.site + '\t' + call];
  line.place = std::move(place);
  line.call = call;
  return line;
}

std::string hint_of(const Site& site) {
  std::string text = site.hints.text();
  if (!site.hinted) return text.empty() ? text : text + " (not used)";
  if (site.by_call) return text + (text.empty() ? "by calls" : ", and by calls");
  return text.empty() ? site.told.text() + " (of the receiver)" : text;
}

std::vector<std::string> fields(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == '\t')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace

const char* Line::direction() const {
  if (up == 0 && down == 0) return "-";
  if (down == 0 || up > 3 * down) return "up";
  return up == 0 || down > 3 * up ? "down" : "mixed";
}

const char* Line::decision() const {
  if (hides > 0) return "hides";
  if (learning > 0) return "learning";
  if (aside > 0) return "stands aside";
  return deferred > 0 || stripped > 0 ? "hides" : "plain";
}

void add(Lines& lines, const Site& site, Verdict verdict) {
  // Waits are charged to what they wait for.
  if (std::strncmp(site.call, "MPI_Wait", 8) == 0) return;
  Line& line = line_at(lines, site.address, site.call);
  line.calls += site.calls;
  line.bytes += site.bytes;
  line.exposed_ns += site.exposed_ns;
  line.hidden_ns += site.transfer_ns > site.waited_ns ? site.transfer_ns - site.waited_ns : 0;
  line.deferred += site.deferred;
  line.stripped += site.stripped;
  line.faults += site.faults;
  line.guard_ns += site.waited_ns;
  line.up += site.up_votes + site.scans_up;
  line.down += site.down_votes + site.scans_down;
  for (std::size_t i = 0; i < plain_causes; ++i) line.plain[i] += site.plain[i];
  if (std::string hint = hint_of(site); !hint.empty()) line.hint = std::move(hint);
  if (site.stripped > 0 || site.looks_worth_it > 0) {
    ++(verdict == Verdict::hides          ? line.hides
       : verdict == Verdict::stands_aside ? line.aside
                                          : line.learning);
  } else if (site.looks_in_vain > 0) {
    ++line.at_once;
  }
}

void add(Lines& lines, const Account& account) {
  Line& line = line_at(lines, account.caller.address, account.caller.name);
  line.kind = account.kind;
  line.calls += account.calls;
  line.bytes += account.bytes;
  line.exposed_ns += account.exposed_ns;
  line.late_calls += account.late_calls;
  line.late_bytes += account.late_bytes;
  // A message that returned before it had landed tells no rate.
  if (line.deferred == 0) line.rate = std::max(line.rate, account.rate);
  line.rate = std::max(line.rate, account.landing_rate);
  for (const auto& [address, ns] : account.waited_at) {
    const Place place = place_of(address);
    Line::Wait& wait = line.waited_at[place.site];
    wait.function = place.function;
    wait.exposed_ns += ns;
  }
}

std::string text_of(const Lines& lines) {
  std::string out;
  for (const auto& [key, l] : lines) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}", l.place.site, l.place.function, l.place.module, l.place.offset,
                       l.call);
    for (const std::uint64_t sum :
         {l.calls, l.bytes, l.exposed_ns, l.hidden_ns, l.deferred, l.stripped, l.faults})
      out += fmt::format("\t{}", sum);
    for (const int vote : {l.up, l.down, l.hides, l.aside, l.learning, l.at_once})
      out += fmt::format("\t{}", vote);
    out += fmt::format("\t{}\t{}\t{}\t{}\t{}", l.rate, static_cast<int>(l.kind), l.late_calls, l.late_bytes,
                       l.guard_ns);
    for (const std::uint64_t plain : l.plain) out += fmt::format("\t{}", plain);
    out += '\t' + l.hint + '\n';
    for (const auto& [site, wait] : l.waited_at)
      out += fmt::format("\t{}\t{}\t{}\n", site, wait.function, wait.exposed_ns);
  }
  return out;
}

Lines merged(const std::string& texts) {
  Lines lines;
  Line* last = nullptr;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = texts.find('\n', at);
    const auto f = fields(texts.substr(at, end - at));
    at = end + 1;
    if (f.size() == wait_fields && last) {
      Line::Wait& wait = last->waited_at[f[1]];
      wait.function = f[2];
      wait.exposed_ns += std::stoull(f[3]);
    }
    if (f.size() != line_fields) continue;
    Line& line = lines[f[0] + '\t' + f[4]];
    last = &line;
    line.place = {f[0], f[1], f[2], f[3]};
    line.call = f[4];
    std::size_t next = 5;
    for (std::uint64_t* sum : {&line.calls, &line.bytes, &line.exposed_ns, &line.hidden_ns, &line.deferred,
                               &line.stripped, &line.faults})
      *sum += std::stoull(f[next++]);
    for (int* vote : {&line.up, &line.down, &line.hides, &line.aside, &line.learning, &line.at_once})
      *vote += std::stoi(f[next++]);
    line.rate = std::max<std::uint64_t>(line.rate, std::stoull(f[next++]));
    line.kind = static_cast<Kind>(std::stoi(f[next++]));
    for (std::uint64_t* sum : {&line.late_calls, &line.late_bytes, &line.guard_ns})
      *sum += std::stoull(f[next++]);
    for (std::uint64_t& plain : line.plain) plain += std::stoull(f[next++]);
    if (!f[next].empty()) line.hint = f[next];
  }
  return lines;
}

}  // namespace lapwing::transfer
