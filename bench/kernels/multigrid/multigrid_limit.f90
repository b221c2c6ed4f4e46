! SPDX-License-Identifier: Apache-2.0
! The V-cycles one part after the other, each timed; the planes of a level all
! at once. While they travel the residual of the inside can be computed.
subroutine multigrid_limit(phases)
  use multigrid_data
  implicit none
  include 'mpif.h'
  type(phases_t), intent(out) :: phases
  integer :: cycle_, ierror, sends(2, 3)
  real(r8) :: start, moved

  requests = MPI_REQUEST_NULL
  sends = MPI_REQUEST_NULL
  moved = 0
  start = mpi_wtime()
  do cycle_ = 1, cycles
    call cycle_once()
  end do
  phases%rest = mpi_wtime() - start - moved
  phases%limit = phases%limit + phases%rest

contains

  subroutine residual(level)
    integer, intent(in) :: level
    integer :: axis, side, count
    real(r8) :: waited, begun, computed, arrived
    do axis = 1, 3
      do side = 1, 2
        if (neighbour(side, axis) >= 0) &
          call fill(6 + 2*axis + side, level, axis, merge(1, n(axis, level), side == 1), count)
      end do
    end do
    waited = mpi_wtime()
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    begun = mpi_wtime()
    do axis = 1, 3
      count = product(n(:, level))/n(axis, level)
      do side = 1, 2
        if (neighbour(side, axis) < 0) cycle
        call mpi_irecv(buff(1, 2*axis + side), count, MPI_DOUBLE_PRECISION, neighbour(side, axis), &
                       10*axis + side, MPI_COMM_WORLD, requests(side, axis), ierror)
        call mpi_isend(buff(1, 6 + 2*axis + side), count, MPI_DOUBLE_PRECISION, neighbour(side, axis), &
                       10*axis + 3 - side, MPI_COMM_WORLD, sends(side, axis), ierror)
      end do
    end do
    call mpi_waitall(6, requests, MPI_STATUSES_IGNORE, ierror)
    call mpi_waitall(6, sends, MPI_STATUSES_IGNORE, ierror)
    arrived = mpi_wtime()
    call residual_inside(level, 1, n(3, level))
    computed = mpi_wtime()
    phases%compute = phases%compute + computed - arrived
    phases%transfer = phases%transfer + arrived - begun
    phases%limit = phases%limit + max(computed - arrived, arrived - begun)
    moved = moved + computed - waited

    do axis = 1, 3
      do side = 1, 2
        if (neighbour(side, axis) >= 0) &
          call take(2*axis + side, level, axis, merge(0, n(axis, level) + 1, side == 1))
      end do
    end do
    call residual_faces(level)
  end subroutine

  include 'multigrid_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine
