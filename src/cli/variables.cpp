// SPDX-License-Identifier: Apache-2.0
#include "cli/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "cli/say.hpp"
#include "cli/suggest.hpp"

namespace lapwing::cli {

using VariableKind = Variable::Kind;

const std::vector<Variable>& known_variables() {
  static const std::vector<Variable> table{
      {"LAPWING", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_DEFER", VariableKind::choice, {"auto", "on", "off", "all"}},
      {"LAPWING_GUARD", VariableKind::choice, {"auto", "userfaultfd", "mprotect", "none"}},
      {"LAPWING_HELPER", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_ACCELERATORS", VariableKind::choice, {"auto", "ignore"}},
      {"LAPWING_THRESHOLD_GUARD", VariableKind::bytes, {}},
      {"LAPWING_THRESHOLD_STRIP", VariableKind::bytes, {}},
      {"LAPWING_THRESHOLD_PROVED", VariableKind::bytes, {}},
      {"LAPWING_STRIP_FIRST", VariableKind::bytes, {}},
      {"LAPWING_STRIP_MAX", VariableKind::bytes, {}},
      {"LAPWING_WINDOW", VariableKind::bytes, {}},
      {"LAPWING_STAGING", VariableKind::bytes, {}},
      {"LAPWING_DIRECTION", VariableKind::choice, {"auto", "up", "down"}},
      {"LAPWING_PROTECT", VariableKind::choice, {"all", "first", "last"}},
      {"LAPWING_SETS", VariableKind::choice, {"off", "check", "run"}},
      {"LAPWING_SPLIT", VariableKind::choice, {"auto", "overlap", "messages", "static", "blocking"}},
      {"LAPWING_CHECK_JSON", VariableKind::path, {}},
      {"LAPWING_PROFILE", VariableKind::path, {}},
      {"LAPWING_REPORT", VariableKind::path, {}},
      {"LAPWING_VERBOSE", VariableKind::choice, {"0", "1", "2"}},
      {"LAPWING_DECLARED", VariableKind::choice, {"quiet", "trace"}},
      {"LAPWING_FAULT", VariableKind::word, {}},
      {"LAPWING_TESTING", VariableKind::choice, {"0", "1"}},
      {"LAPWING_JOB", VariableKind::choice, {"uniform"}},
      // Of liblapwing-tasks, which checks their values.
      {"LAPWING_TASKS_WORKERS", VariableKind::word, {}},
      {"LAPWING_TASKS_LOCALITY", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_PLACEMENT", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_PATIENCE", VariableKind::word, {}},
      {"LAPWING_TASKS_WINDOW", VariableKind::word, {}},
      {"LAPWING_TASKS_STACK", VariableKind::word, {}},
      {"LAPWING_TASKS_TRACE", VariableKind::path, {}},
      {"LAPWING_TASKS_RANKS", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_REPLICATION", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_BROADCAST", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_TARGET", VariableKind::word, {}},
      {"LAPWING_TASKS_CONCURRENT_FETCHES", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_LARGE", VariableKind::word, {}},
      {"LAPWING_TASKS_STRIPS", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_STRIP", VariableKind::word, {}},
      {"LAPWING_TASKS_SCHEDULE", VariableKind::choice, {"central", "ahead"}},
      {"LAPWING_TASKS_LEND", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_NODE_MEMORY", VariableKind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_REMARKS", VariableKind::choice, {"on", "off", "1", "0"}},
      // The compiler wrappers'.
      {"LAPWING_MPI", VariableKind::choice, {"mpich", "openmpi"}},
      {"LAPWING_CC", VariableKind::word, {}},
      {"LAPWING_CXX", VariableKind::word, {}},
      {"LAPWING_FC", VariableKind::word, {}},
      {"LAPWING_PASS", VariableKind::word, {}},
  };
  return table;
}

long long parse_bytes(const std::string& text) {
  long long value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return -1;
  const std::string suffix(rest, text.data() + text.size());
  int shift = 0;
  if (suffix == "K" || suffix == "k") {
    shift = 10;
  } else if (suffix == "M" || suffix == "m") {
    shift = 20;
  } else if (suffix == "G" || suffix == "g") {
    shift = 30;
  } else if (!suffix.empty()) {
    return -1;
  }
  return value > (1LL << (62 - shift)) ? -1 : value << shift;
}

const Variable* find_variable(const std::string& name) {
  for (const auto& variable : known_variables()) {
    if (name == variable.name) return &variable;
  }
  return nullptr;
}

std::string complaint(const Variable& variable, const std::string& value) {
  if (variable.kind == VariableKind::bytes && parse_bytes(value) < 0) {
    return "a number of bytes, such as 65536, 64K or 1M";
  }
  if (variable.kind == VariableKind::choice &&
      std::find(variable.choices.begin(), variable.choices.end(), value) == variable.choices.end()) {
    std::string list;
    for (const auto& choice : variable.choices) {
      if (!list.empty()) list += &choice == &variable.choices.back() ? " or " : ", ";
      list += choice;
    }
    return list;
  }
  return {};
}

Variables checked_environment() {
  Variables found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    if (equals == std::string_view::npos || (name != "LAPWING" && !name.starts_with("LAPWING_"))) continue;
    found.emplace_back(name, text.substr(equals + 1));
  }
  std::vector<std::string> names;
  for (const auto& variable : known_variables()) names.push_back(variable.name);
  std::erase_if(found, [&](const auto& entry) {
    const auto& [name, value] = entry;
    const Variable* variable = find_variable(name);
    std::string wrong;
    if (variable == nullptr) {
      say("environment variable {} is not known and is ignored{}", name, did_you_mean(name, names));
    } else if (const std::string wanted = complaint(*variable, value); !wanted.empty()) {
      say("environment variable {}={} is ignored: it should be {}", name, value, wanted);
    } else {
      return false;
    }
    ::unsetenv(name.c_str());
    return true;
  });
  return found;
}

void set_variable(Variables& variables, const std::string& name, const std::string& value) {
  std::erase_if(variables, [&](const auto& entry) { return entry.first == name; });
  variables.emplace_back(name, value);
}

}  // namespace lapwing::cli
