! SPDX-License-Identifier: Apache-2.0
! A common block whose name begins as those of an MPI's do, and an inquiry that reads
! what was received. Two ranks.
include 'work_on.inc'

program names
  implicit none
  include 'mpif.h'
  include 'usleep.inc'
  integer, parameter :: n = 200000
  integer :: rank, ierr, i, status(MPI_STATUS_SIZE), kinds(n)
  common /mpiprivate/ status
  real(8) :: x(n), w(1000)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank + 1; w = 1; status = -5; kinds = 1 + 11*rank
  if (rank == 0) then
    call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call work_on(w)
    print *, 'from', status(MPI_SOURCE), status(MPI_TAG), w(1000)
    call MPI_Recv(kinds, n, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call work_on(w)
    i = selected_int_kind(kinds(n))
    print *, 'kind', i, w(1000)
  else
    call MPI_Send(x, n, MPI_DOUBLE_PRECISION, 0, 9, MPI_COMM_WORLD, ierr)
    i = usleep(200000)
    call MPI_Send(kinds, n, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
