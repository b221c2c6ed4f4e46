! SPDX-License-Identifier: Apache-2.0
! Two ranks exchange large messages and print a sum of all that they have received.
! BY_MPI, BY_MPI_F08: with the modules mpi and mpi_f08 instead of mpif.h.
program exchange
#if defined(BY_MPI_F08)
  use mpi_f08
#elif defined(BY_MPI)
  use mpi
#endif
  implicit none
#if defined(BY_MPI_F08)
  type(MPI_Status) :: status
#define TAG_OF(s) s%MPI_TAG
#else
#ifndef BY_MPI
  include 'mpif.h'
#endif
  integer :: status(MPI_STATUS_SIZE)
#define TAG_OF(s) s(MPI_TAG)
#endif
  integer, parameter :: numbers = 262144, rounds = 8
  double precision, allocatable :: there(:), here(:)
  double precision :: total, all
  integer :: rank, round, i, error
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
    total = total + TAG_OF(status)
    do i = 1, numbers
      total = total * 0.999d0 + here(i)
    end do
  end do
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, z16.16)', 'sum ', transfer(all, 1_8)
  call MPI_Finalize(error)
end program
