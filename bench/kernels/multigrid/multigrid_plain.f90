! SPDX-License-Identifier: Apache-2.0
! The halo exchange as such programs have it: `ready` posts receives, `give3`
! fills the shared buffer and sends, blocking, plane after plane, `take3` reads
! what has come. What needs no ghost planes is computed in between; for large
! planes the blocking sends have by then waited for all of it.
subroutine multigrid_run()
  use multigrid_data
  implicit none
  include 'mpif.h'
  integer :: cycle_

  do cycle_ = 1, cycles
    call cycle_once()
  end do

contains

  subroutine residual(level)
    integer, intent(in) :: level
    integer :: axis
    do axis = 1, 3
      if (parts(axis) > 1) call ready(level, axis)
    end do
    do axis = 1, 3
      if (parts(axis) > 1) call give3(level, axis)
    end do
    call residual_inside(level, 1, n(3, level))
    do axis = 1, 3
      if (parts(axis) > 1) call take3(level, axis)
    end do
    call residual_faces(level)
  end subroutine

  subroutine ready(level, axis)
    integer, intent(in) :: level, axis
    integer :: side, count, ierror
    count = product(n(:, level))/n(axis, level)
    do side = 1, 2
      if (neighbour(side, axis) >= 0) &
        call mpi_irecv(buff(1, 2*axis + side), count, MPI_DOUBLE_PRECISION, neighbour(side, axis), &
                       10*axis + side, MPI_COMM_WORLD, requests(side, axis), ierror)
    end do
  end subroutine

  subroutine give3(level, axis)
    integer, intent(in) :: level, axis
    integer :: count, ierror
    if (neighbour(1, axis) >= 0) then
      call fill(1, level, axis, 1, count)
      call mpi_send(buff(1, 1), count, MPI_DOUBLE_PRECISION, neighbour(1, axis), 10*axis + 2, &
                    MPI_COMM_WORLD, ierror)
    end if
    if (neighbour(2, axis) >= 0) then
      call fill(2, level, axis, n(axis, level), count)
      call mpi_send(buff(1, 2), count, MPI_DOUBLE_PRECISION, neighbour(2, axis), 10*axis + 1, &
                    MPI_COMM_WORLD, ierror)
    end if
  end subroutine

  subroutine take3(level, axis)
    integer, intent(in) :: level, axis
    integer :: side, status(MPI_STATUS_SIZE), ierror
    do side = 1, 2
      if (neighbour(side, axis) >= 0) then
        call mpi_wait(requests(side, axis), status, ierror)
        call take(2*axis + side, level, axis, merge(0, n(axis, level) + 1, side == 1))
      end if
    end do
  end subroutine

  include 'multigrid_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine

character(5) function multigrid_variant()
  multigrid_variant = 'plain'
end function
