// SPDX-License-Identifier: Apache-2.0
#include "tasks/settings.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#include <lapwing/tasks/errors.hpp>

#include <charconv>
#include <functional>
#include <map>
#include <string_view>

namespace lapwing::tasks {

namespace {

constexpr std::string_view prefix = "LAPWING_TASKS_";
constexpr int most_workers = 4096;

double number(std::string_view name, std::string_view value, double least, double most) {
  double result = 0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || rest != value.data() + value.size() || !(result >= least && result <= most)) {
    throw Error(fmt::format("{}{}={} is not a number from {} to {}", prefix, name, value, least, most));
  }
  return result;
}

bool choice(std::string_view name, std::string_view value) {
  if (value == "on" || value == "1") return true;
  if (value == "off" || value == "0") return false;
  throw Error(fmt::format("{}{}={} is neither on nor off", prefix, name, value));
}

// This process's share of those of its node.
int cores(bool on_ranks) {
  int all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) all = CPU_COUNT(&set);
  for (const char* const variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const char* const text = on_ranks ? std::getenv(variable) : nullptr;
    if (text != nullptr && std::atoi(text) > 0) return std::max(1, all / std::atoi(text));
  }
  return all;
}

}  // namespace

Options settle(Options asked) {
  using Setter = std::function<void(std::string_view)>;
  const std::map<std::string_view, Setter> known{
      {"WORKERS", [&](auto v) { asked.workers = static_cast<int>(number("WORKERS", v, 1, most_workers)); }},
      {"LOCALITY", [&](auto v) { asked.locality = choice("LOCALITY", v); }},
      {"PLACEMENT", [&](auto v) { asked.placement = choice("PLACEMENT", v); }},
      {"PATIENCE", [&](auto v) { asked.patience = number("PATIENCE", v, 0, 1e6); }},
      {"WINDOW", [&](auto v) { asked.window = static_cast<std::size_t>(number("WINDOW", v, 1, 1e9)); }},
      {"STACK", [&](auto v) { asked.stack = static_cast<std::size_t>(number("STACK", v, 16, 1 << 20)); }},
      {"RANKS", [&](auto v) { asked.ranks = choice("RANKS", v); }},
      {"REPLICATION", [&](auto v) { asked.replication = choice("REPLICATION", v); }},
      {"BROADCAST", [&](auto v) { asked.broadcast = choice("BROADCAST", v); }},
      {"TARGET", [&](auto v) { asked.target = static_cast<int>(number("TARGET", v, 1, 1e6)); }},
      {"CONCURRENT_FETCHES", [&](auto v) { asked.concurrent_fetches = choice("CONCURRENT_FETCHES", v); }},
      {"LARGE", [&](auto v) { asked.large = static_cast<std::size_t>(number("LARGE", v, 1, 1e15)); }},
      {"STRIPS", [&](auto v) { asked.strips = choice("STRIPS", v); }},
      {"STRIP", [&](auto v) { asked.strip = static_cast<std::size_t>(number("STRIP", v, 0, 1e9)); }},
      {"SCHEDULE",
       [&](auto v) {
         if (v != "central" && v != "ahead") {
           throw Error(fmt::format("{}SCHEDULE={} is neither central nor ahead", prefix, v));
         }
         asked.central = v == "central";
       }},
      {"LEND", [&](auto v) { asked.lend = choice("LEND", v); }},
      {"NODE_MEMORY", [&](auto v) { asked.node_memory = choice("NODE_MEMORY", v); }},
      {"REMARKS", [&](auto v) { asked.remarks = choice("REMARKS", v); }},
      {"TRACE", [&](auto v) { asked.trace = v; }},
  };
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view text = *variable;
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (const auto& [each, setter] : known) names += fmt::format(" {}{}", prefix, each);
      throw Error(
          fmt::format("{}{} is set, but is no variable of Lapwing's; there are{}", prefix, name, names));
    }
    found->second(text.substr(equals + 1));
  }
  if (asked.workers < 0 || asked.workers > most_workers) {
    throw Error(fmt::format("Options::workers is {}, not from 0 to {}", asked.workers, most_workers));
  }
  if (asked.workers == 0) asked.workers = cores(asked.ranks);
  if (asked.window == 0)
    asked.window = std::max<std::size_t>(1024, 64 * static_cast<std::size_t>(asked.workers));
  if (asked.stack < 16) throw Error("Options::stack is below 16 KiB");
  return asked;
}

}  // namespace lapwing::tasks
