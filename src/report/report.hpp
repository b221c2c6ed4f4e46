// SPDX-License-Identifier: Apache-2.0
// The file that rank 0 writes at MPI_Finalize (LAPWING_REPORT): JSON lines, the
// job first, then one line per call site, summed over ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lapwing::report {

struct Site {
  std::string site;      ///< "heat.c:120" or "module+0xoffset"
  std::string function;  ///< the caller
  std::string call;      ///< "MPI_Recv"
  std::string module;
  std::string offset;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double exposed_s = 0;          ///< the program could do nothing but wait
  double hidden_s = 0;           ///< transfer time in which it computed
  std::optional<double> hidden;  ///< share, 0 to 1; none where nothing was deferred
  std::uint64_t deferred = 0;
  std::uint64_t stripped = 0;
  std::uint64_t faults = 0;
  std::string direction;  ///< up, down, mixed or -
  std::string decision;   ///< hides, stands aside, learning, plain
};

struct Report {
  std::string version;
  std::string mpi;
  int ranks = 0;
  std::string guard;
  bool helper = false;
  std::string mode;
  double wall_s = 0;
  std::string standing_aside;  ///< why the engine did nothing; empty if it worked
  std::vector<std::uint64_t> max_rss_kib;
  std::vector<Site> sites;

  double exposed_s() const;
  double hidden_s() const;
  /// Of all that could be hidden; none if nothing could.
  std::optional<double> hidden() const;
};

/// What is wrong with the file, in a sentence.
struct BadReport : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws BadReport for a missing, empty or damaged file. Fields that a newer
/// version may add are ignored.
Report read_report(const std::string& path);

enum class Order { exposed, bytes, calls };
void sort_sites(Report& report, Order order);

}  // namespace lapwing::report
