/* SPDX-License-Identifier: Apache-2.0
   Prints the parameter of Open MPI's TCP transport that is in force, and whether the environment names it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  static const char* const name = "btl_tcp_rdma_pipeline_frag_size";
  MPI_Init(&argc, &argv);
  int level = 0, index = 0, count = 0;
  unsigned long long value = 0;
  MPI_T_cvar_handle handle;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) {
    printf("%s is not there\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  printf("%llu %s\n", value,
         getenv("OMPI_MCA_btl_tcp_rdma_pipeline_frag_size") ? "in the environment" : "gone");
  MPI_T_cvar_handle_free(&handle);
  MPI_T_finalize();
  return MPI_Finalize();
}
