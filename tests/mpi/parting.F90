! SPDX-License-Identifier: Apache-2.0
! As parting.c.
program parting
  implicit none
  include 'mpif.h'
  integer :: error, rank, word, i
  logical :: flag
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  word = 0
  if (rank == 0) then
    call mpi_send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    call mpi_recv(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    do i = 1, 2000000
      call mpi_iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
    end do
    print '(a)', 'done'
  else
    call mpi_recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call mpi_send(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
  end if
  call mpi_finalize(error)
end program
