! SPDX-License-Identifier: Apache-2.0
! The error of a later call lies in the first word of a status, which nobody needs. Two ranks.
include 'work_on.inc'
program equiv
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 100000
  integer :: rank, ierr, status(MPI_STATUS_SIZE), error
  real(8) :: x(n), y(n), w(1000)
  equivalence (error, status(1))
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank; y = 0; w = 1
  if (rank == 0) then
    call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call work_on(w)
    call MPI_Send(w, 1000, MPI_DOUBLE_PRECISION, 1, 9, MPI_COMM_WORLD, error)
    print *, 'tag', status(MPI_TAG), x(7), w(9)
  else
    call MPI_Send(x, n, MPI_DOUBLE_PRECISION, 0, 77, MPI_COMM_WORLD, ierr)
    call MPI_Recv(w, 1000, MPI_DOUBLE_PRECISION, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
end program
