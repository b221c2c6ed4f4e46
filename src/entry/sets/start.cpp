// SPDX-License-Identifier: Apache-2.0
#include "entry/sets/start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "entry/compiled/verify.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/sets/declared.hpp"
#include "lapwing/compiled_sets.h"
#include "mpi/ending.hpp"
#include "mpi/launch.hpp"
#include "mpi/references.hpp"
#include "sets/check/buffer_watch.hpp"
#include "sets/check/check.hpp"
#include "sets/group_call.hpp"
#include "sets/handle_watch.hpp"
#include "sets/messages.hpp"
#include "sets/mode.hpp"
#include "sets/run/run.hpp"

namespace lapwing::entry {
namespace {

using transfer::Sets;

// The modes that instrumented files asked for before main(): the strongest counts.
Sets declared = Sets::unset;

Sets mode_of(const transfer::Settings& settings) {
  if (settings.sets != Sets::unset) return settings.sets;
  if (declared != Sets::unset) return declared;
  static constexpr const char* api[] = {"lapwing_sets_", "lapwing_split_at", "lapwing_set_comm",
                                        "lapwing_on_set", nullptr};
  static const bool found = mpi::refers_to(api);  // reads every relocation of the program
  return found ? Sets::run : Sets::off;
}

const char* name_of(int mode) {
  switch (static_cast<Sets>(mode)) {
    case Sets::check:
      return "check";
    case Sets::run:
      return "run";
    default:
      return "off";
  }
}

// Different modes would wait for different messages.
Sets agreed(const transfer::Settings& settings, int rank) {
  const int mine = static_cast<int>(mode_of(settings));
  int bounds[2] = {mine, -mine}, all[2] = {};
  PMPI_Allreduce(bounds, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (all[0] == -all[1]) return static_cast<Sets>(mine);
  if (rank != 0) mpi::end_job_in_silence(1);
  fmt::print(stderr,
             "lapwing: some ranks of this job run with process sets in mode '{}', others in mode '{}'; "
             "compile all programs of the job with the same --sets, or set LAPWING_SETS for all.\n",
             name_of(all[0]), name_of(-all[1]));
  mpi::end_job(1);
}

bool everybody_comes(const transfer::Settings& settings, int rank, int size) {
  if (size == 1) return true;
  std::string missing;
  switch (mpi::presence(mpi::Part::sets, rank, size, settings.uniform_job, &missing)) {
    case mpi::Presence::all:
      return true;
    case mpi::Presence::some:
      if (rank == 0 || missing == "0") {
        fmt::print(
            stderr,
            "lapwing: rank {} of this job takes no part in process sets (not compiled with --sets, not "
            "preloaded, or switched off there); they are off on all ranks.\n",
            missing);
      }
      return false;
    case mpi::Presence::unknown:
      break;
  }
  // A program that was compiled for sets is the whole job, as a rule; a binary
  // that is only looked at may be one of several.
  if (declared != Sets::unset || mode_of(settings) == Sets::run || declares()) return true;
  if (rank == 0) {
    fmt::print(stderr,
               "lapwing: this launcher does not tell whether every rank has Lapwing; nothing is checked. If "
               "they all have, say LAPWING_JOB=uniform.\n");
  }
  return false;
}

}  // namespace

bool wants_sets(const transfer::Settings& settings) {
  const Sets mode = mode_of(settings);
  // Declared communication needs the messages, whatever the mode.
  return mode == Sets::check || mode == Sets::run || declares();
}

// With MPI_COMM_WORLD alone whoever waits for others in a collective has voted, and
// so have they.
bool passes_votes_on(const transfer::Settings& settings) {
  if (mode_of(settings) != Sets::run) return false;
  static constexpr const char* makers[] = {
      "MPI_Comm_dup",   "MPI_Comm_idup",    "MPI_Comm_split",   "MPI_Comm_create",
      "MPI_Cart_",      "MPI_Graph_create", "MPI_Dist_graph",   "MPI_Intercomm_m",
      "MPI_Win_create", "MPI_Win_allocate", "MPI_File_open",    "PMPI_Comm_dup",
      "PMPI_Comm_idup", "PMPI_Comm_split",  "PMPI_Comm_create", "PMPI_Cart_",
      "mpi_comm_dup",   "mpi_comm_idup",    "mpi_comm_split",   "mpi_comm_create",
      "mpi_cart_",      "mpi_graph_create", "mpi_dist_graph",   "mpi_intercomm_m",
      "mpi_win_create", "mpi_win_allocate", "mpi_file_open",    nullptr};
  return mpi::refers_to(makers);
}

bool checks(const transfer::Settings& settings) { return mode_of(settings) == Sets::check; }

void start_sets(const transfer::Settings& settings, bool threads) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!everybody_comes(settings, rank, size)) return;
  const Sets mode = agreed(settings, rank);
  sets::Messages::start();
  switch (mode) {
    case Sets::run:
      sets::mode = sets::Mode::run;
      sets::Run::start(settings.split, settings.helper, !threads);
      break;
    case Sets::check:
      sets::mode = sets::Mode::check;
      sets::Checker::start(!threads, settings,
                           settings.check_buffers && !Verify::wanted() ? settings.staging : 0);
      break;
    default:
      break;
  }
}

void stop_sets() {
  if (!sets::Messages::started()) return;
  sets::Run::stop();
  sets::path = nullptr;
  sets::watcher = nullptr;
  sets::handle_watcher = nullptr;
  sets::BufferWatch::stop();
  sets::Messages::stop();
  sets::mode = sets::Mode::off;
}

}  // namespace lapwing::entry

LAPWING_ENTRY void lapwing_sets_declare_mode(int mode) {
  using lapwing::entry::declared;
  if (mode == 1 && declared == lapwing::transfer::Sets::unset) declared = lapwing::transfer::Sets::check;
  if (mode == 2) declared = lapwing::transfer::Sets::run;
}
