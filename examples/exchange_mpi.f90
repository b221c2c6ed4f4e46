! SPDX-License-Identifier: Apache-2.0
! Pairs of ranks hand each other a large array and combine it with their own;
! MPI through the module mpi, with non-blocking calls and a wait.
program exchange
  use mpi
  implicit none
  integer, parameter :: n = 524288, steps = 8
  double precision, allocatable :: mine(:), theirs(:), next(:)
  double precision :: total, sum, flow
  integer :: rank, ranks, other, i, step, ierror
  integer :: requests(2), statuses(MPI_STATUS_SIZE, 2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  other = ieor(rank, 1)
  if (other >= ranks) other = MPI_PROC_NULL
  allocate (mine(n), theirs(n), next(n))
  mine = [(mod(i * 37 + rank, 1009) / 1009.0d0, i = 1, n)]
  theirs = 0

  do step = 1, steps
    call MPI_Irecv(theirs, n, MPI_DOUBLE_PRECISION, other, step, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(mine, n, MPI_DOUBLE_PRECISION, other, step, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, statuses, ierror)
    flow = 0
    do i = 1, n
      flow = 0.5d0 * (flow + theirs(i))
      next(i) = 0.75d0 * mine(i) + 0.25d0 * flow
    end do
    mine = next
  end do

  total = 0
  do i = 1, n
    total = total + mine(i) * mod(i, 7)
  end do
  call MPI_Reduce(total, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) write (*, '(a, i3, a, z16.16)') 'exchange (use mpi): ', ranks, ' ranks, checksum ', sum
  call MPI_Finalize(ierror)
end program exchange
