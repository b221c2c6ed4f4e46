// SPDX-License-Identifier: Apache-2.0
// Compiled code that is loaded when MPI runs already: what Python's packages compile for a problem, a
// solver's plug-in.
//
// Neither MPI_Init nor MPI_Finalize passes through this library then. It starts when it is loaded, with the
// level of threads that MPI has, and by itself: each rank decides alone about split transfers, divided loops
// and moved waits. The parts on which ranks agree at MPI_Init stay off: strips, split collectives, sets.
// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF (MPI 4.0, 11.2.4), and one of them ends all
// this.
#include <fmt/format.h>

#include "entry/compiled/verify.hpp"
#include "entry/gain.hpp"
#include "entry/sets/start.hpp"
#include "mpi/binding.hpp"
#include "mpi/launch.hpp"
#include "mpi/looks.hpp"
#include "transfer/compiled/proved.hpp"

namespace transfer = lapwing::transfer;
namespace mpi = lapwing::mpi;
namespace entry = lapwing::entry;
using transfer::Proved;

namespace {

// Without waiting for the helper: this thread may hold a lock of MPI's that the helper wants.
int end(MPI_Comm, int, void*, void*) {
  Proved::tell();
  Proved::abandon();
  return MPI_SUCCESS;
}

bool end_with_mpi() {
  int key = MPI_KEYVAL_INVALID;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, nullptr) != MPI_SUCCESS) return false;
  const bool set = PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) == MPI_SUCCESS;
  PMPI_Comm_free_keyval(&key);
  return set;
}

bool runs() {
  int initialised = 0, finalised = 0;
  if (!*mpi::library_path()) return false;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

// The program may wait for any message to itself on MPI_COMM_SELF: what differs between MPIs is found on
// another one.
bool is_as_expected() {
  MPI_Comm alone = MPI_COMM_NULL;
  if (PMPI_Comm_dup(MPI_COMM_SELF, &alone) != MPI_SUCCESS) return false;
  const char* why = nullptr;
  const bool expected = mpi::is_as_expected(&why, alone);
  mpi::observe_looks(alone);
  PMPI_Comm_free(&alone);
  return expected;
}

void complain(const transfer::Settings& settings) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  for (const std::string& complaint : settings.complaints) fmt::print(stderr, "lapwing: {}.\n", complaint);
}

__attribute__((constructor)) void start_late() {
  if (!runs()) return;
  int level = MPI_THREAD_SINGLE, is_main = 0;
  PMPI_Query_thread(&level);
  PMPI_Is_thread_main(&is_main);
  if (!is_main && level != MPI_THREAD_MULTIPLE) return;
  const transfer::Settings settings = transfer::read_settings();
  mpi::prepare();
  if (!settings.enabled || settings.defer == transfer::Defer::off || entry::checks(settings) ||
      entry::Verify::wanted() || !is_as_expected())
    return;
  complain(settings);
  mpi::bind_calls();
  if (!entry::nothing_to_gain(settings) && end_with_mpi())
    Proved::start(settings, Proved::Way::direct, level);
}

}  // namespace
