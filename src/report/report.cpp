// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lapwing::report {

using nlohmann::json;

namespace {

template <typename T>
T get(const json& object, const char* name, T fallback) {
  const auto field = object.find(name);
  return field == object.end() || field->is_null() ? fallback : field->get<T>();
}

Site read_site(const json& line) {
  Site site;
  site.site = line.at("site").get<std::string>();
  site.call = line.at("call").get<std::string>();
  site.calls = line.at("calls").get<std::uint64_t>();
  site.bytes = line.at("bytes").get<std::uint64_t>();
  site.exposed_s = line.at("exposed_s").get<double>();
  site.function = get<std::string>(line, "function", "");
  site.module = get<std::string>(line, "module", "");
  site.offset = get<std::string>(line, "offset", "");
  site.hidden_s = get<double>(line, "hidden_s", 0);
  if (line.contains("hidden") && !line["hidden"].is_null()) site.hidden = line["hidden"].get<double>();
  site.deferred = get<std::uint64_t>(line, "deferred", 0);
  site.stripped = get<std::uint64_t>(line, "stripped", 0);
  site.faults = get<std::uint64_t>(line, "faults", 0);
  site.direction = get<std::string>(line, "direction", "-");
  site.decision = get<std::string>(line, "decision", "plain");
  site.hint = get<std::string>(line, "hint", "");
  site.reason = get<std::string>(line, "reason", "");
  site.why = get<std::string>(line, "why", "");
  for (const json& wait : line.value("waited_at", json::array()))
    site.waited_at.push_back({wait.at("site").get<std::string>(), get<std::string>(wait, "function", ""),
                              get<double>(wait, "exposed_s", 0)});
  return site;
}

void read_head(const json& line, Report& report) {
  report.version = line.at("lapwing").get<std::string>();
  report.mpi = get<std::string>(line, "mpi", "");
  report.ranks = get<int>(line, "ranks", 0);
  report.guard = get<std::string>(line, "guard", "none");
  report.helper = get<bool>(line, "helper", false);
  report.mode = get<std::string>(line, "mode", "");
  report.wall_s = get<double>(line, "wall_s", 0);
  report.standing_aside = get<std::string>(line, "standing_aside", "");
  report.unused_hints = get<std::vector<std::string>>(line, "unused_hints", {});
  report.max_rss_kib = get<std::vector<std::uint64_t>>(line, "max_rss_kib", {});
}

}  // namespace

double Report::exposed_s() const {
  double sum = 0;
  for (const Site& site : sites) sum += site.exposed_s;
  return sum;
}

double Report::hidden_s() const {
  double sum = 0;
  for (const Site& site : sites) sum += site.hidden_s;
  return sum;
}

std::optional<double> Report::hidden() const {
  const double hidden = hidden_s(), all = hidden + exposed_s();
  if (all <= 0) return std::nullopt;
  return hidden / all;
}

Report read_report(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw BadReport(fmt::format(
        "cannot read the report {}: {}; write one with: lapwing run --report {} ... A program that "
        "never calls MPI_Init leaves none",
        path, std::strerror(errno), path));
  }
  Report report;
  bool has_head = false;
  int number = 0;
  std::string text;
  while (std::getline(file, text)) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const json line = json::parse(text);
      if (!has_head) {
        read_head(line, report);
        has_head = true;
      } else {
        report.sites.push_back(read_site(line));
      }
    } catch (const json::exception& error) {
      const bool cut = file.peek() == std::ifstream::traits_type::eof() && has_head;
      throw BadReport(
          fmt::format("{}, line {}: {}", path, number,
                      cut        ? "the line is cut short; did the job end before MPI_Finalize was done?"
                      : has_head ? "this is no call site of a Lapwing report"
                                 : "this is no Lapwing report (its first line should describe the job)"));
    }
  }
  if (file.bad() || number == 0 || !has_head) {
    throw BadReport(
        fmt::format("{} is empty: the job has not reached MPI_Finalize, or could not write there", path));
  }
  return report;
}

void sort_sites(Report& report, Order order) {
  std::stable_sort(report.sites.begin(), report.sites.end(), [order](const Site& a, const Site& b) {
    switch (order) {
      case Order::bytes:
        return a.bytes > b.bytes;
      case Order::calls:
        return a.calls > b.calls;
      case Order::exposed:
        break;
    }
    return a.exposed_s > b.exposed_s;
  });
}

}  // namespace lapwing::report
