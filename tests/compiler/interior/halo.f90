! SPDX-License-Identifier: Apache-2.0
! A grid of columns, which is how Fortran lays them out; the count is a variable that changes behind the call.
module sweeps
  implicit none
contains
  subroutine sweep(u, v, n, m)
    integer, intent(in) :: n, m
    double precision, intent(in) :: u(m, 0:n+1)
    double precision, intent(inout) :: v(m, 0:n+1)
    integer :: i, j
    do j = 1, n
      do i = 2, m - 1
        v(i, j) = 0.25d0 * (u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j))
      end do
    end do
  end subroutine
end module

program halo
  use sweeps
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 40, m = 3000
  double precision, allocatable :: u(:, :), v(:, :)
  integer :: rank, size, up, down, step, ierr, i, j, count, r(4)
  double precision :: total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  up = mod(rank + size - 1, size)
  down = mod(rank + 1, size)
  allocate (u(m, 0:n+1), v(m, 0:n+1))
  do j = 0, n + 1
    do i = 1, m
      u(i, j) = mod(i * 7919 + j * 31 + rank, 1000)
      v(i, j) = u(i, j)
    end do
  end do
  do step = 1, 4
    count = m
    call MPI_Irecv(u(1, 0), count, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Irecv(u(1, n + 1), count, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Isend(u(1, n), count, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, r(3), ierr)
    call MPI_Isend(u(1, 1), count, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, r(4), ierr)
    count = 1
    call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
    call sweep(u, v, n, m)
    call MPI_Sendrecv(v(1, n), m, MPI_DOUBLE_PRECISION, down, 3, v(1, 0), m, MPI_DOUBLE_PRECISION, up, 3, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call sweep(v, u, n, m)
  end do
  total = 0
  do j = 0, n + 1
    do i = 1, m
      total = total * 0.75d0 + u(i, j)
    end do
  end do
  print '(a, i3, es25.16)', 'halo', rank, total
  call MPI_Finalize(ierr)
end program
