/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI_Buffer_detach for mpi_f08, which gives the buffer's address back; of the
 * libraries' mpi_buffer_detach_ only MPICH's does.
 */
#include <mpi.h>

void lapwing_f08_buffer_detach(void* address, MPI_Fint* size, MPI_Fint* ierror);
void lapwing_pf08_buffer_detach(void* address, MPI_Fint* size, MPI_Fint* ierror);

void lapwing_f08_buffer_detach(void* address, MPI_Fint* size, MPI_Fint* ierror) {
  int bytes = 0;
  int error = MPI_Buffer_detach(address, &bytes);
  *size = bytes;
  if (ierror) *ierror = error;
}

void lapwing_pf08_buffer_detach(void* address, MPI_Fint* size, MPI_Fint* ierror) {
  int bytes = 0;
  int error = PMPI_Buffer_detach(address, &bytes);
  *size = bytes;
  if (ierror) *ierror = error;
}
