// SPDX-License-Identifier: Apache-2.0
// Fortran entry points that complete, start, cancel and free requests.
#include "entry/fortran/fortran.hpp"

// Of MPI 4.1, in p2p/status.cpp.
extern "C" {
int MPI_Request_get_status_all(int, const MPI_Request[], int*, MPI_Status*);
int MPI_Request_get_status_any(int, const MPI_Request[], int*, int*, MPI_Status*);
int MPI_Request_get_status_some(int, const MPI_Request[], int*, int*, MPI_Status*);
}

using lapwing::entry::fortran_index;
using lapwing::entry::give;
using lapwing::entry::give_flag;
using lapwing::entry::RequestArray;
using lapwing::mpi::fortran_status;
using lapwing::mpi::fortran_statuses;

LAPWING_FORTRAN lapwing_fortran_wait(MPI_Fint* request, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(1, request);
  give(error, MPI_Wait(r.data(), fortran_status(status)));
}

LAPWING_FORTRAN lapwing_fortran_waitall(MPI_Fint* count, MPI_Fint* requests, void* statuses,
                                        MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(*count, requests);
  give(error, MPI_Waitall(*count, r.data(), fortran_statuses(statuses)));
}

LAPWING_FORTRAN lapwing_fortran_waitany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, void* status,
                                        MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(*count, requests);
  int which = MPI_UNDEFINED;
  const int rc = MPI_Waitany(*count, r.data(), &which, fortran_status(status));
  if (rc == MPI_SUCCESS) *index = fortran_index(which);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_test(MPI_Fint* request, MPI_Fint* flag, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(1, request);
  int done = 0;
  const int rc = MPI_Test(r.data(), &done, fortran_status(status));
  if (rc == MPI_SUCCESS) give_flag(flag, done);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_testall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag, void* statuses,
                                        MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(*count, requests);
  int done = 0;
  const int rc = MPI_Testall(*count, r.data(), &done, fortran_statuses(statuses));
  if (rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS) give_flag(flag, done);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_testany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag,
                                        void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(*count, requests);
  int which = MPI_UNDEFINED, done = 0;
  const int rc = MPI_Testany(*count, r.data(), &which, &done, fortran_status(status));
  if (rc == MPI_SUCCESS) {
    *index = fortran_index(which);
    give_flag(flag, done);
  }
  give(error, rc);
}

// Indices come back in place; those of an outcount of MPI_UNDEFINED do not.
#define FORTRAN_SOME(NAME, FUNCTION)                                                           \
  LAPWING_FORTRAN lapwing_fortran_##NAME(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done,  \
                                         MPI_Fint* indices, void* statuses, MPI_Fint* error) { \
    LAPWING_NOTE_CALLER();                                                                     \
    RequestArray r(*count, requests);                                                          \
    const int rc = FUNCTION(*count, r.data(), done, indices, fortran_statuses(statuses));      \
    if ((rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS) && *done != MPI_UNDEFINED) {            \
      for (MPI_Fint i = 0; i < *done; ++i) indices[i] = fortran_index(indices[i]);             \
    }                                                                                          \
    give(error, rc);                                                                           \
  }

FORTRAN_SOME(waitsome, MPI_Waitsome)
FORTRAN_SOME(testsome, MPI_Testsome)
FORTRAN_SOME(request_get_status_some, MPI_Request_get_status_some)

LAPWING_FORTRAN lapwing_fortran_start(MPI_Fint* request, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(1, request);
  give(error, MPI_Start(r.data()));
}

LAPWING_FORTRAN lapwing_fortran_startall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  RequestArray r(*count, requests);
  give(error, MPI_Startall(*count, r.data()));
}

LAPWING_FORTRAN lapwing_fortran_cancel(MPI_Fint* request, MPI_Fint* error) {
  MPI_Request r = PMPI_Request_f2c(*request);
  give(error, MPI_Cancel(&r));
}

LAPWING_FORTRAN lapwing_fortran_request_free(MPI_Fint* request, MPI_Fint* error) {
  MPI_Request r = PMPI_Request_f2c(*request);
  const int rc = MPI_Request_free(&r);
  if (rc == MPI_SUCCESS) *request = PMPI_Request_c2f(r);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_request_get_status(MPI_Fint* request, MPI_Fint* flag, void* status,
                                                   MPI_Fint* error) {
  int done = 0;
  const int rc = MPI_Request_get_status(PMPI_Request_f2c(*request), &done, fortran_status(status));
  if (rc == MPI_SUCCESS) give_flag(flag, done);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_request_get_status_all(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag,
                                                       void* statuses, MPI_Fint* error) {
  RequestArray r(*count, requests);
  int done = 0;
  const int rc = MPI_Request_get_status_all(*count, r.data(), &done, fortran_statuses(statuses));
  if (rc == MPI_SUCCESS) give_flag(flag, done);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_request_get_status_any(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index,
                                                       MPI_Fint* flag, void* status, MPI_Fint* error) {
  RequestArray r(*count, requests);
  int which = MPI_UNDEFINED, done = 0;
  const int rc = MPI_Request_get_status_any(*count, r.data(), &which, &done, fortran_status(status));
  if (rc == MPI_SUCCESS) {
    *index = fortran_index(which);
    give_flag(flag, done);
  }
  give(error, rc);
}
