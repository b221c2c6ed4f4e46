// SPDX-License-Identifier: Apache-2.0
// Finds out how the MPI at hand counts requests in Fortran, by asking its own
// wrapper about one that is complete.
#include "entry/fortran/fortran.hpp"
#include "entry/libraries.hpp"

namespace lapwing::entry {
namespace {

using Waitany = void(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, void* status, MPI_Fint* error);

int query(void*, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int free_nothing(void*) { return MPI_SUCCESS; }
int cancel_nothing(void*, int) { return MPI_SUCCESS; }

int ask() {
  auto* wrapper = reinterpret_cast<Waitany*>(find_in(find_loaded(mpi::waitany_library), mpi::waitany_symbol));
  MPI_Request request = MPI_REQUEST_NULL;
  if (!wrapper || PMPI_Grequest_start(query, free_nothing, cancel_nothing, nullptr, &request) != MPI_SUCCESS)
    return 1;
  PMPI_Grequest_complete(request);
  MPI_Fint count = 1, handle = PMPI_Request_c2f(request), index = 1, error = MPI_SUCCESS;
  MPI_Status status;
  wrapper(&count, &handle, &index, &status, &error);
  return error == MPI_SUCCESS && index == 0 ? 0 : 1;
}

}  // namespace

int first_index() {
  static const int first = ask();
  return first;
}

}  // namespace lapwing::entry
