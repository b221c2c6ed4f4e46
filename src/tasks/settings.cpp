// SPDX-License-Identifier: Apache-2.0
#include "tasks/settings.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <functional>
#include <map>
#include <string_view>
#include <type_traits>

#include "options/check.hpp"
#include "progress/cores.hpp"

namespace lapwing::tasks {

namespace {

constexpr std::string_view prefix = "LAPWING_TASKS_";
constexpr int most_workers = 4096, most_spare = 4096;

/// The option of the table that a variable is; ends the program's run() with a
/// sentence if there is none, or if it does not take the value.
const options::Option& checked(std::string_view variable, std::string_view value) {
  const options::Option* const option = options::find(variable);
  if (option == nullptr) {
    std::string names;
    for (const options::Option& each : options::table) {
      if (each.part == options::Part::tasks) names += fmt::format(" {}", each.name);
    }
    throw Error(fmt::format("{} is set, but is no variable of Lapwing's; there are{}", variable, names));
  }
  if (const std::string wanted = options::complaint(*option, value); !wanted.empty()) {
    throw Error(fmt::format("{}={} should be {}", variable, value, wanted));
  }
  return *option;
}

// This process's share of those of its node: all on which it may run, if the launcher has bound it to some.
int cores(bool on_ranks) {
  const int own = progress::cores_of_process(), all = progress::cores_of_node();
  if (own < all) return own;
  return on_ranks ? std::max(1, all / std::max(1, progress::launched_ranks_of_node())) : all;
}

}  // namespace

Options settle(Options asked) {
  // Each gets a value that the table permits.
  using Setter = std::function<void(const options::Option&, std::string_view)>;
  const auto count = [](auto& target) -> Setter {
    return [&target](const options::Option& option, std::string_view value) {
      target = static_cast<std::remove_reference_t<decltype(target)>>(*options::number_of(option, value));
    };
  };
  const auto on_off = [](bool& target) -> Setter {
    return
        [&target](const options::Option&, std::string_view value) { target = value == "on" || value == "1"; };
  };
  const std::map<std::string_view, Setter> known{
      {"WORKERS", count(asked.workers)},
      {"LOCALITY", on_off(asked.locality)},
      {"PLACEMENT", on_off(asked.placement)},
      {"PATIENCE", count(asked.patience)},
      {"WINDOW", count(asked.window)},
      {"STACK", count(asked.stack)},
      {"SPARE", count(asked.spare)},
      {"RANKS", on_off(asked.ranks)},
      {"REPLICATION", on_off(asked.replication)},
      {"BROADCAST", on_off(asked.broadcast)},
      {"TARGET", count(asked.target)},
      {"CONCURRENT_FETCHES", on_off(asked.concurrent_fetches)},
      {"LARGE", count(asked.large)},
      {"STRIPS", on_off(asked.strips)},
      {"STRIP", count(asked.strip)},
      {"SCHEDULE",
       [&](const options::Option&, std::string_view value) { asked.central = value == "central"; }},
      {"LEND", on_off(asked.lend)},
      {"NODE_MEMORY", on_off(asked.node_memory)},
      {"REMARKS", on_off(asked.remarks)},
      {"TRACE", [&](const options::Option&, std::string_view value) { asked.trace = value; }},
  };
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view text = *variable;
    if (!text.starts_with(prefix)) continue;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == text.npos ? std::string_view() : text.substr(equals + 1);
    const options::Option& option = checked(name, value);
    known.at(name.substr(prefix.size()))(option, value);
  }
  if (asked.workers < 0 || asked.workers > most_workers) {
    throw Error(fmt::format("Options::workers is {}, not from 0 to {}", asked.workers, most_workers));
  }
  if (asked.spare < -1 || asked.spare > most_spare)
    throw Error(fmt::format("Options::spare is {}, not from -1 to {}", asked.spare, most_spare));
  if (asked.workers == 0) asked.workers = cores(asked.ranks);
  if (asked.window == 0)
    asked.window = std::max<std::size_t>(1024, 64 * static_cast<std::size_t>(asked.workers));
  if (asked.stack < 16) throw Error("Options::stack is below 16 KiB");
  return asked;
}

}  // namespace lapwing::tasks
