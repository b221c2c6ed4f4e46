// SPDX-License-Identifier: Apache-2.0
#include "mpi/looks.hpp"

#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "mpi/error_handlers.hpp"
#include "mpi/references.hpp"

namespace lapwing::mpi {
namespace {

// Of this thread: how many Unheard live, and the error that was met under them.
thread_local int deaf = 0;
thread_local int missed = MPI_SUCCESS;

// Of all threads: how many of them are deaf.
std::mutex mutex;
int windows = 0;

// A communicator in whose handler errors may be raised that are not of a call on it.
class Ear {
 public:
  explicit Ear(bool follows) : follows_(follows) {}
  void cover(MPI_Comm comm);
  void uncover(MPI_Comm comm);
  /// As MPI_Comm_set_errhandler and MPI_Comm_get_errhandler, while a window may be open.
  int give(MPI_Comm comm, MPI_Errhandler handler);
  int ask(MPI_Comm comm, MPI_Errhandler* handler) const;
  MPI_Errhandler of_program() const { return of_program_.load(); }
  /// An error that is the program's. MPICH 4.0 sets no handler while it calls one.
  void pass_on(int code) const { PMPI_Comm_call_errhandler(keeper_, code); }
  void make() { PMPI_Comm_dup(MPI_COMM_SELF, &keeper_); }

 private:
  void keep(MPI_Errhandler handler);

  const bool follows_;  // MPI_COMM_WORLD, as long as its handler is the first one
  std::atomic<MPI_Errhandler> of_program_{MPI_ERRHANDLER_NULL};
  MPI_Comm keeper_ = MPI_COMM_NULL;  // has the program's handler
};
Ear of_world(false), of_self(self_follows_world);
Ear& ear_of(MPI_Comm comm) { return comm == MPI_COMM_SELF ? of_self : of_world; }

MPI_Errhandler ours = MPI_ERRHANDLER_NULL;

// MPI may hold its lock here, for which a thread that has the mutex may wait.
void hear(MPI_Comm* comm, int* code, ...) {
  if (deaf > 0) {
    missed = *code;
    return;
  }
  ear_of(*comm).pass_on(*code);
}

MPI_Errhandler current(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  return handler;
}

void Ear::cover(MPI_Comm comm) {
  const MPI_Errhandler now = current(comm);
  if (now == MPI_ERRORS_RETURN || (follows_ && now == MPI_ERRORS_ARE_FATAL)) return;
  // The Fortran bindings of mpi_f08 may have given ours to the program, which has set it again.
  if (now == ours) return release_handler(now);
  keep(now);
  PMPI_Comm_set_errhandler(comm, ours);
}

void Ear::keep(MPI_Errhandler handler) {
  const MPI_Errhandler last = of_program_.exchange(handler);
  if (last != handler) PMPI_Comm_set_errhandler(keeper_, handler);
  release_handler(last);
}

int Ear::give(MPI_Comm comm, MPI_Errhandler handler) {
  const MPI_Errhandler now = current(comm);
  const bool covered = now == ours;
  release_handler(now);
  if (!covered) return PMPI_Comm_set_errhandler(comm, handler);
  const int rc = PMPI_Comm_set_errhandler(keeper_, handler);
  if (rc == MPI_SUCCESS) keep(current(keeper_));
  return rc;
}

int Ear::ask(MPI_Comm comm, MPI_Errhandler* handler) const {
  const int rc = PMPI_Comm_get_errhandler(comm, handler);
  if (rc != MPI_SUCCESS || *handler != ours) return rc;
  release_handler(*handler);
  return PMPI_Comm_get_errhandler(keeper_, handler);
}

// It is not ours if mpi_f08 has set one since.
void Ear::uncover(MPI_Comm comm) {
  const MPI_Errhandler now = current(comm);
  if (of_program() != MPI_ERRHANDLER_NULL && now == ours) PMPI_Comm_set_errhandler(comm, of_program());
  release_handler(now);
}

// Null for one of the program's own.
MPI_Errhandler predefined_handler(MPI_Comm comm) {
  MPI_Errhandler handler = current(comm), found = handler;
  if (handler != MPI_ERRHANDLER_NULL && handler == ours) found = ear_of(comm).of_program();
  if (found != MPI_ERRORS_ARE_FATAL && found != MPI_ERRORS_RETURN) found = MPI_ERRHANDLER_NULL;
  release_handler(handler);
  return found;
}

// Where MPI raises an error that is of no call on a communicator.
MPI_Comm elsewhere() {
  const bool in_self = raising.heard_is_success && predefined_handler(MPI_COMM_SELF) != MPI_ERRORS_ARE_FATAL;
  return in_self ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

MPI_Comm told(Hearer hearer, MPI_Comm comm) { return hearer == Hearer::elsewhere ? elsewhere() : comm; }

// By a message to this process.
bool a_look_ends_persistent(MPI_Comm self) {
  constexpr int tag = 78, looks = 1'000'000;
  int out = 1, in = 0, complete = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  std::memset(&status, 0x5a, sizeof status);
  if (PMPI_Recv_init(&in, 1, MPI_INT, 0, tag, self, &request) != MPI_SUCCESS) return true;
  PMPI_Start(&request);
  PMPI_Send(&out, 1, MPI_INT, 0, tag, self);
  for (int i = 0; i < looks && !complete; ++i) PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
  PMPI_Wait(&request, &status);
  PMPI_Request_free(&request);
  return status.MPI_SOURCE != 0 || status.MPI_TAG != tag;
}

// In C or Fortran: MPI_Bcast_init, mpi_bcast_init_f08_ts_.
bool makes_persistent_collective(const char* symbol) {
  static constexpr const char* kinds[] = {"All",      "Barrier", "Bcast", "Exscan", "Gather",
                                          "Neighbor", "Reduce",  "Scan",  "Scatter"};
  if (strncasecmp(symbol, "mpi_", 4) != 0 || !std::strstr(symbol, "_init")) return false;
  return std::ranges::any_of(
      kinds, [symbol](const char* kind) { return strncasecmp(symbol + 4, kind, std::strlen(kind)) == 0; });
}

bool refers_to_persistent_collectives() {
  bool found = false;
  each_reference_to_mpi(
      [](const char* file, const char* symbol, void* context) {
        return *static_cast<bool*>(context) = makes_persistent_collective(symbol) && !is_of_mpi(file);
      },
      &found);
  return found;
}

}  // namespace

bool looks_end_persistent = false, tests_all_by_some = false;

void observe_looks(MPI_Comm self) {
  looks_end_persistent = a_look_ends_persistent(self);
  if (tests_fail_persistent_collectives) tests_all_by_some = refers_to_persistent_collectives();
  observe_raising();
  // Asked here first, since it reads all references, which is not to happen in an exchange.
  nothing_sets_handlers();
  if (raising.look != Hearer::nobody && ours == MPI_ERRHANDLER_NULL) {
    of_world.make();
    of_self.make();
    PMPI_Comm_create_errhandler(hear, &ours);
  }
}

int set_error_handler(MPI_Comm comm, MPI_Errhandler handler) {
  if (ours == MPI_ERRHANDLER_NULL || (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF))
    return PMPI_Comm_set_errhandler(comm, handler);
  const std::lock_guard lock(mutex);
  return ear_of(comm).give(comm, handler);
}

// A communicator that was made during a window has inherited ours.
int get_error_handler(MPI_Comm comm, MPI_Errhandler* handler) {
  if (ours == MPI_ERRHANDLER_NULL) return PMPI_Comm_get_errhandler(comm, handler);
  const std::lock_guard lock(mutex);
  return ear_of(comm).ask(comm, handler);
}

bool Unheard::is_needed() { return !handlers_never_change(); }

void Unheard::open() {
  if (deaf++ > 0) return;
  const std::lock_guard lock(mutex);
  if (windows++ > 0) return;
  of_world.cover(MPI_COMM_WORLD);
  of_self.cover(MPI_COMM_SELF);
}

void Unheard::close() {
  if (--deaf > 0) return;
  missed = MPI_SUCCESS;
  const std::lock_guard lock(mutex);
  if (--windows > 0) return;
  of_world.uncover(MPI_COMM_WORLD);
  of_self.uncover(MPI_COMM_SELF);
}

int Unheard::noticed(int rc) {
  const int code = std::exchange(missed, MPI_SUCCESS);
  return rc != MPI_SUCCESS ? rc : code;
}

int look(MPI_Request request, int* complete, MPI_Status* status) {
  const Unheard unheard;
  return Unheard::result(PMPI_Request_get_status(request, complete, status));
}

int raise(MPI_Comm comm, int code) {
  if (code == MPI_SUCCESS) return code;
  const bool succeeds =
      raising.heard_is_success && deaf == 0 && predefined_handler(comm) == MPI_ERRHANDLER_NULL;
  PMPI_Comm_call_errhandler(comm, code);
  missed = MPI_SUCCESS;
  return succeeds ? MPI_SUCCESS : code;
}

MPI_Comm hearer_of_wait(MPI_Comm comm) { return told(raising.wait, comm); }

int raise_of_wait(MPI_Comm comm, int code, bool persistent) {
  return raise(persistent ? comm : hearer_of_wait(comm), code);
}

int raise_of_any(MPI_Comm comm, int code) { return raise(told(raising.several, comm), code); }

int raise_of_look(MPI_Comm comm, int code) {
  return raising.look == Hearer::nobody ? MPI_SUCCESS : raise(told(raising.look, comm), code);
}

// The handler of the request's own communicator is told which error it was.
int raise_in_status(MPI_Comm comm, int code) {
  const bool own = raising.several == Hearer::request;
  const int rc = raise(told(raising.several, comm), own ? code : MPI_ERR_IN_STATUS);
  return rc == MPI_SUCCESS ? rc : MPI_ERR_IN_STATUS;
}

bool heard_alike(MPI_Comm comm, Hearer hearer) {
  const MPI_Comm at = told(hearer, comm);
  if (comm == MPI_COMM_NULL || at == comm) return true;
  const MPI_Errhandler handler = predefined_handler(comm);
  return handler != MPI_ERRHANDLER_NULL && handler == predefined_handler(at);
}

bool errors_are_fatal(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || predefined_handler(comm) != MPI_ERRORS_ARE_FATAL) return false;
  const MPI_Comm hearer = hearer_of_wait(comm);
  return hearer == comm || predefined_handler(hearer) == MPI_ERRORS_ARE_FATAL;
}

}  // namespace lapwing::mpi
