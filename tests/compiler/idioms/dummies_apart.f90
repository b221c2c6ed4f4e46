! SPDX-License-Identifier: Apache-2.0
! Compiled apart, so that nothing is known of the arguments.
include 'work_on.inc'

! The status says whom to answer, and is used once more.
subroutine serve(total, status)
  use mpi
  implicit none
  integer, parameter :: n = 100000
  real(8) :: x(n), y(n), w(1000), total
  integer :: status(MPI_STATUS_SIZE), ierr
  call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, status, ierr)
  w = 1
  call work_on(w)
  y = x + w(1000)
  call MPI_Send(y, n, MPI_DOUBLE_PRECISION, status(MPI_SOURCE), 8, MPI_COMM_WORLD, ierr)
  total = sum(x)
  call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, status, ierr)
  total = total + sum(x)
end subroutine

! The error of a wait is sent, and used once more.
subroutine tell(ierr)
  use mpi
  implicit none
  integer, parameter :: n = 100000
  real(8) :: x(n), w(1000)
  integer :: ierr, other, request
  x = 2
  call MPI_Isend(x, n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, request, other)
  ierr = -99
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  w = 1
  call work_on(w)
  call MPI_Send(ierr, 1, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, other)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (w(1000) > 2) print *, w
end subroutine
