! SPDX-License-Identifier: Apache-2.0
! Two ranks exchange large messages and print a sum of all that they have received.
program exchange
  implicit none
  include 'mpif.h'
  integer, parameter :: numbers = 262144, rounds = 8
  double precision, allocatable :: there(:), here(:)
  double precision :: total, all
  integer :: rank, round, i, error, status(MPI_STATUS_SIZE)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  allocate(there(numbers), here(numbers))
  total = 0
  do round = 1, rounds
    do i = 1, numbers
      there(i) = rank * 1d6 + i * 0.5d0 + round
    end do
    if (rank == 0) call MPI_Send(there, numbers, MPI_DOUBLE_PRECISION, 1, round, MPI_COMM_WORLD, error)
    call MPI_Recv(here, numbers, MPI_DOUBLE_PRECISION, 1 - rank, round, MPI_COMM_WORLD, status, error)
    if (rank == 1) call MPI_Send(there, numbers, MPI_DOUBLE_PRECISION, 0, round, MPI_COMM_WORLD, error)
    total = total + status(MPI_TAG)
    do i = 1, numbers
      total = total * 0.999d0 + here(i)
    end do
  end do
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, z16.16)', 'sum ', transfer(all, 1_8)
  call MPI_Finalize(error)
end program
