! SPDX-License-Identifier: Apache-2.0
! The pipeline in lock step: one diagonal of blocks computes a plane, then its
! edges travel, each timed. A pipeline takes, a sweep, for every plane the time of
! its slowest part, a block's or the link's, and until the last block has its first edges one sweep of
! a plane and one transfer for every block before it.
subroutine wavefront_limit(phases)
  use wavefront_data
  implicit none
  include 'mpif.h'
  type(phases_t), intent(out) :: phases
  integer :: step, ierror, requests(4)
  real(r8) :: mine(5), slowest(5), matrix, swept, packed, moved, planes, begun

  matrix = 0
  swept = 0
  packed = 0
  moved = 0
  do step = 1, steps
    call pipeline(.true., south, west, north, east, 0, 0, n2, n1)
    call pipeline(.false., north, east, south, west, n2 + 1, n1 + 1, 1, 1)
  end do
  planes = 2.0_r8*steps*n3
  mine = (/matrix/planes, swept/planes, packed/planes, moved/planes, sustained()/)
  call mpi_allreduce(mine, slowest, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  phases%compute = planes*(slowest(1) + slowest(2))
  phases%transfer = planes*max(slowest(4), slowest(5))
  phases%rest = planes*slowest(3)
  phases%limit = planes*max(sum(slowest(1:3)), slowest(5)) &
                 + 2.0_r8*steps*(sum(parts) - 2)*(slowest(2) + slowest(3) + slowest(4))

contains

  subroutine pipeline(up, from_y, from_x, to_y, to_x, in_j, in_i, out_j, out_i)
    logical, intent(in) :: up
    integer, intent(in) :: from_y, from_x, to_y, to_x, in_j, in_i, out_j, out_i
    integer :: turn, k, diagonals, mine, stage
    diagonals = sum(parts) - 1
    mine = merge(sum(part), diagonals - 1 - sum(part), up)
    do turn = 1, n3
      k = merge(turn, n3 + 1 - turn, up)
      do stage = 0, diagonals - 1
        if (stage == mine) then
          begun = mpi_wtime()
          call set_diagonal(k, 1, n2)
          call add(matrix)
          if (from_y >= 0) call unpack_row(in_y, bits_y, in_j, k)
          if (from_x >= 0) call unpack_column(in_x, bits_x, in_i, k)
          call add(packed)
          if (up) call sweep_up(k, 1, n2)
          if (.not. up) call sweep_down(k, 1, n2)
          call add(swept)
          if (to_y >= 0) call pack_row(out_y, out_j, k)
          if (to_x >= 0) call pack_column(out_x, out_i, k)
          call add(packed)
        end if
        call mpi_barrier(MPI_COMM_WORLD, ierror)
        begun = mpi_wtime()
        requests = MPI_REQUEST_NULL
        if (stage + 1 == mine) then
          if (from_y >= 0) call mpi_irecv(in_y, species*n1, MPI_DOUBLE_PRECISION, from_y, 1, MPI_COMM_WORLD, &
                                          requests(1), ierror)
          if (from_x >= 0) call mpi_irecv(in_x, species*n2, MPI_DOUBLE_PRECISION, from_x, 2, MPI_COMM_WORLD, &
                                          requests(2), ierror)
        else if (stage == mine) then
          if (to_y >= 0) call mpi_isend(out_y, species*n1, MPI_DOUBLE_PRECISION, to_y, 1, MPI_COMM_WORLD, &
                                        requests(3), ierror)
          if (to_x >= 0) call mpi_isend(out_x, species*n2, MPI_DOUBLE_PRECISION, to_x, 2, MPI_COMM_WORLD, &
                                        requests(4), ierror)
        end if
        call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
        if (stage + 1 == mine) call add(moved)
        call mpi_barrier(MPI_COMM_WORLD, ierror)
      end do
    end do
  end subroutine

  ! Seconds a row of edges, one after the other without a pause: a limited link
  ! lets a little pass at once after each rest, and a pipeline gives it none.
  real(r8) function sustained()
    integer :: turn
    sustained = 0.0_r8
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    do turn = 1, 24
      if (turn == 9) begun = mpi_wtime()
      requests = MPI_REQUEST_NULL
      if (south >= 0) call mpi_irecv(in_y, species*n1, MPI_DOUBLE_PRECISION, south, 1, MPI_COMM_WORLD, &
                                     requests(1), ierror)
      if (north >= 0) call mpi_isend(out_y, species*n1, MPI_DOUBLE_PRECISION, north, 1, MPI_COMM_WORLD, &
                                     requests(2), ierror)
      call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
    end do
    call add(sustained)
    sustained = sustained/16
  end function

  subroutine add(to)
    real(r8), intent(inout) :: to
    real(r8) :: now
    now = mpi_wtime()
    to = to + now - begun
    begun = now
  end subroutine

  include 'wavefront_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine
