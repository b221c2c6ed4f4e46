! SPDX-License-Identifier: Apache-2.0
! The sweeps one part after the other, each timed. While a message travels only
! the matrix of the cell that waits for it, or the reaction of the cell that is
! finished, can be computed: all else depends on it.
subroutine adi_limit(phases)
  use adi_data
  implicit none
  include 'mpif.h'
  type(phases_t), intent(out) :: phases
  integer :: step, axis, requests(2), ierror
  real(r8) :: begun, start, moved

  moved = 0
  start = mpi_wtime()
  do step = 1, steps
    do axis = 1, 2
      call sweep()
    end do
  end do
  phases%rest = mpi_wtime() - start - moved
  phases%limit = phases%limit + phases%rest

contains

  subroutine sweep()
    integer :: stage, q0, finished, along, across, length, lines, next, previous
    call shape_of(axis, along, across, length, lines, next, previous)

    do stage = 1, ranks
      q0 = cell_of(axis, stage)
      begun = mpi_wtime()
      call set_matrix(q0 + 1, q0 + points)
      if (stage == 1) then
        call rim(lines*nz)
      else
        call overlapped(2*lines*nz, previous, next, 1)
        call unpack_forward(lines*nz)
      end if
      call eliminate(q0, along, across, length, lines)
      if (stage < ranks) call pack_forward(q0, along, across, length, lines)
    end do

    finished = 0
    do stage = ranks, 1, -1
      q0 = cell_of(axis, stage)
      if (stage == ranks) then
        call rim(lines*nz)
      else
        begun = mpi_wtime()
        call react(finished + 1, finished + points)
        call overlapped(lines*nz, next, previous, 2)
        call unpack_backward(lines*nz)
      end if
      call back_substitute(q0, along, across, length, lines)
      if (stage > 1) call pack_backward(q0, across, lines)
      finished = q0
    end do
    call react(finished + 1, finished + points)
  end subroutine

  ! The computation since `begun` could have hidden the messages of this stage.
  subroutine overlapped(count, from, to, tag)
    integer, intent(in) :: count, from, to, tag
    real(r8) :: computed, ready, arrived
    computed = mpi_wtime()
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    ready = mpi_wtime()
    call mpi_irecv(in_buffer, count, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, requests(1), ierror)
    call mpi_isend(out_buffer, count, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, requests(2), ierror)
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    arrived = mpi_wtime()
    phases%compute = phases%compute + computed - begun
    phases%transfer = phases%transfer + arrived - ready
    phases%limit = phases%limit + max(computed - begun, arrived - ready)
    moved = moved + arrived - begun
  end subroutine

  include 'adi_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine
