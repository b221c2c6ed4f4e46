// SPDX-License-Identifier: Apache-2.0
// The runs behind `lapwing demo`: one plain program without and with Lapwing,
// and its twin written by hand for overlap, in turns, under each MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/program.hpp"

namespace lapwing::cli {

enum class Variant { plain, lapwing, hand };

struct DemoWork {
  std::uint64_t bytes = 4 << 20;  ///< per message
  int iterations = 40;
  int work = 25;  ///< computation per number; calibrate() sets it
};

/// One run, as the program itself timed it (from barrier to barrier).
struct DemoRun {
  double seconds = 0;
  double mpi_seconds = 0;  ///< in its own MPI calls
  std::string checksum;    ///< of every bit that was received and computed
  // From Lapwing's report.
  bool reported = false;
  std::string standing_aside;
  std::uint64_t deferred = 0, faults = 0;
};

struct DemoSeries {
  Mpi mpi = Mpi::unknown;
  std::vector<DemoRun> plain, lapwing, hand;
  std::vector<DemoRun>& of(Variant variant);
  const std::vector<DemoRun>& of(Variant variant) const;
};

class DemoRunner {
 public:
  /// `emulated`: inside a lab, with the launchers that it names.
  explicit DemoRunner(bool emulated) : emulated_(emulated) {}

  /// Launcher words for two ranks, or a sentence why there are none.
  bool available(Mpi mpi, std::string& why) const;
  /// Sets the work so that computing takes about as long as communicating.
  void calibrate(Mpi mpi, DemoWork& work, double budget_s) const;
  /// Throws Failure if the job fails.
  DemoRun once(Mpi mpi, Variant variant, const DemoWork& work) const;

 private:
  std::vector<std::string> launcher(Mpi mpi) const;
  bool emulated_;
};

/// Runs all in turns until `budget_s` is used up, three rounds at most and one
/// at least. `progress` is told what runs.
std::vector<DemoSeries> run_demo(const DemoRunner& runner, const std::vector<Mpi>& mpis, DemoWork& work,
                                 double budget_s, const std::function<void(const std::string&)>& progress);

}  // namespace lapwing::cli
