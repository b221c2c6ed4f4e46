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

using Kind = Variable::Kind;

const std::vector<Variable>& known_variables() {
  static const std::vector<Variable> table{
      {"LAPWING", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_DEFER", Kind::choice, {"auto", "on", "off", "all"}},
      {"LAPWING_GUARD", Kind::choice, {"auto", "userfaultfd", "mprotect", "none"}},
      {"LAPWING_HELPER", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_ACCELERATORS", Kind::choice, {"auto", "ignore"}},
      {"LAPWING_THRESHOLD_GUARD", Kind::bytes, {}},
      {"LAPWING_THRESHOLD_STRIP", Kind::bytes, {}},
      {"LAPWING_THRESHOLD_PROVED", Kind::bytes, {}},
      {"LAPWING_STRIP_FIRST", Kind::bytes, {}},
      {"LAPWING_STRIP_MAX", Kind::bytes, {}},
      {"LAPWING_WINDOW", Kind::bytes, {}},
      {"LAPWING_STAGING", Kind::bytes, {}},
      {"LAPWING_DIRECTION", Kind::choice, {"auto", "up", "down"}},
      {"LAPWING_PROTECT", Kind::choice, {"all", "first", "last"}},
      {"LAPWING_SETS", Kind::choice, {"off", "check", "run"}},
      {"LAPWING_SPLIT", Kind::choice, {"auto", "overlap", "messages", "static", "blocking"}},
      {"LAPWING_CHECK_JSON", Kind::path, {}},
      {"LAPWING_PROFILE", Kind::path, {}},
      {"LAPWING_REPORT", Kind::path, {}},
      {"LAPWING_VERBOSE", Kind::choice, {"0", "1", "2"}},
      {"LAPWING_DECLARED", Kind::choice, {"quiet", "trace"}},
      {"LAPWING_FAULT", Kind::word, {}},
      {"LAPWING_TESTING", Kind::choice, {"0", "1"}},
      {"LAPWING_JOB", Kind::choice, {"uniform"}},
      // Of liblapwing-tasks, which checks their values.
      {"LAPWING_TASKS_WORKERS", Kind::word, {}},
      {"LAPWING_TASKS_LOCALITY", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_PLACEMENT", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_PATIENCE", Kind::word, {}},
      {"LAPWING_TASKS_WINDOW", Kind::word, {}},
      {"LAPWING_TASKS_STACK", Kind::word, {}},
      {"LAPWING_TASKS_TRACE", Kind::path, {}},
      {"LAPWING_TASKS_RANKS", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_REPLICATION", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_BROADCAST", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_TARGET", Kind::word, {}},
      {"LAPWING_TASKS_CONCURRENT_FETCHES", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_LARGE", Kind::word, {}},
      {"LAPWING_TASKS_STRIPS", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_STRIP", Kind::word, {}},
      {"LAPWING_TASKS_SCHEDULE", Kind::choice, {"central", "ahead"}},
      {"LAPWING_TASKS_LEND", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_NODE_MEMORY", Kind::choice, {"on", "off", "1", "0"}},
      {"LAPWING_TASKS_REMARKS", Kind::choice, {"on", "off", "1", "0"}},
      // The compiler wrappers'.
      {"LAPWING_MPI", Kind::choice, {"mpich", "openmpi"}},
      {"LAPWING_CC", Kind::word, {}},
      {"LAPWING_CXX", Kind::word, {}},
      {"LAPWING_FC", Kind::word, {}},
      {"LAPWING_PASS", Kind::word, {}},
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
  if (variable.kind == Kind::bytes && parse_bytes(value) < 0) {
    return "a number of bytes, such as 65536, 64K or 1M";
  }
  if (variable.kind == Kind::choice &&
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
