! SPDX-License-Identifier: Apache-2.0
! multigrid_plain rewritten by hand so that planes travel while the inside is
! computed: a buffer for every plane, everything non-blocking, the inside in
! slabs with a look after the messages between them.
subroutine multigrid_run()
  use multigrid_data
  implicit none
  include 'mpif.h'
  integer :: cycle_, ierror, sends(2, 3)

  requests = MPI_REQUEST_NULL
  sends = MPI_REQUEST_NULL
  do cycle_ = 1, cycles
    call cycle_once()
  end do
  call mpi_waitall(6, sends, MPI_STATUSES_IGNORE, ierror)

contains

  subroutine residual(level)
    integer, intent(in) :: level
    integer :: axis, side, count, k, planes
    logical :: arrived
    do axis = 1, 3
      count = product(n(:, level))/n(axis, level)
      do side = 1, 2
        if (neighbour(side, axis) >= 0) &
          call mpi_irecv(buff(1, 2*axis + side), count, MPI_DOUBLE_PRECISION, neighbour(side, axis), &
                         10*axis + side, MPI_COMM_WORLD, requests(side, axis), ierror)
      end do
    end do
    call mpi_waitall(6, sends, MPI_STATUSES_IGNORE, ierror)
    do axis = 1, 3
      do side = 1, 2
        if (neighbour(side, axis) >= 0) then
          call fill(6 + 2*axis + side, level, axis, merge(1, n(axis, level), side == 1), count)
          call mpi_isend(buff(1, 6 + 2*axis + side), count, MPI_DOUBLE_PRECISION, neighbour(side, axis), &
                         10*axis + 3 - side, MPI_COMM_WORLD, sends(side, axis), ierror)
        end if
      end do
    end do

    ! Small levels are not worth a look.
    planes = n(3, level)
    if (product(n(:, level)) > 20000) planes = max(1, planes/slabs)
    arrived = .false.
    do k = 1, n(3, level), planes
      call residual_inside(level, k, k + planes - 1)
      if (.not. arrived .and. k + planes <= n(3, level)) then
        call mpi_testall(6, requests, arrived, MPI_STATUSES_IGNORE, ierror)
      end if
    end do

    call mpi_waitall(6, requests, MPI_STATUSES_IGNORE, ierror)
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

character(5) function multigrid_variant()
  multigrid_variant = 'hand'
end function
