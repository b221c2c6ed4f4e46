// SPDX-License-Identifier: Apache-2.0
#include "transfer/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "machine/profile.hpp"
#include "transfer/wire.hpp"

extern char** environ;

namespace lapwing::transfer {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Each reader returns what it would have understood, or "" if it did.
using Reader = std::function<std::string(const std::string&)>;

template <typename T>
Reader one_of(T& target, std::map<std::string, T> values) {
  return [&target, values = std::move(values)](const std::string& text) -> std::string {
    if (auto found = values.find(text); found != values.end()) {
      target = found->second;
      return {};
    }
    std::string names;
    for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
    return "one of " + names;
  };
}

Reader bytes(std::size_t& target, std::size_t least) {
  return [&target, least](const std::string& text) -> std::string {
    std::size_t value;
    if (!parse_bytes(text, &value) || value < least)
      return fmt::format("a size of at least {}, such as 64K", least);
    target = value;
    return {};
  };
}

Reader text(std::string& target) {
  return [&target](const std::string& value) -> std::string {
    target = value;
    return {};
  };
}

/// Variables that other parts of Lapwing read, which check their values themselves.
bool of_another_part(const std::string& name) {
  static const std::set<std::string> wrappers{"LAPWING_MPI", "LAPWING_CC", "LAPWING_CXX", "LAPWING_FC",
                                              "LAPWING_PASS"};
  return name.compare(0, 14, "LAPWING_TASKS_") == 0 || wrappers.count(name) != 0;
}

}  // namespace

bool parse_bytes(const std::string& text, std::size_t* bytes) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return false;
  const std::string suffix(end, text.data() + text.size());
  int shift = 0;
  if (suffix == "K" || suffix == "k")
    shift = 10;
  else if (suffix == "M" || suffix == "m")
    shift = 20;
  else if (suffix == "G" || suffix == "g")
    shift = 30;
  else if (!suffix.empty())
    return false;
  *bytes = value << shift;
  return *bytes >> shift == value;
}

Settings read_settings() {
  Settings s;
  const std::map<std::string, bool> on_off{{"on", true}, {"off", false}, {"1", true}, {"0", false}};
  const std::map<std::string, Reader> known{
      {"LAPWING", one_of(s.enabled, on_off)},
      {"LAPWING_DEFER",
       one_of<Defer>(
           s.defer,
           {{"auto", Defer::automatic}, {"on", Defer::on}, {"off", Defer::off}, {"all", Defer::all}})},
      {"LAPWING_GUARD",
       [&](const std::string& v) -> std::string {
         if (v != "auto" && v != "userfaultfd" && v != "mprotect" && v != "none")
           return "one of auto, userfaultfd, mprotect, none";
         s.guard = v;
         return {};
       }},
      {"LAPWING_HELPER", one_of(s.helper, on_off)},
      {"LAPWING_ACCELERATORS", one_of(s.accelerators_ignored, {{"auto", false}, {"ignore", true}})},
      {"LAPWING_THRESHOLD_GUARD", bytes(s.guard_threshold, header_bytes)},
      {"LAPWING_THRESHOLD_STRIP", bytes(s.strip_threshold, header_bytes)},
      {"LAPWING_THRESHOLD_PROVED", bytes(s.proved_threshold, 0)},
      {"LAPWING_STRIP_FIRST", bytes(s.strip_first, 1)},
      {"LAPWING_STRIP_MAX", bytes(s.strip_largest, 1)},
      {"LAPWING_WINDOW", bytes(s.window, 1)},
      {"LAPWING_STAGING", bytes(s.staging, 0)},
      {"LAPWING_DIRECTION",
       one_of<Order>(s.order, {{"auto", Order::automatic}, {"up", Order::up}, {"down", Order::down}})},
      {"LAPWING_PROTECT",
       one_of<Protect>(s.protect,
                       {{"all", Protect::all}, {"first", Protect::first}, {"last", Protect::last}})},
      {"LAPWING_SETS",
       one_of<Sets>(s.sets, {{"off", Sets::off}, {"check", Sets::check}, {"run", Sets::run}})},
      {"LAPWING_SPLIT", one_of<Split>(s.split, {{"auto", Split::automatic},
                                                {"overlap", Split::overlap},
                                                {"messages", Split::messages},
                                                {"static", Split::static_},
                                                {"blocking", Split::blocking}})},
      {"LAPWING_CHECK_JSON", text(s.check_json)},
      {"LAPWING_PROFILE", text(s.profile)},
      {"LAPWING_REPORT", text(s.report)},
      {"LAPWING_VERBOSE", one_of<int>(s.verbose, {{"0", 0}, {"1", 1}, {"2", 2}})},
      {"LAPWING_DECLARED", one_of(s.declared_trace, {{"quiet", false}, {"trace", true}})},
      {"LAPWING_JOB",
       [&](const std::string& v) -> std::string {
         if (v != "uniform") return "uniform";
         s.uniform_job = true;
         return {};
       }},
      {"LAPWING_TESTING", one_of(s.testing, on_off)},
      {"LAPWING_FAULT", text(s.fault)},
  };
  if (const char* path = std::getenv("LAPWING_PROFILE"); path && *path) {
    machine::Profile measured;
    std::string why;
    if (machine::read_profile(path, &measured, &why)) {
      const machine::Thresholds t = machine::thresholds_of(measured);
      s.guard_threshold = t.guard;
      s.strip_threshold = t.strip;
      s.strip_first = t.first;
    } else {
      s.complaints.push_back(why);
    }
  }
  for (char** entry = environ; entry && *entry; ++entry) {
    if (std::strncmp(*entry, "LAPWING", 7) != 0) continue;
    const char* equals = std::strchr(*entry, '=');
    if (!equals) continue;
    const std::string name(*entry, static_cast<std::size_t>(equals - *entry)), value(equals + 1);
    if (name != "LAPWING" && name.compare(0, 8, "LAPWING_") != 0) continue;
    if (of_another_part(name)) continue;
    const auto found = known.find(name);
    if (found == known.end()) {
      const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a.first) < edit_distance(name, b.first);
      });
      s.complaints.push_back(fmt::format(
          "{} is not a variable of Lapwing and changes nothing; the nearest is {}", name, nearest->first));
    } else if (const std::string wanted = found->second(value); !wanted.empty()) {
      s.complaints.push_back(
          fmt::format("{}={} is not understood and changes nothing: it takes {}", name, value, wanted));
    } else if (name.compare(0, 14, "LAPWING_STRIP_") == 0) {
      s.strips_given = true;
    }
  }
  s.strip_largest = std::max(s.strip_largest, s.strip_first);
  s.strip_threshold = std::max(s.strip_threshold, s.guard_threshold);
  if (!s.fault.empty() && !s.testing) {
    s.complaints.push_back(
        "LAPWING_FAULT plants a defect for tests and is refused without LAPWING_TESTING=1");
    s.fault.clear();
  }
  return s;
}

}  // namespace lapwing::transfer
