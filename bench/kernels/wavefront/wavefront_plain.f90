! SPDX-License-Identifier: Apache-2.0
! The pipeline as such solvers have it: for each plane receive the edges, set up
! the matrix, sweep, send the edges, all of it blocking. The matrix needs no
! edges, and the send nothing of the next plane.
subroutine wavefront_run()
  use wavefront_data
  implicit none
  include 'mpif.h'
  integer :: step, k, ierror, status(MPI_STATUS_SIZE)

  do step = 1, steps
    do k = 1, n3
      if (south >= 0) call mpi_recv(in_y, species*n1, MPI_DOUBLE_PRECISION, south, 1, MPI_COMM_WORLD, status, ierror)
      if (west >= 0) call mpi_recv(in_x, species*n2, MPI_DOUBLE_PRECISION, west, 2, MPI_COMM_WORLD, status, ierror)
      call set_diagonal(k, 1, n2)
      if (south >= 0) call unpack_row(in_y, bits_y, 0, k)
      if (west >= 0) call unpack_column(in_x, bits_x, 0, k)
      call sweep_up(k, 1, n2)
      if (north >= 0) then
        call pack_row(out_y, n2, k)
        call mpi_send(out_y, species*n1, MPI_DOUBLE_PRECISION, north, 1, MPI_COMM_WORLD, ierror)
      end if
      if (east >= 0) then
        call pack_column(out_x, n1, k)
        call mpi_send(out_x, species*n2, MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, ierror)
      end if
    end do

    do k = n3, 1, -1
      if (north >= 0) call mpi_recv(in_y, species*n1, MPI_DOUBLE_PRECISION, north, 3, MPI_COMM_WORLD, status, ierror)
      if (east >= 0) call mpi_recv(in_x, species*n2, MPI_DOUBLE_PRECISION, east, 4, MPI_COMM_WORLD, status, ierror)
      call set_diagonal(k, 1, n2)
      if (north >= 0) call unpack_row(in_y, bits_y, n2 + 1, k)
      if (east >= 0) call unpack_column(in_x, bits_x, n1 + 1, k)
      call sweep_down(k, 1, n2)
      if (south >= 0) then
        call pack_row(out_y, 1, k)
        call mpi_send(out_y, species*n1, MPI_DOUBLE_PRECISION, south, 3, MPI_COMM_WORLD, ierror)
      end if
      if (west >= 0) then
        call pack_column(out_x, 1, k)
        call mpi_send(out_x, species*n2, MPI_DOUBLE_PRECISION, west, 4, MPI_COMM_WORLD, ierror)
      end if
    end do
  end do

contains

  include 'wavefront_numerics.inc'
  include '../support/kernel_fold.inc'
end subroutine

character(5) function wavefront_variant()
  wavefront_variant = 'plain'
end function
