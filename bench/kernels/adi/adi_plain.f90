! SPDX-License-Identifier: Apache-2.0
! The sweeps with the waits where such solvers have them: both, for the last
! stage's send and this stage's receive, before the edge is unpacked. The
! messages are non-blocking, and yet nothing moves them while the matrix is set
! up, unless somebody makes progress meanwhile.
subroutine adi_run()
  use adi_data
  implicit none
  include 'mpif.h'
  integer :: step, axis, send_id, recv_id, status(MPI_STATUS_SIZE), ierror

  do step = 1, steps
    do axis = 1, 2
      call sweep()
    end do
  end do

contains

  subroutine sweep()
    integer :: stage, q0, finished, along, across, length, lines, next, previous
    call shape_of(axis, along, across, length, lines, next, previous)

    do stage = 1, ranks
      q0 = cell_of(axis, stage)
      if (stage == 1) then
        call set_matrix(q0 + 1, q0 + points)
        call rim(lines*nz)
      else
        call receive_solve_info(2*lines*nz, previous, 1)
        call set_matrix(q0 + 1, q0 + points)
        call mpi_wait(send_id, status, ierror)
        call mpi_wait(recv_id, status, ierror)
        call unpack_forward(lines*nz)
      end if
      call eliminate(q0, along, across, length, lines)
      if (stage < ranks) then
        call pack_forward(q0, along, across, length, lines)
        call mpi_isend(out_buffer, 2*lines*nz, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, send_id, ierror)
      end if
    end do

    finished = 0
    do stage = ranks, 1, -1
      q0 = cell_of(axis, stage)
      if (stage == ranks) then
        call rim(lines*nz)
      else
        call receive_solve_info(lines*nz, next, 2)
        call react(finished + 1, finished + points)
        call mpi_wait(send_id, status, ierror)
        call mpi_wait(recv_id, status, ierror)
        call unpack_backward(lines*nz)
      end if
      call back_substitute(q0, along, across, length, lines)
      if (stage > 1) then
        call pack_backward(q0, across, lines)
        call mpi_isend(out_buffer, lines*nz, MPI_DOUBLE_PRECISION, previous, 2, MPI_COMM_WORLD, send_id, ierror)
      end if
      finished = q0
    end do
    call react(finished + 1, finished + points)
  end subroutine

  subroutine receive_solve_info(count, from, tag)
    integer, intent(in) :: count, from, tag
    call mpi_irecv(in_buffer, count, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, recv_id, ierror)
  end subroutine

  include 'adi_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine

character(5) function adi_variant()
  adi_variant = 'plain'
end function
