! SPDX-License-Identifier: Apache-2.0
! Faces of a cube that lie across its storage, packed and unpacked, in a module's allocatables: the innermost loop leaves
! a number at either end, or the one in the middle a column.
module field
  implicit none
  include 'mpif.h'
  integer :: nx, ny, nz, rank, size
  double precision, allocatable :: a(:, :, :), b(:, :, :), send(:, :), recv(:, :)
contains
  subroutine sweep(axis)
    integer, intent(in) :: axis
    integer :: i, j, k, m, ierr, requests(4), low, high
    low = mod(rank - 1 + size, size)
    high = mod(rank + 1, size)
    m = nz * merge(ny, nx, axis == 1)
    call MPI_Irecv(recv(1, 1), m, MPI_DOUBLE_PRECISION, low, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(recv(1, 2), m, MPI_DOUBLE_PRECISION, high, 2, MPI_COMM_WORLD, requests(2), ierr)
    if (axis == 1) then
      do k = 1, nz
        do j = 1, ny
          send((k - 1) * ny + j, 1) = a(1, j, k)
          send((k - 1) * ny + j, 2) = a(nx, j, k)
        end do
      end do
    else
      do k = 1, nz
        do i = 1, nx
          send((k - 1) * nx + i, 1) = a(i, 1, k)
          send((k - 1) * nx + i, 2) = a(i, ny, k)
        end do
      end do
    end if
    call MPI_Isend(send(1, 1), m, MPI_DOUBLE_PRECISION, low, 2, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(send(1, 2), m, MPI_DOUBLE_PRECISION, high, 1, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    if (axis == 1) then
      do k = 1, nz
        do j = 1, ny
          a(0, j, k) = recv((k - 1) * ny + j, 1)
          a(nx + 1, j, k) = recv((k - 1) * ny + j, 2)
        end do
      end do
    else
      do k = 1, nz
        do i = 1, nx
          a(i, 0, k) = recv((k - 1) * nx + i, 1)
          a(i, ny + 1, k) = recv((k - 1) * nx + i, 2)
        end do
      end do
    end if
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          b(i, j, k) = 0.25d0 * (a(i - 1, j, k) + a(i + 1, j, k) + a(i, j - 1, k) + a(i, j + 1, k))
        end do
      end do
    end do
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i, j, k) = b(i, j, k) + 0.125d0 * a(i, j, k)
        end do
      end do
    end do
  end subroutine

  subroutine run(x, y, z)
    integer, intent(in) :: x, y, z
    integer :: i, j, k, turn
    integer(8) :: total
    nx = x
    ny = y
    nz = z
    allocate(a(0:nx + 1, 0:ny + 1, nz), b(0:nx + 1, 0:ny + 1, nz), send(nz * max(nx, ny), 2), recv(nz * max(nx, ny), 2))
    do k = 1, nz
      do j = 0, ny + 1
        do i = 0, nx + 1
          a(i, j, k) = mod(i * 31 + j * 17 + k * 7 + rank * 5, 97)
          b(i, j, k) = i - j
        end do
      end do
    end do
    do turn = 1, 4
      call sweep(1)
      call sweep(2)
    end do
    total = 0
    do k = 1, nz
      do j = 0, ny + 1
        do i = 0, nx + 1
          total = ieor(ishft(total, 1), transfer(a(i, j, k) + b(i, j, k), total))
        end do
      end do
    end do
    print '(a, 4i6, z20)', 'cube ', rank, nx, ny, nz, total
    deallocate(a, b, send, recv)
  end subroutine
end module

program grid
  use field
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call run(24, 20, 22)
  call run(40, 2, 9)
  call run(1, 1, 1)
  call MPI_Finalize(ierr)
end program
