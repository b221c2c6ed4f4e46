! SPDX-License-Identifier: Apache-2.0
! Pairs of ranks hand each other a large array and combine it with their own;
! MPI through the module mpi_f08, with a combined send and receive, read from
! the end on every second step.
program exchange
  use mpi_f08
  implicit none
  integer, parameter :: n = 524288, steps = 8
  double precision, allocatable :: mine(:), theirs(:)
  double precision :: total, sum, flow
  integer :: rank, ranks, other, i, step, received
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  other = ieor(rank, 1)
  if (other >= ranks) other = MPI_PROC_NULL
  allocate (mine(n), theirs(n))
  mine = [(mod(i * 37 + rank, 1009) / 1009.0d0, i = 1, n)]
  theirs = 0

  do step = 1, steps
    call MPI_Sendrecv(mine, n, MPI_DOUBLE_PRECISION, other, step, theirs, n, MPI_DOUBLE_PRECISION, other, step, &
                      MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, received)
    if (other /= MPI_PROC_NULL .and. received /= n) call MPI_Abort(MPI_COMM_WORLD, 1)
    flow = 0
    if (mod(step, 2) == 1) then
      do i = 1, n
        flow = 0.5d0 * (flow + theirs(i))
        mine(i) = 0.75d0 * mine(i) + 0.25d0 * flow
      end do
    else
      do i = n, 1, -1
        flow = 0.5d0 * (flow + theirs(i))
        mine(i) = 0.75d0 * mine(i) + 0.25d0 * flow
      end do
    end if
  end do

  total = 0
  do i = 1, n
    total = total + mine(i) * mod(i, 7)
  end do
  call MPI_Reduce(total, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) write (*, '(a, i3, a, z16.16)') 'exchange (use mpi_f08): ', ranks, ' ranks, checksum ', sum
  call MPI_Finalize()
end program exchange
