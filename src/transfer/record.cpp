// SPDX-License-Identifier: Apache-2.0
#include "transfer/record.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "flavour.hpp"
#include "guard/devices.hpp"
#include "transfer/engine.hpp"
#include "transfer/places.hpp"

namespace lapwing::transfer {
namespace {

std::string path, aside;
std::uint64_t begun = 0;

// What one call site did on one rank, or on all. Travels as text: ranks may
// have loaded their libraries at different addresses, but places have names.
struct Line {
  Place place;
  std::string call;
  std::uint64_t calls = 0, bytes = 0, exposed_ns = 0, hidden_ns = 0, deferred = 0, stripped = 0, faults = 0;
  int up = 0, down = 0, hides = 0, aside = 0, learning = 0;

  std::string text() const {
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", place.site,
                       place.function, place.module, place.offset, call, calls, bytes, exposed_ns, hidden_ns,
                       deferred, stripped, faults, up, down, hides, aside, learning);
  }
};

Line line_of(const Site& site) {
  Line line;
  line.place = place_of(site.address);
  line.call = site.call;
  line.calls = site.calls;
  line.bytes = site.bytes;
  line.exposed_ns = site.exposed_ns;
  line.hidden_ns = site.transfer_ns > site.waited_ns ? site.transfer_ns - site.waited_ns : 0;
  line.deferred = site.deferred;
  line.stripped = site.stripped;
  line.faults = site.faults;
  line.up = site.up_votes + site.scans_up;
  line.down = site.down_votes + site.scans_down;
  if (site.stripped > 0 || site.deferred > 0) {
    const std::string verdict = Engine::get() ? Engine::get()->governor().verdict() : "";
    ++(verdict == "hides" ? line.hides : verdict == "stands aside" ? line.aside : line.learning);
  }
  return line;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

const char* direction(const Line& line) {
  if (line.up == 0 && line.down == 0) return "-";
  if (line.down == 0 || line.up > 3 * line.down) return "up";
  return line.up == 0 || line.down > 3 * line.up ? "down" : "mixed";
}

const char* decision(const Line& line) {
  if (line.hides > 0) return "hides";
  if (line.learning > 0) return "learning";
  if (line.aside > 0) return "stands aside";
  return line.deferred > 0 || line.stripped > 0 ? "hides" : "plain";
}

// fmt's own printing to a file throws where the disk is full.
void put(std::FILE* file, const std::string& text) { std::fwrite(text.data(), 1, text.size(), file); }

void write_line(std::FILE* file, const Line& line) {
  const std::uint64_t shown = line.exposed_ns + line.hidden_ns;
  put(file,
      fmt::format(
          "{{\"site\":{},\"function\":{},\"call\":{},\"module\":{},\"offset\":{},\"calls\":{},\"bytes\":{},"
          "\"exposed_s\":{:.9f},\"hidden_s\":{:.9f},\"hidden\":{},\"deferred\":{},\"stripped\":{},\"faults\":"
          "{},"
          "\"direction\":\"{}\",\"decision\":\"{}\"}}\n",
          quoted(line.place.site), quoted(line.place.function), quoted(line.call), quoted(line.place.module),
          quoted(line.place.offset), line.calls, line.bytes, static_cast<double>(line.exposed_ns) * 1e-9,
          static_cast<double>(line.hidden_ns) * 1e-9,
          line.deferred > 0 && shown > 0
              ? fmt::format("{:.4f}", static_cast<double>(line.hidden_ns) / static_cast<double>(shown))
              : "null",
          line.deferred, line.stripped, line.faults, direction(line), decision(line)));
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

std::map<std::string, Line> merged(const std::string& all) {
  std::map<std::string, Line> lines;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const auto f = fields(all.substr(at, end - at));
    at = end + 1;
    if (f.size() != 17) continue;
    Line& line = lines[f[0] + '\t' + f[4]];
    line.place = {f[0], f[1], f[2], f[3]};
    line.call = f[4];
    std::uint64_t* sums[] = {&line.calls,    &line.bytes,    &line.exposed_ns, &line.hidden_ns,
                             &line.deferred, &line.stripped, &line.faults};
    for (std::size_t i = 0; i < 7; ++i) *sums[i] += std::stoull(f[5 + i]);
    int* votes[] = {&line.up, &line.down, &line.hides, &line.aside, &line.learning};
    for (std::size_t i = 0; i < 5; ++i) *votes[i] += std::stoi(f[12 + i]);
  }
  return lines;
}

}  // namespace

void Record::note_standing_aside(const std::string& why) { aside = why; }

void Record::begin(const std::string& report) {
  path = report;
  begun = now_ns();
  wanted_ = !path.empty();
}

void Record::collect(Engine* engine, MPI_Comm comm) {
  if (!wanted_) return;
  wanted_ = false;
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  std::string mine;
  if (engine) {
    for (const Site& site : engine->sites().all()) {
      if (site.calls > 0 || site.deferred > 0 || site.stripped > 0) mine += line_of(site).text();
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::int64_t own[2] = {static_cast<std::int64_t>(mine.size()), usage.ru_maxrss};
  std::vector<std::int64_t> all(rank == 0 ? 2 * static_cast<std::size_t>(size) : 0);
  PMPI_Gather(own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, 0, comm);
  std::vector<int> counts, offsets;
  std::string memory;
  int total = 0;
  for (std::size_t r = 0; 2 * r < all.size(); ++r) {
    counts.push_back(static_cast<int>(all[2 * r]));
    offsets.push_back(total);
    total += counts.back();
    memory += fmt::format("{}{}", r ? "," : "", all[2 * r + 1]);
  }
  std::string text(static_cast<std::size_t>(total), '\0');
  PMPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, text.data(), counts.data(),
               offsets.data(), MPI_CHAR, 0, comm);
  if (rank != 0) return;
  if (aside.empty() && guard::accelerators_mattered())
    aside =
        "no received page was closed, since a driver of accelerators is loaded, and they look past the guard "
        "(if they never touch what is received: LAPWING_ACCELERATORS=ignore)";
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool written = file != nullptr;
  if (file) {
    const char* guard = !engine || !engine->may_defer_receives()                     ? "none"
                        : guard::capability().backend == guard::Backend::userfaultfd ? "userfaultfd"
                                                                                     : "mprotect";
    put(file,
        fmt::format(
            "{{\"lapwing\":\"{}\",\"mpi\":\"{}\",\"ranks\":{},\"guard\":\"{}\",\"helper\":{},\"mode\":\"{}\","
            "\"wall_s\":{:.6f},\"standing_aside\":{},\"max_rss_kib\":[{}]}}\n",
            LAPWING_VERSION, mpi::flavour_name, size, guard, engine != nullptr,
            !engine                                        ? "off"
            : engine->settings().defer == Defer::automatic ? "auto"
                                                           : "on",
            static_cast<double>(now_ns() - begun) * 1e-9, quoted(aside), memory));
    for (const auto& [key, line] : merged(text)) write_line(file, line);
    written = std::fflush(file) == 0 && std::ferror(file) == 0;
    written &= std::fclose(file) == 0;
  }
  if (!written) {
    fmt::print(
        stderr,
        "lapwing: the report cannot be written to {}: {}. The program's own results are not affected.\n",
        path, std::strerror(errno));
  }
}

}  // namespace lapwing::transfer
