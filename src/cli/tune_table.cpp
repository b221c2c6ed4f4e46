// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/say.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {
namespace {

namespace room = lapwing::report;
using Ordered = nlohmann::ordered_json;

Ordered size_json(std::size_t bytes) {
  return bytes == machine::never ? Ordered("never") : Ordered(static_cast<std::uint64_t>(bytes));
}

Ordered thresholds_json(const machine::Measured& record, const machine::GuardCosts& guard) {
  machine::Circumstances in;
  in.same_node = record.key.link == machine::Link::node;
  in.spare_core = record.costs.spare_cores > 0;
  const machine::Thresholds t = machine::thresholds_of(record.costs, guard, in);
  return {{"guard_bytes", size_json(t.guard)},
          {"strip_bytes", size_json(t.strip)},
          {"first_bytes", size_json(t.first)}};
}

Ordered shown(const machine::Measured& record) {
  Ordered object = Ordered::parse(machine::as_json(record));
  for (const auto& [name, guard] :
       {std::pair{"userfaultfd", record.costs.userfaultfd}, std::pair{"mprotect", record.costs.mprotect}}) {
    if (guard.measured()) object["thresholds"][name] = thresholds_json(record, guard);
  }
  object["holds_here"] = machine::difference(record.key.machine, machine::this_machine()).empty();
  return object;
}

/// The name says the unit: keys end in _us, _ns_per_byte and so on.
std::string value_of(const std::string& name, const Ordered& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_number()) return value.is_string() ? value.get<std::string>() : value.dump();
  const double number = value.get<double>();
  if (name.ends_with("_ns_per_byte"))
    return number > 0 ? fmt::format("{}/s", room::bytes(static_cast<std::uint64_t>(1e9 / number))) : "-";
  if (name.ends_with("_us")) return number > 0 ? room::seconds(number * 1e-6) : "-";
  if (name.ends_with("_bytes")) return room::bytes(value.get<std::uint64_t>());
  return fmt::format("{}", number);
}

using Rows = std::vector<std::pair<std::string, std::string>>;

void add_rows(Rows& rows, const std::string& path, const Ordered& object) {
  for (const auto& [name, value] : object.items()) {
    const std::string full = path.empty() ? name : path + "." + name;
    if (value.is_object())
      add_rows(rows, full, value);
    else
      rows.emplace_back(full, value_of(full, value));
  }
}

}  // namespace

std::string shown_as_json(const machine::Measured& record) { return shown(record).dump(); }

std::string shown_as_table(const machine::Profile& profile) {
  std::vector<Rows> columns;
  std::vector<room::Table::Column> titles{{"parameter"}};
  std::vector<std::string> names;
  for (const machine::Measured& record : profile.records) {
    add_rows(columns.emplace_back(), "", shown(record));
    titles.push_back({machine::name_of(record.key.link), true});
    // Thresholds of a guard that was not measured are missing.
    for (const auto& [name, value] : columns.back()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  room::Table table(std::move(titles));
  for (const std::string& name : names) {
    if (name == "link") continue;
    std::vector<std::string> cells{name};
    for (const Rows& rows : columns) {
      const auto found =
          std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first == name; });
      cells.push_back(found == rows.end() ? "-" : found->second);
    }
    table.add(std::move(cells));
  }
  return table.text(room::colour_wanted(STDOUT_FILENO));
}

}  // namespace lapwing::cli
