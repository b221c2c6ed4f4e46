// SPDX-License-Identifier: Apache-2.0
// MPI_Init to MPI_Finalize, and what must not happen in between.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "entry/arrays/arrays.hpp"
#include "entry/collectives/deferred.hpp"
#include "entry/compiled/collective_forms.hpp"
#include "entry/compiled/verify.hpp"
#include "entry/gain.hpp"
#include "entry/one_sided/accesses.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/sets/declared.hpp"
#include "entry/sets/start.hpp"
#include "entry/sets/watched.hpp"
#include "entry/timed.hpp"
#include "entry/unseen_calls.hpp"
#include "mpi/binding.hpp"
#include "mpi/launch.hpp"
#include "mpi/library_locks.hpp"
#include "mpi/looks.hpp"
#include "mpi/parting.hpp"
#include "mpi/references.hpp"
#include "mpi/transport.hpp"
#include "sets/check/wrong_end.hpp"
#include "sets/report/report_text.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/retire.hpp"
#include "transfer/windows/exposure.hpp"

namespace transfer = lapwing::transfer;
namespace mpi = lapwing::mpi;
namespace entry = lapwing::entry;

namespace {

transfer::Settings settings;
bool prepared = false;
bool raised = false;            // MPI runs at a higher level than the program asked for
int level = MPI_THREAD_SINGLE;  // what the program is told

using StandAside = void();
StandAside* preloaded() {
  return reinterpret_cast<StandAside*>(dlsym(RTLD_DEFAULT, "lapwing_preload_stand_aside"));
}

// Whether the compiler has split or moved anything in this program.
bool is_compiled() {
  static constexpr const char* starts[] = {"lapwing_start_", "lapwing_post_", "lapwing_pair_",
                                           "lapwing_defer", nullptr};
  return mpi::refers_to(starts);
}

// Whether it starts requests itself: they may want somebody to move them.
bool starts_requests() {
  static constexpr const char* starts[] = {
      "MPI_Start",   "mpi_start",   "MPI_Isend",    "MPI_Irecv",    "MPI_Issend", "MPI_Iall",   "MPI_Ibcast",
      "MPI_Ireduce", "MPI_Igather", "MPI_Iscatter", "mpi_isend",    "mpi_irecv",  "mpi_issend", "mpi_iall",
      "mpi_ibcast",  "mpi_ireduce", "mpi_igather",  "mpi_iscatter", nullptr};
  return mpi::refers_to(starts);
}

// Whether it makes windows that other ranks may access while it computes.
bool makes_windows() {
  static constexpr const char* starts[] = {"MPI_Win_create", "MPI_Win_allocate", "mpi_win_create",
                                           "mpi_win_allocate", nullptr};
  return settings.one_sided != transfer::Defer::off && mpi::refers_to(starts);
}

// Tasks on ranks call MPI from threads of their own library.
bool has_tasks() {
  void* const library = dlopen("liblapwing-tasks.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library) dlclose(library);
  return library != nullptr;
}

// Without the preload there is no engine, whose guards need its hooks.
void complain(bool reports) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  for (const std::string& complaint : settings.complaints) fmt::print(stderr, "lapwing: {}.\n", complaint);
  if (reports)
    fmt::print(stderr, "lapwing: LAPWING_REPORT changes nothing here: 'lapwing run' measures and reports.\n");
  if (!settings.pages.empty())
    fmt::print(stderr, "lapwing: LAPWING_PAGES changes nothing here: 'lapwing run' traces pages.\n");
}

// A run that traces pages watches the program as it is.
void defer_nothing() {
  settings.defer = transfer::Defer::automatic;  // whose looks stay, and whose trials the engine leaves out
  settings.collectives = transfer::Defer::off;
}

// All ranks have the same library; nothing has been started.
void distrust(const char* why) {
  settings.enabled = false;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fmt::print(stderr, "lapwing: {}: {}; the program runs without Lapwing.\n", mpi::library_path(), why);
}

void start_compiled(int granted, bool futile) {
  using Way = transfer::Proved::Way;
  Way way = transfer::Engine::get() ? Way::engine : Way::direct;
  if (futile || settings.defer == transfer::Defer::off) way = Way::blocking;
  transfer::Proved::start(settings, way, granted);
}

int start_mpi(int* argc, char*** argv, int wanted, int* granted) {
  // A program that is only checked keeps the protocol of its MPI as it is.
  using mpi::TransportTuning;
  const TransportTuning tuning = entry::checks(settings) ? TransportTuning::yields : TransportTuning::all;
  const mpi::TransportParameters parameters(settings.transport_tuned ? tuning : TransportTuning::none);
  return PMPI_Init_thread(argc, argv, wanted, granted);
}

// The program is told the level that it asked for: some check for exactly it.
int initialise(int* argc, char*** argv, int required, int* provided) {
  int before = 0;
  PMPI_Initialized(&before);
  if (before) {
    lapwing::sets::WrongEnd::at_second_init();
    return PMPI_Init_thread(argc, argv, required, provided ? provided : &level);
  }
  settings = transfer::read_settings();
  prepared = true;
  if (!settings.enabled && (entry::declares() || entry::uses_arrays())) {
    // Calls of Lapwing that the program has written stay on; all else is off.
    settings.enabled = true;
    settings.defer = transfer::Defer::off;
    settings.sets = transfer::Sets::off;
    settings.report.clear();
  }
  if (!settings.enabled) {
    const int rc = PMPI_Init_thread(argc, argv, required, &level);
    if (provided) *provided = level;
    // Calls that the compiler has split wait for requests here, too.
    if (rc == MPI_SUCCESS && is_compiled()) mpi::observe_looks();
    return rc;
  }
  const bool verifies = entry::Verify::wanted();
  if (verifies) {
    // Nothing travels otherwise than as the program wrote it, and the guards serve the verification.
    settings.defer = transfer::Defer::off;
    settings.report.clear();
  }
  mpi::prepare();
  mpi::remember_connections();
  StandAside* const stand_aside = preloaded();
  const bool unseen = stand_aside && entry::receives_unseen();
  const bool compiled = is_compiled(), reports = !settings.report.empty();
  const bool sets = entry::wants_sets(settings);
  if (entry::checks(settings) || verifies) {
    if (!settings.pages.empty())
      settings.complaints.emplace_back("LAPWING_PAGES changes nothing in a program that is checked");
    settings.pages.clear();
    settings.defer = transfer::Defer::off;
  }
  const bool traces = !settings.pages.empty() && stand_aside;
  if (traces) defer_nothing();
  const bool collectives = compiled && entry::Collectives::wanted();
  // Other ranks take one that receives unseen for one without the preload, and send to it as MPI does.
  mpi::announce_presence(stand_aside != nullptr && !unseen, sets, collectives);
  std::string obstacle;
  // A report is still a report. Nothing is raised where this holds, and no thread is made.
  const bool futile = unseen || (!(reports && stand_aside) && entry::nothing_to_gain(settings));
  const bool alone_overlaps = !stand_aside && settings.defer == transfer::Defer::automatic && !verifies &&
                              !entry::checks(settings) && starts_requests();
  const bool has_work =
      stand_aside ? settings.defer != transfer::Defer::off || reports
                  : settings.defer != transfer::Defer::off && (compiled || alone_overlaps || makes_windows());
  const bool declares = entry::declares() || entry::uses_arrays() || entry::passes_votes_on(settings);
  const bool wants_helper = settings.helper && (declares || (!futile && has_work));
  raised = wants_helper && required < MPI_THREAD_MULTIPLE && mpi::may_raise_thread_level(&obstacle);
  int granted = MPI_THREAD_SINGLE;
  const int rc = start_mpi(argc, argv, raised ? MPI_THREAD_MULTIPLE : required, &granted);
  level = raised ? std::min(granted, required) : granted;
  if (provided) *provided = level;
  if (rc != MPI_SUCCESS) return rc;
  if (const char* why = nullptr; !mpi::is_as_expected(&why)) {
    distrust(why);
    if (compiled) mpi::observe_looks();
    if (stand_aside && !raised) stand_aside();
    return rc;
  }
  mpi::bind_calls();
  mpi::observe_looks();
  if (stand_aside) {
    transfer::Record::begin(settings.report);
    transfer::Engine::set_program_has_threads(level == MPI_THREAD_MULTIPLE);
    if (unseen)
      transfer::Record::note_standing_aside("it receives by PMPI_ functions, which Lapwing does not see");
    else
      transfer::Engine::start(settings, granted == MPI_THREAD_MULTIPLE, obstacle, futile);
  } else {
    complain(reports);
  }
  if (sets) entry::start_sets(settings, level == MPI_THREAD_MULTIPLE);
  if (compiled) start_compiled(granted, futile);
  if (verifies) entry::Verify::start();
  if (collectives) entry::Collectives::start(settings);
  if (const auto* engine = transfer::Engine::get(); engine && engine->collectives_wanted())
    entry::defer_collectives(settings, !collectives && !sets && !declares);
  mpi::forget_launcher();
  entry::start_declared(settings, required == MPI_THREAD_MULTIPLE);
  // Under the preload, what the compiler has split is the engine's to judge.
  if ((transfer::Engine::get() && !compiled && !traces) || (alone_overlaps && !futile))
    transfer::Overlap::judge_requests(settings, granted);
  if (!lapwing::sets::watcher && !traces && wants_helper)
    transfer::Exposure::allow(settings, granted == MPI_THREAD_MULTIPLE);
  if (const auto* engine = transfer::Engine::get(); engine && engine->accesses_wanted())
    entry::defer_accesses(transfer::Exposure::allowed() && !compiled && !declares && !sets && !has_tasks());
  if ((transfer::Record::wanted() || transfer::Overlap::watches() || transfer::Exposure::allowed()) &&
      !lapwing::sets::watcher)
    entry::time_group_calls(transfer::Record::wanted());
  // Sets, declared communication, arrays and tasks have threads of their own.
  const bool alone = !sets && !declares && !has_tasks();
  if (rc == MPI_SUCCESS && raised && alone) {
    mpi::LibraryLocks::manage();
    if (auto* engine = transfer::Engine::get()) {
      std::lock_guard lock(engine->mutex());
      engine->drop_locks_at_rest();
    } else {
      mpi::LibraryLocks::drop();
    }
  }
  // Later calls go from the preloaded library straight to MPI.
  if (stand_aside && !raised && !transfer::Engine::get() && !transfer::Record::wanted() &&
      !lapwing::sets::watcher)
    stand_aside();
  return rc;
}

}  // namespace

