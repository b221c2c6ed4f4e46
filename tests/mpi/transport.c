/* SPDX-License-Identifier: Apache-2.0
   Rank 0 prints a parameter of Open MPI that is in force, and whether the environment names it: transport
   NAME */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const char* const name = argv[1];
  char variable[200];
  snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
  MPI_Init(&argc, &argv);
  int rank = 0, level = 0, index = 0, count = 0;
  unsigned long long value = 0; /* an int fills its first half */
  MPI_T_cvar_handle handle;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) {
    printf("%s is not there\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) printf("%llu %s\n", value, getenv(variable) ? "in the environment" : "gone");
  MPI_T_cvar_handle_free(&handle);
  MPI_T_finalize();
  return MPI_Finalize();
}
