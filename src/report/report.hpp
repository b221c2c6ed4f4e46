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

/// Where transfers that a site had started were waited for.
struct Wait {
  std::string site;
  std::string function;
  double exposed_s = 0;
};

struct Site {
  std::string site;      ///< "heat.c:120" or "module+0xoffset"
  std::string function;  ///< the caller
  std::string call;      ///< "MPI_Recv"
  std::string module;
  std::string offset;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double exposed_s = 0;          ///< the program could do nothing but wait: here, or in waits for this
  double hidden_s = 0;           ///< transfer time in which it computed
  std::optional<double> hidden;  ///< hidden of hidden and exposed, 0 to 1; none where both are zero
  std::uint64_t deferred = 0;
  std::uint64_t stripped = 0;
  std::uint64_t faults = 0;
  std::string direction;        ///< up, down, mixed or -
  std::string decision;         ///< hides, stands aside, learning, plain
  std::string hint;             ///< of the user's, as it was used; empty where there was none
  std::vector<Wait> waited_at;  ///< longest first; empty where the call itself waits
  std::string reason;  ///< "late-partner": a word for programs; empty where nothing is to be explained
  std::string why;     ///< the same for people
};

struct Report {
  std::string version;
  std::string mpi;
  int ranks = 0;
  std::string guard;
  bool helper = false;
  std::string mode;
  double wall_s = 0;
  std::vector<std::string> unused_hints;  ///< places that are no call sites
  std::string standing_aside;             ///< why the engine did nothing; empty if it worked
  std::vector<std::uint64_t> max_rss_kib;
  std::vector<Site> sites;

  double exposed_s() const;
  double hidden_s() const;
  /// Hidden of all waiting of the job, hidden and exposed; none if there is none.
  std::optional<double> hidden() const;
};

/// Says in a sentence why the file cannot be read.
struct BadReport : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws BadReport for a missing, empty or damaged file. Fields that a newer
/// version may add are ignored.
Report read_report(const std::string& path);

/// The action that helps the user most, in a sentence: about the largest cause of waiting.
std::string advice(const Report& report);

enum class Order { exposed, bytes, calls };
void sort_sites(Report& report, Order order);

}  // namespace lapwing::report
