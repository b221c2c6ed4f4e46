// SPDX-License-Identifier: Apache-2.0
#include "transfer/accounts/record.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "flavour.hpp"
#include "guard/devices.hpp"
#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/as_json.hpp"
#include "transfer/accounts/reasons.hpp"
#include "transfer/accounts/record_lines.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

std::string path, aside;
std::vector<std::string> unused_hints;
std::uint64_t begun = 0;

// fmt's own printing to a file throws where the disk is full.
void put(std::FILE* file, const std::string& text) { std::fwrite(text.data(), 1, text.size(), file); }

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + quoted(text);
  return list;
}

std::string waits_of(const Line& line) {
  std::vector<std::pair<std::string, Line::Wait>> waits(line.waited_at.begin(), line.waited_at.end());
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.second.exposed_ns > b.second.exposed_ns; });
  std::string text;
  for (const auto& [site, wait] : waits)
    text += fmt::format("{}{{\"site\":{},\"function\":{},\"exposed_s\":{}}}", text.empty() ? "" : ",",
                        quoted(site), quoted(wait.function), decimal_seconds(wait.exposed_ns));
  return text;
}

void write_line(std::FILE* file, const Line& line, const Reason& reason) {
  const std::uint64_t all = line.exposed_ns + line.hidden_ns;
  put(file,
      fmt::format(
          "{{\"site\":{},\"function\":{},\"call\":{},\"module\":{},\"offset\":{},\"calls\":{},\"bytes\":{},"
          "\"exposed_s\":{},\"hidden_s\":{},\"hidden\":{},\"deferred\":{},\"stripped\":{},\"faults\":{},"
          "\"direction\":\"{}\",\"decision\":\"{}\",\"hint\":{},\"waited_at\":[{}],\"reason\":\"{}\",\"why\":"
          "{}}}\n",
          quoted(line.place.site), quoted(line.place.function), quoted(line.call), quoted(line.place.module),
          quoted(line.place.offset), line.calls, line.bytes, decimal_seconds(line.exposed_ns),
          decimal_seconds(line.hidden_ns),
          all > 0 ? fmt::format("{:.4f}", static_cast<double>(line.hidden_ns) / static_cast<double>(all))
                  : "null",
          line.deferred, line.stripped, line.faults, line.direction(), line.decision(), quoted(line.hint),
          waits_of(line), reason.word, quoted(reason.why)));
}

}  // namespace

void Record::note_standing_aside(const std::string& why) { aside = why; }

void Record::note_unused_hints(std::vector<std::string> places) { unused_hints = std::move(places); }

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
  Lines own_lines;
  if (engine) {
    for (const Site& site : engine->sites().all()) {
      if (site.calls > 0 || site.deferred > 0 || site.stripped > 0)
        add(own_lines, site, engine->governor().verdict());
    }
  }
  for (const Account& account : Accounts::all()) add(own_lines, account);
  const std::string mine = text_of(own_lines);
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
    const double wall_s = static_cast<double>(now_ns() - begun) * 1e-9;
    const char* guard = !engine || !engine->may_defer_receives()                     ? "none"
                        : guard::capability().backend == guard::Backend::userfaultfd ? "userfaultfd"
                                                                                     : "mprotect";
    put(file,
        fmt::format(
            "{{\"lapwing\":\"{}\",\"mpi\":\"{}\",\"ranks\":{},\"guard\":\"{}\",\"helper\":{},\"mode\":\"{}\","
            "\"wall_s\":{:.6f},\"standing_aside\":{},\"unused_hints\":[{}],\"max_rss_kib\":[{}]}}\n",
            LAPWING_VERSION, mpi::flavour_name, size, guard, engine != nullptr,
            !engine                                        ? "off"
            : engine->settings().defer == Defer::off       ? "off"
            : engine->settings().defer == Defer::automatic ? "auto"
                                                           : "on",
            wall_s, quoted(aside), list_of(unused_hints), memory));
    const Lines lines = merged(text);
    JobFacts job = facts_of(lines);
    job.seconds = wall_s * size;
    job.aside = aside;
    job.one_node = engine != nullptr;
    for (int r = 0; r < size && job.one_node; ++r) job.one_node = engine->is_local(r);
    job.defers = engine && engine->settings().defer != Defer::off;
    job.guard_threshold = engine ? engine->settings().guard_threshold : 0;
    for (const auto& [key, line] : lines) write_line(file, line, reason_of(line, lines, job));
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
