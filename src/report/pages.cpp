// SPDX-License-Identifier: Apache-2.0
#include "report/pages.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace lapwing::report {

using nlohmann::json;

namespace {

struct RankFile {
  int rank = 0, ranks = 0;
  std::optional<std::uint64_t> run;
  std::string version, mpi, guard;
};

PagedReceive read_receive(const json& line, int rank) {
  PagedReceive r;
  r.rank = rank;
  r.site = line.at("site").get<std::string>();
  r.call = line.at("call").get<std::string>();
  r.function = line.value("function", "");
  r.wait = line.at("wait").get<std::string>();
  r.wait_call = line.at("wait_call").get<std::string>();
  r.peer = line.at("peer").get<int>();
  r.bytes = line.at("bytes").get<std::uint64_t>();
  if (!line.at("started").is_null()) r.started_s = line["started"].get<double>();
  r.wait_began_s = line.at("waited").get<double>();
  r.landed_s = line.at("landed").get<double>();
  r.waited_s = line.at("waited_s").get<double>();
  r.part_bytes = line.at("part_bytes").get<std::uint64_t>();
  r.parts = line.at("parts").get<std::uint64_t>();
  if (r.parts == 0) throw BadReport("a message without pages");
  r.coarse = line.value("coarse", false);
  r.ended = line.at("ended").get<std::string>();
  r.ended_us = line.at("ended_us").get<double>();
  r.first_use = line.value("first_use", "");
  for (const json& touch : line.at("touches")) {
    r.touches.push_back(
        {touch.at(0).get<std::uint32_t>(), touch.at(1).get<double>(), touch.at(2).get<double>()});
    if (r.touches.back().part >= r.parts) throw BadReport("a page beyond the message");
  }
  return r;
}

void read_line(const json& line, RankFile& head, PageTrace& trace, const std::string& path) {
  if (line.contains("lapwing_pages")) {
    head.rank = line.at("rank").get<int>();
    head.ranks = line.at("ranks").get<int>();
    head.version = line.value("version", "");
    head.mpi = line.value("mpi", "");
  } else if (line.contains("run")) {
    head.run = line.at("run").get<std::uint64_t>();
    head.guard = line.value("guard", "");
  } else if (line.contains("full")) {
    trace.notes.push_back(fmt::format("{} is full: what came later was not traced", path));
  } else if (line.contains("receives")) {
    trace.counts[{line.at("site").get<std::string>(), line.at("call").get<std::string>()}] +=
        line.at("receives").get<std::uint64_t>();
  } else {
    trace.receives.push_back(read_receive(line, head.rank));
  }
}

// Adds one rank's file to the trace; false where there is none.
bool read_rank(const std::string& path, RankFile& head, PageTrace& trace) {
  std::ifstream file(path);
  if (!file) return false;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.empty()) continue;
    try {
      const json line = json::parse(text);
      if (number == 1 && !line.contains("lapwing_pages")) throw BadReport("no head");
      read_line(line, head, trace, path);
    } catch (const std::exception&) {
      if (number == 1) throw BadReport(fmt::format("{}, line 1: this is no page trace of Lapwing's", path));
      if (file.peek() != std::ifstream::traits_type::eof())
        throw BadReport(fmt::format("{}, line {}: this is no line of a page trace", path, number));
      trace.notes.push_back(fmt::format("the last line of {} is cut short and left out", path));
    }
  }
  if (head.ranks == 0) throw BadReport(fmt::format("{} is empty: nothing could be written there", path));
  return true;
}

void append(PageTrace& trace, PageTrace& more) {
  std::move(more.receives.begin(), more.receives.end(), std::back_inserter(trace.receives));
  std::move(more.notes.begin(), more.notes.end(), std::back_inserter(trace.notes));
  for (const auto& [site, count] : more.counts) trace.counts[site] += count;
}

}  // namespace

PageTrace read_pages(const std::string& path) {
  PageTrace trace;
  RankFile first;
  const bool one_file = std::filesystem::is_regular_file(path);
  if (!read_rank(one_file ? path : path + ".0", first, trace)) {
    throw BadReport(fmt::format("there is no page trace {}.0: {}; write one with: lapwing run --pages {} ...",
                                path, std::strerror(errno), path));
  }
  trace.version = first.version;
  trace.mpi = first.mpi;
  trace.guard = first.guard;
  trace.ranks = first.ranks;
  int missing = 0, others = 0;
  for (int rank = 1; rank < first.ranks && !one_file; ++rank) {
    PageTrace more;
    RankFile head;
    if (!read_rank(fmt::format("{}.{}", path, rank), head, more)) {
      ++missing;
    } else if (head.run != first.run) {
      ++others;
    } else {
      append(trace, more);
    }
  }
  if (missing > 0)
    trace.notes.push_back(fmt::format("the files of {} of {} ranks are not here", missing, first.ranks));
  if (others > 0)
    trace.notes.push_back(
        fmt::format("the files of {} of {} ranks are of another run and left out", others, first.ranks));
  return trace;
}

}  // namespace lapwing::report
