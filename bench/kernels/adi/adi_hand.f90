! SPDX-License-Identifier: Apache-2.0
! adi_plain rewritten by hand so that messages travel while matrices are set up
! and finished cells react: receives posted before the sender can be ready,
! computation in slabs with a look after the messages between them, and sends
! waited for only where their buffer is filled again.
subroutine adi_run()
  use adi_data
  implicit none
  include 'mpif.h'
  integer :: step, axis, requests(2), ierror
  logical :: arrived

  requests = MPI_REQUEST_NULL
  do step = 1, steps
    do axis = 1, 2
      call sweep()
    end do
  end do
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierror)

contains

  subroutine sweep()
    integer :: stage, q0, finished, along, across, length, lines, next, previous
    call shape_of(axis, along, across, length, lines, next, previous)

    do stage = 1, ranks
      q0 = cell_of(axis, stage)
      if (stage == 1) then
        call set_matrix_in_slabs(q0)
        call rim(lines*nz)
      else
        call set_matrix_in_slabs(q0)
        call mpi_wait(requests(1), MPI_STATUS_IGNORE, ierror)
        call unpack_forward(lines*nz)
      end if
      if (stage < ranks) &
        call mpi_irecv(in_buffer, 2*lines*nz, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, requests(1), ierror)
      call eliminate(q0, along, across, length, lines)
      if (stage < ranks) then
        call mpi_wait(requests(2), MPI_STATUS_IGNORE, ierror)
        call pack_forward(q0, along, across, length, lines)
        call mpi_isend(out_buffer, 2*lines*nz, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, requests(2), ierror)
      end if
    end do

    finished = 0
    do stage = ranks, 1, -1
      q0 = cell_of(axis, stage)
      if (stage == ranks) then
        call rim(lines*nz)
      else
        call react_in_slabs(finished)
        call mpi_wait(requests(1), MPI_STATUS_IGNORE, ierror)
        call unpack_backward(lines*nz)
      end if
      if (stage > 1) &
        call mpi_irecv(in_buffer, lines*nz, MPI_DOUBLE_PRECISION, next, 2, MPI_COMM_WORLD, requests(1), ierror)
      call back_substitute(q0, along, across, length, lines)
      if (stage > 1) then
        call mpi_wait(requests(2), MPI_STATUS_IGNORE, ierror)
        call pack_backward(q0, across, lines)
        call mpi_isend(out_buffer, lines*nz, MPI_DOUBLE_PRECISION, previous, 2, MPI_COMM_WORLD, requests(2), ierror)
      end if
      finished = q0
    end do
    call react_in_slabs(finished)
  end subroutine

  subroutine set_matrix_in_slabs(q0)
    integer, intent(in) :: q0
    integer :: s
    do s = 1, slabs
      call set_matrix(q0 + slab(s - 1) + 1, q0 + slab(s))
      call look(s)
    end do
  end subroutine

  subroutine react_in_slabs(q0)
    integer, intent(in) :: q0
    integer :: s
    do s = 1, slabs
      call react(q0 + slab(s - 1) + 1, q0 + slab(s))
      call look(s)
    end do
  end subroutine

  integer function slab(s)
    integer, intent(in) :: s
    slab = int(int(points, i8)*s/slabs)
  end function

  ! Lets MPI move what is on its way.
  subroutine look(s)
    integer, intent(in) :: s
    integer :: i
    logical :: here
    if (s == 1) arrived = .false.
    if (arrived) return
    arrived = .true.
    do i = 1, 2
      call mpi_request_get_status(requests(i), here, MPI_STATUS_IGNORE, ierror)
      arrived = arrived .and. here
    end do
  end subroutine

  include 'adi_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine

character(5) function adi_variant()
  adi_variant = 'hand'
end function
