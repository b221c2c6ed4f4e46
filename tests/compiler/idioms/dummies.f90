! SPDX-License-Identifier: Apache-2.0
! What dummies_apart.f90 does with dummy arguments, which may be other variables but not
! their own. Two ranks.
program dummies
  use mpi
  implicit none
  integer, parameter :: n = 100000
  integer :: rank, ierr, error, status(MPI_STATUS_SIZE)
  real(8) :: x(n), y(n), total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank + 1; y = rank + 10; status = 0
  if (rank == 0) then
    call serve(total, status)
    print *, 'served', total, status(MPI_SOURCE)
    call tell(error)
  else
    call MPI_Send(x, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
    call MPI_Recv(y, n, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(x, n, MPI_DOUBLE_PRECISION, 0, 9, MPI_COMM_WORLD, ierr)
    print *, 'answered', sum(y(2:))
    call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(error, 1, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    print *, 'told', error, sum(x)
  end if
  call MPI_Finalize(ierr)
end program
