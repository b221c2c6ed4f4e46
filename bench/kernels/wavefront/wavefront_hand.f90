! SPDX-License-Identifier: Apache-2.0
! wavefront_plain rewritten by hand so that edges travel while planes are
! computed: receives posted a plane ahead, two sets of buffers, sends waited for
! only where their buffer is filled again, and a look after the messages every
! few rows.
subroutine wavefront_run()
  use wavefront_data
  implicit none
  include 'mpif.h'
  integer :: step, ierror
  integer :: recv_x(2), recv_y(2), send_x(2), send_y(2)

  recv_x = MPI_REQUEST_NULL
  recv_y = MPI_REQUEST_NULL
  send_x = MPI_REQUEST_NULL
  send_y = MPI_REQUEST_NULL
  do step = 1, steps
    call pipeline(.true., south, west, north, east, 0, 0, n2, n1, 1)
    call pipeline(.false., north, east, south, west, n2 + 1, n1 + 1, 1, 1, 3)
  end do
  call mpi_waitall(2, send_x, MPI_STATUSES_IGNORE, ierror)
  call mpi_waitall(2, send_y, MPI_STATUSES_IGNORE, ierror)

contains

  ! One sweep: rows and columns come in as number in_j and in_i, and leave as out_j and out_i.
  subroutine pipeline(up, from_y, from_x, to_y, to_x, in_j, in_i, out_j, out_i, tag)
    logical, intent(in) :: up
    integer, intent(in) :: from_y, from_x, to_y, to_x, in_j, in_i, out_j, out_i, tag
    integer :: turn, k, set, j, rows
    rows = max(1, 2*n2/slabs)
    call post(1, from_y, from_x, tag)
    do turn = 1, n3
      k = merge(turn, n3 + 1 - turn, up)
      set = 2 - modulo(turn, 2)
      if (turn < n3) call post(3 - set, from_y, from_x, tag)
      do j = 1, n2, rows
        call set_diagonal(k, j, min(j + rows - 1, n2))
        call look()
      end do
      call mpi_wait(recv_y(set), MPI_STATUS_IGNORE, ierror)
      call mpi_wait(recv_x(set), MPI_STATUS_IGNORE, ierror)
      if (from_y >= 0) call unpack_row(in_y(1, set), bits_y(1, set), in_j, k)
      if (from_x >= 0) call unpack_column(in_x(1, set), bits_x(1, set), in_i, k)
      if (up) then
        do j = 1, n2, rows
          call sweep_up(k, j, min(j + rows - 1, n2))
          call look()
        end do
      else
        do j = n2, 1, -rows
          call sweep_down(k, max(j - rows + 1, 1), j)
          call look()
        end do
      end if
      call mpi_wait(send_y(set), MPI_STATUS_IGNORE, ierror)
      call mpi_wait(send_x(set), MPI_STATUS_IGNORE, ierror)
      if (to_y >= 0) then
        call pack_row(out_y(1, set), out_j, k)
        call mpi_isend(out_y(1, set), species*n1, MPI_DOUBLE_PRECISION, to_y, tag, MPI_COMM_WORLD, send_y(set), ierror)
      end if
      if (to_x >= 0) then
        call pack_column(out_x(1, set), out_i, k)
        call mpi_isend(out_x(1, set), species*n2, MPI_DOUBLE_PRECISION, to_x, tag + 1, MPI_COMM_WORLD, &
                       send_x(set), ierror)
      end if
    end do
  end subroutine

  subroutine post(set, from_y, from_x, tag)
    integer, intent(in) :: set, from_y, from_x, tag
    if (from_y >= 0) call mpi_irecv(in_y(1, set), species*n1, MPI_DOUBLE_PRECISION, from_y, tag, &
                                    MPI_COMM_WORLD, recv_y(set), ierror)
    if (from_x >= 0) call mpi_irecv(in_x(1, set), species*n2, MPI_DOUBLE_PRECISION, from_x, tag + 1, &
                                    MPI_COMM_WORLD, recv_x(set), ierror)
  end subroutine

  ! Lets MPI move what is on its way.
  subroutine look()
    integer :: set
    logical :: done
    do set = 1, 2
      if (recv_y(set) /= MPI_REQUEST_NULL) call mpi_request_get_status(recv_y(set), done, MPI_STATUS_IGNORE, ierror)
      if (send_y(set) /= MPI_REQUEST_NULL) call mpi_test(send_y(set), done, MPI_STATUS_IGNORE, ierror)
    end do
  end subroutine

  include 'wavefront_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine

character(5) function wavefront_variant()
  wavefront_variant = 'hand'
end function
