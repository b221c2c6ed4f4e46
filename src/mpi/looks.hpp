// SPDX-License-Identifier: Apache-2.0
// Looking at requests of the program's, and raising their errors where the program's own calls would.
//
// The engine meets requests at other places than the program, and in calls of other names. An error that it
// meets there is no error handler's business yet: the program's own call will meet it, or the engine raises
// it in that call.
#pragma once

#include <mpi.h>

#include "flavour.hpp"

namespace lapwing::mpi {

/// Whether MPI_Request_get_status ends a persistent request that it finds complete, so that the
/// wait for it finds none: MPICH 5 and Intel MPI do so. Known after observe_looks().
extern bool looks_end_persistent;

/// Whether something in the process refers to persistent collectives, which MPI_Testall takes for failed
/// (tests_fail_persistent_collectives), and MPI_Testsome does not. Known after observe_looks().
extern bool tests_all_by_some;

/// After PMPI_Init: learns what differs between members of a family, by messages to this process, on `self`,
/// which holds it alone.
void observe_looks(MPI_Comm self = MPI_COMM_SELF);

/// MPI_Request_get_status without a word to the program's error handlers.
int look(MPI_Request request, int* complete, MPI_Status* status);

/// While one lives, no handler of the program's hears of errors of requests that this thread meets, unless
/// MPI raises them in the request's own communicator. Errors that other threads meet are heard. They may be
/// nested. A program that cannot change a handler is left alone: all its errors end the job, wherever they
/// are met, and a communicator that has no handler of its own goes on following MPI_COMM_WORLD's.
class Unheard {
 public:
  Unheard() : opened_(raising.look != Hearer::nobody && is_needed()) {
    if (opened_) open();
  }
  ~Unheard() {
    if (opened_) close();
  }
  Unheard(const Unheard&) = delete;
  Unheard& operator=(const Unheard&) = delete;
  /// The result of a call under one that has returned `rc`: MPI may say MPI_SUCCESS where a handler was
  /// called.
  static int result(int rc) { return raising.look == Hearer::nobody ? rc : noticed(rc); }

 private:
  static bool is_needed();
  static int noticed(int rc);
  static void open();
  static void close();

  const bool opened_;
};

/// MPI_Comm_set_errhandler and MPI_Comm_get_errhandler of the program's, which must not meet Lapwing's own
/// handler in their place.
int set_error_handler(MPI_Comm comm, MPI_Errhandler handler);
int get_error_handler(MPI_Comm comm, MPI_Errhandler* handler);

/// Raises `code` in the handler of `comm`; what the call then returns.
int raise(MPI_Comm comm, int code);

/// The same as MPI_Wait and MPI_Test do it, for a request on `comm`; that of a persistent one is heard there.
int raise_of_wait(MPI_Comm comm, int code, bool persistent);
/// As MPI_Request_get_status.
int raise_of_look(MPI_Comm comm, int code);
/// As a call that completes one of several requests, or MPI_Mrecv.
int raise_of_any(MPI_Comm comm, int code);
/// As a call that completes several at once: that one returns MPI_ERR_IN_STATUS.
int raise_in_status(MPI_Comm comm, int code);

/// The communicator in whose handler MPI_Wait and MPI_Test raise the error of a request on `comm`.
MPI_Comm hearer_of_wait(MPI_Comm comm);

/// Whether an error that MPI raises at `hearer` meets the handler that it would meet in `comm`, both
/// predefined.
bool heard_alike(MPI_Comm comm, Hearer hearer);

/// `wait()`, whose error is raised in the handler of `comm`, as that of a blocking call. `usual`: where MPI
/// raises it.
template <typename Wait>
int raising_in(MPI_Comm comm, Hearer usual, Wait wait) {
  if (heard_alike(comm, usual)) return wait();
  int rc = MPI_SUCCESS;
  {
    const Unheard unheard;
    rc = Unheard::result(wait());
  }
  return raise(comm, rc);
}

inline int wait_raising_in(MPI_Comm comm, MPI_Request* request, MPI_Status* status) {
  return raising_in(comm, raising.wait, [&] { return PMPI_Wait(request, status); });
}

/// Whether an error of a request on `comm` is raised as by a blocking call.
inline bool raises_in_place(MPI_Comm comm) { return heard_alike(comm, raising.wait); }

/// Whether an error of a call on `comm`, or of the wait for it, ends the job: a call that returns has had
/// none.
bool errors_are_fatal(MPI_Comm comm);

}  // namespace lapwing::mpi