LAPWING_ENTRY int MPI_Init(int* argc, char*** argv) {
  return initialise(argc, argv, mpi::default_thread_level(), nullptr);
}

LAPWING_ENTRY int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return initialise(argc, argv, required, provided);
}

LAPWING_ENTRY int MPI_Query_thread(int* provided) {
  const int rc = PMPI_Query_thread(provided);
  if (rc == MPI_SUCCESS && raised) *provided = level;
  return rc;
}

LAPWING_ENTRY int MPI_Finalize() {
  int running = 0, over = 0;
  PMPI_Initialized(&running);
  PMPI_Finalized(&over);
  if (!running || over) return PMPI_Finalize();  // MPI says so
  mpi::LibraryLocks::keep();
  entry::stop_declared();
  int result = MPI_SUCCESS;
  if (entry::finalize_is_done(__builtin_return_address(0), &result)) return result;
  const bool active = transfer::Engine::get() != nullptr;
  entry::stop_sets();
  entry::Verify::stop();
  transfer::Exposure::stop_all();
  transfer::Proved::stop();
  transfer::Engine::stop();
  if (!active && transfer::Record::wanted()) transfer::Record::collect(nullptr, MPI_COMM_WORLD);
  mpi::answer_while_parting();
  return PMPI_Finalize();
}

LAPWING_ENTRY int MPI_Abort(MPI_Comm comm, int code) {
  lapwing::sets::job_ends = true;
  // Nothing is retired: a job that aborts must not wait for anybody.
  return PMPI_Abort(comm, code);
}
